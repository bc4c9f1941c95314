//! Decodes bytes, in whatever chunks they arrive, into messages. No I/O, so that tests can try every
//! chunking.
//!
//! The last length before the blank line counts. Anything before it on its line, and every line that is no
//! header, is garbage. Garbage is reported once, then again only after a message came through.

use bytes::{Buf as _, Bytes, BytesMut};

use super::{FrameError, HEAD_BYTES, MAX_HEADER_BYTES, MAX_MESSAGE_BYTES};

const HEADER_NAME: &[u8] = b"content-length";

/// How much garbage an error shows.
const MAX_SHOWN: usize = 60;

#[derive(Debug, Default)]
pub struct FrameDecoder {
    state: FrameDecoderState,
    /// Garbage was reported, and no message has come since.
    garbage_reported: bool,
}

#[derive(Debug)]
enum FrameDecoderState {
    Header {
        length: Option<u64>,
        bytes: usize,
    },
    Body {
        length: usize,
    },
    /// An oversized message whose first `HEAD_BYTES` have not all arrived.
    Beginning {
        length: u64,
    },
    Skipping {
        left: u64,
    },
}

impl Default for FrameDecoderState {
    fn default() -> Self {
        Self::Header { length: None, bytes: 0 }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum FrameHeaderLine {
    Blank,
    Length(u64),
    /// The header follows garbage on the same line.
    LengthAfterGarbage(u64),
    Other,
    Garbage,
}

impl FrameDecoder {
    /// The next message; `None` if more bytes are needed.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Option<Result<Bytes, FrameError>> {
        loop {
            match self.state {
                FrameDecoderState::Header { length, bytes } => match self.header(buffer, length, bytes) {
                    FrameHeaderStep::Continue => {}
                    FrameHeaderStep::NeedMore => return None,
                    FrameHeaderStep::Report(error) => return Some(Err(error)),
                },
                FrameDecoderState::Body { length } => {
                    if buffer.len() < length {
                        return None;
                    }
                    *self = Self::default();
                    return Some(Ok(buffer.split_to(length).freeze()));
                }
                FrameDecoderState::Beginning { length } => {
                    if buffer.len() < HEAD_BYTES {
                        return None;
                    }
                    let head = buffer.split_to(HEAD_BYTES);
                    self.state =
                        FrameDecoderState::Skipping { left: length.saturating_sub(HEAD_BYTES as u64) };
                    // A copy, so that it does not keep the buffer alive.
                    return Some(Err(FrameError::TooLong { length, head: Bytes::copy_from_slice(&head) }));
                }
                FrameDecoderState::Skipping { left } => {
                    let here = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    buffer.advance(here);
                    let left = left.saturating_sub(here as u64);
                    if left > 0 {
                        self.state = FrameDecoderState::Skipping { left };
                        return None;
                    }
                    *self = Self::default();
                }
            }
        }
    }

    /// A lower bound for the bytes still to come.
    pub fn bytes_needed(&self) -> usize {
        match self.state {
            FrameDecoderState::Body { length } => length,
            FrameDecoderState::Skipping { left } => usize::try_from(left).unwrap_or(usize::MAX),
            FrameDecoderState::Header { .. } | FrameDecoderState::Beginning { .. } => 0,
        }
    }

    /// Reports once whether the stream ended inside a message.
    pub fn end(&mut self, buffer: &mut BytesMut) -> Option<FrameError> {
        let rest = buffer.split();
        let cut = match std::mem::take(self).state {
            FrameDecoderState::Header { length, .. } => length.is_some() || !rest.trim_ascii().is_empty(),
            FrameDecoderState::Body { .. }
            | FrameDecoderState::Beginning { .. }
            | FrameDecoderState::Skipping { .. } => true,
        };
        cut.then_some(FrameError::Truncated)
    }

    fn header(&mut self, buffer: &mut BytesMut, length: Option<u64>, bytes: usize) -> FrameHeaderStep {
        let Some(end) = memchr::memchr(b'\n', buffer) else { return self.unended(buffer) };
        let line = buffer.split_to(end + 1);
        let bytes = bytes + line.len();
        let header = |length, bytes| FrameDecoderState::Header { length, bytes };
        match (read(&line), length) {
            (FrameHeaderLine::Blank, Some(length)) => {
                self.state = match usize::try_from(length) {
                    Ok(length) if length <= MAX_MESSAGE_BYTES => FrameDecoderState::Body { length },
                    _ => FrameDecoderState::Beginning { length },
                };
                FrameHeaderStep::Continue
            }
            // Blank lines between messages are harmless.
            (FrameHeaderLine::Blank, None) if bytes == line.len() => {
                self.state = FrameDecoderState::default();
                FrameHeaderStep::Continue
            }
            (FrameHeaderLine::Blank, None) => self.garbage(b"a header without a length"),
            (FrameHeaderLine::Length(length), _) => {
                self.state = header(Some(length), line.len());
                FrameHeaderStep::Continue
            }
            (FrameHeaderLine::LengthAfterGarbage(length), _) => {
                let step = self.garbage(&line);
                self.state = header(Some(length), line.len());
                step
            }
            (FrameHeaderLine::Other, length) if bytes <= MAX_HEADER_BYTES => {
                self.state = header(length, bytes);
                FrameHeaderStep::Continue
            }
            (FrameHeaderLine::Other | FrameHeaderLine::Garbage, _) => self.garbage(&line),
        }
    }

    /// Handles a line that has not ended yet. Drops the part that can no longer be a header, so that a peer
    /// cannot grow the buffer.
    fn unended(&mut self, buffer: &mut BytesMut) -> FrameHeaderStep {
        if buffer.len() <= MAX_HEADER_BYTES {
            return FrameHeaderStep::NeedMore;
        }
        let kept = match last_name(buffer) {
            Some(at) if buffer.len() - at <= MAX_HEADER_BYTES => at,
            // The end may be the start of the name.
            _ => buffer.len().saturating_sub(HEADER_NAME.len() - 1),
        };
        if kept == 0 {
            return FrameHeaderStep::NeedMore;
        }
        let seen = buffer.split_to(kept);
        self.garbage(&seen)
    }

    fn garbage(&mut self, seen: &[u8]) -> FrameHeaderStep {
        self.state = FrameDecoderState::default();
        if std::mem::replace(&mut self.garbage_reported, true) {
            return FrameHeaderStep::Continue;
        }
        let shown = seen.get(..MAX_SHOWN).unwrap_or(seen).trim_ascii();
        FrameHeaderStep::Report(FrameError::Garbage { seen: shown.escape_ascii().to_string() })
    }
}

enum FrameHeaderStep {
    Continue,
    NeedMore,
    Report(FrameError),
}

fn read(line: &[u8]) -> FrameHeaderLine {
    let trimmed = line.trim_ascii();
    if trimmed.is_empty() {
        return FrameHeaderLine::Blank;
    }
    if let Some(at) = last_name(line) {
        let (before, rest) = line.split_at_checked(at).unwrap_or_default();
        let value = rest.get(HEADER_NAME.len()..).unwrap_or_default().trim_ascii();
        let value = value.strip_prefix(b":").map(<[u8]>::trim_ascii);
        let short = rest.len() <= MAX_HEADER_BYTES;
        return match value.filter(|_| short).and_then(number) {
            Some(length) if before.trim_ascii().is_empty() => FrameHeaderLine::Length(length),
            Some(length) => FrameHeaderLine::LengthAfterGarbage(length),
            None => FrameHeaderLine::Garbage,
        };
    }
    let name = trimmed.split(|byte| *byte == b':').next().unwrap_or_default();
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    if is_name && !name.is_empty() && name.len() < trimmed.len() {
        FrameHeaderLine::Other
    } else {
        FrameHeaderLine::Garbage
    }
}

/// Digits only; saturates.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Some(digits.iter().fold(0, add))
}

/// The start of the last `Content-Length`, in any case.
fn last_name(text: &[u8]) -> Option<usize> {
    let ends = memchr::memrchr2_iter(b'h', b'H', text).map(|end| end + 1);
    let mut starts = ends.filter_map(|end| end.checked_sub(HEADER_NAME.len()));
    starts.find(|start| {
        text.get(*start..start + HEADER_NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(HEADER_NAME))
    })
}
