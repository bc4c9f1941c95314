//! Replacing the one place that a model means: the old text must stand in the file as given. Only line endings are not
//! looked at, since a model does not see them: `\n` and `\r\n` are the same here, and what is written ends its lines as
//! the place it is written to. Nothing else is guessed; what was probably meant is said in the error.
//!
//! Time is linear in the text.

use std::borrow::Cow;

use memchr::memmem;

use crate::change::{Change, edits};
use crate::ending::lf;

mod error;
mod flat;
mod hint;
mod nearest;
#[cfg(test)]
mod tests;

pub use error::ReplaceError;
use flat::Flat;
pub use hint::{Hint, Why};
pub use nearest::Nearest;

/// How many of several places are named.
const MAX_NAMED: usize = 10;

/// The change that replaces `old` by `new`: at its only place, or with `all` at every one, from the beginning and without
/// overlap.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Change, ReplaceError> {
    let (old, new_lf) = (lf(old), lf(new));
    if old == new_lf {
        return Err(ReplaceError::Identical);
    }
    if old.is_empty() {
        return Err(ReplaceError::EmptyOld);
    }
    let flat = Flat::of(text);
    let mut places: Vec<_> = memmem::find_iter(flat.text.as_bytes(), old.as_bytes()).collect();
    if !all && places.len() == 1 {
        // In "aaa" there are two "aa", which one is meant nobody can say.
        places.extend(overlapping(&flat.text, &old, places.first().copied().unwrap_or_default()));
    }
    match (places.len(), all) {
        (0, _) => {
            let (hint, nearest) = (hint::find(&flat.text, &old), nearest::find(&flat.text, &old));
            Err(ReplaceError::NotFound { hint, nearest })
        }
        (1, _) | (_, true) => Ok(change(text, &flat, &places, old.len(), new)),
        (count, false) => {
            places.truncate(MAX_NAMED);
            Err(ReplaceError::Several { lines: line_numbers(&flat.text, &places), count })
        }
    }
}

/// Another place that begins within the only one.
fn overlapping(text: &str, old: &str, first: usize) -> Option<usize> {
    let next = first + old.chars().next()?.len_utf8();
    let end = text.len().min(first + 2 * old.len());
    Some(next + memmem::find(text.as_bytes().get(next..end)?, old.as_bytes())?)
}

/// The edits at places of the flat text, in the text itself. Line breaks are written as the nearest one before them is.
fn change(text: &str, flat: &Flat<'_>, places: &[usize], old_len: usize, new: &str) -> Change {
    let mut found = Vec::new();
    let mut newline = first_break(text);
    let mut seen = 0;
    for place in places {
        let range = flat.raw(*place)..flat.raw(place + old_len);
        let before = text.get(range.clone()).unwrap_or_default();
        let between = text.get(seen..range.start).unwrap_or_default();
        newline = last_break(between).or(newline);
        let here = first_break(before).or(newline);
        found.extend(edits(before, &ended(new, here), range.start, |line| match line.strip_suffix("\r\n") {
            Some(line) => (line, true),
            None => line.strip_suffix("\n").map_or((line, false), |line| (line, true)),
        }));
        newline = last_break(before).or(newline);
        seen = range.end;
    }
    Change::of(found)
}

fn ended<'a>(text: &'a str, newline: Option<&str>) -> Cow<'a, str> {
    match newline {
        None => Cow::Borrowed(text),
        Some("\n") => lf(text),
        Some(newline) if text.contains('\n') => Cow::Owned(lf(text).replace('\n', newline)),
        Some(_) => Cow::Borrowed(text),
    }
}

fn first_break(text: &str) -> Option<&'static str> {
    text.find('\n').map(|at| break_at(text, at))
}

fn last_break(text: &str) -> Option<&'static str> {
    text.rfind('\n').map(|at| break_at(text, at))
}

fn break_at(text: &str, at: usize) -> &'static str {
    if text.get(..at).is_some_and(|before| before.ends_with('\r')) { "\r\n" } else { "\n" }
}

/// The lines in which places begin, in one pass.
fn line_numbers(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    let number = |place: &usize| {
        line += breaks(text.get(seen..*place).unwrap_or_default());
        seen = *place;
        line
    };
    places.iter().map(number).collect()
}

fn breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
