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
    /// Text into the focused field.
    Text(String),
    /// The system's back.
    Back,
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

/// Input turned into children, ready to be spawned in order. More than one refuses a guard.
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
