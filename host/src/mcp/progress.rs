//! Progress in order, all of it before the answer.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::request::ProgressSink;

/// Hands one request's progress on, in one task.
#[derive(Debug)]
pub struct Forwarder(Option<JoinHandle<()>>);

impl Forwarder {
    /// Waits until what was reported is sent. Whatever holds the sink must be dropped before.
    pub async fn done(self) {
        if let Some(task) = self.0 {
            // A task that is gone sends nothing any more.
            let _ = task.await;
        }
    }
}

/// Where a request reports its progress, absent when its client gave no token, and who hands it on.
#[must_use]
pub fn forward(context: &RequestContext<RoleServer>) -> (Option<ProgressSink>, Forwarder) {
    let Some(token) = context.meta.get_progress_token() else { return (None, Forwarder(None)) };
    let (sender, mut receiver) = mpsc::unbounded_channel::<(f64, Option<f64>, String)>();
    let peer = context.peer.clone();
    let ct = context.ct.clone();
    let task = tokio::spawn(async move {
        while let Some((done, total, message)) = receiver.recv().await {
            let mut param = ProgressNotificationParam::new(token.clone(), done).with_message(message);
            if let Some(total) = total {
                param = param.with_total(total);
            }
            // None after a cancel; and a session that is ending takes none, so that its answer would wait for ever.
            tokio::select! {
                biased;
                () = ct.cancelled() => break,
                _ = peer.notify_progress(param) => {}
            }
        }
    });
    let sink: ProgressSink = Arc::new(move |done, total, message| {
        let _ = sender.send((done, total, message));
    });
    (Some(sink), Forwarder(Some(task)))
}
