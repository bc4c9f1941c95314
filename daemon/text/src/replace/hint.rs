//! Finds a place that differs from the wanted text in a way that has a name.
//!
//! Both texts are folded until every such difference is gone (no white space, lower case, plain typography).
//! The file is folded once, and only the match is examined closely.

use std::fmt;
use std::ops::Range;

use memchr::memmem;

use super::fold::{compose, push_plain};

/// The difference and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MismatchHint {
    pub reason: MismatchReason,
    /// The first line of the place, from 1.
    pub line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MismatchReason {
    /// The file or the old text has lines that end with a lone `\r`.
    LineEndings,
    Whitespace,
    /// Curly quotes, long dashes, special spaces.
    Typography,
    Case,
    /// The old text has the line numbers that a reader of the file sees.
    LineNumbers,
    /// The old text has `\n` or `\"` instead of the character.
    Escapes,
}

impl fmt::Display for MismatchHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match self.reason {
            MismatchReason::LineEndings => {
                write!(f, "At line {line} only the line endings differ (a lone carriage return).")
            }
            MismatchReason::Whitespace => {
                write!(f, "At line {line} only white space differs: indentation, spaces or line breaks.")
            }
            MismatchReason::Typography => {
                write!(f, "At line {line} the typography differs: quotes, dashes or special spaces.")
            }
            MismatchReason::Case => write!(f, "At line {line} upper and lower case differ."),
            MismatchReason::LineNumbers => {
                write!(
                    f,
                    "Leave out the line numbers, which are not in the file; the text is at line {line}."
                )
            }
            MismatchReason::Escapes => {
                write!(f, "Give the characters themselves instead of escapes; the text is at line {line}.")
            }
        }
    }
}

/// Both texts have only `\n` as line break.
pub(super) fn find(text: &str, old: &str) -> Option<MismatchHint> {
    let folded = fold(text, most);
    let place = |old: &str| {
        let old = fold(old, most);
        let at = if old.is_empty() { None } else { memmem::find(folded.as_bytes(), old.as_bytes()) }?;
        unfold(text, at, at + old.len())
    };
    let line = |at: usize| super::breaks(text.get(..at).unwrap_or_default()) + 1;
    if let Some(range) = place(old) {
        let line = line(range.start);
        return Some(MismatchHint { reason: difference(text.get(range).unwrap_or_default(), old), line });
    }
    let others =
        [(MismatchReason::LineNumbers, without_numbers(old)), (MismatchReason::Escapes, unescaped(old))];
    others
        .into_iter()
        .find_map(|(why, old)| Some(MismatchHint { reason: why, line: line(place(&old?)?.start) }))
}

fn difference(found: &str, old: &str) -> MismatchReason {
    let returns = found.contains('\r') || old.contains('\r');
    if returns && found.replace('\r', "\n") == old.trim().replace('\r', "\n") {
        MismatchReason::LineEndings
    } else if fold(found, |c, folded| folded.push(c)) == fold(old, |c, folded| folded.push(c)) {
        MismatchReason::Whitespace
    } else if compose(&fold(found, push_plain)) == compose(&fold(old, push_plain)) {
        MismatchReason::Typography
    } else {
        MismatchReason::Case
    }
}

/// Removes white space and writes the other characters with `push`.
fn fold(text: &str, push: fn(char, &mut String)) -> String {
    let mut folded = String::with_capacity(text.len());
    text.chars().filter(|c| !c.is_whitespace()).for_each(|c| push(c, &mut folded));
    folded
}

/// Maps `from..to` of the folded text back to the text.
fn unfold(text: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let mut folded = 0;
    let mut start = None;
    let mut plain = String::new();
    for (place, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        if folded == from {
            start.get_or_insert(place);
        }
        plain.clear();
        most(c, &mut plain);
        folded += plain.len();
        if folded >= to {
            return Some(start?..place + c.len_utf8());
        }
    }
    None
}

fn most(c: char, folded: &mut String) {
    let start = folded.len();
    if c.is_ascii() {
        folded.push(c.to_ascii_lowercase());
    } else {
        push_plain(c, folded);
    }
    // Of a letter that becomes several, the first.
    if let Some(lower) = folded.get(start..).and_then(|plain| plain.chars().next()).filter(|c| !c.is_ascii())
    {
        folded.truncate(start);
        folded.extend(lower.to_lowercase().next());
    }
}

/// Strips `12: ` from all lines, if all have it.
fn without_numbers(old: &str) -> Option<String> {
    let line = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = rest.len() < line.trim_start().len();
        let rest = rest.strip_prefix([':', '|', '\t', '→']).filter(|_| numbered);
        rest.or(line.trim().is_empty().then_some(line)).map(|line| format!("{line}\n"))
    };
    old.lines().map(line).collect()
}

/// Replaces `\n`, `\t`, `\"` and the like by their characters, if there are any.
fn unescaped(old: &str) -> Option<String> {
    let mut plain = String::with_capacity(old.len());
    let mut chars = old.chars();
    while let Some(c) = chars.next() {
        match if c == '\\' { chars.next() } else { None } {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some(escaped) => plain.push(escaped),
            None => plain.push(c),
        }
    }
    (plain != old).then_some(plain)
}
