//! Line endings: detecting and converting them.

use std::borrow::Cow;

use memchr::memchr_iter;

/// The line ending of a text. A lone `\r` is no ending; see the crate's invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// The text has no line break.
    None,
    Lf,
    Crlf,
    /// Both occur; every break stays as it is.
    Mixed,
}

impl LineEnding {
    pub fn detect(text: &str) -> Self {
        let bytes = text.as_bytes();
        let breaks = memchr_iter(b'\n', bytes).count();
        let crlf = memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) == Some(&b'\n')).count();
        match (breaks, crlf) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (breaks, crlf) if breaks == crlf => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// Converts the text's line endings. `None` and `Mixed` leave it unchanged.
    pub fn apply_to(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::None | Self::Mixed => Cow::Borrowed(text),
            Self::Lf => to_lf(text),
            Self::Crlf if text.contains('\n') => Cow::Owned(to_lf(text).replace('\n', "\r\n")),
            Self::Crlf => Cow::Borrowed(text),
        }
    }
}

/// Converts every `\r\n` to `\n`.
pub(crate) fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_seen_and_written() {
        let seen = ["", "a", "a\rb", "a\nb", "a\r\nb\r\n", "a\r\nb\n"].map(LineEnding::detect);
        use LineEnding::{Crlf, Lf, Mixed, None};
        assert_eq!(seen, [None, None, None, Lf, Crlf, Mixed]);
        let written = [None, Lf, Crlf, Mixed].map(|ending| ending.apply_to("a\nb\r\nc").into_owned());
        assert_eq!(written, ["a\nb\r\nc", "a\nb\nc", "a\r\nb\r\nc", "a\nb\r\nc"]);
    }
}
