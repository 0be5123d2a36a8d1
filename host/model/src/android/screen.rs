//! What is in front, how large the display is, and whether it is on: `dumpsys`, `wm`, `getprop`.

use std::collections::BTreeMap;

use crate::ui::Size;

/// The display size from `wm size`: the override where there is one.
#[must_use]
pub fn parse_wm_size(text: &str) -> Option<Size> {
    let size = |name: &str| {
        let value = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
        let (width, height) = value.trim().split_once('x')?;
        let size = Size { width: width.trim().parse().ok()?, height: height.trim().parse().ok()? };
        (size.width > 0 && size.height > 0).then_some(size)
    };
    size("Override size:").or_else(|| size("Physical size:"))
}

/// Where dumps name the activity in front, surest first. `dumpsys activity activities` has the first
/// four, `dumpsys window` the others; from Android 10 the window part of a dump may have only the last.
const IN_FRONT: &[&str] = &[
    "topResumedActivity",
    "mResumedActivity",
    "ResumedActivity:",
    "mFocusedActivity",
    "mCurrentFocus=",
    "mFocusedWindow=",
    "mFocusedApp=",
    "imeLayeringTarget in display# 0",
    "imeInputTarget in display# 0",
    "mInputMethodTarget in display# 0",
    "mObscuringWindow=",
];

/// `(package, full activity name)` in front, from `dumpsys activity activities` or `dumpsys window` of Android 4–16.
#[must_use]
pub fn parse_resumed_activity(text: &str) -> Option<(String, String)> {
    let named = IN_FRONT.iter().find_map(|name| {
        let mut lines = text.lines().map(str::trim).filter(|line| line.starts_with(name));
        // A second display may have nothing in front: `mCurrentFocus=null`.
        lines.find_map(component_in_braces)
    });
    named.or_else(|| top_window(text))
}

/// The component in `ActivityRecord{35dbb2a u0 com.app/.Main t27}` or `Window{… com.app/com.app.Main}`.
fn component_in_braces(line: &str) -> Option<(String, String)> {
    let inside = &line[line.find('{')? + 1..];
    let word = inside.split([' ', '}', ',']).find(|word| word.contains('/'))?;
    component(word)
}

pub(super) fn component(word: &str) -> Option<(String, String)> {
    let (package, activity) = word.split_once('/')?;
    if package.is_empty() || activity.is_empty() {
        return None;
    }
    let activity = if activity.starts_with('.') { format!("{package}{activity}") } else { activity.to_owned() };
    Some((package.to_owned(), activity))
}

/// Where no focus is named: the nearest application window that has a surface.
fn top_window(text: &str) -> Option<(String, String)> {
    #[derive(Default)]
    struct Candidate {
        component: Option<(String, String)>,
        application: bool,
        surface: bool,
        layer: i64,
    }
    let mut best: Option<Candidate> = None;
    let mut current = Candidate::default();
    let mut judge = |candidate: Candidate| {
        let fits = candidate.application && candidate.surface && candidate.component.is_some();
        // Windows are listed from the top, so the first of equals stays.
        if fits && best.as_ref().is_none_or(|best| candidate.layer > best.layer) {
            best = Some(candidate);
        }
    };
    for line in text.lines().map(str::trim) {
        if line.starts_with("Window #") {
            judge(std::mem::take(&mut current));
            current.component = component_in_braces(line);
        } else {
            current.application |= line.contains(" ty=1 ") || line.contains(" ty=BASE_APPLICATION ");
            current.surface |= line.contains("mHasSurface=true");
            let layer = line
                .split_once(" layer=")
                .and_then(|(_, rest)| rest.split(' ').next())
                .and_then(|layer| layer.parse().ok());
            current.layer = layer.unwrap_or(current.layer);
        }
    }
    judge(current);
    best.and_then(|best| best.component)
}

/// Keyboard shown, from `dumpsys input_method`.
#[must_use]
pub fn parse_keyboard_shown(text: &str) -> Option<bool> {
    flag(text, "mInputShown").or_else(|| flag(text, "mIsInputViewShown"))
}

/// Whether a field has the focus, from the lines of `dumpsys input_method` that each client of the input method prints.
///
/// `Some(false)` only where it is firm: clients say what is served, nothing is, and no keyboard is shown; there are apps
/// whose fields are served by no view while the keyboard is up.
#[must_use]
pub fn parse_field_focused(text: &str) -> Option<bool> {
    let mut served: Option<bool> = None;
    for line in text.lines().map(str::trim) {
        let value = ["mServedView=", "mServedInputConnection=", "mServedInputConnectionWrapper="]
            .iter()
            .find_map(|name| line.strip_prefix(name));
        if let Some(value) = value {
            served = Some(served == Some(true) || !(value.is_empty() || value.starts_with("null")));
        }
    }
    match (served, parse_keyboard_shown(text)) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Whether the display is on and the keyguard in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenState {
    /// The display is on; `None` where the text does not say.
    pub on: Option<bool>,
    /// The keyguard is in front; `None` where the text does not say.
    pub locked: Option<bool>,
}

/// Words that say whether the display is on, surest first.
const ON: &[(&str, bool)] = &[
    ("mWakefulness=Awake", true),
    ("mWakefulness=Dreaming", true),
    ("mWakefulness=Asleep", false),
    ("mWakefulness=Dozing", false),
    ("mAwake=true", true),
    ("mAwake=false", false),
    ("interactiveState=INTERACTIVE_STATE_AWAKE", true),
    ("interactiveState=INTERACTIVE_STATE_SLEEP", false),
    ("screenState=SCREEN_STATE_ON", true),
    ("screenState=SCREEN_STATE_OFF", false),
    ("Display Power: state=ON", true),
    ("Display Power: state=OFF", false),
    ("mScreenOn=true", true),
    ("mScreenOn=false", false),
];

/// Flags of which any that is true means a keyguard.
const KEYGUARD: [&str; 5] =
    ["mShowingLockscreen", "mDreamingLockscreen", "isStatusBarKeyguard", "mKeyguardShowing", "mIsShowing"];

/// Screen and keyguard from `dumpsys power`, `dumpsys window policy`, `dumpsys window` or `dumpsys activity activities`.
///
/// A keyguard under an activity that shows over it (`occluded`), such as a call or the camera, is not in front.
#[must_use]
pub fn parse_screen_state(text: &str) -> ScreenState {
    let on = ON.iter().find(|(words, _)| text.contains(words)).map(|(_, on)| *on);
    // `showing` is too common a word to be trusted outside of the keyguard's own section.
    let section = text.split_once("KeyguardServiceDelegate").and_then(|(_, section)| flag(section, "showing"));
    let said: Vec<bool> = KEYGUARD.iter().filter_map(|name| flag(text, name)).chain(section).collect();
    let occluded = flag(text, "mOccluded").or_else(|| flag(text, "occluded")) == Some(true);
    let locked = (!said.is_empty()).then(|| !occluded && said.contains(&true));
    ScreenState { on, locked }
}

/// The value of `name=true|false`, wherever it stands as a whole word.
pub(super) fn flag(text: &str, name: &str) -> Option<bool> {
    text.match_indices(name).find_map(|(at, _)| {
        let whole = !text[..at].ends_with(|character: char| character.is_ascii_alphanumeric() || character == '_');
        let value = text[at + name.len()..].strip_prefix('=').filter(|_| whole)?;
        match () {
            () if value.starts_with("true") => Some(true),
            () if value.starts_with("false") => Some(false),
            () => None,
        }
    })
}

/// All properties of `getprop`; values may span lines.
#[must_use]
pub fn parse_getprop(text: &str) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        let begun = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ["));
        let (name, value) = match (begun, open.take()) {
            (Some((name, value)), _) => (name.to_owned(), value.to_owned()),
            // In place: a value of very many lines must not be copied at each of them.
            (None, Some((name, mut value))) => {
                value.push('\n');
                value.push_str(line);
                (name, value)
            }
            (None, None) => continue,
        };
        match value.strip_suffix(']') {
            Some(value) => {
                properties.insert(name, value.to_owned());
            }
            None => open = Some((name, value)),
        }
    }
    properties
}
