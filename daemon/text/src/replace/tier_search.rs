//! Tries the tiers below the exact one, from strict to lenient.
//!
//! The first tier that matches decides: one place is replaced, several are rejected. A more lenient tier
//! would find the same places and more.

use super::error::ReplaceError;
use super::fold::LineFold;
use super::lf_text::LfText;
use super::line_search::LineSearch;
use super::merge::merge_lines;
use super::requested_lines::RequestedLines;
use super::search::{ReplaceSearch, RequestedText, TierMatch, line_match};
use super::tier::MatchTier;
use super::{MAX_NAMED, MatchedChange, NearestLines, non_overlapping};
use super::{anchors, blanks, change, copied_lines, escapes, line_numbers, near_lines};
use crate::line_pieces::{EmptyLastLine, LinePiece, pieces_to_change};
use crate::source_lines::SourceLines;

type TierFinder = for<'a> fn(&'a ReplaceSearch<'a>) -> Option<TierMatch<'a>>;

const TIERS: [(MatchTier, TierFinder); 10] = [
    (MatchTier::TrailingBlanks, |search| search.line_match(search.requested, LineFold::Trailing)),
    (MatchTier::Indentation, |search| search.line_match(search.requested, LineFold::Trimmed)),
    (MatchTier::Typography, |search| search.line_match(search.requested, LineFold::Typography)),
    (MatchTier::Blanks, |search| blanks::find(search, LineFold::Blanks)),
    (MatchTier::Quotes, |search| blanks::find(search, LineFold::Quotes)),
    (MatchTier::MixedIndentation, |search| {
        line_match(search.requested, search.lines.find(&search.requested.old, LineFold::Blanks))
    }),
    (MatchTier::Copied, copied_lines::find),
    (MatchTier::Escapes, escapes::find),
    (MatchTier::Anchors, anchors::find),
    (MatchTier::Near, near_lines::find),
];

/// Brackets alone are everywhere.
fn says_something(old: &[&str]) -> bool {
    old.iter().any(|line| line.contains(char::is_alphanumeric))
}

/// `None` if no tier matches.
pub(super) fn find_in_tiers(
    text: &str,
    flat: &LfText<'_>,
    old: &str,
    new: &str,
    all: bool,
) -> Result<Option<MatchedChange>, ReplaceError> {
    let requested = RequestedLines::new(old, new);
    if !says_something(&requested.old) {
        return Ok(None);
    }
    let file = SourceLines::new(text);
    let lines = LineSearch::new(&file, requested.old.clone());
    let search = ReplaceSearch::new(&lines, &requested, Some(RequestedText { file: flat, old, new }));
    let tiers = TIERS.iter().filter(|(tier, _)| !all || tier.allows_replace_all());
    let Some((tier, found)) = tiers.into_iter().find_map(|(tier, find)| Some((*tier, find(&search)?))) else {
        return Ok(None);
    };
    let unclear = |line: usize| {
        let nearest = NearestLines::from_file(&file, line, requested.old.len());
        ReplaceError::Unclear { tier, nearest }
    };
    let (count, lines): (_, Vec<_>) = match &found {
        // A more lenient tier would take the new text as it is.
        TierMatch::Unclear { line } => return Err(unclear(*line)),
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
            let mut pieces = Vec::new();
            for first in non_overlapping(places, reading.old.len()) {
                match merge_lines(search.lines, first, &reading) {
                    Some(more) => pieces.extend(more),
                    None => return Err(unclear(first)),
                }
            }
            pieces_to_change(&file, pieces, EmptyLastLine::AsIs)
        }
        TierMatch::Text { places, new } => change(text, &places, &new),
        TierMatch::Unclear { line } => return Err(unclear(line)),
    };
    if change.is_empty() {
        Err(ReplaceError::AlreadyReplaced { line })
    } else {
        Ok(Some(MatchedChange { change, tier }))
    }
}

/// Where a hunk without an exact match is.
pub(crate) struct LenientPlaces {
    pub(crate) tier: MatchTier,
    pub(crate) places: Vec<usize>,
    /// What changes at the first place; `None` if that is unclear.
    pub(crate) pieces: Option<Vec<LinePiece<'static>>>,
}

/// Searches a hunk at one tier after the other. `accept` keeps the places that are possible: with none of them, the next
/// tier is tried.
pub(crate) fn find_hunk<E>(
    lines: &LineSearch<'_>,
    requested: &RequestedLines<'_>,
    mut accept: impl FnMut(Vec<usize>, &RequestedLines<'_>) -> Result<Vec<usize>, E>,
) -> Result<Option<LenientPlaces>, E> {
    if !says_something(&requested.old) {
        return find_simple(lines, requested, accept);
    }
    let search = ReplaceSearch::new(lines, requested, None);
    for (tier, find) in TIERS {
        let (reading, places) = match find(&search) {
            Some(TierMatch::Lines { reading, places }) => (Some(reading), places),
            Some(TierMatch::Unclear { line }) => (None, vec![line]),
            Some(TierMatch::Text { .. }) | None => continue,
        };
        let places = accept(places, reading.as_ref().unwrap_or(requested))?;
        if let Some(first) = places.first() {
            let pieces = reading.and_then(|reading| merge_lines(lines, *first, &reading));
            let pieces = pieces.map(|pieces| pieces.into_iter().map(LinePiece::into_owned).collect());
            return Ok(Some(LenientPlaces { tier, places, pieces }));
        }
    }
    Ok(None)
}

/// Lines without a word, such as brackets, are compared with no more leniency than for their blanks.
fn find_simple<E>(
    lines: &LineSearch<'_>,
    requested: &RequestedLines<'_>,
    mut accept: impl FnMut(Vec<usize>, &RequestedLines<'_>) -> Result<Vec<usize>, E>,
) -> Result<Option<LenientPlaces>, E> {
    for (tier, fold) in
        [(MatchTier::TrailingBlanks, LineFold::Trailing), (MatchTier::Indentation, LineFold::Trimmed)]
    {
        let places = accept(lines.find(&requested.old, fold), requested)?;
        if let Some(first) = places.first() {
            let pieces = merge_lines(lines, *first, requested);
            let pieces = pieces.map(|pieces| pieces.into_iter().map(LinePiece::into_owned).collect());
            return Ok(Some(LenientPlaces { tier, places, pieces }));
        }
    }
    Ok(None)
}
