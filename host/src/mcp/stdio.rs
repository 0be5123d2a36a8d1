//! The stdio transport: one JSON-RPC message a line.
//!
//! Ours rather than rmcp's for what a line may not do: it is neither answered nor shown in a log when it is no message;
//! and for the end: when the client is gone, the calls under way are cancelled at once instead of waited for.

mod line;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorData, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use line::{Line, Lines};

/// The longest line that is read (contract §4).
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// How long a client that is gone may still take its last answers: one that does not read holds nobody.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// A message of the client.
type Received = RxJsonRpcMessage<RoleServer>;

/// Reads and writes lines until the client is gone.
#[derive(Debug)]
pub struct Stdio<R, W> {
    lines: Lines<R>,
    /// Messages of a batch that are still to be handed on (protocol 2025-03-26 has batches).
    batched: VecDeque<Received>,
    /// Absent once a line could not be written whole: nothing may follow half a line.
    write: Arc<Mutex<Option<W>>>,
    /// The conversation has begun.
    open: bool,
    gone: CancellationToken,
}

impl<R: AsyncRead, W: AsyncWrite> Stdio<R, W> {
    /// A transport that cancels `gone` when stdin ends, or when stdout takes nothing any more; and that, once `gone` is
    /// cancelled, by whomever, writes for a moment only.
    #[must_use]
    pub fn new(read: R, write: W, gone: CancellationToken) -> Self {
        Self {
            lines: Lines::new(read),
            batched: VecDeque::new(),
            write: Arc::new(Mutex::new(Some(write))),
            open: false,
            gone,
        }
    }
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let write = Arc::clone(&self.write);
        let gone = self.gone.clone();
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            // In order, and one at a time: a line is never inside another.
            let mut write = write.lock().await;
            let Some(pipe) = write.as_mut() else { return Err(std::io::ErrorKind::NotConnected.into()) };
            let written = tokio::select! {
                written = whole(pipe, &line) => written,
                () = late(&gone) => Err(std::io::ErrorKind::TimedOut.into()),
            };
            if written.is_err() {
                write.take();
                gone.cancel();
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<Received> {
        loop {
            if let Some(message) = self.batched.pop_front() {
                self.open = self.open || opens(&message);
                if self.open || matches!(message, JsonRpcMessage::Request(_)) {
                    return Some(message);
                }
                continue;
            }
            match self.lines.next().await {
                Line::Whole(bytes) => match read(bytes) {
                    Reading::Messages(messages) => self.batched.extend(messages),
                    Reading::Request(id) => {
                        let refusal = ErrorData::invalid_request("this is not a request of JSON-RPC 2.0", None);
                        // On its own: this future may be dropped at any await, and then half a line would stand there.
                        tokio::spawn(self.send(JsonRpcMessage::error(refusal, Some(id))));
                    }
                    Reading::Nothing => {}
                    Reading::Rubbish => {
                        tracing::warn!("a line of {} bytes that is no message was ignored", bytes.len())
                    }
                },
                Line::TooLong(bytes) => {
                    tracing::warn!(
                        "a line of {bytes} bytes was ignored: the longest that is read has {MAX_LINE_BYTES}"
                    );
                }
                Line::End => {
                    self.gone.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.lock().await.take();
        Ok(())
    }
}

async fn whole(pipe: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> std::io::Result<()> {
    pipe.write_all(line).await?;
    pipe.flush().await
}

/// Some time after the client went.
async fn late(gone: &CancellationToken) {
    gone.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// What a line is.
enum Reading {
    /// Messages: one, or a batch.
    Messages(Vec<Received>),
    /// A request that is none, whose sender waits for an answer to this id.
    Request(RequestId),
    /// White space.
    Nothing,
    /// Neither a message nor anything whose sender could be answered.
    Rubbish,
}

fn read(line: &[u8]) -> Reading {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        return Reading::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(message) => Reading::Messages(vec![message]),
        Err(error) if error.is_data() => no_message(line),
        Err(_) => Reading::Rubbish,
    }
}

/// JSON that is no message.
fn no_message(line: &[u8]) -> Reading {
    match serde_json::from_slice(line) {
        Ok(Value::Array(batch)) => {
            let messages: Vec<Received> =
                batch.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect();
            if messages.is_empty() { Reading::Rubbish } else { Reading::Messages(messages) }
        }
        Ok(Value::Object(mut members)) if members.contains_key("method") => {
            let id = members.remove("id").and_then(|id| serde_json::from_value(id).ok());
            id.map_or(Reading::Rubbish, Reading::Request)
        }
        _ => Reading::Rubbish,
    }
}

/// Whether a request begins the conversation: with a handshake, or without one. Until then rmcp ends the session at a
/// notification, which nothing can be about yet.
fn opens(message: &Received) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        ClientRequest::InitializeRequest(_) => true,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}
