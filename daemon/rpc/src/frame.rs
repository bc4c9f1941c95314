//! Message framing on a byte stream: `Content-Length: N`, a blank line, N bytes.
//!
//! This module never parses a message. Bad framing is an `Err` value, not the end of the stream: it reports
//! what was seen, and reading resumes at the next `Content-Length`.
//!
//! Invariant: the reader never buffers an oversized message, only its first [`HEAD_BYTES`], which may reveal
//! the id of the request it answers.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use decode::FrameDecoder;

pub mod decode;
pub mod head;
#[cfg(test)]
mod tests;

pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

pub const MAX_HEADER_BYTES: usize = 8 * 1024;

/// A longer message takes more than a millisecond to parse: that is done beside the async runtime, so that other
/// connections go on.
pub const MAX_INLINE_BYTES: usize = 256 * 1024;

/// How much of an oversized message is kept.
pub const HEAD_BYTES: usize = 1024;

/// A buffer that grew beyond this for one message is freed.
const MAX_IDLE_BUFFER: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("expected `Content-Length: N`, saw `{seen}`")]
    Garbage { seen: String },
    #[error("the message has {length} bytes; the limit is {MAX_MESSAGE_BYTES}")]
    TooLong { length: u64, head: Bytes },
    #[error("the stream ended inside a message")]
    Truncated,
}

#[derive(Debug)]
pub struct FrameReader<R> {
    inner: R,
    buffer: BytesMut,
    decoder: FrameDecoder,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, buffer: BytesMut::new(), decoder: FrameDecoder::default() }
    }

    /// The next message or framing error; `None` at the end of the stream. Cancel-safe.
    pub async fn next(&mut self) -> io::Result<Option<Result<Bytes, FrameError>>> {
        loop {
            if let Some(frame) = self.decoder.next(&mut self.buffer) {
                return Ok(Some(frame));
            }
            if self.buffer.is_empty() && self.buffer.capacity() > MAX_IDLE_BUFFER {
                self.buffer = BytesMut::new();
            }
            self.buffer.reserve(self.decoder.bytes_needed().clamp(MAX_HEADER_BYTES, MAX_IDLE_BUFFER));
            if self.inner.read_buf(&mut self.buffer).await? == 0 {
                return Ok(self.decoder.end(&mut self.buffer).map(Err));
            }
        }
    }
}

/// Writes one message. The caller flushes once it knows that nothing follows.
pub async fn write(out: &mut (impl AsyncWrite + Unpin), message: &[u8]) -> io::Result<()> {
    let header = format!("Content-Length: {}\r\n\r\n", message.len());
    out.write_all_buf(&mut Buf::chain(header.as_bytes(), message)).await
}
