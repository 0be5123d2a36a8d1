//! The only place that spawns. Every child has a process group of its own and belongs to a supervisor
//! task that ends the group at its deadline or on cancel and reaps it, also when the caller is gone.

mod drain;
mod group;
mod peer;
mod supervise;
#[cfg(all(test, unix))]
mod tests;

pub use peer::Peer;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::budget::{Budget, Stopped};

/// A program as configured: a path and leading arguments, with environment of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name looked up in PATH, or a path.
    pub path: PathBuf,
    /// Arguments before ours: an adb stand-in is a program plus these.
    pub leading: Vec<OsString>,
    /// Variables set for the child on top of ours.
    pub env: Vec<(OsString, OsString)>,
}

impl Program {
    /// A program without leading arguments and with our own environment.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), leading: Vec::new(), env: Vec::new() }
    }

    /// This program with `args` after its leading arguments and caps of 1 MiB on each stream.
    #[must_use]
    pub fn command<A: Into<OsString>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        Command {
            program: self.clone(),
            args: args.into_iter().map(Into::into).collect(),
            stdout_cap: 1 << 20,
            stderr_cap: 1 << 20,
            folder: None,
        }
    }
}

/// One child's argument vector and caps; never a local shell string.
#[derive(Clone, Debug)]
pub struct Command {
    /// What to run.
    pub program: Program,
    /// Arguments after the leading ones.
    pub args: Vec<OsString>,
    /// Bytes of stdout kept; the rest is drained and dropped, `Output::truncated` set.
    pub stdout_cap: usize,
    /// Bytes of stderr kept.
    pub stderr_cap: usize,
    /// The folder it runs in; ours where there is none.
    pub folder: Option<PathBuf>,
}

/// Which of a child's streams something came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Told of each piece of a child's output as it comes, cut anywhere. It must not block: the pipe is read no further meanwhile.
pub type Listener = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// What a finished child left.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Exit status; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output up to the cap.
    pub stdout: Vec<u8>,
    /// Standard error up to the cap.
    pub stderr: Vec<u8>,
    /// Some output was dropped.
    pub truncated: bool,
    /// From spawn to reaped, ms.
    pub elapsed_ms: f64,
}

/// Why there is no finished child.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program is not there.
    #[error("program {0} was not found")]
    NotFound(PathBuf),
    /// The system refused to spawn.
    #[error("could not start {path}: {source}")]
    Spawn {
        /// The program.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The budget ended; the group was killed and reaped. What was read until then is kept.
    #[error("ended before it was done")]
    Stopped {
        /// Deadline or cancel.
        why: Stopped,
        /// Output so far.
        partial: Output,
    },
}

/// A child that was just spawned as native input: the moment of dispatch has passed. Dropping it cancels the child.
#[derive(Debug)]
pub struct Dispatched {
    /// When it was spawned.
    pub at: Instant,
    done: oneshot::Receiver<Result<Output, ProcessError>>,
}

impl Dispatched {
    /// Waits until the child is reaped.
    ///
    /// # Errors
    /// [`ProcessError::Stopped`] when the budget given at spawn ended first.
    pub async fn finish(self) -> Result<Output, ProcessError> {
        self.done.await.unwrap_or_else(|_| Err(stopped(Stopped::Cancelled)))
    }
}

/// Spawns and supervises all children of this server. Clones share the children and their end.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    tracker: TaskTracker,
    ending: CancellationToken,
}

impl Processes {
    /// Runs a child to its end within the budget. Dropping the future cancels the child.
    ///
    /// # Errors
    /// [`ProcessError`]; when it returns, the child's group is gone and reaped. A budget that has
    /// already ended starts nothing.
    pub async fn run(&self, command: Command, budget: &Budget) -> Result<Output, ProcessError> {
        self.start(command, budget, None)?.finish().await
    }

    /// As [`Processes::run`], for a child whose output is wanted as it comes: a log that is followed, a build.
    ///
    /// # Errors
    /// As [`Processes::run`].
    pub async fn watch(&self, command: Command, budget: &Budget, listener: Listener) -> Result<Output, ProcessError> {
        self.start(command, budget, Some(listener))?.finish().await
    }

    /// Spawns native input: synchronous up to the spawn itself. Only `action` may call it (clippy's disallowed methods).
    /// Needs a tokio runtime's context, which its blocking threads have too.
    ///
    /// # Errors
    /// Every error means that nothing was started: [`ProcessError::NotFound`], [`ProcessError::Spawn`],
    /// or [`ProcessError::Stopped`] when the budget had ended already.
    pub fn spawn_input(&self, command: Command, budget: &Budget) -> Result<Dispatched, ProcessError> {
        self.start(command, budget, None)
    }

    /// Ends all children and waits until they are reaped, at most `grace`. Nothing can be started from now on.
    pub async fn shutdown(&self, grace: Duration) {
        self.ending.cancel();
        self.tracker.close();
        if tokio::time::timeout(grace, self.tracker.wait()).await.is_err() {
            tracing::warn!(children = self.tracker.len(), "children still not reaped at shutdown");
        }
    }

    fn start(&self, command: Command, budget: &Budget, listener: Option<Listener>) -> Result<Dispatched, ProcessError> {
        budget.check().map_err(stopped)?;
        if self.ending.is_cancelled() {
            return Err(stopped(Stopped::Cancelled));
        }
        let Command { program, args, stdout_cap, stderr_cap, folder } = command;
        let refused = |source: std::io::Error| ProcessError::Spawn { path: program.path.clone(), source };
        let runtime = tokio::runtime::Handle::try_current().map_err(|error| refused(std::io::Error::other(error)))?;
        let _context = runtime.enter();

        #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
        let mut child = tokio::process::Command::new(&program.path);
        child.args(&program.leading).args(&args).envs(program.env.iter().map(|(name, value)| (name, value)));
        child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &folder {
            child.current_dir(folder);
        }
        // The supervisor ends the group itself; this covers a runtime that is torn down under it.
        child.kill_on_drop(true);
        group::own(&mut child);

        let at = Instant::now();
        let child = child.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ProcessError::NotFound(program.path.clone()),
            _ => refused(error),
        })?;
        let (answer, done) = oneshot::channel();
        let supervised = supervise::Supervised {
            child,
            at,
            budget: budget.clone(),
            ending: self.ending.clone(),
            caps: (stdout_cap, stderr_cap),
            listener,
        };
        self.tracker.spawn_on(supervised.answer(answer), &runtime);
        Ok(Dispatched { at, done })
    }
}

fn stopped(why: Stopped) -> ProcessError {
    ProcessError::Stopped { why, partial: Output::default() }
}
