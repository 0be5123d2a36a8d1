//! One line of logcat, by the grammar of its `-v` format (system/logging/liblog/logprint.cpp), and Android Studio's.

use super::time::parse_log_time;
use super::{Level, LogEntry};

/// A `-v` format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// `-v threadtime`, with whatever columns.
    Threadtime,
    /// `-v time`.
    Time,
    /// `-v brief`.
    Brief,
    /// `-v process`.
    Process,
    /// `-v thread`.
    Thread,
    /// `-v tag`.
    Tag,
    /// `-v long`.
    Long,
    /// `-v raw`.
    Raw,
    /// As Android Studio shows and exports it.
    Studio,
}

impl LogFormat {
    /// logcat's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Threadtime => "threadtime",
            Self::Time => "time",
            Self::Brief => "brief",
            Self::Process => "process",
            Self::Thread => "thread",
            Self::Tag => "tag",
            Self::Long => "long",
            Self::Raw => "raw",
            Self::Studio => "studio",
        }
    }
}

type Grammar = fn(&str) -> Option<LogEntry>;

/// Surest first: a line of one could pass for one further down.
const GRAMMARS: [(LogFormat, Grammar); 8] = [
    (LogFormat::Threadtime, threadtime),
    (LogFormat::Time, time),
    (LogFormat::Studio, studio),
    (LogFormat::Long, long),
    (LogFormat::Thread, thread),
    (LogFormat::Process, process),
    (LogFormat::Brief, brief),
    (LogFormat::Tag, tag),
];

/// An entry and its format; of `long` the header alone. `first` is tried first: a log keeps its format.
#[must_use]
pub fn parse_line(line: &str, first: Option<LogFormat>) -> Option<(LogFormat, LogEntry)> {
    let kept = GRAMMARS.iter().filter(|(format, _)| Some(*format) == first);
    kept.chain(&GRAMMARS).find_map(|(format, grammar)| grammar(line).map(|entry| (*format, entry)))
}

/// A number at the start, after blanks.
fn number(text: &str) -> Option<(u32, &str)> {
    let text = text.trim_start_matches(' ');
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (head, rest) = text.split_at_checked(digits)?;
    head.parse().ok().map(|number| (number, rest))
}

/// A level's letter.
fn level(text: &str) -> Option<(Level, bool, &str)> {
    let letter = *text.as_bytes().first()?;
    Some((Level::of_letter(letter)?, matches!(letter, b'F' | b'A'), text.get(1..)?))
}

/// `tag: message`; the tag may be empty or hold a colon, and an editor may have cut the blank at the end.
fn tagged(text: &str) -> Option<(&str, &str)> {
    match text.split_once(": ") {
        Some((tag, message)) => Some((tag.trim(), message)),
        None => text.strip_suffix(':').map(|tag| (tag.trim(), "")),
    }
}

/// `1000`, `u0_a123`, `root`, `10154`: what `-v uid` prints.
fn is_uid(text: &str) -> bool {
    !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `MM-DD HH:MM:SS.fff [UID] PID TID L tag: message`
fn threadtime(line: &str) -> Option<LogEntry> {
    let (time, rest) = parse_log_time(line)?;
    let rest = rest.strip_prefix(' ')?;
    let plain = |rest| {
        let (pid, rest) = number(rest)?;
        let (tid, rest) = number(rest.strip_prefix(' ')?)?;
        let (level, fatal, rest) = level(rest.strip_prefix(' ')?)?;
        let rest = rest.strip_prefix(' ')?;
        let (tag, message) = tagged(rest)?;
        Some(LogEntry {
            time: Some(time),
            pid: Some(pid),
            tid: Some(tid),
            level: Some(level),
            fatal,
            tag: Some(tag.to_owned()),
            message: message.to_owned(),
            ..LogEntry::default()
        })
    };
    plain(rest).or_else(|| {
        let (uid, rest) = rest.trim_start_matches(' ').split_once([' ', ':'])?;
        let entry = plain(rest).filter(|_| is_uid(uid))?;
        Some(LogEntry { uid: Some(uid.to_owned()), ..entry })
    })
}

/// What stands in brackets: `[UID:] PID`.
fn owner(inside: &str) -> Option<(Option<String>, u32)> {
    let (uid, pid) = match inside.rsplit_once(':') {
        Some((uid, pid)) => (Some(uid.trim()).filter(|uid| is_uid(uid))?.to_owned().into(), pid),
        None => (None, inside),
    };
    let (pid, rest) = number(pid)?;
    rest.trim().is_empty().then_some((uid, pid))
}

/// `L/tag( PID): message`
fn brief(line: &str) -> Option<LogEntry> {
    let (level, fatal, rest) = level(line)?;
    let rest = rest.strip_prefix('/')?;
    // A tag may hold a bracket; the owner is the first that is one.
    let (tag, inside, message) = rest
        .match_indices("): ")
        .map(|(at, _)| (at, at + 3))
        .chain(rest.strip_suffix("):").map(|head| (head.len(), rest.len())))
        .take(4)
        .find_map(|(close, after)| {
            let open = rest.get(..close)?.rfind('(')?;
            let inside = owner(rest.get(open + 1..close)?)?;
            Some((rest.get(..open)?.trim(), inside, rest.get(after..)?))
        })?;
    Some(LogEntry {
        uid: inside.0,
        pid: Some(inside.1),
        level: Some(level),
        fatal,
        tag: Some(tag.to_owned()),
        message: message.to_owned(),
        ..LogEntry::default()
    })
}

/// `MM-DD HH:MM:SS.fff L/tag( PID): message`
fn time(line: &str) -> Option<LogEntry> {
    let (time, rest) = parse_log_time(line)?;
    Some(LogEntry { time: Some(time), ..brief(rest.strip_prefix(' ')?)? })
}

/// `L( PID) message  (tag)`
fn process(line: &str) -> Option<LogEntry> {
    let (level, fatal, rest) = level(line)?;
    let (inside, rest) = rest.strip_prefix('(')?.split_once(") ")?;
    let (uid, pid) = owner(inside)?;
    let (message, tag) = match rest.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once("  (")) {
        Some((message, tag)) => (message, Some(tag.trim().to_owned())),
        None => (rest, None),
    };
    Some(LogEntry {
        uid,
        pid: Some(pid),
        level: Some(level),
        fatal,
        tag,
        message: message.to_owned(),
        ..LogEntry::default()
    })
}

/// `[UID:] PID: TID`
fn threaded(inside: &str) -> Option<(Option<String>, u32, u32)> {
    let (head, tid) = inside.rsplit_once(':')?;
    let (uid, pid) = owner(head)?;
    let (tid, rest) = number(tid)?;
    rest.trim().is_empty().then_some((uid, pid, tid))
}

/// `L( PID: TID) message`
fn thread(line: &str) -> Option<LogEntry> {
    let (level, fatal, rest) = level(line)?;
    let rest = rest.strip_prefix('(')?;
    let (inside, message) = rest.split_once(") ").or_else(|| rest.strip_suffix(')').map(|inside| (inside, "")))?;
    // `uid: pid` of the process format reads alike; a uid is not filled up behind its colon as a pid is before it.
    let (uid, pid, tid) = threaded(inside)?;
    Some(LogEntry {
        uid,
        pid: Some(pid),
        tid: Some(tid),
        level: Some(level),
        fatal,
        message: message.to_owned(),
        ..LogEntry::default()
    })
}

/// `L/tag: message`
fn tag(line: &str) -> Option<LogEntry> {
    let (level, fatal, rest) = level(line)?;
    let (tag, message) = tagged(rest.strip_prefix('/')?)?;
    // A path or a URL is no tag.
    let named = !tag.is_empty() && tag.len() <= 64 && !tag.contains(['/', '(']);
    named.then(|| LogEntry {
        level: Some(level),
        fatal,
        tag: Some(tag.to_owned()),
        message: message.to_owned(),
        ..LogEntry::default()
    })
}

/// `[ MM-DD HH:MM:SS.fff [UID:] PID: TID L/tag ]`
fn long(line: &str) -> Option<LogEntry> {
    let inside = line.trim_end().strip_prefix("[ ")?.strip_suffix(']')?;
    let (time, rest) = parse_log_time(inside)?;
    let at = rest.find('/')?;
    let (head, tag) = (rest.get(..at.checked_sub(1)?)?, rest.get(at + 1..)?);
    let (level, fatal, _) = level(rest.get(at - 1..)?)?;
    let (uid, pid, tid) = threaded(head.trim()).or_else(|| owner(head.trim()).map(|(uid, pid)| (uid, pid, pid)))?;
    Some(LogEntry {
        time: Some(time),
        uid,
        pid: Some(pid),
        tid: Some(tid),
        level: Some(level),
        fatal,
        tag: Some(tag.trim().to_owned()),
        ..LogEntry::default()
    })
}

/// `… PID-TID/process L/tag: message`, and since Giraffe `… PID-TID  tag  process  L  message`.
fn studio(line: &str) -> Option<LogEntry> {
    let (time, rest) = parse_log_time(line)?;
    let (pid, rest) = number(rest.strip_prefix(' ')?)?;
    let (tid, rest) = number(rest.strip_prefix('-')?)?;
    let named = |process: &str| Some(process.to_owned()).filter(|name| !name.is_empty() && name != "?");
    let entry = LogEntry { time: Some(time), pid: Some(pid), tid: Some(tid), ..LogEntry::default() };
    if let Some(rest) = rest.strip_prefix('/') {
        let (process, rest) = rest.split_once(' ')?;
        let (level, fatal, rest) = level(rest)?;
        let (tag, message) = tagged(rest.strip_prefix('/')?)?;
        return Some(LogEntry {
            process: named(process),
            level: Some(level),
            fatal,
            tag: Some(tag.to_owned()),
            message: message.to_owned(),
            ..entry
        });
    }
    // Columns are filled up with blanks; the level stands alone between two of them.
    let rest = rest.strip_prefix(' ')?;
    let (at, letter) =
        "VDIWEFA".chars().filter_map(|letter| rest.find(&format!("  {letter}  ")).map(|at| (at, letter))).min()?;
    let (columns, message) = (rest.get(..at)?, rest.get(at + 5..)?);
    let (tag, process) = match columns.trim().rsplit_once(' ') {
        Some((tag, process)) => (tag.trim(), named(process)),
        None => (columns.trim(), None),
    };
    let (level, fatal) = (Level::of_letter(u8::try_from(letter).ok()?)?, matches!(letter, 'F' | 'A'));
    Some(LogEntry {
        process,
        level: Some(level),
        fatal,
        tag: Some(tag.to_owned()),
        message: message.to_owned(),
        ..entry
    })
}
