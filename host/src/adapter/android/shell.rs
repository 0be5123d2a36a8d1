//! One shell line, one round trip: its parts end in lines that carry a nonce, and what came back is whole or typed.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use handset_model::android::{classify_adb_error, quote};
use handset_model::{Code, Failure};

use super::Android;
use super::identity::READ_BOOT_ID;
use crate::budget::Budget;
use crate::device::Pinned;
use crate::process::{Command, Output, ProcessError};

/// Bytes kept of an answer that is no tree.
const SMALL: usize = 256 * 1024;

/// Runs a command and ends it after two seconds; what waits for that holds none of its streams.
const WATCH: &str = r#"w() { "$@" & w=$!; { sleep 2; kill $w; } </dev/null >/dev/null 2>&1 & k=$!; wait $w; r=$?; kill -9 $k 2>/dev/null; return $r; }; t=w"#;

/// A shell line in the making.
#[derive(Clone, Debug)]
pub(super) struct Script {
    nonce: String,
    line: String,
    last: &'static str,
}

impl Script {
    /// Begins with a line of its own, after whatever a shell prints as it starts, and then says which device answers.
    pub(super) fn new() -> Self {
        let script = Self { nonce: format!("@{:016x}", RandomState::new().hash_one(0)), line: String::new(), last: "" };
        script.part("begun", ":").quietly(READ_BOOT_ID).part("boot", "echo $b")
    }

    /// A command whose output belongs to no part: it should have none.
    pub(super) fn quietly(mut self, command: &str) -> Self {
        self.line.push_str(command);
        self.line.push_str("; ");
        self
    }

    /// Leaves in `$t` what bounds a command by two seconds: services that dump their state may hang. Devices before Android 8
    /// have no `timeout`, and get a function that does the same, which only they have to read.
    pub(super) fn bounding(self) -> Self {
        self.quietly(&format!("t='timeout 2'; $t true >/dev/null 2>&1 || eval {}", quote(WATCH)))
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
    pub(super) fn of(output: Output, nonce: &str) -> Self {
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

    /// Every part that came through, in order: name, exit status, bytes.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, i32, &[u8])> {
        let bytes = |range: &Range<usize>| self.output.stdout.get(range.clone()).unwrap_or_default();
        self.parts.iter().map(move |(name, status, range)| (name.as_str(), *status, bytes(range)))
    }

    /// A part as text; empty when it did not come through.
    pub(super) fn text(&self, name: &str) -> String {
        self.part(name).map(|(bytes, _)| String::from_utf8_lossy(bytes).trim().to_owned()).unwrap_or_default()
    }

    /// The last line of a part: where a command answers with one, what else stands there is a linker's warning.
    pub(super) fn answer(&self, name: &str) -> String {
        self.text(name).lines().last().unwrap_or_default().trim().to_owned()
    }

    /// The device's shell ran: it said so before anything else.
    pub(super) fn begun(&self) -> bool {
        self.part("begun").is_some()
    }

    /// What came after the last complete part.
    pub(super) fn unfinished(&self) -> &[u8] {
        self.output.stdout.get(self.rest..).unwrap_or_default()
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
    /// We ended it, at a deadline or on cancel.
    pub(super) stopped: bool,
    /// It is known to be the pinned device's; what came of it can be used.
    pub(super) identified: bool,
    /// What came until then.
    pub(super) reply: Reply,
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

    /// One round trip, answered by the pinned device. `doing` completes "time ran out while …".
    pub(super) async fn exchange(
        &self,
        device: &Pinned,
        script: &Script,
        cap: usize,
        doing: &str,
        budget: &Budget,
    ) -> Result<Reply, Box<Broken>> {
        let broken = |failure, reply| Broken { failure, server_lost: false, stopped: false, identified: false, reply };
        self.still_trusted(device).map_err(|failure| Box::new(broken(failure, Reply::default())))?;
        let line = script.line.trim_end_matches([' ', ';']);
        let command = self.on_device(device, &["shell", line], cap);
        let (output, stopped) = match self.processes.run(command, budget).await {
            Ok(output) => (output, None),
            Err(error) => {
                let (failure, partial) = not_finished(&error, Code::Timeout, doing);
                (partial.cloned().unwrap_or_default(), Some(failure))
            }
        };
        let reply = Reply::of(output, &script.nonce);
        let said = String::from_utf8_lossy(&reply.output.stderr).into_owned();
        let mut identified = reply.part("boot").is_some();
        if identified {
            match self.identify(device, &reply.answer("boot"), server_started(&said), budget).await {
                Ok(()) => {}
                // What ended the question says more than that nothing could be looked up afterwards.
                Err(failure) if stopped.is_some() && failure.code != Code::DeviceOffline => identified = false,
                Err(failure) => return Err(Box::new(broken(failure, reply))),
            }
        }
        if let Some(failure) = stopped {
            return Err(Box::new(Broken { stopped: true, identified, ..broken(failure, reply) }));
        }
        if reply.part(script.last).is_some() {
            return Ok(reply);
        }
        let (failure, server_lost) =
            if reply.output.truncated { (too_long(script, &reply.output), false) } else { lost(device, &said) };
        Err(Box::new(Broken { server_lost, identified, ..broken(failure, reply) }))
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
            Err(broken) if broken.server_lost => self.same_connection(device, budget).await?,
            ended => return ended.map_err(|broken| broken.failure),
        }
        self.exchange(device, script, SMALL, doing, budget).await.map_err(|broken| broken.failure)
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

/// adb's own lines about its server, which it writes before anything of the device's can come.
fn about_server(said: &str) -> impl Iterator<Item = &str> {
    said.lines().map(str::trim).take_while(|line| line.starts_with("* ") || line.starts_with("adb server "))
}

/// adb had to start a server for this command: the one its transport id came from is gone.
pub(super) fn server_started(said: &str) -> bool {
    about_server(said)
        .any(|line| line.starts_with("* daemon ") || line.ends_with("killing...") || line.contains("out of date"))
}

/// Beginnings of adb's own words, on the stream that carries the device's stderr too.
const OWN: [&str; 6] = ["error:", "adb:", "adb server", "ADB server", "* ", "cannot connect to daemon"];

/// Types an adb that ended without everything having come back, and says whether only the server was lost.
pub(super) fn lost(device: &Pinned, said: &str) -> (Failure, bool) {
    let id = &device.key.id;
    let own = || said.lines().map(str::trim).filter(|line| OWN.iter().any(|start| line.starts_with(start)));
    let server = own().any(|line| {
        ["daemon", "protocol fault", "failed to check server version", "ADB server"]
            .iter()
            .any(|words| line.contains(words))
    });
    match (classify_adb_error(said), own().next_back()) {
        (Some(failure), _) if failure.code == Code::AdbVersionConflict => (failure, false),
        // It was there when it was pinned.
        (Some(failure), _) if failure.code == Code::DeviceNotFound => {
            (Failure::new(Code::DeviceOffline, format!("{id:?} is gone: {}", failure.message)), server)
        }
        (Some(failure), _) => (failure, server),
        // Nothing said: the stream ended under the command, which is the server's end as well as the device's.
        (None, None) => (
            Failure::new(Code::DeviceOffline, format!("the connection to {id:?} ended in the middle of a command")),
            true,
        ),
        (None, Some(line)) => {
            (Failure::new(Code::DeviceOffline, format!("adb could not reach {id:?}: {}", last_line(line))), server)
        }
    }
}

/// Whether adb itself refused before it sent anything to a device.
pub(super) fn never_sent(output: &Output) -> bool {
    const BEFORE: [&str; 8] = [
        "device offline",
        "device unauthorized",
        "device still",
        "insufficient permissions",
        "not found",
        "no device",
        "no emulators",
        "more than one",
    ];
    let said = String::from_utf8_lossy(&output.stderr);
    let refuses = |line: &str| {
        (line.starts_with("error: ") || line.starts_with("adb: ")) && BEFORE.iter().any(|words| line.contains(words))
    };
    output.stdout.is_empty() && said.lines().map(str::trim).any(refuses)
}

/// Only a tree is worth its own name when it is too long.
fn too_long(script: &Script, output: &Output) -> Failure {
    let message = format!("the device sent more than {} bytes", output.stdout.len());
    let code = if script.line.contains(".tree.") { Code::TreeTruncated } else { Code::Unknown };
    Failure::new(code, message).with_retryable(false)
}

/// The last line said, shortened: a message is one sentence.
pub(super) fn last_line(said: &str) -> String {
    said.lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty())
        .map(|line| line.chars().take(200).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use handset_model::snapshot::DeviceKey;

    use super::*;

    #[test]
    fn only_adbs_own_first_lines_tell_of_a_new_server() {
        for said in [
            "* daemon not running; starting now at tcp:5037\n* daemon started successfully\n",
            "adb server version (41) doesn't match this client (39); killing...\n* daemon started successfully\n",
            "adb server is out of date.  killing...\n",
        ] {
            assert!(server_started(said), "{said}");
        }
        for said in [
            "",
            "WARNING: linker: adb: daemon started successfully\n",
            "some: daemon not running\n",
            "W/x: y\n* daemon started successfully\n",
        ] {
            assert!(!server_started(said), "{said}");
        }
    }

    #[test]
    fn what_the_device_prints_is_not_adbs_word() {
        let device = Pinned { key: DeviceKey { platform: "android", id: "a".to_owned() }, connection: 1, model: None };
        let (failure, server) = lost(&device, "WARNING: linker: a daemon with text relocations\n");
        assert!(failure.message.contains("ended in the middle") && server, "{failure}");
        let (failure, server) = lost(&device, "W/daemon: x\nerror: closed\n");
        assert!(failure.message.contains("closed") && !server, "{failure}");
    }

    #[test]
    fn what_adb_refused_itself_was_never_sent() {
        let said = |stdout: &str, stderr: &str| {
            never_sent(&Output { stdout: stdout.into(), stderr: stderr.into(), ..Output::default() })
        };
        assert!(said("", "error: device offline\n") && said("", "adb: no device with transport id '3'\n"));
        assert!(!said("", "") && !said("", "error: closed\n") && !said("x", "error: device offline\n"));
    }
}
