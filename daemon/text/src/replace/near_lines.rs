//! Most lines are there, and the rest very nearly, the first or the last among them.

use super::search::{ReplaceSearch, TierMatch, line_match};

/// Higher than between two lines that are there.
const MIN_SHARE: f64 = 0.9;

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let alike = search.similar_lines().filter(|alike| !alike.is_anchored && alike.similarity >= MIN_SHARE)?;
    line_match(&search.requested, alike.places.clone())
}
