//! A child that is talked to rather than waited for: another server, over its stdin and stdout.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};

use super::group::{self, Group};
use super::{Command, ProcessError, Processes};

/// A child with its pipes. Dropping it ends its whole group.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    group: Group,
}

impl Processes {
    /// Spawns a peer in a process group of its own; its stderr goes nowhere, the command's caps do not apply.
    ///
    /// # Errors
    /// [`ProcessError::NotFound`] or [`ProcessError::Spawn`]: nothing was started.
    pub fn peer(&self, command: Command) -> Result<(Peer, ChildStdout, ChildStdin), ProcessError> {
        let Command { program, args, .. } = command;
        let refused = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::NotFound => ProcessError::NotFound(program.path.clone()),
            _ => ProcessError::Spawn { path: program.path.clone(), source },
        };
        #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
        let mut child = tokio::process::Command::new(&program.path);
        child.args(&program.leading).args(&args).envs(program.env.iter().map(|(name, value)| (name, value)));
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        group::own(&mut child);
        let mut child = child.spawn().map_err(refused)?;
        let group = Group::of(&child);
        let (stdout, stdin) = (child.stdout.take(), child.stdin.take());
        match (stdout, stdin) {
            (Some(stdout), Some(stdin)) => Ok((Peer { child, group }, stdout, stdin)),
            _ => Err(refused(std::io::Error::other("the child has no pipes"))),
        }
    }
}

impl Peer {
    /// Waits for its own end, at most `grace`, then ends it. Its exit status, when it ended by itself.
    pub async fn end(mut self, grace: Duration) -> Option<i32> {
        let code = match tokio::time::timeout(grace, self.child.wait()).await {
            Ok(status) => status.ok().and_then(|status| status.code()),
            Err(_) => {
                self.group.kill();
                let _ = self.child.wait().await;
                None
            }
        };
        let _ = self.group.outlives_leader();
        code
    }
}
