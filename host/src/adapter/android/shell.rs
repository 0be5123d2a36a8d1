//! One shell line, one round trip: its parts end in lines that carry a nonce, and what came back is whole or typed.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use handset_model::android::classify_adb_error;
use handset_model::{Code, Failure};

use super::Android;
use super::identity::READ_BOOT_ID;
use crate::budget::Budget;
use crate::device::Pinned;
use crate::process::{Command, Output, ProcessError};

/// Bytes kept of an answer that is no tree.
const SMALL: usize = 256 * 1024;

/// A shell line in the making.
#[derive(Clone, Debug)]
pub(super) struct Script {
    nonce: String,
    line: String,
    last: &'static str,
}

impl Script {
    /// Begins by saying which device answers.
    pub(super) fn new() -> Self {
        let script = Self { nonce: format!("@{:016x}", RandomState::new().hash_one(0)), line: String::new(), last: "" };
        script.quietly(READ_BOOT_ID).part("boot", "echo $b")
    }

    /// A command whose output belongs to no part: it should have none.
    pub(super) fn quietly(mut self, command: &str) -> Self {
        self.line.push_str(command);
        self.line.push_str("; ");
        self
    }

    /// A command and, after its output, the line that ends its part and carries its exit status.
    /// The line's text in the command itself is followed by `$?`, so that an echo of the command is no end.
    pub(super) fn part(mut self, name: &'static str, command: &str) -> Self {
        self.line.push_str(command);
        self.line.push_str(&format!("; echo {}.{name}.$?; ", self.nonce));
        self.last = name;
        self
    }
}

/// What came back of a [`Script`], whole or not.
#[derive(Clone, Debug, Default)]
pub(super) struct Reply {
    pub(super) output: Output,
    parts: Vec<(String, i32, Range<usize>)>,
    rest: usize,
}

impl Reply {
    fn of(output: Output, nonce: &str) -> Self {
        let bytes = &output.stdout;
        let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
        while let Some(found) = find(bytes, nonce.as_bytes(), at) {
            let after = found + nonce.len();
            let Some((name, status, end)) = ending(bytes, after) else {
                at = after;
                continue;
            };
            parts.push((name, status, from..found));
            (from, at) = (end, end);
        }
        Self { output, parts, rest: from }
    }

    /// A part's bytes and the exit status of its command; `None` when its end did not come through.
    pub(super) fn part(&self, name: &str) -> Option<(&[u8], i32)> {
        let (_, status, range) = self.parts.iter().find(|(part, ..)| part == name)?;
        self.output.stdout.get(range.clone()).map(|bytes| (bytes, *status))
    }

    /// A part as text; empty when it did not come through.
    pub(super) fn text(&self, name: &str) -> String {
        self.part(name).map(|(bytes, _)| String::from_utf8_lossy(bytes).trim().to_owned()).unwrap_or_default()
    }

    /// What came after the last complete part.
    pub(super) fn unfinished(&self) -> &[u8] {
        self.output.stdout.get(self.rest..).unwrap_or_default()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// `.name.status` and its line's end, as they stand after a nonce.
fn ending(bytes: &[u8], at: usize) -> Option<(String, i32, usize)> {
    let rest = bytes.get(at..)?;
    let line = rest.iter().take(64).position(|byte| *byte == b'\n')?;
    let text = std::str::from_utf8(rest.get(..line)?).ok()?;
    let (name, status) = text.trim_end_matches('\r').strip_prefix('.')?.split_once('.')?;
    Some((name.to_owned(), status.parse().ok()?, at + line + 1))
}

/// A round trip that did not bring everything back.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) failure: Failure,
    /// The adb server was lost, not the device as far as anyone knows: a read may be tried once more.
    pub(super) server_lost: bool,
    /// What came until then.
    pub(super) reply: Reply,
}

/// A round trip's end.
pub(super) enum Exchange {
    /// Everything came back.
    Whole(Reply),
    /// Everything came back, through a server that adb had to start: its transport ids are others than the listing's.
    Restarted(Reply),
    /// Not everything did.
    Broken(Box<Broken>),
}

impl Android {
    /// `adb -t TRANSPORT …` for a pinned device; by serial where an old adb lists no transport ids.
    pub(super) fn on_device(&self, device: &Pinned, args: &[&str], stdout_cap: usize) -> Command {
        let id = device.connection.to_string();
        let selects = if device.connection == 0 { ["-s", device.key.id.as_str()] } else { ["-t", id.as_str()] };
        let mut command = self.adb.command(selects.iter().chain(args).copied());
        command.stdout_cap = stdout_cap;
        command
    }

    /// One round trip. `doing` completes "time ran out while …".
    pub(super) async fn exchange(
        &self,
        device: &Pinned,
        script: &Script,
        cap: usize,
        doing: &str,
        budget: &Budget,
    ) -> Exchange {
        let line = script.line.trim_end_matches([' ', ';']);
        let command = self.on_device(device, &["shell", line], cap);
        let output = match self.processes.run(command, budget).await {
            Ok(output) => output,
            Err(error) => {
                let (failure, partial) = not_finished(&error, Code::Timeout, doing);
                let reply = Reply::of(partial.cloned().unwrap_or_default(), &script.nonce);
                return Exchange::Broken(Box::new(Broken { failure, server_lost: false, reply }));
            }
        };
        let reply = Reply::of(output, &script.nonce);
        let said = reply.stderr();
        if reply.part(script.last).is_some() {
            if let Err(failure) = self.same_device(device, &reply.text("boot")) {
                return Exchange::Broken(Box::new(Broken { failure, server_lost: false, reply }));
            }
            return if server_started(&said) { Exchange::Restarted(reply) } else { Exchange::Whole(reply) };
        }
        let (failure, server_lost) = lost(device, &reply.output, &said);
        Exchange::Broken(Box::new(Broken { failure, server_lost, reply }))
    }

    /// A short question to the device. A lost server is asked once more, if the device is still in the same connection there.
    pub(super) async fn ask(
        &self,
        device: &Pinned,
        script: &Script,
        doing: &str,
        budget: &Budget,
    ) -> Result<Reply, Failure> {
        match self.exchange(device, script, SMALL, doing, budget).await {
            Exchange::Whole(reply) => return Ok(reply),
            Exchange::Restarted(reply) => return self.same_connection(device, budget).await.map(|()| reply),
            Exchange::Broken(broken) if !broken.server_lost => return Err(broken.failure),
            Exchange::Broken(_) => self.same_connection(device, budget).await?,
        }
        match self.exchange(device, script, SMALL, doing, budget).await {
            Exchange::Whole(reply) | Exchange::Restarted(reply) => Ok(reply),
            Exchange::Broken(broken) => Err(broken.failure),
        }
    }

    /// Looks whether a device is still in the connection it was pinned in. A new server counts its transports anew,
    /// so that the same number may mean another device.
    pub(super) async fn same_connection(&self, device: &Pinned, budget: &Budget) -> Result<(), Failure> {
        let id = &device.key.id;
        let listed = self
            .devices(budget)
            .await?
            .into_iter()
            .find(|listed| listed.id == *id && (listed.usable || listed.connection == device.connection));
        match listed {
            Some(listed) if listed.usable && listed.connection == device.connection => Ok(()),
            Some(listed) if listed.usable => Err(Failure::new(
                Code::DeviceOffline,
                format!("the connection to {id:?} was lost and is another one now"),
            )
            .with_remedy("Repeat the call: it will use the new connection.")),
            Some(listed) => Err(Failure::new(
                Code::DeviceOffline,
                format!("the adb server was lost, and {id:?} is {} now", listed.state),
            )
            .with_remedy(listed.remedy.unwrap_or_else(|| Code::DeviceOffline.remedy().to_owned()))),
            None => Err(Failure::new(
                Code::DeviceOffline,
                format!("the adb server was lost, and {id:?} is not attached to the new one"),
            )),
        }
    }
}

/// A child that could not be run to its end, as a failure, and what it had said.
pub(super) fn not_finished<'a>(error: &'a ProcessError, expired: Code, doing: &str) -> (Failure, Option<&'a Output>) {
    match error {
        ProcessError::Stopped { why, partial } => (why.failure(expired, doing), Some(partial)),
        ProcessError::NotFound(_) | ProcessError::Spawn { .. } => {
            (Failure::new(Code::ToolNotFound, error.to_string()), None)
        }
    }
}

/// adb had to start a server for this command: the one its transport id came from is gone.
pub(super) fn server_started(said: &str) -> bool {
    said.contains("daemon not running") || said.contains("daemon started") || said.contains("; killing...")
}

/// Types an adb that ended without everything having come back, and says whether only the server was lost.
pub(super) fn lost(device: &Pinned, output: &Output, said: &str) -> (Failure, bool) {
    if output.truncated {
        return (
            Failure::new(Code::TreeTruncated, format!("the device sent more than {} bytes", output.stdout.len()))
                .with_retryable(false),
            false,
        );
    }
    let id = &device.key.id;
    let shown = last_line(said);
    let server = ["daemon", "protocol fault", "failed to check server version", "ADB server"]
        .iter()
        .any(|words| said.contains(words));
    match classify_adb_error(said) {
        Some(failure) if failure.code == Code::AdbVersionConflict => (failure, false),
        // It was there when it was pinned.
        Some(failure) if failure.code == Code::DeviceNotFound => {
            (Failure::new(Code::DeviceOffline, format!("{id:?} is gone: {}", failure.message)), server)
        }
        Some(failure) => (failure, server),
        // Nothing said: the stream ended under the command, which is the server's end as well as the device's.
        None if shown.is_empty() => (
            Failure::new(Code::DeviceOffline, format!("the connection to {id:?} ended in the middle of a command")),
            true,
        ),
        None => (Failure::new(Code::DeviceOffline, format!("adb could not reach {id:?}: {shown}")), server),
    }
}

/// The last line said, shortened: a message is one sentence.
pub(super) fn last_line(said: &str) -> String {
    said.lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty())
        .map(|line| line.chars().take(200).collect())
        .unwrap_or_default()
}
