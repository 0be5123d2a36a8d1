//! Following the log: one `adb shell` that runs until it is stopped, or the device is gone.

use std::sync::{Arc, Mutex, PoisonError};

use handset_model::logs::{Level, LogEntry, LogFormat, parse_line};
use handset_model::{Code, Failure};

use super::Android;
use super::logs::{AppLines, CLOCK, clock};
use super::shell::{Script, last_line, lost, not_finished};
use crate::budget::Budget;
use crate::device::{Follow, Heard, LogListener, LogSource, Pinned};
use crate::process::{Listener, Stream};

/// What the device's shell says before logcat takes its place.
const BEGUN: &str = "handset:following";

/// Bytes of one line: logcat's own are at most some 4 KiB.
const LINE: usize = 64 * 1024;

/// Who announces crashes.
const ANNOUNCERS: [&str; 9] = [
    "AndroidRuntime",
    "ActivityManager",
    "ActivityTaskManager",
    "DEBUG",
    "crash_dump32",
    "crash_dump64",
    "libc",
    "flutter",
    "ReactNativeJS",
];

impl Android {
    /// Finds out how an app is followed on this device.
    pub(super) async fn prepare_follow(
        &self,
        device: &Pinned,
        app: &str,
        level: Level,
        budget: &Budget,
    ) -> Result<Follow, Failure> {
        let knows = self.logcat_knows(device, budget).await?;
        let lines = self.app_lines(device, app, budget).await?;
        let reply = self.ask(device, &Script::new().part("clock", CLOCK), "asking the device's clock", budget).await?;
        let (base, _) = clock(&reply.answer("clock"));
        // Errors are few: they are followed whoever's they are, since others announce an app's ANR or tombstone.
        let only_own = level != Level::Error && knows.uid && lines.uid.is_some();
        let by_uid = lines.uid.is_some() && (knows.uid_column || only_own);
        let own = lines.uid.filter(|_| only_own).map_or_else(String::new, |uid| format!(" --uid={uid}"));
        // From this second on where logcat takes a time, else from the newest line on.
        let from = if knows.epoch { "\"$(date +%s).000\"" } else { "1" };
        let least = &level.as_str()[..1];
        // The activity manager tells at level I which processes become the app's.
        let specs = if only_own { format!("'*:{least}'") } else { format!("'*:{least}' ActivityManager:I DEBUG:V") };
        let command = format!("echo {BEGUN}; exec logcat {}{own} -T {from} {specs}", knows.format());
        Ok(Follow {
            command,
            package: lines.package,
            uid: lines.uid.filter(|_| by_uid),
            only_own,
            pids: lines.pids.into_iter().collect(),
            base,
            source: if by_uid { LogSource::Package } else { LogSource::Process },
        })
    }

    /// Follows until the budget ends or adb does; says why it ended.
    pub(super) async fn follow_until_end(
        &self,
        device: &Pinned,
        follow: Follow,
        budget: &Budget,
        listener: LogListener,
    ) -> Failure {
        let mut command = self.on_device(device, &["shell", &follow.command], 0);
        command.stderr_cap = 8 * 1024;
        let hearing = Arc::new(Mutex::new(Hearing::of(follow)));
        let hear: Listener = Arc::new(move |stream, bytes| {
            if stream == Stream::Out {
                let (begun, heard) = hearing.lock().unwrap_or_else(PoisonError::into_inner).hear(bytes);
                if begun || !heard.is_empty() {
                    listener(heard);
                }
            }
        });
        match self.processes.watch(command, budget, hear).await {
            Err(error) => not_finished(&error, Code::Timeout, "following the log").0,
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                match output.code {
                    // logcat ended by itself, which it does only when it cannot go on.
                    Some(code) if code != 0 && !said.contains("error:") && !said.contains("adb:") => Failure::new(
                        Code::LogsUnavailable,
                        format!("the device's logcat ended with status {code}: {:?}", last_line(&said)),
                    ),
                    _ => lost(device, &said).0,
                }
            }
        }
    }
}

/// Lines put together from pieces.
struct Hearing {
    app: AppLines,
    only_own: bool,
    rest: Vec<u8>,
    format: Option<LogFormat>,
    begun: bool,
}

impl Hearing {
    fn of(follow: Follow) -> Self {
        let app = AppLines { package: follow.package, uid: follow.uid, pids: follow.pids.into_iter().collect() };
        Self { app, only_own: follow.only_own, rest: Vec::new(), format: None, begun: false }
    }

    /// Whether the device's shell began with this piece, and the lines that are whole now.
    fn hear(&mut self, bytes: &[u8]) -> (bool, Vec<Heard>) {
        self.rest.extend_from_slice(bytes);
        let (mut heard, mut from, begun) = (Vec::new(), 0, self.begun);
        while let Some(length) = self.rest.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')) {
            let line = self.rest.get(from..from + length).unwrap_or_default();
            let line = String::from_utf8_lossy(line).trim_end_matches('\r').to_owned();
            from += length + 1;
            if !self.begun {
                self.begun = line.trim() == BEGUN;
                continue;
            }
            if let Some((format, entry)) = parse_line(&line, self.format) {
                self.format = Some(format);
                heard.push(self.judged(entry));
            }
        }
        self.rest.drain(..from);
        if self.rest.len() > LINE {
            self.rest.clear();
        }
        (self.begun && !begun, heard)
    }

    fn judged(&mut self, entry: LogEntry) -> Heard {
        self.app.learn(&entry);
        let own = self.only_own || self.app.owns(&entry);
        let announces = entry.tag.as_deref().is_some_and(|tag| ANNOUNCERS.contains(&tag));
        Heard { entry, own, announces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handset_model::logs::TimeBase;

    fn hearing(uid: Option<u32>) -> Hearing {
        Hearing::of(Follow {
            command: String::new(),
            package: "com.app".to_owned(),
            uid,
            only_own: false,
            pids: vec![7],
            base: TimeBase::default(),
            source: LogSource::Package,
        })
    }

    fn own(heard: &[Heard]) -> Vec<&str> {
        heard.iter().filter(|line| line.own).map(|line| line.entry.message.as_str()).collect()
    }

    #[test]
    fn lines_are_whole_however_they_come() {
        let text = "noise\r\nhandset:following\r\n--------- beginning of main\n1700000000.100 10154  7  7 E a: one\n1700000000.200 10154  7  7 E a: two\n";
        for size in [1, 3, 1_000] {
            let mut hearing = hearing(Some(10_154));
            let (mut all, mut beginnings) = (Vec::new(), 0);
            for piece in text.as_bytes().chunks(size) {
                let (begun, heard) = hearing.hear(piece);
                beginnings += usize::from(begun);
                all.extend(heard);
            }
            assert_eq!((own(&all), beginnings), (vec!["one", "two"], 1), "{size}");
        }
    }

    #[test]
    fn an_app_started_anew_is_followed_by_its_uid_or_its_new_process() {
        let mut by_uid = hearing(Some(10_154));
        let text = b"handset:following\n1700000000.100 10154  7  7 E a: one\n1700000000.100 10155  8  8 E a: other\n1700000000.100 10154  9  9 E a: anew\n";
        assert_eq!(own(&by_uid.hear(text).1), ["one", "anew"]);
        let mut by_pid = hearing(None);
        let text = b"handset:following\n06-05 06:14:51.709  9  9 E a: not yet\n06-05 06:14:51.709  1  1 I ActivityManager: Start proc 9:com.app/u0a154 for activity\n06-05 06:14:51.709  9  9 E a: anew\n";
        assert_eq!(own(&by_pid.hear(text).1), ["anew"]);
    }
}
