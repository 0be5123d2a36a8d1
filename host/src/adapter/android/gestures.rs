//! Gestures and keys as the device's `input` takes them, and what it cannot do.

use handset_model::ui::Keyboard;
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::Android;
use super::facts::keyboard_of;
use super::input::numbered;
use super::shell::Script;
use crate::budget::Budget;
use crate::device::{Input, Pinned};

/// Gestures the contract allows, ms.
const DURATION: std::ops::RangeInclusive<u32> = 1..=10_000;

/// How long `input draganddrop` holds still before it moves: the platform's long-press timeout, which a device may be set to
/// stretch, ms.
const PICK_UP: u32 = 1_500;

/// Android's `ViewConfiguration.DOUBLE_TAP_TIMEOUT`, from the end of the first tap to the begin of the second, ms.
pub(super) const DOUBLE_TAP: u64 = 300;

/// What the second tap waits for on the device, s: an `input` is a process of its own, with a JVM of its own before Android 11,
/// which takes 300–700 ms to start on old devices. So both start nearly at once, each in its own process, and this is what
/// lies between them; the taps then lie as far apart, whatever one start costs. Within Android's 40–300 ms on either side.
const BETWEEN: &str = "0.1";

/// Says when a tap was over, by the device's own clock of 10 ms, and what came of it.
const TAPPED: &str = "r=$?; read u _ </proc/uptime; echo handset:tap:$r:$u";

/// Before what [`TAPPED`] says.
pub(super) const TAP_MARK: &str = "handset:tap:";

/// What a line says that found nothing to do.
pub(super) const UNSENT: &str = "handset:unsent";

/// An input as the device's shell will run it.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Commands, each only after the one before it was accepted.
    pub(super) strokes: Vec<String>,
    /// Instead of these, where it takes other lines than that: a child each.
    pub(super) whole: Vec<String>,
    pub(super) gesture_ms: u32,
    pub(super) details: Map<String, Value>,
}

impl Line {
    pub(super) fn strokes(strokes: Vec<String>) -> Self {
        Self { strokes, ..Self::default() }
    }

    fn held(stroke: String, gesture_ms: u32) -> Self {
        Self { gesture_ms, ..Self::strokes(vec![stroke]) }
    }
}

/// What no stock Android has from a shell.
pub(super) fn offered(input: &Input) -> Result<(), Failure> {
    match input {
        Input::Pinch => Err(Failure::new(
            Code::Unsupported,
            "pinch needs two fingers at once, and the device's input command has one",
        )
        .with_remedy("Use the app's own zoom: its buttons, or double_tap and drag where it takes them.")),
        _ => Ok(()),
    }
}

/// A gesture or a key of an input that needs nothing asked but the SDK level.
pub(super) fn line(input: &Input, sdk: Option<u32>) -> Result<Line, Failure> {
    let lasting = |duration_ms: &u32| match DURATION.contains(duration_ms) {
        true => Ok(*duration_ms),
        false => Err(Failure::argument("duration", format!("{duration_ms} is outside 1–10000 ms"))),
    };
    Ok(match input {
        Input::Tap { x, y } => Line::held(format!("input tap {x} {y}"), 0),
        Input::Swipe { x1, y1, x2, y2, duration_ms } => {
            let ms = lasting(duration_ms)?;
            Line::held(format!("input swipe {x1} {y1} {x2} {y2} {ms}"), ms)
        }
        // A swipe that goes nowhere is a finger held down, on every Android.
        Input::LongPress { x, y, duration_ms } => {
            let ms = lasting(duration_ms)?;
            Line::held(format!("input swipe {x} {y} {x} {y} {ms}"), ms)
        }
        Input::Drag { x1, y1, x2, y2, duration_ms } => drag((*x1, *y1), (*x2, *y2), lasting(duration_ms)?, sdk),
        Input::DoubleTap { x, y } => double_tap(&format!("input tap {x} {y}"), sdk),
        Input::Back => Line::held("input keyevent 4".to_owned(), 0),
        Input::Key(code) => Line::held(format!("input keyevent {code}"), 0),
        other => return Err(Failure::new(Code::Unknown, format!("{other:?} is no gesture"))),
    })
}

/// `draganddrop` came with Android 7.
fn drag(from: (i32, i32), to: (i32, i32), ms: u32, sdk: Option<u32>) -> Line {
    let path = format!("{} {} {} {} {ms}", from.0, from.1, to.0, to.1);
    if sdk.is_none_or(|sdk| sdk >= 24) {
        return Line::held(format!("input draganddrop {path}"), ms + PICK_UP);
    }
    let mut line = Line::held(format!("input swipe {path}"), ms);
    let note = "this Android has no draganddrop: a swipe was sent, which moves only what needs no long press first";
    line.details.insert("note".into(), json!(note));
    line
}

/// Two taps in one line. Before Android 6 no fraction of a second can be waited for: there they go one after the other, and what
/// lay between them is told as everywhere.
fn double_tap(tap: &str, sdk: Option<u32>) -> Line {
    // One number for both: until both are over, what may still be running is either of them.
    let tap = format!("{}; {TAPPED}; [ $r = 0 ]", numbered(1, tap));
    let whole = if sdk.is_some_and(|sdk| sdk < 23) {
        format!("{{ {tap}; }} && {{ {tap}; }}")
    } else {
        format!("{{ {tap}; }} & k=$!; sleep {BETWEEN}; {{ {tap}; }}; r=$?; wait $k && [ $r = 0 ]")
    };
    Line { whole: vec![whole], strokes: vec![String::new()], ..Line::default() }
}

/// Milliseconds between the ends of both taps of a double tap.
pub(super) fn tap_gap(said: &str) -> Option<u64> {
    let mut ends = said.match_indices(TAP_MARK).filter_map(|(at, mark)| {
        let rest = said.get(at + mark.len()..)?;
        let line = rest.lines().next()?.trim();
        let (status, uptime) = line.split_once(':')?;
        let (seconds, part) = uptime.split_once('.')?;
        let scale = [100, 10, 1].get(part.len().checked_sub(1)?)?;
        let ms = seconds.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(part.parse::<u64>().ok()? * scale);
        ms.filter(|_| status == "0")
    });
    let (one, other) = (ends.next()?, ends.next()?);
    Some(one.abs_diff(other))
}

impl Android {
    /// Back hides the keyboard, and leaves the screen where there is none: so whether it is shown is asked here, and again on
    /// the device by the very line that sends the key.
    pub(super) async fn hiding_line(&self, device: &Pinned, budget: &Budget) -> Result<Line, Failure> {
        match self.keyboard_state(device, budget).await? {
            Some(Keyboard { shown: true, .. }) => {}
            Some(_) => {
                let mut line = Line::default();
                line.details.insert("note".into(), json!("the keyboard is not shown; nothing was sent"));
                return Ok(line);
            }
            None => {
                let message = "this needs a device that tells whether its keyboard is shown (dumpsys input_method)";
                return Err(Failure::new(Code::Unsupported, message));
            }
        }
        let back = numbered(1, "input keyevent 4");
        let shown = "dumpsys input_method 2>/dev/null | grep -m1 -E 'mInputShown=|mIsInputViewShown='";
        let whole = format!(
            "case \"$({shown})\" in *mInputShown=true*|*mIsInputViewShown=true*) {back};; *) echo {UNSENT};; esac"
        );
        Ok(Line { whole: vec![whole], strokes: vec![String::new()], ..Line::default() })
    }

    pub(super) async fn keyboard_state(&self, device: &Pinned, budget: &Budget) -> Result<Option<Keyboard>, Failure> {
        let script = Script::new().bounding().part("keyboard", super::facts::KEYBOARD);
        let reply = self.ask(device, &script, "asking whether the keyboard is shown", budget).await?;
        Ok(keyboard_of(&reply.text("keyboard")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_between_two_taps_is_read_from_the_devices_own_clock() {
        let said =
            |first: &str, second: &str| format!("handset:stroke:1:7\nhandset:tap:{first}\r\nx\nhandset:tap:{second}\n");
        assert_eq!(tap_gap(&said("0:1234.50", "0:1234.62")), Some(120));
        assert_eq!(tap_gap(&said("0:1234.98", "0:1235.7")), Some(720));
        assert_eq!(tap_gap(&said("0:9.000", "0:9.001")), Some(1));
        for (first, second) in [("1:1234.50", "0:1234.62"), ("0:", "0:1234.62"), ("0:5", "0:6"), ("0:1.2345", "0:2.0")]
        {
            assert_eq!(tap_gap(&said(first, second)), None, "{first} {second}");
        }
        assert_eq!(tap_gap("handset:tap:0:1.00\n"), None);
    }

    #[test]
    fn an_android_without_draganddrop_gets_a_swipe_and_says_so() {
        let dragged = Input::Drag { x1: 1, y1: 2, x2: 3, y2: 4, duration_ms: 900 };
        let new = line(&dragged, Some(24)).unwrap();
        assert_eq!(
            (new.strokes.as_slice(), new.gesture_ms),
            (&["input draganddrop 1 2 3 4 900".to_owned()][..], 2_400)
        );
        assert!(new.details.is_empty());
        let old = line(&dragged, Some(23)).unwrap();
        assert_eq!(old.strokes, ["input swipe 1 2 3 4 900"]);
        assert!(old.details.contains_key("note"));
    }

    #[test]
    fn two_taps_are_one_line_and_start_together_where_a_moment_can_be_waited_for() {
        let both = |sdk| line(&Input::DoubleTap { x: 5, y: 6 }, sdk).unwrap().whole.concat();
        for sdk in [None, Some(22), Some(23), Some(36)] {
            assert_eq!(both(sdk).matches("input tap 5 6").count(), 2);
        }
        assert!(both(Some(23)).contains("& k=$!; sleep 0.1; "));
        assert!(!both(Some(22)).contains("sleep"));
    }
}
