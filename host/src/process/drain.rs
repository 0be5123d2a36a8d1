//! Reading a child's pipe to its end, keeping no more than a cap.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// What was kept of one pipe, readable while it is still being drained.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept(Arc<Mutex<(Vec<u8>, bool)>>);

impl Kept {
    /// The bytes so far, and whether some were dropped.
    pub(super) fn take(&self) -> (Vec<u8>, bool) {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, bytes: &[u8], cap: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = cap.saturating_sub(kept.0.len()).min(bytes.len());
        kept.0.extend_from_slice(bytes.get(..room).unwrap_or_default());
        kept.1 |= room < bytes.len();
    }
}

/// Reads until the end of the pipe or an error, which is an end as well: nobody is left to write.
/// Each piece is told to `hear` first.
pub(super) async fn drain(pipe: Option<impl AsyncRead + Unpin>, kept: Kept, cap: usize, hear: Option<impl Fn(&[u8])>) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = Vec::with_capacity(64 * 1024);
    while let Ok(1..) = pipe.read_buf(&mut buffer).await {
        if let Some(hear) = &hear {
            hear(&buffer);
        }
        kept.keep(&buffer, cap);
        buffer.clear();
    }
}
