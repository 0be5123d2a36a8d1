//! The supervisor of one child: from its spawn until its group is gone and its leader reaped.

use std::pin::pin;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::drain::{Kept, drain};
use super::group::Group;
use super::{Listener, Output, ProcessError, Stream};
use crate::budget::{Budget, Stopped};

/// How long pipes may stay open after the leader's exit: a grandchild that holds them does not hold us.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// A killed leader is reaped within microseconds; only one stuck in the kernel is not, and it must not stick us.
const REAP: Duration = Duration::from_secs(2);

/// One child with all that ends it.
pub(super) struct Supervised {
    pub(super) child: Child,
    pub(super) at: Instant,
    pub(super) budget: Budget,
    pub(super) ending: CancellationToken,
    /// Bytes kept of stdout and of stderr.
    pub(super) caps: (usize, usize),
    /// Told of all of it, as it comes.
    pub(super) listener: Option<Listener>,
}

impl Supervised {
    /// Sees the child to its end and answers; an asker who is gone cancels it.
    pub(super) async fn answer(self, mut asker: oneshot::Sender<Result<Output, ProcessError>>) {
        let result = self.see_to_its_end(asker.closed()).await;
        // An asker who is gone wants no answer.
        let _ = asker.send(result);
    }

    async fn see_to_its_end(mut self, asker_gone: impl Future<Output = ()>) -> Result<Output, ProcessError> {
        let mut group = Group::of(&self.child);
        let (out, err) = (Kept::default(), Kept::default());
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let mut pipes = pin!(async {
            let hear = |stream| self.listener.clone().map(|listener| move |bytes: &[u8]| listener(stream, bytes));
            tokio::join!(
                drain(stdout, out.clone(), self.caps.0, hear(Stream::Out)),
                drain(stderr, err.clone(), self.caps.1, hear(Stream::Err)),
            );
        });
        let mut closed = false;
        let stop = async {
            tokio::select! {
                biased;
                () = asker_gone => Stopped::Cancelled,
                () = self.ending.cancelled() => Stopped::Cancelled,
                () = self.budget.cancel_token().cancelled() => Stopped::Cancelled,
                () = tokio::time::sleep_until(self.budget.deadline()) => Stopped::Expired,
            }
        };
        let mut stop = pin!(stop);
        let ended = loop {
            tokio::select! {
                biased;
                // A child that is done is done, even if its deadline passed in the same moment.
                status = self.child.wait() => break Ok(status),
                why = &mut stop => break Err(why),
                () = &mut pipes, if !closed => closed = true,
            }
        };
        let (code, why) = match ended {
            Ok(status) => (status.ok().and_then(|status| status.code()), None),
            Err(why) => {
                group.kill();
                // Where there are no groups this is what ends it; where there are, it was ended already.
                let _ = self.child.start_kill();
                if timeout(REAP, self.child.wait()).await.is_err() {
                    tracing::warn!(pid = self.child.id(), "a killed child cannot be reaped yet");
                }
                (None, Some(why))
            }
        };
        let elapsed_ms = self.at.elapsed().as_secs_f64() * 1000.0;
        let left = group.outlives_leader();
        if why.is_some() {
            // Members that were just being forked when the first kill came.
            group.kill();
        }
        closed = closed || timeout(LAST_WORDS, &mut pipes).await.is_ok();
        group.kill();
        if !closed && left {
            // Nobody of the group can write any more: what it wrote is taken in, and an outsider not waited for.
            let _ = timeout(LAST_WORDS, &mut pipes).await;
        }
        let ((stdout, cut_out), (stderr, cut_err)) = (out.take(), err.take());
        let output = Output { code, stdout, stderr, truncated: cut_out || cut_err, elapsed_ms };
        match why {
            None => Ok(output),
            Some(why) => Err(ProcessError::Stopped { why, partial: output }),
        }
    }
}
