//! Most lines match and the rest is very similar, among them the first or the last.

use super::search::{ReplaceSearch, TierMatch, line_match};

/// Stricter than between two matching lines.
const MIN_SHARE: f64 = 0.9;

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let alike = search.similar_lines().filter(|alike| !alike.is_anchored && alike.similarity >= MIN_SHARE)?;
    line_match(search.requested, alike.places.clone())
}
