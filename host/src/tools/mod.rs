//! The tool table: names, argument types, schemas, grants, handlers — for every front and for guests.

mod adjust;
mod args;
mod build;
mod finding;
pub mod health;
mod house;
mod interact;
mod journey;
mod logs;
mod manage;
mod measures;
mod network;
mod observe;
pub(crate) mod parsers;
mod picture;
mod resolved;
mod schema;
mod screens;
mod screenshot;
mod scroll;
mod sdk;
mod snapshot;
mod step;
mod streams;
mod system;
mod table;
mod waits;

pub use house::{Foundation, House, HouseConfig};
pub use measures::Measures;
pub use schema::nearest;
pub use table::{Group, TOOLS, Tool, find, grant_of};

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::action::{ActionContext, ActionReport, ResponseMode, SharedRead};
use crate::budget::Budget;
use crate::device::Session;
use crate::request::Request;

/// Arguments past this many bytes are refused (contract §4).
pub const MAX_ARGUMENT_BYTES: usize = 1 << 20;

/// Past this many bytes the text block is the compact text and the JSON travels in structuredContent alone (contract §4).
pub const TEXT_BYTES: usize = 40 * 1024;

/// Whether a value's JSON is longer than the text block may be; it is counted only so far.
#[must_use]
pub fn crowds(value: &impl serde::Serialize) -> bool {
    struct Room(usize);
    impl std::io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::WriteZero)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Room(TEXT_BYTES), value).is_err()
}

/// Finding the device, before any timeout a tool states.
const RESOLUTION: Duration = Duration::from_secs(5);

/// What an action may take in all, whatever its parts are given: an end for every request.
const OUTER: Duration = Duration::from_secs(240);

/// Told of an observation.
pub type Seen = Arc<dyn Fn(&Arc<Observation>) + Send + Sync>;

/// A tool call on its way to its handler.
pub struct Call {
    /// The house it is made in.
    pub house: Arc<House>,
    /// The request.
    pub request: Request,
    /// Checked arguments.
    pub args: Value,
    /// The device a journey is pinned to.
    pub pinned: Option<Session>,
    /// Who makes the read after a light action.
    pub shared: SharedRead,
    /// Told of each observation a wait makes: a journey's light tap takes its evidence from the first.
    pub seen: Option<Seen>,
}

impl Call {
    /// A call by itself, as a front makes it.
    #[must_use]
    pub fn new(house: Arc<House>, request: Request, args: Value) -> Self {
        Self { house, request, args, pinned: None, shared: SharedRead::None, seen: None }
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_value(self.args.clone()).map_err(|error| Failure::argument("arguments", error.to_string()))
    }

    /// A budget of the whole call.
    fn budget(&self, total: Duration) -> Budget {
        Budget::new(total, self.request.cancel.clone())
    }

    /// What an action of this call needs of the house, on its device and within `outer`.
    fn action_context<'a>(&'a self, session: &'a Session, outer: &'a Budget) -> ActionContext<'a> {
        ActionContext {
            session,
            request: &self.request,
            plugins: &self.house.plugins,
            processes: &self.house.processes,
            outer,
        }
    }

    /// The one device of this call: the journey's, or the one its arguments mean.
    async fn session(&self, target: &args::TargetArgs) -> Result<Session, Failure> {
        if let Some(pinned) = &self.pinned {
            return Ok(pinned.clone());
        }
        let budget = self.budget(RESOLUTION);
        self.request.timings.time("device_resolution_ms", self.house.session(&target.target(), &budget)).await
    }
}

/// What a handler answers.
#[derive(Debug)]
pub enum Answer {
    /// An action's report, shaped by response mode when it is shown.
    Action(Box<ActionReport>),
    /// Any other answer.
    Body {
        /// The JSON.
        body: Value,
        /// `success`, where the tool has one.
        success: Option<bool>,
        /// Failure code, where it did not succeed.
        failure_code: Option<Code>,
        /// Shown as text instead of the JSON.
        text: Option<String>,
    },
    /// An answer with a picture beside it.
    Picture {
        /// The JSON.
        body: Value,
        /// The picture, encoded as `mime` says.
        bytes: Vec<u8>,
        /// `image/png`, `image/jpeg`.
        mime: &'static str,
    },
}

impl Answer {
    fn body(body: Value) -> Self {
        Self::Body { body, success: None, failure_code: None, text: None }
    }

    fn picture(body: Value, bytes: Vec<u8>, mime: &'static str) -> Self {
        Self::Picture { body, bytes, mime }
    }

    /// Takes the picture out, where there is one.
    pub fn take_picture(&mut self) -> Option<(Vec<u8>, &'static str)> {
        match self {
            Self::Picture { bytes, mime, .. } => Some((std::mem::take(bytes), *mime)),
            _ => None,
        }
    }

    /// As the caller asked to see it.
    #[must_use]
    pub fn to_json(&self, mode: Option<ResponseMode>) -> Value {
        match self {
            Self::Action(report) => mode.map_or_else(|| report.to_json(), |mode| report.shaped(mode)),
            Self::Body { body, .. } | Self::Picture { body, .. } => body.clone(),
        }
    }

    /// As the one who called it in `mcp` sees it, with the text to show instead of the JSON where there is one.
    #[must_use]
    pub fn into_parts(self) -> (Value, Option<String>) {
        match self {
            Self::Action(report) => (report.to_json(), None),
            Self::Body { body, text, .. } => (body, text),
            Self::Picture { body, .. } => (body, None),
        }
    }

    /// `success`, as a step sees it; a tool that has none succeeded by answering.
    #[must_use]
    pub fn success(&self) -> bool {
        match self {
            Self::Action(report) => report.success(),
            Self::Body { success, .. } => success.unwrap_or(true),
            Self::Picture { .. } => true,
        }
    }

    /// Failure code, where it did not succeed.
    #[must_use]
    pub fn failure_code(&self) -> Option<Code> {
        match self {
            Self::Action(report) => report.failure.as_ref().map(|failure| failure.code),
            Self::Body { failure_code, .. } => *failure_code,
            Self::Picture { .. } => None,
        }
    }

    /// Native input was spawned.
    #[must_use]
    pub fn dispatch_started(&self) -> bool {
        match self {
            Self::Action(report) => report.dispatch_started,
            Self::Body { body, .. } => body["dispatch_started"] == json!(true),
            Self::Picture { .. } => false,
        }
    }
}

/// Calls a tool: checks its arguments against the advertised schema, runs its handler, answers also when it panics.
///
/// # Errors
/// `INVALID_ARGUMENT` before any device work; an observing tool's failure; `UNKNOWN` for a panic.
pub async fn call(tool: &'static Tool, mut call: Call) -> Result<Answer, Failure> {
    // The compact text alone: an agent may send as much white space as it likes.
    if call.args.to_string().len() > MAX_ARGUMENT_BYTES {
        return Err(Failure::argument("arguments", "the arguments are larger than 1 MiB"));
    }
    tool.check(&mut call.args)?;
    let id = call.request.id.clone();
    let handled = AssertUnwindSafe(async { (tool.handler)(call).await }).catch_unwind().await;
    let answered = handled.unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        tracing::error!(request = %id, tool = tool.name, "a handler panicked: {what}");
        Err(Failure::new(Code::Unknown, format!("{} failed inside Handset (request {id})", tool.name)))
    });
    // An action that ran out of time before it had a device was not sent (contract §5).
    answered.map_err(|failure| match failure.code {
        Code::Timeout if tool.acts() => Failure { code: Code::ActionTimeout, ..failure }.with_retryable(true),
        _ => failure,
    })
}

/// An error answer's JSON: the error object and the time it took; of an action, also that nothing was sent.
#[must_use]
pub fn error_json(tool: &Tool, failure: &Failure, request: &Request) -> Value {
    let mut body = json!({ "error": failure.to_json(), "timing": request.timings.full() });
    if tool.acts() {
        body["success"] = json!(false);
        body["failure_code"] = json!(failure.code);
        body["retryable"] = json!(failure.is_retryable());
        body["delivery_status"] = json!("not_delivered");
        body["dispatch_started"] = json!(false);
    }
    body
}
