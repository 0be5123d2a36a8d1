//! A build's output, as it comes: into a file, to the client, and its end kept for the answer.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::process::Listener;
use crate::request::Request;

/// Files of builds that are kept, ours included; older ones are removed.
const KEPT: usize = 20;

/// Bytes of one file; what comes after is counted and not written.
const LARGEST: u64 = 64 << 20;

/// Bytes kept in memory for the answer and for what went wrong: the beginning and the end of very long output.
const HALF: usize = 1 << 20;

/// Between two notifications: a build prints thousands of lines.
const PACE: Duration = Duration::from_millis(250);

/// Longest line shown while it runs, characters.
const SHOWN: usize = 200;

/// The output of one build.
#[derive(Clone)]
pub(super) struct Log {
    /// The file, where one could be made.
    pub(super) path: Option<PathBuf>,
    state: Arc<Mutex<State>>,
}

struct State {
    file: Option<File>,
    written: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    line: Vec<u8>,
    told: Option<Instant>,
}

impl Log {
    /// Begins a file in the folder of builds; without a folder the output is kept in memory alone.
    pub(super) fn begin(folder: Option<&Path>) -> Self {
        let made = folder.and_then(|folder| {
            std::fs::create_dir_all(folder).ok()?;
            prune(folder);
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let path = folder.join(format!("build-{}-{}.log", since.as_millis(), std::process::id()));
            File::create_new(&path).ok().map(|file| (path, file))
        });
        let (path, file) = made.unzip();
        let state = State { file, written: 0, head: Vec::new(), tail: Vec::new(), line: Vec::new(), told: None };
        Self { path, state: Arc::new(Mutex::new(state)) }
    }

    /// Takes each piece, and tells the client the last whole line now and then.
    pub(super) fn listener(&self, request: Request) -> Listener {
        let state = Arc::clone(&self.state);
        let began = Instant::now();
        Arc::new(move |_, bytes| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(line) = state.take(bytes) {
                request.progress(began.elapsed().as_secs_f64(), None, line);
            }
        })
    }

    /// The whole output, or its beginning and its end.
    pub(super) fn text(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{}{}", String::from_utf8_lossy(&state.head), String::from_utf8_lossy(&state.tail))
    }
}

impl State {
    /// The line to show, when it is time to show one.
    fn take(&mut self, bytes: &[u8]) -> Option<String> {
        if self.written < LARGEST
            && let Some(file) = &mut self.file
        {
            // A disk that is full costs the file, not the build.
            let _ = file.write_all(bytes);
        }
        self.written += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let room = HALF.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * HALF {
            self.tail.drain(..self.tail.len() - HALF);
        }
        let mut whole = None;
        for byte in bytes {
            match byte {
                b'\n' => {
                    let line = String::from_utf8_lossy(&self.line).trim().to_owned();
                    whole = Some(line).filter(|line| !line.is_empty()).or(whole);
                    self.line.clear();
                }
                byte if self.line.len() < 4 * SHOWN => self.line.push(*byte),
                _ => {}
            }
        }
        let due = self.told.is_none_or(|told| told.elapsed() >= PACE);
        let line = whole.filter(|_| due)?;
        self.told = Some(Instant::now());
        Some(line.chars().take(SHOWN).collect())
    }
}

/// Leaves room for one more.
fn prune(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let ours = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("build-") && name.ends_with(".log")
    };
    let mut files: Vec<PathBuf> = entries.filter(ours).collect();
    // By name is by time.
    files.sort();
    let surplus = files.len().saturating_sub(KEPT - 1);
    for file in files.into_iter().take(surplus) {
        // One that another server removed is gone.
        let _ = std::fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn of_many_builds_the_newest_twenty_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..30 {
            std::fs::write(folder.path().join(format!("build-{:013}-1.log", number)), "").unwrap();
        }
        std::fs::write(folder.path().join("other.log"), "").unwrap();
        let log = Log::begin(Some(folder.path()));
        let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        assert_eq!(names.len(), KEPT + 1, "{names:?}");
        assert!(names.contains(&log.path.unwrap()) && names.contains(&folder.path().join("other.log")));
        assert!(!names.contains(&folder.path().join("build-0000000000010-1.log")));
    }

    #[test]
    fn of_long_output_the_beginning_and_the_end_are_kept() {
        let log = Log::begin(None);
        let listener = log.listener(Request::new(tokio_util::sync::CancellationToken::new(), None));
        listener(crate::process::Stream::Out, b"first\n");
        for _ in 0..40 {
            listener(crate::process::Stream::Out, &[b'x'; 100 * 1024]);
        }
        listener(crate::process::Stream::Err, b"\nlast\n");
        let text = log.text();
        assert!(
            text.starts_with("first\n") && text.ends_with("\nlast\n") && text.len() <= 3 * HALF + 10,
            "{}",
            text.len()
        );
    }
}
