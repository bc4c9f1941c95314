//! The tiers below the exact one, from strict to lenient, and what is done with what one of them finds.
//!
//! The first that finds something decides: one place is replaced, several are refused. A more lenient one would find
//! those and more.

use super::error::ReplaceError;
use super::flat::Flat;
use super::merge::merge;
use super::search::{Found, Search};
use super::tier::Tier;
use super::{MAX_NAMED, Replaced, apart, typography};
use super::{anchors, blanks, change, copied, escaped, indentation, line_numbers, near, trailing};
use crate::change::{Change, Edit};
use crate::checked::joined;

type Find = for<'a> fn(&'a Search<'a>) -> Option<Found<'a>>;

const TIERS: [(Tier, Find); 8] = [
    (Tier::TrailingBlanks, |search| trailing::find(search, &search.asked)),
    (Tier::Indentation, |search| indentation::find(search, &search.asked)),
    (Tier::Typography, typography::find),
    (Tier::Blanks, blanks::find),
    (Tier::Copied, copied::find),
    (Tier::Escapes, escaped::find),
    (Tier::Anchors, anchors::find),
    (Tier::Near, near::find),
];

/// Nothing where no tier finds a place, or the one that does cannot say what is to stand there.
pub(super) fn find(
    text: &str,
    flat: &Flat<'_>,
    old: &str,
    new: &str,
    all: bool,
) -> Result<Option<Replaced>, ReplaceError> {
    // Brackets alone are everywhere.
    if !old.contains(char::is_alphanumeric) {
        return Ok(None);
    }
    let search = Search::of(text, flat, old, new);
    let tiers = TIERS.iter().filter(|(tier, _)| !all || tier.takes_all());
    let Some((tier, found)) = tiers.into_iter().find_map(|(tier, find)| Some((*tier, find(&search)?))) else {
        return Ok(None);
    };
    let (count, lines): (_, Vec<_>) = match &found {
        Found::Lines { places, .. } => {
            (places.len(), places.iter().take(MAX_NAMED).map(|first| first + 1).collect())
        }
        Found::Text { places, .. } => {
            let starts = places.iter().take(MAX_NAMED).map(|place| place.start);
            (places.len(), line_numbers(text, starts))
        }
    };
    if count > 1 && !all {
        return Err(ReplaceError::Several { lines, count, tier });
    }
    let line = lines.first().copied().unwrap_or_default();
    let change = match found {
        Found::Lines { reading, places } => {
            let mut edits = Vec::new();
            for first in apart(places, reading.old.len()) {
                match merge(&search.file, first, &reading) {
                    Some(more) => edits.extend(more),
                    None => return Ok(None),
                }
            }
            Change::of(apart_at_the_end(edits, text))
        }
        Found::Text { places, new } => change(text, &places, &new),
    };
    if change.is_empty() { Err(ReplaceError::Already { line }) } else { Ok(Some(Replaced { change, tier })) }
}

/// A last line that goes takes the break before it along, which may go already with the place before.
fn apart_at_the_end(mut edits: Vec<Edit>, text: &str) -> Vec<Edit> {
    let mut end = 0;
    for edit in &mut edits {
        edit.range.start = edit.range.start.max(end);
        end = edit.range.end;
    }
    let mut edits = joined(edits);
    let last = edits.last_mut().filter(|last| last.text.is_empty() && last.range.end == text.len());
    if let Some(last) = last.filter(|_| !text.ends_with('\n')) {
        let before = text.get(..last.range.start).unwrap_or_default();
        let kept = before.strip_suffix('\n').map_or(before, |line| line.strip_suffix('\r').unwrap_or(line));
        last.range.start = kept.len();
    }
    edits
}
