//! The platform-neutral device: what adapters offer, how one device is resolved and pinned, and its lane.

mod input;
mod lane;
mod lockfile;
mod logs;
mod manage;
pub(crate) mod parsers;
mod resolve;
mod session;
mod shots;
#[cfg(test)]
mod tests;

pub use input::{Accepted, Input, Prepared, Reached, Refused, Typing};
pub use lane::{Lane, LaneTurn, Lanes, Leftover, Note};
pub use lockfile::folder as lock_folder;
pub use logs::{Follow, Heard, LogListener, LogQuery, LogSource, Logs};
pub use manage::{Boot, Booted, Manage, Orientation};
pub use resolve::{Target, resolve};
pub use session::{Screens, Session};
pub use shots::{ScreenCapture, Shot};

use std::future::Future;
use std::pin::Pin;

use handset_model::logs::Level;
use handset_model::report::Report;
use handset_model::snapshot::{Capture, DeviceKey, ScreenFacts};
use handset_model::ui::{Keyboard, Size, Tree};
use handset_model::{Code, Failure};
use serde::Serialize;
use tokio::time::Instant;

use crate::budget::Budget;
use crate::process::{Output, ProcessError};
pub use crate::request::PhysicalRead;

/// A boxed future, so that adapters are objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One attached device as its platform lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// `android` or `ios`.
    pub platform: &'static str,
    /// adb serial or simulator UDID.
    pub id: String,
    /// `device` when usable, else `offline`, `unauthorized`, `booted`, ….
    pub state: String,
    /// Whether it can be driven.
    pub usable: bool,
    /// What to do when it cannot.
    pub remedy: Option<String>,
    /// adb's transport id: another one means another connection.
    pub connection: u64,
    /// Model where the listing says so.
    pub model: Option<String>,
}

/// The one device of a request, in one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Platform and id.
    pub key: DeviceKey,
    /// adb's transport id.
    pub connection: u64,
    /// Model where the listing said so.
    pub model: Option<String>,
}

/// Facts of a device that do not change while it is connected; read once per connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Release, such as `14`.
    pub os_version: String,
    /// Model, such as `Pixel 8`.
    pub model: String,
    /// Emulator or simulator.
    pub simulator: bool,
    /// Android SDK level, where it is Android.
    pub sdk: Option<u32>,
}

/// What a read must bring beside the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Package and activity in front.
    pub activity: bool,
    /// Keyboard shown.
    pub keyboard: bool,
}

/// One successful physical read, before it has a revision.
#[derive(Clone, Debug)]
pub struct Read {
    /// When and where.
    pub capture: Capture,
    /// The screen.
    pub tree: Tree,
    /// Package and activity, when wanted.
    pub screen: ScreenFacts,
    /// Physical reads done for it, in order: the last brought it, those before failed.
    pub reads: Vec<PhysicalRead>,
}

/// What was asked about an app beside its screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probes {
    /// Facts by the name classifiers ask for them: `anr`, `debugger`.
    pub facts: Vec<(String, serde_json::Value)>,
    /// What could not be told, and why: never a verdict of its own.
    pub limitations: Vec<String>,
}

/// A failed read.
#[derive(Clone, Debug)]
pub struct ReadFailure {
    /// The typed failure of the last attempt.
    pub failure: Failure,
    /// Physical reads tried, in order.
    pub reads: Vec<PhysicalRead>,
    /// What may still be running on the device, for the lane.
    pub leftover: Option<Leftover>,
}

/// A platform's adapter: command lines out, captures in. It never dispatches input itself.
pub trait Adapter: Send + Sync + std::fmt::Debug {
    /// `android` or `ios`.
    fn platform(&self) -> &'static str;

    /// The id meant where a request names none, as the environment says (`ANDROID_SERIAL`).
    fn default_device(&self) -> Option<String> {
        None
    }

    /// All attached devices, each state. A listing that runs out of budget is a TIMEOUT.
    fn list<'a>(&'a self, budget: &'a Budget) -> BoxFuture<'a, Result<Vec<Listed>, Failure>>;

    /// Facts of a device, remembered per connection; unknown ones where it does not tell them in time.
    fn facts<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<DeviceFacts, Failure>>;

    /// One fresh tree; bounded re-reads inside the one budget. The caller holds the device's lane.
    fn read<'a>(
        &'a self,
        device: &'a Pinned,
        wants: Wants,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Read, ReadFailure>>;

    /// The display's size in its current rotation.
    fn display<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<Size, Failure>>;

    /// Package and activity in front, without a tree.
    fn screen<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<ScreenFacts, Failure>>;

    /// Whether the keyboard is shown, and where; `None` where the device does not tell.
    fn keyboard<'a>(
        &'a self,
        _device: &'a Pinned,
        _budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Option<Keyboard>, Failure>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Whether the platform has such an input at all: asked before anything else.
    ///
    /// # Errors
    /// `UNSUPPORTED`, with what it would need.
    fn offers(&self, _input: &Input) -> Result<(), Failure> {
        Ok(())
    }

    /// Turns input into children; may ask the device what it can do, starts no input.
    fn prepare<'a>(
        &'a self,
        device: &'a Pinned,
        input: Input,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Prepared, Failure>>;

    /// What the finished or stopped child of an input means; `began` is when it was spawned. A stopped one is
    /// `ACTION_TIMEOUT`, or `CANCELLED`.
    ///
    /// # Errors
    /// [`Refused`], with what is known of the delivery and what the input may have left running.
    fn judge(
        &self,
        device: &Pinned,
        prepared: &Prepared,
        began: Instant,
        output: Result<&Output, &ProcessError>,
    ) -> Result<Accepted, Box<Refused>>;

    /// Whether the app in front answers and whether anything holds it, in one round trip. The caller holds the device's lane.
    fn probe<'a>(
        &'a self,
        device: &'a Pinned,
        package: Option<&'a str>,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Probes, Failure>> {
        let _ = (device, package, budget);
        Box::pin(async {
            Err(Failure::new(handset_model::Code::Unsupported, "probes need a platform that records what its apps do"))
        })
    }

    /// Whether an app is installed, where that was asked.
    fn installed<'a>(
        &'a self,
        device: &'a Pinned,
        app_id: &'a str,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<bool, Failure>>;

    /// Version and health of the platform's own tools, for get_system_status: available, version, issues.
    fn health<'a>(&'a self, budget: &'a Budget) -> BoxFuture<'a, Health>;

    /// The newest lines of the device's log. The lane is not needed: a log reads as well under a dump that hangs.
    fn logs<'a>(
        &'a self,
        device: &'a Pinned,
        query: &'a LogQuery,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Logs, Failure>> {
        let _ = (device, query, budget);
        Box::pin(std::future::ready(Err(without("a device log"))))
    }

    /// Whether the device gives a line of its log.
    fn logs_available<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<bool, Failure>> {
        let _ = (device, budget);
        Box::pin(std::future::ready(Err(without("a device log"))))
    }

    /// Asks a device everything that tells it from others, for a report; `reads` dumps are timed. The caller holds the
    /// device's lane, for which what a dump left running is given back.
    fn survey<'a>(
        &'a self,
        device: &'a Pinned,
        reads: usize,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<(Report, Option<Leftover>), Failure>> {
        let _ = (device, reads, budget);
        Box::pin(std::future::ready(Err(without("questions for a report"))))
    }

    /// Finds out how an app's log is followed.
    fn follow<'a>(
        &'a self,
        device: &'a Pinned,
        app: &'a str,
        level: Level,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Follow, Failure>> {
        let _ = (device, app, level, budget);
        Box::pin(std::future::ready(Err(without("a device log"))))
    }

    /// Follows until the budget ends or the connection does; says why it ended. One child, which is reaped then.
    fn follow_on<'a>(
        &'a self,
        device: &'a Pinned,
        follow: Follow,
        budget: &'a Budget,
        listener: LogListener,
    ) -> BoxFuture<'a, Failure> {
        let _ = (device, follow, budget, listener);
        Box::pin(std::future::ready(without("a device log")))
    }

    /// One picture of the display that is in use. The caller holds the device's lane.
    fn screenshot<'a>(
        &'a self,
        device: &'a Pinned,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<ScreenCapture, Failure>> {
        let _ = (device, budget);
        Box::pin(std::future::ready(Err(without("screenshots"))))
    }

    /// Title of a window that can be seen and refuses to be captured, if there is one.
    fn secure_window<'a>(
        &'a self,
        device: &'a Pinned,
        budget: &'a Budget,
    ) -> BoxFuture<'a, Result<Option<String>, Failure>> {
        let _ = (device, budget);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// The clipboard's text.
    fn clipboard<'a>(&'a self, device: &'a Pinned, budget: &'a Budget) -> BoxFuture<'a, Result<String, Failure>> {
        let _ = (device, budget);
        Box::pin(std::future::ready(Err(without("a clipboard that can be read"))))
    }

    /// Starts a device that is not attached yet, and waits until it says that it has booted.
    fn boot<'a>(&'a self, wanted: &'a Boot, budget: &'a Budget) -> BoxFuture<'a, Result<Booted, Failure>> {
        let _ = (wanted, budget);
        Box::pin(std::future::ready(Err(without("devices that can be started"))))
    }

    /// Whether what a read or a gesture left on the device is over.
    fn is_over<'a>(&'a self, device: &'a Pinned, leftover: &'a Leftover, budget: &'a Budget) -> BoxFuture<'a, bool>;
}

/// What a platform's adapter does not do.
fn without(what: &str) -> Failure {
    Failure::new(Code::Unsupported, format!("this needs {what}, which this platform's adapter does not offer"))
}

/// The state of a platform's tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The tools can be spawned.
    pub available: bool,
    /// Their version line.
    pub version: Option<String>,
    /// Where they were found.
    pub program: Option<String>,
    /// What is wrong, a sentence each.
    pub issues: Vec<String>,
}
