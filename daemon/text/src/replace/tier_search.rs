//! Tries the tiers below the exact one, from strict to lenient.
//!
//! The first tier that matches decides: one place is replaced, several are rejected. A more lenient tier
//! would find the same places and more.

use super::error::ReplaceError;
use super::lf_text::LfText;
use super::merge::merge_lines;
use super::search::{ReplaceSearch, TierMatch};
use super::tier::MatchTier;
use super::{MAX_NAMED, MatchedChange, non_overlapping, typography};
use super::{
    anchors, blanks, change, copied_lines, escapes, indentation, line_numbers, near_lines, trailing_blanks,
};
use crate::change::{Change, Edit};
use crate::edit_validation::join_adjacent;

type TierFinder = for<'a> fn(&'a ReplaceSearch<'a>) -> Option<TierMatch<'a>>;

const TIERS: [(MatchTier, TierFinder); 8] = [
    (MatchTier::TrailingBlanks, |search| trailing_blanks::find(search, &search.requested)),
    (MatchTier::Indentation, |search| indentation::find(search, &search.requested)),
    (MatchTier::Typography, typography::find),
    (MatchTier::Blanks, blanks::find),
    (MatchTier::Copied, copied_lines::find),
    (MatchTier::Escapes, escapes::find),
    (MatchTier::Anchors, anchors::find),
    (MatchTier::Near, near_lines::find),
];

/// `None` if no tier matches, or if the tier that does cannot tell what to write there.
pub(super) fn find_in_tiers(
    text: &str,
    flat: &LfText<'_>,
    old: &str,
    new: &str,
    all: bool,
) -> Result<Option<MatchedChange>, ReplaceError> {
    // Brackets alone are everywhere.
    if !old.contains(char::is_alphanumeric) {
        return Ok(None);
    }
    let search = ReplaceSearch::new(text, flat, old, new);
    let tiers = TIERS.iter().filter(|(tier, _)| !all || tier.allows_replace_all());
    let Some((tier, found)) = tiers.into_iter().find_map(|(tier, find)| Some((*tier, find(&search)?))) else {
        return Ok(None);
    };
    let (count, lines): (_, Vec<_>) = match &found {
        // A more lenient tier would take the new text as it is.
        TierMatch::Unclear => return Ok(None),
        TierMatch::Lines { places, .. } => {
            (places.len(), places.iter().take(MAX_NAMED).map(|first| first + 1).collect())
        }
        TierMatch::Text { places, .. } => {
            let starts = places.iter().take(MAX_NAMED).map(|place| place.start);
            (places.len(), line_numbers(text, starts))
        }
    };
    if count > 1 && !all {
        return Err(ReplaceError::Ambiguous { lines, count, tier });
    }
    let line = lines.first().copied().unwrap_or_default();
    let change = match found {
        TierMatch::Lines { reading, places } => {
            let mut edits = Vec::new();
            for first in non_overlapping(places, reading.old.len()) {
                match merge_lines(&search.file_lines, first, &reading) {
                    Some(more) => edits.extend(more),
                    None => return Ok(None),
                }
            }
            Change::from_edits(separate_final_edits(edits, text))
        }
        TierMatch::Text { places, new } => change(text, &places, &new),
        TierMatch::Unclear => return Ok(None),
    };
    if change.is_empty() {
        Err(ReplaceError::AlreadyReplaced { line })
    } else {
        Ok(Some(MatchedChange { change, tier }))
    }
}

/// Deleting a last line also deletes the break before it, which may already be deleted with the previous
/// place.
fn separate_final_edits(mut edits: Vec<Edit>, text: &str) -> Vec<Edit> {
    let mut end = 0;
    for edit in &mut edits {
        edit.range.start = edit.range.start.max(end);
        end = edit.range.end;
    }
    let mut edits = join_adjacent(edits);
    let last = edits.last_mut().filter(|last| last.text.is_empty() && last.range.end == text.len());
    if let Some(last) = last.filter(|_| !text.ends_with('\n')) {
        let before = text.get(..last.range.start).unwrap_or_default();
        let kept = before.strip_suffix('\n').map_or(before, |line| line.strip_suffix('\r').unwrap_or(line));
        last.range.start = kept.len();
    }
    edits
}
