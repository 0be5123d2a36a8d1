//! What a fault script is: how it is struck, and what each kind of tool comes to under it.

use simphone::FaultKind;

use super::expect::Outcome;

/// How a fault gets to the device.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Strike {
    /// Every dump.
    Dumps(FaultKind),
    /// The first dump.
    FirstDump(FaultKind),
    /// Every dump, or what answers a tool that asks for no tree.
    Looks(FaultKind),
    /// Every `cat` of a dump's file.
    Retrievals(FaultKind),
    /// Every question to the system's services, those that come with a tree as well.
    Services(FaultKind),
    /// Every input, and every start of an app.
    Inputs(FaultKind),
    /// Once, before the call.
    Now(FaultKind),
    /// Once, in the middle of the call: its first look hangs, or its input where it looks only afterwards.
    InFlight(Accident),
    /// Once, before the calls.
    Before(Accident),
    /// An earlier dump of ours, whose call ran out of time, goes on for so long.
    OurDump(u64),
}

/// What happens beside the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accident {
    /// Unplugged and plugged in again: another transport.
    Replug,
    /// The adb server is killed.
    ServerKilled,
    /// The server of another adb version has the port, and keeps it.
    ServerOfAnotherVersion,
    /// The server of another adb version has the port, and gives way to ours.
    ServerThatGivesWay,
}

impl Strike {
    /// It reaches tools that read no tree.
    pub(super) fn reaches_questions(&self) -> bool {
        matches!(self, Self::Looks(_) | Self::InFlight(_) | Self::Services(_))
    }

    /// The device is still there to be read again.
    pub(super) fn is_of_the_device(&self) -> bool {
        !matches!(self, Self::InFlight(_) | Self::Before(_) | Self::Looks(_))
    }
}

/// What becomes of a tree's read while the fault lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// It brings the screen.
    Whole,
    /// It brings the screen, which is another one.
    Other,
    /// It fails with this code.
    Fails(&'static str),
    /// There is no device to read from.
    Never(&'static str),
}

/// What becomes of an input that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) code: &'static str,
    pub(super) delivery: &'static str,
    pub(super) retryable: bool,
    /// Inputs in the phone's journal when it is answered.
    pub(super) touched: usize,
    /// Those that come later.
    pub(super) late: usize,
    pub(super) remedy: &'static str,
}

/// What keeps the device's lane closed after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Nothing.
    Free,
    /// What the call left running on the device, until its pid is gone.
    Kept,
    /// Nothing any more, although what was left there may still run: its time is over.
    Past,
    /// What is left there, if anything, ends by itself: then the next call is served, and finds the slot free.
    Brief,
}

/// One fault.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) strike: Strike,
    pub(super) read: Read,
    pub(super) sent: Option<Sent>,
    pub(super) lane: Lane,
    /// A fault that strikes once is borne: every tool succeeds.
    pub(super) passes: bool,
    /// Words of the message.
    pub(super) says: &'static str,
    /// Words of the remedy, where its code does not tell.
    pub(super) remedy: &'static str,
    /// Cells that follow no rule: row, outcome, and why.
    pub(super) exceptions: &'static [(&'static str, Outcome, &'static str)],
}

/// A fault that is nobody's business.
pub(super) fn borne(strike: Strike) -> Script {
    Script {
        strike,
        read: Read::Whole,
        sent: None,
        lane: Lane::Free,
        passes: false,
        says: "",
        remedy: "",
        exceptions: &[],
    }
}

/// A fault under which no tree can be read.
pub(super) fn unreadable(strike: Strike, code: &'static str, says: &'static str) -> Script {
    Script { read: Read::Fails(code), says, ..borne(strike) }
}

/// A fault under which no device can be used.
pub(super) fn unreachable(strike: Strike, code: &'static str, says: &'static str, remedy: &'static str) -> Script {
    Script { read: Read::Never(code), says, remedy, ..borne(strike) }
}

/// A fault of the input itself.
pub(super) fn refusing(kind: FaultKind, sent: Sent) -> Script {
    Script { sent: Some(sent), ..borne(Strike::Inputs(kind)) }
}
