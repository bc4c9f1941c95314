//! Replaces the one place that a model means.
//!
//! The old text is first searched as given. Only line endings are ignored, because a model does not see them:
//! `\n` and `\r\n` are equal, and new lines get the endings of the place they are written to. Without an
//! exact match, tiers of falling strictness are tried; see [`MatchTier`]. The hunks of a patch are searched in the same
//! way, as whole lines ([`find_hunk`]).
//!
//! Invariant: an inexact match is replaced only if it is unique and no stricter tier found several.
//! Invariant: a deleted line was shown by the model, and a line that the model kept stays byte for byte.
//!
//! A rejection explains itself: it names the several places, or the nearest one and its difference. Time is
//! linear in the text or capped.

use std::borrow::Cow;
use std::ops::Range;

use crate::change::{Change, edits_between};
use crate::line_ending::to_lf;

mod anchors;
mod blanks;
mod copied_lines;
#[cfg(test)]
mod distortion_tests;
mod error;
mod escapes;
mod exact;
mod file_style;
mod fold;
mod folded_index;
mod folded_lines;
mod hint;
mod indent_shift;
mod indent_unit;
mod lf_text;
mod line_search;
mod merge;
mod mixed_indent;
mod near_lines;
mod nearest_lines;
mod new_indentation;
#[cfg(test)]
mod property_tests;
mod requested_lines;
mod search;
mod similar_lines;
mod similarity;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;
mod tier;
mod tier_search;

pub use error::ReplaceError;
pub(crate) use fold::LineFold;
pub(crate) use folded_index::{BudgetExceeded, FoldedIndex, SearchBudget};
pub use hint::{MismatchHint, MismatchReason};
use lf_text::LfText;
pub(crate) use line_search::LineSearch;
pub(crate) use merge::merge_lines;
pub use nearest_lines::NearestLines;
pub(crate) use requested_lines::RequestedLines;
pub use tier::MatchTier;
pub(crate) use tier_search::find_hunk;

/// Places named, at most.
const MAX_NAMED: usize = 10;

/// The change, and the tier needed to find its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedChange {
    pub change: Change,
    pub tier: MatchTier,
}

/// The change that replaces `old` by `new`: at its only place or, with `all`, at every non-overlapping one
/// from the start.
pub fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<MatchedChange, ReplaceError> {
    let (old, new_lf) = (to_lf(old), to_lf(new));
    if old == new_lf {
        return Err(ReplaceError::Identical);
    }
    if old.trim().is_empty() {
        return Err(ReplaceError::BlankOld);
    }
    let flat = LfText::new(text);
    let raw = |place: usize| flat.raw_offset(place)..flat.raw_offset(place + old.len());
    let places = exact::places(&flat.text, &old);
    match (places.len(), all) {
        (0, _) => match tier_search::find_in_tiers(text, &flat, &old, &new_lf, all)? {
            Some(replaced) => Ok(replaced),
            None => {
                let (hint, nearest) = explain_mismatch(&flat.text, &old);
                Err(ReplaceError::NotFound { hint, nearest })
            }
        },
        (1, _) | (_, true) => {
            let places: Vec<_> = non_overlapping(places, old.len()).map(raw).collect();
            Ok(MatchedChange { change: change(text, &places, new), tier: MatchTier::Exact })
        }
        (count, false) => {
            let lines = line_numbers(&flat.text, places.into_iter().take(MAX_NAMED));
            Err(ReplaceError::Ambiguous { lines, count, tier: MatchTier::Exact })
        }
    }
}

/// Explains a failed search by what is similar in the text. Both texts have only `\n` as line break.
pub(crate) fn explain_mismatch(text: &str, old: &str) -> (Option<MismatchHint>, Option<NearestLines>) {
    // If the text contains all of it inside lines, there is no difference to name.
    let hint = if text.contains(old) { None } else { hint::find(text, old) };
    (hint, nearest_lines::find(text, old))
}

/// Skips places that overlap the previous one.
fn non_overlapping(places: Vec<usize>, length: usize) -> impl Iterator<Item = usize> {
    let mut free = 0;
    places.into_iter().filter(move |place| {
        let is_free = *place >= free;
        if is_free {
            free = place + length;
        }
        is_free
    })
}

/// The edits that put the new text in these places. New line breaks copy the nearest one before them.
fn change(text: &str, places: &[Range<usize>], new: &str) -> Change {
    let mut found = Vec::new();
    let mut newline = first_break(text);
    let mut seen = 0;
    for range in places {
        let before = text.get(range.clone()).unwrap_or_default();
        let between = text.get(seen..range.start).unwrap_or_default();
        newline = last_break(between).or(newline);
        let here = first_break(before).or(newline);
        found.extend(edits_between(before, &with_line_breaks(new, here), range.start, |line| {
            match line.strip_suffix("\r\n") {
                Some(line) => (line, true),
                None => line.strip_suffix("\n").map_or((line, false), |line| (line, true)),
            }
        }));
        newline = last_break(before).or(newline);
        seen = range.end;
    }
    Change::from_edits(found)
}

fn with_line_breaks<'a>(text: &'a str, newline: Option<&str>) -> Cow<'a, str> {
    match newline {
        None => Cow::Borrowed(text),
        Some("\n") => to_lf(text),
        Some(newline) if text.contains('\n') => Cow::Owned(to_lf(text).replace('\n', newline)),
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

/// The lines where places start, in one pass.
fn line_numbers(text: &str, places: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    let number = |place: usize| {
        line += breaks(text.get(seen..place).unwrap_or_default());
        seen = place;
        line
    };
    places.map(number).collect()
}

fn breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
