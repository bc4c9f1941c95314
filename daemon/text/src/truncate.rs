//! Truncates output that is too long to whole lines from its beginning or end.
//!
//! The kept piece is a slice of the output, so the caller can say exactly what is missing. A single line
//! above the limit is cut rather than dropped, so that something is always shown.

use crate::terminal_escapes;

/// The caps; whichever is reached first applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruncateLimits {
    pub lines: usize,
    pub bytes: usize,
}

impl Default for TruncateLimits {
    fn default() -> Self {
        Self { lines: 2000, bytes: 50 * 1024 }
    }
}

/// The end worth keeping: the beginning of a listing, the end of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepSide {
    Head,
    Tail,
}

/// The kept piece, and how much is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruncatedText<'a> {
    pub text: &'a str,
    /// Lines of which nothing is shown.
    pub omitted_lines: usize,
    pub omitted_bytes: usize,
}

impl TruncatedText<'_> {
    pub fn is_whole(&self) -> bool {
        self.omitted_bytes == 0
    }
}

/// Never exceeds the limits, and never splits a character or an escape sequence. If the end is dropped, so is
/// the last line break.
pub fn truncate(text: &str, limits: TruncateLimits, keep: KeepSide) -> TruncatedText<'_> {
    let total = count(text);
    if total <= limits.lines && text.len() <= limits.bytes {
        return TruncatedText { text, omitted_lines: 0, omitted_bytes: 0 };
    }
    let kept = match keep {
        KeepSide::Head => head(text, limits),
        KeepSide::Tail => tail(text, limits),
    };
    TruncatedText { text: kept, omitted_lines: total - count(kept), omitted_bytes: text.len() - kept.len() }
}

fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

fn head(text: &str, limits: TruncateLimits) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n').take(limits.lines) {
        // The last line's break is not shown, so it need not fit.
        let shown = line.strip_suffix('\n').unwrap_or(line);
        if end + shown.len() > limits.bytes {
            if shown.len() > limits.bytes {
                end = text.floor_char_boundary(limits.bytes);
                end = terminal_escapes::sequence_at(text, end).map_or(end, |sequence| sequence.start);
            }
            break;
        }
        end += line.len();
    }
    let kept = text.get(..end).unwrap_or(text);
    kept.strip_suffix("\r\n").or_else(|| kept.strip_suffix('\n')).unwrap_or(kept)
}

fn tail(text: &str, limits: TruncateLimits) -> &str {
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev().take(limits.lines) {
        if text.len() - start + line.len() > limits.bytes {
            if line.len() > limits.bytes {
                start = text.ceil_char_boundary(text.len() - limits.bytes.min(text.len()));
                let end = terminal_escapes::sequence_at(text, start).map_or(start, |sequence| sequence.end);
                start = text.ceil_char_boundary(end.min(text.len()));
            }
            break;
        }
        start -= line.len();
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lines: usize, bytes: usize, keep: KeepSide, expected: (&str, usize, usize)) {
        let cut = truncate(text, TruncateLimits { lines, bytes }, keep);
        assert_eq!((cut.text, cut.omitted_lines, cut.omitted_bytes), expected);
    }

    #[test]
    fn whole_lines_where_possible() {
        check("a\nb\nc\n", 3, 6, KeepSide::Head, ("a\nb\nc\n", 0, 0));
        check("a\nb\nc\n", 2, 100, KeepSide::Head, ("a\nb", 1, 3));
        check("a\nb\nc\n", 2, 100, KeepSide::Tail, ("b\nc\n", 1, 2));
        check("a\r\nb\r\nc", 2, 100, KeepSide::Head, ("a\r\nb", 1, 3));
        check("aaaa\nbbbb\ncccc", 9, 7, KeepSide::Head, ("aaaa", 2, 10));
        check("aaaa\nbbbb\ncccc", 9, 7, KeepSide::Tail, ("cccc", 2, 10));
        check("a", 0, 0, KeepSide::Head, ("", 1, 1));
    }

    #[test]
    fn a_line_longer_than_the_limit_is_cut() {
        check("éééé", 9, 5, KeepSide::Head, ("éé", 0, 4));
        check("éééé", 9, 5, KeepSide::Tail, ("éé", 0, 4));
        check("ok\nxxxxxxxx\nend", 9, 6, KeepSide::Head, ("ok\nxxx", 1, 9));
        check("abc\x1b[31mred", 9, 5, KeepSide::Head, ("abc", 0, 8));
        check("abc\x1b[31mred", 9, 6, KeepSide::Tail, ("red", 0, 8));
        check("ok\nxxxxxxxx\nend", 9, 6, KeepSide::Tail, ("xx\nend", 1, 9));
    }
}
