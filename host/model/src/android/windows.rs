//! `dumpsys window` (`windows`, `displays`, `policy`): windows with their frames and flags, focus, displays, the keyboard.
//! Formats of Android 5 to 16, as WindowState, DisplayContent and WindowManagerService print them.

use serde_json::{Map, Value, json};

use super::screen::{component, parse_resumed_activity, parse_screen_state};
use super::{flag, no_capture};
use crate::Failure;
use crate::ui::Size;

/// One window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowEntry {
    /// As listed; 0 or the highest number is the topmost, by version.
    pub index: Option<u32>,
    /// Hash that names it elsewhere in the dump.
    pub id: String,
    /// Title: a component, or what a system window calls itself.
    pub title: String,
    /// Package that owns it.
    pub package: Option<String>,
    /// `BASE_APPLICATION`, `2011`, … as it stands.
    pub kind: Option<String>,
    /// Display.
    pub display: Option<u32>,
    /// Left, top, right, bottom on that display.
    pub frame: Option<[i32; 4]>,
    /// On the screen, as far as the dump tells.
    pub visible: Option<bool>,
    /// It has `FLAG_SECURE`: it is black in every capture.
    pub secure: bool,
}

/// One display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisplayEntry {
    /// Number: 0 is the phone's own.
    pub id: u32,
    /// Now, as it is turned.
    pub size: Option<Size>,
    /// As it was made.
    pub initial: Option<Size>,
    /// Dots per inch.
    pub density: Option<u32>,
    /// Quarter turns.
    pub rotation: Option<u32>,
    /// Title of its focused window.
    pub focus: Option<String>,
    /// Component of its focused app.
    pub focused_app: Option<String>,
}

/// What `dumpsys window` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// As they stand.
    pub windows: Vec<WindowEntry>,
    /// Displays, in the order of their first mention.
    pub displays: Vec<DisplayEntry>,
    /// Title of the window that has the focus; of the focused display where it is named.
    pub focus: Option<String>,
    /// Component of the app that has it.
    pub focused_app: Option<String>,
    /// Package and activity in front, by whatever names them.
    pub front: Option<(String, String)>,
    /// Display that has it.
    pub focused_display: Option<u32>,
    /// Quarter turns of the first display.
    pub rotation: Option<u32>,
    /// The display is on.
    pub on: Option<bool>,
    /// The keyguard is in front.
    pub locked: Option<bool>,
}

/// Windows and displays kept.
const MOST: usize = 1_000;

/// `FLAG_SECURE` of `WindowManager.LayoutParams`.
const SECURE: u32 = 0x2000;

/// Title in `Window{db6fd2e u0 com.app/com.app.Main}`, and the hash before it.
fn titled(text: &str) -> Option<(String, String)> {
    let inside = &text[text.find("Window{")? + "Window{".len()..];
    // A title may hold a brace; the line's last one closes.
    let inside = &inside[..inside.find('}')?];
    let (id, rest) = inside.split_once(' ').unwrap_or((inside, ""));
    let user =
        rest.split_once(' ').filter(|(user, _)| user.strip_prefix('u').is_some_and(|id| id.parse::<u32>().is_ok()));
    let title = user.map_or(rest, |(_, title)| title);
    // What older versions put behind it.
    let title = title.trim_end_matches(" EXITING").trim_end_matches(" paused=false").trim_end_matches(" paused=true");
    Some((id.to_owned(), title.trim().to_owned()))
}

/// `[0,0][1080,2400]`, of whole or broken pixels.
fn frame(text: &str) -> Option<[i32; 4]> {
    let text = text.strip_prefix('[')?;
    let (first, rest) = text.split_once("][")?;
    let (second, _) = rest.split_once(']')?;
    let pair = |text: &str| {
        let (x, y) = text.split_once(',')?;
        let whole = |text: &str| text.split('.').next()?.trim().parse::<i32>().ok();
        Some((whole(x)?, whole(y)?))
    };
    let ((left, top), (right, bottom)) = (pair(first)?, pair(second)?);
    Some([left, top, right, bottom])
}

/// What follows `name`, where it stands as a whole word.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let whole = |at: &usize| !line[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    line.match_indices(name).map(|(at, _)| at).find(whole).map(|at| &line[at + name.len()..])
}

fn word(text: &str) -> Option<&str> {
    text.split([' ', '}', ')', ',']).next().filter(|word| !word.is_empty())
}

fn size(text: &str) -> Option<Size> {
    let (width, height) = word(text)?.split_once('x')?;
    Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
        .filter(|size| size.width > 0 && size.height > 0)
}

/// `0` to `3`, `ROTATION_90`, `90`.
fn turns(text: &str) -> Option<u32> {
    let digits: String = word(text)?.trim_start_matches("ROTATION_").chars().take_while(char::is_ascii_digit).collect();
    match digits.parse().ok()? {
        quarter @ 0..=3 => Some(quarter),
        90 => Some(1),
        180 => Some(2),
        270 => Some(3),
        _ => None,
    }
}

/// The flags of `fl=…`: words since Android 9, a number before.
fn is_secure(flags: &str) -> bool {
    let first = flags.split_whitespace().next().unwrap_or_default();
    let number = first.trim_start_matches('#').trim_start_matches("0x");
    match u32::from_str_radix(number.trim_end_matches('}'), 16) {
        Ok(bits) => bits & SECURE != 0,
        // What follows the flags are other members, `name=`.
        Err(_) => flags
            .split_whitespace()
            .take_while(|word| !word.contains('='))
            .any(|word| matches!(word.trim_end_matches(['}', ']', ',']), "SECURE" | "FLAG_SECURE")),
    }
}

/// Component of `mFocusedApp=…`; nothing for `null`.
fn app(line: &str) -> Option<String> {
    let inside = &line[line.find('{')? + 1..];
    let words = inside.split([' ', '}', ',']);
    let (package, activity) = words.filter(|word| word.contains('/')).find_map(component)?;
    Some(format!("{package}/{activity}"))
}

/// A focus line: display, title of a window, component of an app.
type Focus = (Option<u32>, Option<String>, Option<String>);

#[derive(Default)]
struct Reader {
    found: Windows,
    in_window: bool,
    display: Option<u32>,
    flags: bool,
    seen: bool,
    /// In order.
    focus: Vec<Focus>,
}

impl Reader {
    fn line(&mut self, raw: &str) {
        let line = raw.trim();
        if line.starts_with("Window #") && line.contains("Window{") {
            let Some((id, title)) = titled(line) else { return };
            self.seen = true;
            let index = line.trim_start_matches("Window #").split(|c: char| !c.is_ascii_digit()).next();
            self.in_window = self.found.windows.len() < MOST;
            if self.in_window {
                let index = index.and_then(|index| index.parse().ok());
                self.found.windows.push(WindowEntry { index, id, title, ..WindowEntry::default() });
            }
            self.flags = false;
            return;
        }
        if let Some(rest) = line.strip_prefix("Display: mDisplayId=") {
            self.in_window = false;
            self.display = rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|id| id.parse().ok());
            self.seen = true;
            self.of_display();
            return;
        }
        if line.starts_with("mCurrentFocus=") || line.starts_with("mFocusedWindow=") {
            self.seen = true;
            self.in_window = false;
            self.focus.push((self.display, titled(line).map(|(_, title)| title), None));
        } else if line.starts_with("mFocusedApp=") {
            self.seen = true;
            self.in_window = false;
            self.focus.push((self.display, None, app(line)));
        } else if let Some(id) =
            line.strip_prefix("mTopFocusedDisplayId=").or_else(|| line.strip_prefix("mFocusedDisplayId="))
        {
            self.found.focused_display = word(id).and_then(|id| id.parse().ok());
        }
        // Members of the window manager itself stand two columns in, those of a window four.
        if raw.len() - raw.trim_start().len() < 4 && !line.is_empty() && self.in_window && raw.starts_with(' ') {
            self.in_window = false;
        }
        if self.in_window {
            self.window(line);
        } else {
            self.manager(line);
        }
    }

    fn of_display(&mut self) -> Option<&mut DisplayEntry> {
        let id = self.display?;
        let displays = &mut self.found.displays;
        let at = match displays.iter().position(|display| display.id == id) {
            Some(at) => at,
            None if displays.len() < MOST => {
                displays.push(DisplayEntry { id, ..DisplayEntry::default() });
                displays.len() - 1
            }
            None => return None,
        };
        displays.get_mut(at)
    }

    fn window(&mut self, line: &str) {
        let Some(window) = self.found.windows.last_mut() else { return };
        if let Some(id) = after(line, "mDisplayId=").and_then(word) {
            window.display = window.display.or_else(|| id.parse().ok());
        }
        if let Some(package) = after(line, "package=").and_then(word) {
            window.package.get_or_insert_with(|| package.to_owned());
        }
        if let Some(kind) =
            Some(line).filter(|line| line.starts_with("mAttrs=")).and_then(|line| word(after(line, "ty=")?))
        {
            window.kind = Some(kind.to_owned());
        }
        if line.starts_with("mAttrs=") || line.starts_with("fl=") || self.flags {
            // Flags may go on for lines, until another member.
            let begun = after(line, "fl=");
            if let Some(flags) = begun.or(Some(line).filter(|_| self.flags && !line.contains('='))) {
                window.secure |= is_secure(flags);
                self.flags = !flags.contains('}');
            } else {
                self.flags = false;
            }
        }
        let shown = ["mFrame=", "frame=", "mShownFrame="].iter().find_map(|name| after(line, name)).and_then(frame);
        window.frame = window.frame.or(shown);
        if let Some(visible) = flag(line, "isVisible") {
            window.visible = Some(visible);
        } else if let Some(surface) = flag(line, "mHasSurface") {
            let ready = line.split_once("isReadyForDisplay()=").map(|(_, ready)| ready.starts_with("true"));
            window.visible = window.visible.or(Some(surface && ready.unwrap_or(true)));
        }
    }

    fn manager(&mut self, line: &str) {
        let rotation = ["mRotation=", "mCurrentRotation=", "mDisplayRotation="]
            .iter()
            .find_map(|name| after(line, name))
            .and_then(turns);
        if self.found.rotation.is_none() && rotation.is_some() {
            self.found.rotation = rotation;
        }
        let sizes = line.starts_with("init=") || line.contains(" init=");
        let (current, initial) = (after(line, "cur=").and_then(size), after(line, "init=").and_then(size));
        let density = line.split(' ').find_map(|word| word.strip_suffix("dpi")?.parse().ok());
        if sizes && self.display.is_none() {
            self.display = Some(0);
        }
        let Some(display) = self.of_display() else { return };
        if sizes {
            display.size = display.size.or(current);
            display.initial = display.initial.or(initial);
            display.density = display.density.or(density);
        }
        display.rotation = display.rotation.or(rotation);
    }

    fn done(mut self, text: &str) -> Windows {
        for (display, title, app) in &self.focus {
            let entry = self.found.displays.iter_mut().find(|entry| Some(entry.id) == *display);
            if let Some(entry) = entry {
                entry.focus = entry.focus.take().or_else(|| title.clone());
                entry.focused_app = entry.focused_app.take().or_else(|| app.clone());
            }
        }
        // The focused display's, else the last that names one: of several displays the first may be a cover with nothing on it.
        let top = self.found.displays.iter().find(|entry| Some(entry.id) == self.found.focused_display);
        let named = top.map(|entry| (entry.focus.clone(), entry.focused_app.clone())).unwrap_or_default();
        let last = |pick: fn(&Focus) -> Option<&String>| self.focus.iter().rev().find_map(pick).cloned();
        self.found.focus = named.0.or_else(|| last(|(_, title, _)| title.as_ref()));
        let holder =
            self.found.focus.as_deref().and_then(component).map(|(package, activity)| format!("{package}/{activity}"));
        let same = self.focus.iter().filter_map(|(_, _, app)| app.clone()).find(|app| Some(app) == holder.as_ref());
        self.found.focused_app = named.1.or(same).or_else(|| last(|(_, _, app)| app.as_ref()));
        let named = |title: &Option<String>| title.as_deref().and_then(component);
        self.found.front = named(&self.found.focus)
            .or_else(|| named(&self.found.focused_app))
            .or_else(|| parse_resumed_activity(text));
        let state = parse_screen_state(text);
        (self.found.on, self.found.locked) = (state.on, state.locked);
        self.found
    }
}

/// Reads what `dumpsys window` printed.
///
/// # Errors
/// `INVALID_ARGUMENT` for anything else, `UNSUPPORTED` where the service refused.
pub fn parse_windows(text: &str) -> Result<Windows, Failure> {
    let mut reader = Reader::default();
    let heading = text.contains("WINDOW MANAGER") || text.contains("DUMP OF SERVICE window");
    if heading || !text.contains("ACTIVITY MANAGER") {
        text.lines().for_each(|line| reader.line(line));
    }
    let seen = reader.seen;
    let found = reader.done(text);
    const POLICY: [&str; 4] =
        ["KeyguardServiceDelegate", "DreamingLockscreen", "ShowingLockscreen", "isStatusBarKeyguard"];
    let policy = POLICY.iter().any(|words| text.contains(words));
    if seen || heading || policy {
        return Ok(found);
    }
    Err(no_capture("window", "`adb shell dumpsys window`, `… windows`, `… displays` or `… policy`", text))
}

impl WindowEntry {
    /// The keyboard's own window.
    #[must_use]
    pub fn is_keyboard(&self) -> bool {
        matches!(self.kind.as_deref(), Some("INPUT_METHOD" | "2011")) || self.title == "InputMethod"
    }

    fn to_json(&self) -> Value {
        let mut shown = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                shown.insert(name.to_owned(), value);
            }
        };
        put("index", json!(self.index));
        put("id", json!(self.id));
        put("title", json!(self.title));
        put("package", json!(self.package));
        put("type", json!(self.kind));
        put("display", json!(self.display));
        put("frame", json!(self.frame));
        put("visible", json!(self.visible));
        put("secure", json!(self.secure));
        Value::Object(shown)
    }
}

impl Windows {
    /// A window that can be seen and refuses to be captured.
    #[must_use]
    pub fn secure_in_front(&self) -> Option<&WindowEntry> {
        let focused = |window: &&WindowEntry| self.focus.as_deref() == Some(window.title.as_str());
        let secure = || self.windows.iter().filter(|window| window.secure && window.visible != Some(false));
        secure().find(focused).or_else(|| secure().next())
    }

    /// The keyboard: shown, and where.
    #[must_use]
    pub fn keyboard(&self) -> Option<(bool, Option<[i32; 4]>)> {
        let shown = |window: &&WindowEntry| window.is_keyboard();
        let window = self.windows.iter().filter(shown).max_by_key(|window| window.visible == Some(true))?;
        Some((window.visible == Some(true), window.frame))
    }

    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let windows: Vec<Value> = self.windows.iter().map(WindowEntry::to_json).collect();
        let size = |size: Option<Size>| size.map(|size| json!({ "width": size.width, "height": size.height }));
        let displays: Vec<Value> = self
            .displays
            .iter()
            .map(|display| {
                json!({
                    "id": display.id,
                    "size": size(display.size),
                    "initial": size(display.initial),
                    "density": display.density,
                    "rotation": display.rotation,
                    "focus": display.focus,
                    "focused_app": display.focused_app,
                })
            })
            .collect();
        let (package, activity) = self.front.clone().unzip();
        let keyboard = self.keyboard().map(|(shown, frame)| json!({ "shown": shown, "frame": frame }));
        json!({
            "focus": {
                "window": self.focus,
                "app": self.focused_app,
                "display": self.focused_display,
                "package": package,
                "activity": activity,
            },
            "displays": displays,
            "rotation": self.rotation,
            "keyboard": keyboard,
            "screen_on": self.on,
            "locked": self.locked,
            "secure": self.secure_in_front().map(|window| window.title.clone()),
            "windows": windows,
        })
    }
}
