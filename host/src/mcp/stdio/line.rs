//! Lines of bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::MAX_LINE_BYTES;

/// Past this a line's buffer is given back: one large message must not stay in memory.
const KEPT_BYTES: usize = 1 << 20;

/// Splits what is read into lines. Memory is bounded, also where no line ever ends.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Bytes of this line so far, those not kept too.
    bytes: usize,
    /// The line was handed out.
    done: bool,
}

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// One longer than [`MAX_LINE_BYTES`], by its length.
    TooLong(usize),
    /// There will be no more; what came after the last line's end is no line.
    End,
}

impl<R: AsyncRead> Lines<R> {
    pub(super) fn new(read: R) -> Self {
        Self { read: BufReader::with_capacity(64 << 10, read), line: Vec::new(), bytes: 0, done: false }
    }

    /// Bytes held for lines.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.line.capacity()
    }
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The next line. May be dropped at any await: what was read of a line is kept for the next call.
    pub(super) async fn next(&mut self) -> Line<'_> {
        if std::mem::take(&mut self.done) {
            self.bytes = 0;
            self.line.clear();
            self.line.shrink_to(KEPT_BYTES);
        }
        loop {
            let available = match self.read.fill_buf().await {
                Ok([]) => return Line::End,
                Ok(available) => available,
                Err(error) => {
                    tracing::warn!("stdin cannot be read: {error}");
                    return Line::End;
                }
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = end.unwrap_or(available.len());
            self.bytes += part;
            if self.bytes <= MAX_LINE_BYTES {
                self.line.extend_from_slice(&available[..part]);
            } else {
                self.line = Vec::new();
            }
            self.read.consume(end.map_or(part, |end| end + 1));
            if end.is_some() {
                self.done = true;
                return if self.bytes <= MAX_LINE_BYTES {
                    Line::Whole(self.line.strip_suffix(b"\r").unwrap_or(&self.line))
                } else {
                    Line::TooLong(self.bytes)
                };
            }
        }
    }
}
