//! How the lines of a text end, and rewriting a text so that its lines end so.

use std::borrow::Cow;

use memchr::memchr_iter;

/// How the lines of a text end. A lone `\r` is no ending; see the crate's invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// There is no line break, so nothing is said about what one would be.
    None,
    Lf,
    Crlf,
    /// Both occur; each break is kept as it is.
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

    /// The text with its lines ending so. Without one clear ending it stays as it is.
    pub fn apply_to(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::None | Self::Mixed => Cow::Borrowed(text),
            Self::Lf => to_lf(text),
            Self::Crlf if text.contains('\n') => Cow::Owned(to_lf(text).replace('\n', "\r\n")),
            Self::Crlf => Cow::Borrowed(text),
        }
    }
}

/// The text with every `\r\n` as `\n`.
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
