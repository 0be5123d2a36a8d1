//! The log: what this device's logcat knows, whose lines are an app's, and what crashed.

use std::collections::HashSet;
use std::time::Duration;

use handset_model::android::quote;
use handset_model::logs::{Crash, LogEntry, TimeBase, crashes, parse_logcat};
use handset_model::{Code, Failure};

use super::Android;
use super::launch::component;
use super::shell::{Reply, Script, last_line};
use crate::budget::Budget;
use crate::device::{LogQuery, LogSource, Logs, Pinned};

/// A log of some thousand lines takes a second; one that takes longer than this hangs.
const READING: Duration = Duration::from_secs(12);

/// Bytes of one reading: a ring holds 256 KiB to a few MiB by default, and there are three.
const MOST: usize = 12 << 20;

/// Lines in which a crash of the app may be announced by others: they are not under its uid.
const ANNOUNCED: u32 = 4_000;

/// Who announces crashes.
const ANNOUNCERS: &str = "AndroidRuntime:E ActivityManager:E ActivityTaskManager:E DEBUG:V crash_dump32:V crash_dump64:V libc:F flutter:E ReactNativeJS:E";

/// What a device's logcat can do, as its help says. Android 5 and 6 know none of it, Android 7 all but `--uid`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LogcatKnows {
    /// `-v epoch`: seconds since 1970, whatever the zone.
    pub(super) epoch: bool,
    /// `-v uid`: a column that says whose line it is.
    pub(super) uid_column: bool,
    /// `--uid=`, since Android 13.
    pub(super) uid: bool,
    /// `--pid=`, since Android 7.
    pub(super) pid: bool,
}

impl LogcatKnows {
    /// From `logcat --help`.
    pub(super) fn of_help(help: &str) -> Self {
        let word = |wanted: &str| help.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == wanted);
        let option = |name: &str| help.contains(name);
        Self {
            epoch: word("epoch"),
            uid_column: word("uid") && word("epoch"),
            uid: option("--uid"),
            pid: option("--pid"),
        }
    }

    /// `-v threadtime` with what makes its lines tell more.
    pub(super) fn format(self) -> String {
        let mut format = "-v threadtime".to_owned();
        if self.epoch {
            format.push_str(" -v epoch");
        }
        if self.uid_column {
            format.push_str(" -v uid");
        }
        format
    }
}

/// Whose lines an app's are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AppLines {
    pub(super) package: String,
    /// Kernel uid, where the device told it.
    pub(super) uid: Option<u32>,
    /// Its processes.
    pub(super) pids: HashSet<u32>,
}

impl AppLines {
    /// Learns from the activity manager which processes are the app's: `Start proc 4711:com.app/u0a12 for …` since Android 6,
    /// `Start proc com.app for …: pid=4711 uid=…` before.
    pub(super) fn learn(&mut self, entry: &LogEntry) -> bool {
        if entry.tag.as_deref() != Some("ActivityManager") {
            return false;
        }
        let Some(rest) = entry.message.strip_prefix("Start proc ") else { return false };
        let mine = |name: &str| name.split(':').next() == Some(self.package.as_str());
        let word = rest.split(' ').next().unwrap_or_default();
        let pid = match word.split_once(':') {
            Some((pid, name)) if pid.bytes().all(|byte| byte.is_ascii_digit()) => {
                pid.parse().ok().filter(|_| mine(name.split('/').next().unwrap_or_default()))
            }
            _ if mine(word) => rest
                .split_once("pid=")
                .and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()),
            _ => None,
        };
        pid.is_some_and(|pid| self.pids.insert(pid))
    }

    /// Whether a line is the app's.
    pub(super) fn owns(&self, entry: &LogEntry) -> bool {
        match (self.uid, entry.uid.as_deref()) {
            (Some(uid), Some(said)) => said.parse() == Ok(uid) || is_user_of(said, uid),
            _ => entry.pid.is_some_and(|pid| self.pids.contains(&pid)),
        }
    }
}

/// `u0_a123` is uid 10123 of user 0.
fn is_user_of(name: &str, uid: u32) -> bool {
    let parts = name.strip_prefix('u').and_then(|rest| rest.split_once("_a"));
    let ids = parts.and_then(|(user, app)| Some((user.parse::<u32>().ok()?, app.parse::<u32>().ok()?)));
    ids.is_some_and(|(user, app)| {
        user.checked_mul(100_000).and_then(|user| user.checked_add(app)?.checked_add(10_000)) == Some(uid)
    })
}

/// The device's clock as [`CLOCK`] printed it.
pub(super) fn clock(text: &str) -> (TimeBase, Option<i64>) {
    let mut words = text.split_whitespace();
    let seconds = words.next().and_then(|word| word.parse::<i64>().ok());
    let now = words.next().and_then(|word| {
        let (year, month) = word.split_once('-')?;
        Some((year.parse().ok()?, month.parse().ok().filter(|month| (1..=12).contains(month))?))
    });
    let zone = words.next().and_then(|word| {
        let (sign, digits) = word.split_at_checked(1)?;
        let number: i32 = digits.parse().ok().filter(|_| digits.len() == 4)?;
        let minutes = number / 100 * 60 + number % 100;
        match sign {
            "+" => Some(minutes),
            "-" => Some(-minutes),
            _ => None,
        }
    });
    (TimeBase { now, zone }, seconds.and_then(|seconds| seconds.checked_mul(1_000)))
}

/// The device's clock: seconds since 1970, year and month, zone.
pub(super) const CLOCK: &str = "date '+%s %Y-%m %z'";

/// A package's uid, from `pm list packages -U` (Android 8) or `dumpsys package`.
pub(super) fn package_uid(package: &str, listed: &str, dumped: &str) -> Option<u32> {
    let line = listed.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("package:")?.strip_prefix(package)?;
        rest.strip_prefix(" uid:")?.split(',').next()?.trim().parse().ok()
    });
    line.or_else(|| {
        dumped.lines().find_map(|line| {
            let line = line.trim();
            let id = line.strip_prefix("userId=").or_else(|| line.strip_prefix("appId="))?;
            id.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        })
    })
}

impl Android {
    /// What the device's logcat knows, asked once per connection.
    pub(super) async fn logcat_knows(&self, device: &Pinned, budget: &Budget) -> Result<LogcatKnows, Failure> {
        if let Some(knows) = self.known().connection(device).logcat {
            return Ok(knows);
        }
        let script = Script::new().bounding().part("help", "$t logcat --help 2>&1");
        let reply = self.ask(device, &script, "asking what the device's logcat knows", budget).await?;
        let help = reply.text("help");
        let knows = LogcatKnows::of_help(&help);
        // One that was ended before it said anything may know more the next time.
        if !help.is_empty() {
            self.known().connection(device).logcat = Some(knows);
        }
        Ok(knows)
    }

    /// Whose lines an app's are.
    pub(super) async fn app_lines(&self, device: &Pinned, app: &str, budget: &Budget) -> Result<AppLines, Failure> {
        let package = component(app)?.0;
        let quoted = quote(package);
        let script = Script::new()
            .bounding()
            .part("listed", &format!("$t pm list packages -U {quoted} 2>/dev/null"))
            .part("path", &format!("$t pm path {quoted} 2>&1"))
            .part("pids", &format!("pidof {quoted} 2>/dev/null"))
            .part("dumped", &format!("$t dumpsys package {quoted} | grep -E '(userId|appId)='"));
        let reply = self.ask(device, &script, "asking for the app's uid", budget).await?;
        let listed = reply.text("listed");
        let uid = package_uid(package, &listed, &reply.text("dumped"));
        let there = uid.is_some() || reply.text("path").lines().any(|line| line.starts_with("package:"));
        if !there {
            let failure =
                Failure::new(Code::InvalidFilter, format!("appId: {package} is not installed on this device"));
            return Err(Failure { member: Some("appId".to_owned()), ..failure }
                .with_remedy("Pass the package of an installed app, or leave appId out."));
        }
        let pids = reply.text("pids").split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        Ok(AppLines { package: package.to_owned(), uid, pids })
    }

    /// Reads the newest lines of the log.
    pub(super) async fn read_logs(&self, device: &Pinned, query: &LogQuery, budget: &Budget) -> Result<Logs, Failure> {
        const DOING: &str = "reading the device's log";
        let budget = &budget.child(READING);
        let knows = self.logcat_knows(device, budget).await?;
        let mut app = match &query.app {
            Some(app) => Some(self.app_lines(device, app, budget).await?),
            None => None,
        };
        let format = knows.format();
        let own = match (&app, query.pid) {
            (_, Some(pid)) if knows.pid => format!(" --pid={pid}"),
            (Some(AppLines { uid: Some(uid), .. }), None) if knows.uid => format!(" --uid={uid}"),
            _ => String::new(),
        };
        let mut script =
            Script::new().part("clock", CLOCK).part("log", &format!("logcat -d {format}{own} -t {} 2>&1", query.lines));
        // Others announce an app's crash: where only its own lines were read, those of the announcers are read beside them.
        if !own.is_empty() {
            script = script.part("crashes", &format!("logcat -d {format} -t {ANNOUNCED} -s {ANNOUNCERS} 2>&1"));
        }
        let reply = match self.exchange(device, &script, MOST, DOING, budget).await {
            Err(broken) if broken.server_lost => {
                self.same_connection(device, budget).await?;
                self.exchange(device, &script, MOST, DOING, budget).await
            }
            ended => ended,
        };
        let reply = reply.map_err(|broken| broken.failure)?;
        let (base, now_ms) = clock(&reply.answer("clock"));
        let all = lines(&reply, "log")?;
        let cut = all.len() >= query.lines as usize;
        let announced = if own.is_empty() { all.clone() } else { lines(&reply, "crashes").unwrap_or_default() };
        let mut source = LogSource::Broad;
        let mut entries = all;
        if let Some(app) = &mut app {
            entries.iter().chain(&announced).for_each(|entry| {
                app.learn(entry);
            });
            let by_uid = app.uid.is_some() && (knows.uid || knows.uid_column);
            source = if by_uid { LogSource::Package } else { LogSource::Process };
            entries.retain(|entry| app.owns(entry));
        }
        if let Some(pid) = query.pid {
            source = LogSource::Pid;
            entries.retain(|entry| entry.pid == Some(pid));
        }
        let mut crashes: Vec<Crash> = crashes(&announced);
        let of = |crash: &Crash| match (&app, query.pid) {
            (_, Some(pid)) => crash.pid == Some(pid),
            (Some(app), None) => {
                let named =
                    crash.process.as_deref().and_then(|name| name.split(':').next()) == Some(app.package.as_str());
                named
                    || crash.pid.is_some_and(|pid| app.pids.contains(&pid))
                    || announced.get(crash.at).is_some_and(|entry| app.owns(entry))
            }
            (None, None) => true,
        };
        crashes.retain(of);
        let crash_entries = crashes.iter().map(|crash| announced.get(crash.at).cloned().unwrap_or_default()).collect();
        Ok(Logs { entries, crashes, crash_entries, base, now_ms, source, cut })
    }
}

/// The entries of a part; a logcat that printed nothing else but a complaint is unavailable.
fn lines(reply: &Reply, part: &str) -> Result<Vec<LogEntry>, Failure> {
    let (bytes, status) = reply.part(part).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    match parse_logcat(&text) {
        Ok(log) => Ok(log.entries),
        // Nothing of these lines was in the rings.
        Err(_) if status == 0 && text.trim().is_empty() => Ok(Vec::new()),
        Err(_) => Err(Failure::new(
            Code::LogsUnavailable,
            format!("the device's logcat printed no log (status {status}): {:?}", last_line(&text)),
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn what_logcat_knows_is_read_from_its_help() {
        const OLD: &str = "logcat: unknown option -- -\nUsage: logcat [options] [filterspecs]\n  -v <format>     Sets the log print format, where <format> is:\n                  brief process tag thread raw time threadtime long\n";
        const SEVEN: &str = "Usage: logcat [options] [filterspecs]\n  --pid=<pid> Only prints logs from the given pid.\n      brief help long process raw tag thread threadtime time\n      color descriptive epoch monotonic printable uid\n      usec UTC year zone\n";
        let new =
            format!("{SEVEN}  --uid=<uids>  Only display log messages from UIDs present in the comma separate list\n");
        let knows = |epoch, uid_column, uid, pid| LogcatKnows { epoch, uid_column, uid, pid };
        assert_eq!(LogcatKnows::of_help(OLD), knows(false, false, false, false));
        assert_eq!(LogcatKnows::of_help(SEVEN), knows(true, true, false, true));
        assert_eq!(LogcatKnows::of_help(&new), knows(true, true, true, true));
    }

    #[test]
    fn a_uid_is_read_from_either_source() {
        assert_eq!(package_uid("com.app", "package:com.app.other uid:1\npackage:com.app uid:10154\n", ""), Some(10154));
        assert_eq!(package_uid("com.app", "Error: Unknown option: -U", "    userId=10078 gids=[3003]\n"), Some(10078));
        assert_eq!(package_uid("com.app", "", "    appId=10078\n"), Some(10078));
        assert_eq!(package_uid("com.app", "", ""), None);
    }

    #[test]
    fn a_devices_clock_completes_its_times() {
        assert_eq!(
            clock("1700000000 2023-11 +0530"),
            (TimeBase { now: Some((2023, 11)), zone: Some(330) }, Some(1_700_000_000_000))
        );
        assert_eq!(clock("date: bad format"), (TimeBase::default(), None));
    }

    #[test]
    fn an_apps_lines_are_its_uids_and_else_its_processes() {
        let entry = |text: &str| parse_logcat(text).unwrap().entries.remove(0);
        let mut app = AppLines { package: "com.app".to_owned(), uid: Some(10_154), pids: HashSet::new() };
        assert!(app.owns(&entry("06-05 06:14:51.709 10154  1  1 I a: b")));
        assert!(app.owns(&entry("06-05 06:14:51.709 u0_a154  1  1 I a: b")));
        assert!(!app.owns(&entry("06-05 06:14:51.709 10155  1  1 I a: b")));
        let line = entry("06-05 06:14:51.709  77  77 I a: b");
        assert!(!app.owns(&line), "no uid is told, and the process is not known yet");
        for (said, learnt) in [
            ("Start proc 77:com.app:remote/u0a154 for service x", true),
            ("Start proc 77:com.app/u0a154 for activity x", false),
            ("Start proc com.app for service com.app/.S: pid=78 uid=10154 gids={}", true),
            ("Start proc 79:com.app.other/u0a9 for activity x", false),
        ] {
            let told = entry(&format!("06-05 06:14:51.709  1  1 I ActivityManager: {said}"));
            assert_eq!(app.learn(&told), learnt, "{said}");
        }
        assert!(app.owns(&line) && app.pids.contains(&78) && !app.pids.contains(&79));
    }
}
