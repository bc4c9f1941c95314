//! Where something stands that differs from the text looked for in a way that can be named.
//!
//! Both texts are folded so far that every such difference is gone (no white space, lower case, plain typography). The
//! file is folded once, and only the place that is found is looked at closely.

use std::fmt;
use std::ops::Range;

use memchr::memmem;

use super::fold::typography;

/// What is different, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    pub why: Why,
    /// The line in which the place begins, from 1.
    pub line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Lines of the file end with a lone `\r`, or those of the old text do.
    LineEndings,
    Whitespace,
    /// Curly quotes, long dashes, special spaces.
    Typography,
    Case,
    /// The old text has line numbers as the reader of a file is shown them.
    LineNumbers,
    /// The old text has `\n` or `\"` where the file has the character itself.
    Escapes,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match self.why {
            Why::LineEndings => {
                write!(f, "At line {line} only the line endings differ (a lone carriage return).")
            }
            Why::Whitespace => {
                write!(f, "At line {line} only white space differs: indentation, spaces or line breaks.")
            }
            Why::Typography => {
                write!(f, "At line {line} the typography differs: quotes, dashes or special spaces.")
            }
            Why::Case => write!(f, "At line {line} upper and lower case differ."),
            Why::LineNumbers => {
                write!(
                    f,
                    "Leave out the line numbers, which are not in the file; the text is at line {line}."
                )
            }
            Why::Escapes => {
                write!(f, "Give the characters themselves instead of escapes; the text is at line {line}.")
            }
        }
    }
}

/// Both texts have only `\n` as line break.
pub(super) fn find(text: &str, old: &str) -> Option<Hint> {
    let folded = fold(text, most);
    let place = |old: &str| {
        let old = fold(old, most);
        let at = if old.is_empty() { None } else { memmem::find(folded.as_bytes(), old.as_bytes()) }?;
        unfold(text, at, at + old.len())
    };
    let line = |at: usize| super::breaks(text.get(..at).unwrap_or_default()) + 1;
    if let Some(range) = place(old) {
        let line = line(range.start);
        return Some(Hint { why: difference(text.get(range).unwrap_or_default(), old), line });
    }
    let others = [(Why::LineNumbers, without_numbers(old)), (Why::Escapes, unescaped(old))];
    others.into_iter().find_map(|(why, old)| Some(Hint { why, line: line(place(&old?)?.start) }))
}

fn difference(found: &str, old: &str) -> Why {
    let returns = found.contains('\r') || old.contains('\r');
    if returns && found.replace('\r', "\n") == old.trim().replace('\r', "\n") {
        Why::LineEndings
    } else if fold(found, Some) == fold(old, Some) {
        Why::Whitespace
    } else if fold(found, typography) == fold(old, typography) {
        Why::Typography
    } else {
        Why::Case
    }
}

/// Without white space, and the other characters as `as_seen` gives them.
fn fold(text: &str, as_seen: fn(char) -> Option<char>) -> String {
    let mut folded = String::with_capacity(text.len());
    folded.extend(text.chars().filter(|c| !c.is_whitespace()).filter_map(as_seen));
    folded
}

/// The place in the text of what stands at `from..to` in its folded form.
fn unfold(text: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let mut folded = 0;
    let mut start = None;
    for (place, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        if folded == from {
            start.get_or_insert(place);
        }
        folded += most(c).map_or(0, char::len_utf8);
        if folded >= to {
            return Some(start?..place + c.len_utf8());
        }
    }
    None
}

fn most(c: char) -> Option<char> {
    if c.is_ascii() { Some(c.to_ascii_lowercase()) } else { typography(c)?.to_lowercase().next() }
}

/// `12: let x` as `let x`, if all lines are like that.
fn without_numbers(old: &str) -> Option<String> {
    let line = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = rest.len() < line.trim_start().len();
        let rest = rest.strip_prefix([':', '|', '\t', '→']).filter(|_| numbered);
        rest.or(line.trim().is_empty().then_some(line)).map(|line| format!("{line}\n"))
    };
    old.lines().map(line).collect()
}

/// `\n`, `\t`, `\"` and the like as the characters themselves, if there are any.
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
