//! As much of HTTP/1.1 as the suite's client needs. Not hyper: with what it asks of `smallvec` all of wasmtime would be
//! built a second time for this target.

use std::convert::Infallible;
use std::io::{Error, ErrorKind};

use ::http::{Request, Response};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Answers one connection's requests, one after the other, until either side ends it.
///
/// # Errors
/// What the client sent is no HTTP, or it is gone.
pub(crate) async fn connection<S>(
    stream: TcpStream,
    service: StreamableHttpService<S, LocalSessionManager>,
) -> std::io::Result<()>
where
    S: ServerHandler + Send + 'static,
{
    let (mut read, mut write) = stream.into_split();
    let mut received = Vec::new();
    while let Some(request) = request(&mut read, &mut received).await? {
        let answered = async { answer(&mut write, service.handle(request).await).await };
        tokio::pin!(answered);
        loop {
            tokio::select! {
                sent = &mut answered => break sent?,
                // A client that gives up must not leave a stream open here; one that sends on is read later.
                more = more(&mut read, &mut received) => if !more? { return Ok(()) },
            }
        }
    }
    Ok(())
}

/// Reads on; false at the end.
async fn more(read: &mut OwnedReadHalf, received: &mut Vec<u8>) -> std::io::Result<bool> {
    Ok(read.read_buf(received).await? > 0)
}

/// The next request, and none at the end.
async fn request(read: &mut OwnedReadHalf, received: &mut Vec<u8>) -> std::io::Result<Option<Request<Full<Bytes>>>> {
    let invalid = |what: String| Error::new(ErrorKind::InvalidData, what);
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut headers);
        if let httparse::Status::Complete(begin) = head.parse(received).map_err(|error| invalid(error.to_string()))? {
            let mut request = Request::builder().method(head.method.unwrap_or("")).uri(head.path.unwrap_or(""));
            let mut length = 0;
            for header in head.headers.iter() {
                if header.name.eq_ignore_ascii_case("content-length") {
                    let text = String::from_utf8_lossy(header.value);
                    length = text.parse().map_err(|_| invalid(format!("a length of {text}")))?;
                }
                request = request.header(header.name, header.value);
            }
            let end = begin + length;
            while received.len() < end {
                if !more(read, received).await? {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            }
            let body = Full::new(Bytes::copy_from_slice(&received[begin..end]));
            received.drain(..end);
            return request.body(body).map(Some).map_err(|error| invalid(error.to_string()));
        }
        if !more(read, received).await? {
            return Ok(None);
        }
    }
}

/// Writes an answer as it comes: a stream of events is sent event by event.
async fn answer(write: &mut OwnedWriteHalf, response: Response<BoxBody<Bytes, Infallible>>) -> std::io::Result<()> {
    let (head, mut body) = response.into_parts();
    let mut text = format!("HTTP/1.1 {}\r\n", head.status);
    for (name, value) in &head.headers {
        if name != ::http::header::CONTENT_LENGTH {
            text.push_str(&format!("{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes())));
        }
    }
    let bare = head.status == ::http::StatusCode::NO_CONTENT;
    text.push_str(if bare { "\r\n" } else { "transfer-encoding: chunked\r\n\r\n" });
    write.write_all(text.as_bytes()).await?;
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data()
            && !data.is_empty()
        {
            write.write_all(format!("{:x}\r\n", data.len()).as_bytes()).await?;
            write.write_all(&data).await?;
            write.write_all(b"\r\n").await?;
        }
    }
    if !bare {
        write.write_all(b"0\r\n\r\n").await?;
    }
    write.flush().await
}
