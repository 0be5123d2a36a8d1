//! Reading crashes line by line: those of several processes may stand between each other.

use super::{CAUSES, CRASHES, Cause, Crash, CrashKind, FRAMES, WORDS, cut};
use crate::logs::LogEntry;

pub(super) type Key<'a> = Option<(Option<u32>, &'a str)>;

/// A crash whose lines may go on.
struct Open<'a> {
    key: Key<'a>,
    crash: Crash,
    /// A header said that an exception follows.
    headed: bool,
}

#[derive(Default)]
pub(super) struct Reader<'a> {
    open: Vec<Open<'a>>,
    done: std::collections::VecDeque<Crash>,
    /// Lines without tags.
    bare: bool,
}

/// Crashes whose lines may go on at one time.
const OPEN: usize = 8;

impl<'a> Reader<'a> {
    /// Of a text whose lines have no tags.
    pub(super) fn bare() -> Self {
        Self { bare: true, ..Self::default() }
    }

    fn begin(&mut self, key: Key<'a>, crash: Crash, headed: bool) {
        self.close(key);
        if self.open.len() >= OPEN {
            let oldest = self.open.remove(0);
            self.keep(oldest);
        }
        self.open.push(Open { key, crash, headed });
    }

    fn close(&mut self, key: Key<'a>) {
        if let Some(at) = self.open.iter().position(|open| open.key == key) {
            let closed = self.open.remove(at);
            self.keep(closed);
        }
    }

    fn keep(&mut self, open: Open<'a>) {
        let crash = open.crash;
        let said = match crash.kind {
            // A header alone, or an exception's name without one frame, is somebody's message.
            CrashKind::Java => {
                !crash.chain.is_empty() && (open.headed || crash.chain.iter().any(|cause| !cause.frames.is_empty()))
            }
            CrashKind::Native => crash.signal.is_some() || crash.process.is_some(),
            _ => true,
        };
        // The C library announces what the tombstone then tells in full.
        let told = |other: &Crash| {
            other.kind == CrashKind::Native
                && other.backtrace.is_empty()
                && other.pid.is_some()
                && other.pid == crash.pid
        };
        if crash.kind == CrashKind::Native && said {
            if crash.backtrace.is_empty()
                && self
                    .done
                    .iter()
                    .any(|other| other.kind == CrashKind::Native && other.pid == crash.pid && crash.pid.is_some())
            {
                return;
            }
            self.done.retain(|other| !told(other));
        }
        if said {
            if self.done.len() >= CRASHES {
                self.done.pop_front();
            }
            self.done.push_back(crash);
        }
    }

    pub(super) fn done(mut self) -> Vec<Crash> {
        for open in std::mem::take(&mut self.open) {
            self.keep(open);
        }
        let mut crashes: Vec<Crash> = self.done.into();
        crashes.sort_by_key(|crash| crash.at);
        crashes
    }

    pub(super) fn line(&mut self, at: usize, tag: &'a str, key: Key<'a>, entry: &LogEntry, line: &str) {
        match tag {
            "AndroidRuntime" => self.java(at, key, entry, line),
            "ActivityManager" | "ActivityTaskManager" => self.anr(at, key, line),
            "DEBUG" | "crash_dump32" | "crash_dump64" | "tombstoned" => self.native(at, key, line),
            "libc" => self.announced(at, key, line),
            "flutter" => self.dart(at, key, entry, line),
            "ReactNativeJS" if entry.fatal || line.contains("Unhandled") => {
                let mut crash = Crash { pid: entry.pid, ..Crash::new(CrashKind::JavaScript, at) };
                crash.chain.push(Cause { exception: cut(line), ..Cause::default() });
                self.begin(key, crash, true);
            }
            "am_crash" | "am_anr" => self.event(at, tag, line),
            "" if self.bare => {
                self.anr(at, key, line);
                let anr = self.open.iter().any(|open| open.key == key && open.crash.kind == CrashKind::Anr);
                if !anr {
                    self.native(at, key, line);
                    self.java(at, key, entry, line);
                }
            }
            _ => {}
        }
    }

    fn of(&mut self, key: Key<'a>, kind: CrashKind) -> Option<&mut Open<'a>> {
        self.open.iter_mut().find(|open| open.key == key && open.crash.kind == kind)
    }

    fn java(&mut self, at: usize, key: Key<'a>, entry: &LogEntry, line: &str) {
        if let Some((_, thread)) = line.split_once("FATAL EXCEPTION") {
            let thread = thread.rsplit_once(": ").map(|(_, thread)| cut(thread));
            let process = line.contains("IN SYSTEM PROCESS").then(|| "system_server".to_owned());
            let crash = Crash { thread, process, pid: entry.pid, ..Crash::new(CrashKind::Java, at) };
            return self.begin(key, crash, true);
        }
        let trimmed = line.trim();
        let begun = self.of(key, CrashKind::Java);
        if let Some(open) = begun {
            let crash = &mut open.crash;
            if crash.chain.is_empty() {
                if let Some(process) = trimmed.strip_prefix("Process: ") {
                    let (process, pid) = process.split_once(", PID: ").unwrap_or((process, ""));
                    crash.process = Some(cut(process));
                    crash.pid = pid.trim().parse().ok().or(crash.pid);
                    return;
                }
                if let Some(pid) = trimmed.strip_prefix("PID: ") {
                    crash.pid = pid.trim().parse().ok().or(crash.pid);
                    return;
                }
            }
            if let Some(frame) = trimmed.strip_prefix("at ") {
                if let Some(cause) = crash.chain.last_mut().filter(|cause| cause.frames.len() < FRAMES) {
                    cause.frames.push(cut(frame));
                }
                return;
            }
            if let Some(cause) = trimmed.strip_prefix("Caused by: ") {
                if crash.chain.len() < CAUSES {
                    crash.chain.push(exception(cause));
                }
                return;
            }
            if trimmed.starts_with("Suppressed: ") || trimmed.starts_with("... ") || trimmed.is_empty() {
                return;
            }
            let whole = crash.chain.iter().any(|cause| !cause.frames.is_empty());
            match crash.chain.last_mut() {
                None if open.headed => return crash.chain.push(exception(trimmed)),
                // The message of an exception may go on for lines, until its first frame.
                Some(last) if last.frames.is_empty() && !(whole && is_exception(trimmed)) => {
                    let message = last.message.get_or_insert_default();
                    if message.len() < WORDS {
                        message.push('\n');
                        message.push_str(&cut(trimmed));
                    }
                    return;
                }
                _ => {}
            }
        }
        if is_exception(trimmed) {
            let mut crash = Crash { pid: entry.pid, ..Crash::new(CrashKind::Java, at) };
            let header = trimmed.strip_prefix("Exception in thread \"").and_then(|rest| rest.split_once("\" "));
            crash.thread = header.map(|(thread, _)| cut(thread));
            crash.chain.push(exception(header.map_or(trimmed, |(_, rest)| rest)));
            self.begin(key, crash, false);
        } else {
            // Anything else ends a trace.
            let whole = self.of(key, CrashKind::Java).is_some_and(|open| !open.crash.chain.is_empty());
            if whole {
                self.close(key);
            }
        }
    }

    fn anr(&mut self, at: usize, key: Key<'a>, line: &str) {
        let begun =
            line.strip_prefix("ANR in ").or_else(|| line.strip_prefix("ANR (application not responding) in process: "));
        if let Some(who) = begun {
            let (process, activity) = match who.split_once(" (") {
                Some((process, activity)) => (process, activity.strip_suffix(')').map(cut)),
                None => (who, None),
            };
            let crash = Crash { process: Some(cut(process)), activity, ..Crash::new(CrashKind::Anr, at) };
            return self.begin(key, crash, true);
        }
        if let Some(reason) = line.strip_prefix("Subject: ").filter(|_| self.bare) {
            let crash = Crash { reason: Some(cut(reason)), ..Crash::new(CrashKind::Anr, at) };
            return self.begin(key, crash, true);
        }
        // A traces file alone: `----- pid 123 at 2024-… -----`, then `Cmd line: com.app`.
        let bare = self.bare;
        let Some(open) = self.of(key, CrashKind::Anr) else {
            let pid =
                line.strip_prefix("----- pid ").filter(|_| bare).and_then(|rest| rest.split(' ').next()?.parse().ok());
            if pid.is_some() {
                self.begin(key, Crash { pid, ..Crash::new(CrashKind::Anr, at) }, true);
            }
            return;
        };
        let crash = &mut open.crash;
        if let Some(pid) = line.strip_prefix("PID: ").or_else(|| line.strip_prefix("----- dumping pid: ")) {
            let pid = pid.split(' ').next().unwrap_or_default();
            crash.pid = crash.pid.or_else(|| pid.parse().ok());
        } else if let Some(reason) = line.strip_prefix("Reason: ") {
            crash.reason.get_or_insert_with(|| cut(reason));
        } else if let Some(process) = line.strip_prefix("Cmd line: ").or_else(|| line.strip_prefix("Cmdline: ")) {
            crash.process.get_or_insert_with(|| cut(process));
        } else if let Some(parent) = line.strip_prefix("Parent: ") {
            crash.activity.get_or_insert_with(|| cut(parent));
        } else if line.starts_with("\"main\" ") && crash.chain.is_empty() {
            crash.thread = Some("main".to_owned());
            crash.chain.push(Cause { exception: "ANR".to_owned(), ..Cause::default() });
        } else if line.starts_with('"') {
            crash.thread = crash.thread.take().filter(|_| !crash.chain.is_empty());
            // The frames of other threads are not the main thread's.
            if let Some(cause) = crash.chain.last_mut() {
                cause.message.get_or_insert_with(|| "the main thread's stack".to_owned());
            }
        } else if let Some(frame) = line.trim_start().strip_prefix("at ")
            && let Some(cause) =
                crash.chain.last_mut().filter(|cause| cause.message.is_none() && cause.frames.len() < FRAMES)
        {
            cause.frames.push(cut(frame));
        }
    }

    fn native(&mut self, at: usize, key: Key<'a>, line: &str) {
        let trimmed = line.trim();
        if trimmed.starts_with("*** *** ***") {
            return self.begin(key, Crash::new(CrashKind::Native, at), true);
        }
        let header = trimmed.strip_prefix("pid: ").filter(|rest| rest.contains(">>>"));
        if header.is_some() && self.of(key, CrashKind::Native).is_none_or(|open| open.crash.pid.is_some()) {
            self.begin(key, Crash::new(CrashKind::Native, at), true);
        }
        let Some(open) = self.of(key, CrashKind::Native) else { return };
        let crash = &mut open.crash;
        if let Some(rest) = header {
            crash.pid = rest.split(',').next().and_then(|pid| pid.trim().parse().ok());
            crash.process =
                rest.split_once(">>> ").and_then(|(_, name)| name.split_once(" <<<")).map(|(name, _)| cut(name));
            crash.thread =
                rest.split_once("name: ").and_then(|(_, name)| name.split_once("  >>>")).map(|(name, _)| cut(name));
        } else if trimmed.starts_with("signal ") && crash.signal.is_none() {
            crash.signal = Some(cut(trimmed));
        } else if let Some(message) = trimmed.strip_prefix("Abort message: ") {
            crash.reason = Some(cut(message.trim_matches('\'')));
        } else if trimmed.starts_with('#') && trimmed.contains(" pc ") && crash.backtrace.len() < FRAMES {
            crash.backtrace.push(cut(trimmed));
        }
    }

    /// `Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 1234 (main), pid 1234 (com.app)`
    fn announced(&mut self, at: usize, key: Key<'a>, line: &str) {
        let Some(rest) = line.strip_prefix("Fatal signal ") else { return };
        let (signal, who) = rest.split_once(" in tid ").unwrap_or((rest, ""));
        let named = |text: &str| {
            text.split_once(" (").and_then(|(id, name)| Some((id.trim().parse().ok()?, cut(name.split(')').next()?))))
        };
        let mut crash = Crash { signal: Some(cut(&format!("signal {signal}"))), ..Crash::new(CrashKind::Native, at) };
        crash.thread = named(who).map(|(_, name): (u32, String)| name);
        if let Some((pid, process)) = who.split_once("pid ").and_then(|(_, rest)| named(rest)) {
            (crash.pid, crash.process) = (Some(pid), Some(process));
        }
        self.begin(key, crash, true);
        self.close(key);
    }

    /// `[ERROR:flutter/…] Unhandled Exception: …`, then `#0 main (package:app/main.dart:5:3)`.
    fn dart(&mut self, at: usize, key: Key<'a>, entry: &LogEntry, line: &str) {
        if let Some((_, said)) = line.split_once("Unhandled Exception: ") {
            let mut crash = Crash { pid: entry.pid, ..Crash::new(CrashKind::Dart, at) };
            crash.chain.push(exception(said));
            return self.begin(key, crash, true);
        }
        let Some(open) = self.of(key, CrashKind::Dart) else { return };
        let frame = line.trim_start().strip_prefix('#').and_then(|rest| rest.split_once(' '));
        if let (Some((_, frame)), Some(cause)) = (frame, open.crash.chain.first_mut()) {
            if cause.frames.len() < FRAMES {
                let frame = frame.trim();
                // `name (package:app/main.dart:5:3)`: the place tells whose it is.
                let place = frame.rsplit_once('(').map_or(frame, |(_, place)| place.trim_end_matches(')'));
                cause.frames.push(cut(&format!("{place} {}", frame.split('(').next().unwrap_or_default())));
            }
        } else {
            self.close(key);
        }
    }

    /// `am_crash: [pid,user,process,flags,exception,message,file,line]`, `am_anr: [user,pid,package,flags,reason]`.
    fn event(&mut self, at: usize, tag: &str, line: &str) {
        let Some(inside) = line.trim().strip_prefix('[') else { return };
        let inside = inside.strip_suffix(']').unwrap_or(inside);
        let fields: Vec<&str> = inside.splitn(if tag == "am_anr" { 5 } else { 6 }, ',').collect();
        let field = |at: usize| fields.get(at).map(|field| cut(field));
        let kind = if tag == "am_anr" { CrashKind::Anr } else { CrashKind::Java };
        // Since Android 4.2 a user stands first of an ANR, and second of a crash.
        let pid = |at: usize| fields.get(at).and_then(|field| field.trim().parse().ok());
        let mut crash = Crash { process: field(2), ..Crash::new(kind, at) };
        if kind == CrashKind::Anr {
            (crash.pid, crash.reason) = (pid(1), field(4));
        } else {
            crash.pid = pid(0);
            let message = field(5);
            crash.chain.push(Cause { exception: field(4).unwrap_or_default(), message, frames: Vec::new() });
        }
        if crash.process.is_some() && crash.pid.is_some() {
            self.keep(Open { key: None, crash, headed: true });
        }
    }
}

/// `java.lang.IllegalStateException: what`, as a chain has it.
fn exception(text: &str) -> Cause {
    let (name, message) = match text.split_once(": ") {
        Some((name, message)) if !name.contains(' ') => (name, Some(cut(message))),
        _ => (text.trim_end_matches(':'), None),
    };
    Cause { exception: cut(name), message, frames: Vec::new() }
}

/// A line that begins with a class whose name says that it is thrown.
fn is_exception(line: &str) -> bool {
    let line =
        line.strip_prefix("Exception in thread \"").and_then(|rest| Some(rest.split_once("\" ")?.1)).unwrap_or(line);
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(&byte));
    let thrown = name.ends_with("Exception")
        || name.ends_with("Error")
        || name.ends_with("Throwable")
        || name.rsplit('.').next().is_some_and(|class| class.contains("Exception"));
    name.contains('.') && plain && thrown
}
