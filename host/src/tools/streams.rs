//! Log streams: an app's log followed in the background, kept in a bounded ring until it is read.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use handset_model::logs::{Level, LogEntry, TimeBase, crashes, parse_log_time};
use handset_model::snapshot::DeviceKey;
use handset_model::{Code, Failure};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::args::{ReadLogStreamArgs, StartLogStreamArgs, StopLogStreamArgs};
use super::logs::{crash_summary, shown};
use super::{Answer, Call};
use crate::budget::Budget;
use crate::device::{Follow, LogListener, LogSource, Logs, Session};

/// The name of a stream that was given none.
const DEFAULT: &str = "default";

/// Streams of one device, and of all: each is an adb that runs.
const OF_ONE: usize = 4;
const OF_ALL: usize = 16;

/// Entries and bytes of one ring.
const ENTRIES: usize = 2_000;
const BYTES: usize = 1 << 20;

/// Entries in which a crash is looked for.
const ANNOUNCED: usize = 600;

/// A stream that nobody reads for so long is ended.
const IDLE: Duration = Duration::from_secs(10 * 60);

/// No stream runs longer than a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a stream may take to begin, and to end.
const BEGIN: Duration = Duration::from_secs(15);
const END: Duration = Duration::from_secs(3);

/// Entries shown at once by default.
const SHOWN: u32 = 100;

#[derive(Debug, Default)]
struct Ring {
    entries: VecDeque<(u64, LogEntry, bool)>,
    announced: VecDeque<LogEntry>,
    bytes: usize,
    next: u64,
    dropped: u64,
    pids: HashSet<u32>,
    base: TimeBase,
    ended: Option<Failure>,
}

impl Ring {
    fn push(&mut self, entry: LogEntry) {
        // A process of the app that was not there before: it was started anew.
        let restarted = entry.pid.is_some_and(|pid| self.pids.insert(pid)) && self.pids.len() > 1;
        self.bytes += entry.message.len() + 100;
        self.next += 1;
        self.entries.push_back((self.next, entry, restarted));
        while self.entries.len() > ENTRIES || self.bytes > BYTES {
            let Some((_, oldest, _)) = self.entries.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(oldest.message.len() + 100);
            self.dropped += 1;
        }
    }

    fn announce(&mut self, entry: LogEntry) {
        if self.announced.len() >= ANNOUNCED {
            self.announced.pop_front();
        }
        self.announced.push_back(entry);
    }
}

/// One stream.
#[derive(Debug)]
struct Stream {
    device: DeviceKey,
    package: String,
    level: Level,
    source: LogSource,
    ring: Mutex<Ring>,
    read_at: Mutex<Instant>,
    cancel: CancellationToken,
    /// True once its adb is reaped.
    over: watch::Sender<bool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    fn running(&self) -> bool {
        lock(&self.ring).ended.is_none()
    }

    /// What crashed in it.
    fn summary(&self, ring: &Ring) -> Value {
        let announced: Vec<LogEntry> = ring.announced.iter().cloned().collect();
        let mut found = crashes(&announced);
        found.retain(|crash| {
            let process = crash.process.as_deref().and_then(|name| name.split(':').next());
            process == Some(self.package.as_str()) || crash.pid.is_some_and(|pid| ring.pids.contains(&pid))
        });
        let crash_entries = found.iter().map(|crash| announced.get(crash.at).cloned().unwrap_or_default()).collect();
        crash_summary(&Logs {
            entries: Vec::new(),
            crashes: found,
            crash_entries,
            base: ring.base,
            now_ms: None,
            source: self.source,
            cut: false,
        })
    }

    /// Ends it and waits until its adb is gone.
    async fn stop(&self) {
        self.cancel.cancel();
        let mut over = self.over.subscribe();
        let _ = tokio::time::timeout(END, over.wait_for(|over| *over)).await;
    }
}

/// All streams of this server, by the names their clients gave them.
#[derive(Debug, Default)]
pub struct Streams(Mutex<BTreeMap<String, Arc<Stream>>>);

impl Streams {
    fn find(&self, id: &str) -> Result<Arc<Stream>, Failure> {
        let streams = lock(&self.0);
        streams.get(id).cloned().ok_or_else(|| {
            let candidates = streams.keys().map(|id| json!(id)).collect();
            Failure::argument("sessionId", format!("there is no log stream {id:?}"))
                .with_candidates(candidates)
                .with_remedy("Start it with start_log_stream first.")
        })
    }

    fn room(&self, device: &DeviceKey, id: &str) -> Result<(), Failure> {
        let streams = lock(&self.0);
        let running = || streams.iter().filter(|(name, stream)| name.as_str() != id && stream.running());
        let here = running().filter(|(_, stream)| stream.device == *device).count();
        if here < OF_ONE && running().count() < OF_ALL {
            return Ok(());
        }
        let names = running().map(|(name, _)| json!(name)).collect();
        Err(Failure::argument("sessionId", format!("{here} log streams run on this device already"))
            .with_candidates(names)
            .with_remedy("Stop one with stop_log_stream."))
    }

    /// Puts it in place; ended ones are forgotten where there are too many names.
    fn put(&self, id: &str, stream: &Arc<Stream>) -> Option<Arc<Stream>> {
        let mut streams = lock(&self.0);
        if streams.len() >= OF_ALL {
            streams.retain(|_, stream| stream.running());
        }
        streams.insert(id.to_owned(), Arc::clone(stream))
    }
}

fn named(id: Option<&str>) -> Result<String, Failure> {
    let id = id.unwrap_or(DEFAULT);
    let plain = !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_graphic());
    if plain {
        Ok(id.to_owned())
    } else {
        Err(Failure::argument("sessionId", "a name of 1 to 64 printable characters without blanks"))
    }
}

pub(super) async fn start_log_stream(call: Call) -> Result<Answer, Failure> {
    let args: StartLogStreamArgs = call.parse()?;
    let id = named(args.session_id.as_deref())?;
    let session = call.session(&args.target).await?;
    let budget = call.budget(BEGIN);
    let streams = &call.house.streams;
    streams.room(&session.pinned.key, &id)?;
    if let Ok(before) = streams.find(&id) {
        before.stop().await;
    }
    let level = args.level.map_or(Level::Error, Level::from);
    let follow = session.adapter.follow(&session.pinned, &args.package_name, level, &budget).await?;
    let stream = Arc::new(Stream {
        device: session.pinned.key.clone(),
        package: args.package_name.clone(),
        level,
        source: follow.source,
        ring: Mutex::new(Ring { base: follow.base, ..Ring::default() }),
        read_at: Mutex::new(Instant::now()),
        cancel: CancellationToken::new(),
        over: watch::Sender::new(false),
    });
    begin(&session, &stream, follow, &budget).await?;
    if let Some(other) = streams.put(&id, &stream).filter(|other| other.running()) {
        other.stop().await;
    }
    Ok(Answer::body(json!({
        "success": true,
        "sessionId": id,
        "packageName": stream.package,
        "level": stream.level.as_str(),
        "source": stream.source.as_str(),
        "idle_stop_seconds": IDLE.as_secs(),
        "timing": call.request.timings.compact(),
    })))
}

/// Follows in the background, and waits until the device's shell has begun.
async fn begin(session: &Session, stream: &Arc<Stream>, follow: Follow, budget: &Budget) -> Result<(), Failure> {
    let begun = watch::Sender::new(false);
    let (begins, into) = (begun.clone(), Arc::clone(stream));
    let listener: LogListener = Arc::new(move |heard| {
        begins.send_replace(true);
        let mut ring = lock(&into.ring);
        for line in heard {
            if line.announces {
                ring.announce(line.entry.clone());
            }
            if line.own && line.entry.level.is_some_and(|level| level >= into.level) {
                ring.push(line.entry);
            }
        }
    });
    let (adapter, pinned, into) = (Arc::clone(&session.adapter), session.pinned.clone(), Arc::clone(stream));
    let whole = Budget::new(LONGEST, stream.cancel.clone());
    tokio::spawn(async move {
        let following = adapter.follow_on(&pinned, follow, &whole, listener);
        let ended = tokio::select! {
            ended = following => ended,
            () = idle(&into) => Failure::new(Code::Cancelled, format!("nobody read it for {} s", IDLE.as_secs())),
        };
        lock(&into.ring).ended = Some(ended);
        into.over.send_replace(true);
    });
    let (mut heard, mut over) = (begun.subscribe(), stream.over.subscribe());
    let first = budget.run(async {
        tokio::select! {
            _ = heard.wait_for(|heard| *heard) => None,
            _ = over.wait_for(|over| *over) => lock(&stream.ring).ended.clone(),
        }
    });
    match first.await {
        Ok(None) => Ok(()),
        Ok(Some(failure)) => Err(failure),
        Err(why) => {
            stream.stop().await;
            Err(why.failure(Code::Timeout, "starting to follow the log"))
        }
    }
}

/// Ends when the stream was not read for long.
async fn idle(stream: &Stream) {
    loop {
        let until = *lock(&stream.read_at) + IDLE;
        if Instant::now() >= until {
            return;
        }
        tokio::time::sleep_until(until).await;
    }
}

pub(super) async fn read_log_stream(call: Call) -> Result<Answer, Failure> {
    let args: ReadLogStreamArgs = call.parse()?;
    let id = named(args.session_id.as_deref())?;
    let stream = call.house.streams.find(&id)?;
    *lock(&stream.read_at) = Instant::now();
    let since = args.since.as_deref().map(Since::of).transpose()?;
    let limit = args.limit.unwrap_or(SHOWN) as usize;
    let ring = lock(&stream.ring);
    let wanted = ring.entries.iter().filter(|(number, entry, _)| match since {
        None => true,
        Some(Since::Cursor(cursor)) => *number > cursor,
        Some(Since::Time(ms)) => entry.time.and_then(|time| time.epoch_ms(&ring.base)).is_some_and(|at| at >= ms),
    });
    let (entries, left) = shown(
        wanted.map(|(_, entry, restarted)| {
            let mut shown = entry.to_json(&ring.base);
            if *restarted {
                shown["restarted"] = json!(true);
            }
            (entry, shown)
        }),
        limit,
    );
    let summary = stream.summary(&ring);
    let mut body = json!({
        "sessionId": id,
        "packageName": stream.package,
        "entries": entries,
        "crash_summary": summary,
        "cursor": ring.next.to_string(),
        "dropped": ring.dropped,
        "omitted_older": left,
        "running": ring.ended.is_none(),
        "timing": call.request.timings.compact(),
    });
    if let Some(ended) = &ring.ended {
        body["ended"] = ended.to_json();
    }
    drop(ring);
    Ok(Answer::body(body))
}

/// The newest entries of a stream and what crashed in it, for a snapshot.
pub(super) fn recent(streams: &Streams, id: &str, limit: usize) -> Result<(Vec<Value>, Value), Failure> {
    let stream = streams.find(id)?;
    *lock(&stream.read_at) = Instant::now();
    let ring = lock(&stream.ring);
    let entries = ring.entries.iter().map(|(_, entry, _)| (entry, entry.to_json(&ring.base)));
    Ok((shown(entries, limit).0, stream.summary(&ring)))
}

/// From where a stream is read.
#[derive(Clone, Copy)]
enum Since {
    /// What came after an answer's `cursor`.
    Cursor(u64),
    /// What was logged at or after a time, ms since 1970.
    Time(i64),
}

impl Since {
    fn of(text: &str) -> Result<Self, Failure> {
        if let Ok(cursor) = text.parse() {
            return Ok(Self::Cursor(cursor));
        }
        // A whole second is a time, too.
        let whole = text.strip_suffix('Z').filter(|text| !text.contains('.')).map(|text| format!("{text}.000Z"));
        let time = parse_log_time(whole.as_deref().unwrap_or(text)).filter(|(_, rest)| rest.is_empty());
        time.and_then(|(time, _)| time.epoch_ms(&TimeBase::default())).map(Self::Time).ok_or_else(|| {
            let failure =
                Failure::new(Code::InvalidFilter, format!("since: {text:?} is neither a cursor nor a time in UTC"));
            Failure { member: Some("since".to_owned()), ..failure }
                .with_remedy("Pass the cursor of the last answer, or a time such as 2026-01-31T12:00:00Z.")
        })
    }
}

pub(super) async fn stop_log_stream(call: Call) -> Result<Answer, Failure> {
    let args: StopLogStreamArgs = call.parse()?;
    let id = named(args.session_id.as_deref())?;
    let stream = call.house.streams.find(&id)?;
    stream.stop().await;
    lock(&call.house.streams.0).remove(&id);
    let (count, dropped): (Value, Value) = {
        let ring = lock(&stream.ring);
        (json!(ring.next), json!(ring.dropped))
    };
    Ok(Answer::body(json!({
        "success": true,
        "sessionId": id,
        "stopped": true,
        "logged": count,
        "dropped": dropped,
        "timing": call.request.timings.compact(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_the_newest_and_counts_what_it_dropped() {
        let mut ring = Ring::default();
        for number in 0..ENTRIES as u32 + 50 {
            ring.push(LogEntry { pid: Some(1), message: number.to_string(), ..LogEntry::default() });
        }
        assert_eq!((ring.entries.len(), ring.dropped), (ENTRIES, 50));
        assert_eq!(ring.entries.front().map(|(_, entry, _)| entry.message.as_str()), Some("50"));
        for _ in 0..100 {
            ring.push(LogEntry { message: "x".repeat(60_000), ..LogEntry::default() });
        }
        assert!(ring.bytes <= BYTES && ring.entries.len() < 20, "{} bytes, {}", ring.bytes, ring.entries.len());
    }

    #[test]
    fn a_new_process_of_the_app_is_marked() {
        let mut ring = Ring::default();
        for pid in [5, 5, 6, 6, 5] {
            ring.push(LogEntry { pid: Some(pid), ..LogEntry::default() });
        }
        let marked: Vec<bool> = ring.entries.iter().map(|(_, _, restarted)| *restarted).collect();
        assert_eq!(marked, [false, false, true, false, false]);
    }
}
