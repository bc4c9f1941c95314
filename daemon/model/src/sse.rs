//! Server-sent events: bytes in, messages out.
//!
//! The reader accepts whatever chunks the network delivers. Contract:
//! - any chunking of the same bytes gives the same messages;
//! - time is linear: each byte is read once, however long its line;
//! - a line ends at LF, CRLF or a lone CR; one byte order mark at the very start is skipped; comments, `id`
//!   and `retry` are ignored; several `data` lines are joined by a line feed;
//! - invalid UTF-8 and messages above the limit are errors, reported after the messages before them;
//! - at the end of the body [`SseReader::finish`] returns the message that no blank line closed. The standard
//!   drops it, but some servers omit the last blank line; the wire decides whether it is complete.

use std::mem;

/// One event. `event` is empty if the server did not name it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseMessage {
    pub event: String,
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("the stream contains invalid UTF-8")]
    InvalidUtf8,
    #[error("one event of the stream is larger than {limit} bytes")]
    TooLarge { limit: usize },
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug)]
pub struct SseReader {
    limit: usize,
    /// The start of a line that the chunk did not finish.
    line: Vec<u8>,
    /// The last byte was a CR that ended a line: an LF right after it belongs to the same line end.
    after_cr: bool,
    /// Only (a part of) a byte order mark has been read.
    at_start: bool,
    event: String,
    data: String,
    has_data: bool,
}

impl SseReader {
    /// `limit` caps the memory of one message: its data and the current line.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_cr: false,
            at_start: true,
            event: String::new(),
            data: String::new(),
            has_data: false,
        }
    }

    /// Reads one chunk and appends the messages it completes to `out`.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<SseMessage>) -> Result<(), SseError> {
        let mut rest = chunk;
        while let Some(first) = rest.first() {
            if mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                Some(end) => {
                    let (head, tail) = rest.split_at(end);
                    self.after_cr = tail.first() == Some(&b'\r');
                    self.end_line(head, out)?;
                    rest = tail.get(1..).unwrap_or_default();
                }
                None => {
                    self.check_size(rest.len())?;
                    self.line.extend_from_slice(rest);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The message that no blank line closed when the body ended.
    pub fn finish(&mut self) -> Result<Option<SseMessage>, SseError> {
        let mut out = Vec::new();
        self.end_line(&[], &mut out)?;
        self.dispatch(&mut out);
        Ok(out.pop())
    }

    fn check_size(&self, more: usize) -> Result<(), SseError> {
        let size = self.line.len() + self.data.len() + more;
        if size > self.limit { Err(SseError::TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    fn end_line(&mut self, tail: &[u8], out: &mut Vec<SseMessage>) -> Result<(), SseError> {
        self.check_size(tail.len())?;
        if self.line.is_empty() {
            return self.read_line(tail, out);
        }
        self.line.extend_from_slice(tail);
        let line = mem::take(&mut self.line);
        let result = self.read_line(&line, out);
        // Keep the buffer for the next line, unless one huge line made it huge.
        if line.capacity() <= 64 * 1024 {
            self.line = line;
            self.line.clear();
        }
        result
    }

    fn read_line(&mut self, line: &[u8], out: &mut Vec<SseMessage>) -> Result<(), SseError> {
        let line = if mem::take(&mut self.at_start) { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        if line.is_empty() {
            self.dispatch(out);
            return Ok(());
        }
        let line = str::from_utf8(line).map_err(|_| SseError::InvalidUtf8)?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event),
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, out: &mut Vec<SseMessage>) {
        let event = mem::take(&mut self.event);
        let data = mem::take(&mut self.data);
        if mem::take(&mut self.has_data) {
            out.push(SseMessage { event, data });
        }
    }
}

#[cfg(test)]
mod tests;
