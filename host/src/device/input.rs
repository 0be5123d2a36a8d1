//! Native input and lifecycle: what is asked for, what is spawned for it, what became of it.

use std::time::Duration;

use handset_model::Failure;
use serde_json::{Map, Value};

use super::{Leftover, Manage};
use crate::process::Command;

/// Native input and lifecycle.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A tap at a point of the display, pixels or points.
    Tap {
        /// From the left.
        x: i32,
        /// From the top.
        y: i32,
    },
    /// A drag from one point to another.
    Swipe {
        /// Start, from the left.
        x1: i32,
        /// Start, from the top.
        y1: i32,
        /// End, from the left.
        x2: i32,
        /// End, from the top.
        y2: i32,
        /// Milliseconds, 1–10 000.
        duration_ms: u32,
    },
    /// A finger held down.
    LongPress {
        /// From the left.
        x: i32,
        /// From the top.
        y: i32,
        /// Milliseconds, 1–10 000.
        duration_ms: u32,
    },
    /// Two taps within the platform's double-tap window, or as near to it as the device gets.
    DoubleTap {
        /// From the left.
        x: i32,
        /// From the top.
        y: i32,
    },
    /// A press, long enough to pick up what lies there, and a move to where it is let go.
    Drag {
        /// Start, from the left.
        x1: i32,
        /// Start, from the top.
        y1: i32,
        /// End, from the left.
        x2: i32,
        /// End, from the top.
        y2: i32,
        /// Milliseconds of the move, 1–10 000.
        duration_ms: u32,
    },
    /// Two fingers moved together or apart.
    Pinch,
    /// Text into a field.
    Text(Typing),
    /// The system's back.
    Back,
    /// A key by its number: Android's `KeyEvent`.
    Key(u16),
    /// Takes the keyboard away where it is shown; nothing at all where it is not.
    HideKeyboard,
    /// Brings an app to the front.
    StartApp {
        /// Package, or package and activity.
        app_id: String,
        /// The device's user it is started for; the one in front where none is named.
        user: Option<u32>,
    },
    /// Ends an app and brings it to the front anew.
    RestartApp {
        /// Package, or package and activity.
        app_id: String,
        /// As of [`Input::StartApp`].
        user: Option<u32>,
    },
    /// Manages an app or the device.
    Manage {
        /// What is done.
        what: Manage,
        /// The device's user it is done for; the one in front where none is named.
        user: Option<u32>,
    },
}

/// Text and how it is typed.
#[derive(Clone, Default, PartialEq)]
pub struct Typing {
    /// What is typed.
    pub text: String,
    /// The field that is tapped first; the focused one where there is none.
    pub into: Option<(i32, i32)>,
    /// What stands in the field goes first.
    pub replace: bool,
    /// Characters that stand there, where a read showed them.
    pub standing: Option<usize>,
    /// Enter afterwards.
    pub submit: bool,
}

impl From<String> for Typing {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// What is typed is shown nowhere.
impl std::fmt::Debug for Typing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, into, replace, standing, submit } = self;
        f.debug_struct("Typing")
            .field("characters", &text.chars().count())
            .field("into", into)
            .field("replace", replace)
            .field("standing", standing)
            .field("submit", submit)
            .finish()
    }
}

impl Input {
    /// The same input at the points that its target came to: all of them, in the order its tool names them.
    pub(crate) fn at(mut self, points: &[(i32, i32)]) -> Self {
        match (&mut self, points) {
            (Self::Tap { x, y } | Self::LongPress { x, y, .. } | Self::DoubleTap { x, y }, [point, ..]) => {
                (*x, *y) = *point
            }
            (Self::Swipe { x1, y1, x2, y2, .. } | Self::Drag { x1, y1, x2, y2, .. }, [from, to, ..]) => {
                (*x1, *y1, *x2, *y2) = (from.0, from.1, to.0, to.1)
            }
            (Self::Text(typing), [point, ..]) => typing.into = Some(*point),
            _ => {}
        }
        self
    }
}

/// Input turned into children, ready to be spawned in order. More than one refuses a guard; none means that there is nothing
/// to send, and `details` why.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What it does.
    pub input: Input,
    /// The children.
    pub commands: Vec<Command>,
    /// How long the gesture itself lasts on the device, ms.
    pub gesture_ms: u32,
    /// Commands on the device it takes in all, each of which costs what one input costs there.
    pub strokes: u32,
    /// How long each child may take, in order, within the action's time; those beyond the list may take all of it.
    pub bounds: Vec<Duration>,
    /// What preparing found out that the answer tells.
    pub notes: Map<String, Value>,
}

/// What the platform made of an input's child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// The adapter's own output, for debug answers.
    pub output: String,
    /// `am start -W`'s TotalTime, ms.
    pub launch_time_ms: Option<u64>,
    /// The way it went, where that is not the usual one.
    pub way: Option<&'static str>,
    /// The child found nothing to do on the device, and injected nothing.
    pub unsent: bool,
    /// What the tool's own details say of what was done.
    pub details: Map<String, Value>,
    /// Why the app may not have taken it for what was meant, though it was delivered.
    pub doubt: Option<String>,
}

/// Whether an input that was not accepted may have reached the device all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Nothing of it did.
    No,
    /// It may have, in part or in whole: looking is due before it is repeated.
    Perhaps,
}

/// An input that was spawned and not accepted.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Why.
    pub failure: Failure,
    /// What is known of its delivery.
    pub reached: Reached,
    /// What may still be running on the device, for the lane.
    pub leftover: Option<Leftover>,
}
