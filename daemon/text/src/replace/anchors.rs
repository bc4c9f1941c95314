//! First and last line match, as do most lines between them; the rest is similar.

use super::search::{ReplaceSearch, TierMatch, line_match};

const MIN_SHARE: f64 = 0.85;

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let alike = search.similar_lines().filter(|alike| alike.is_anchored && alike.similarity >= MIN_SHARE)?;
    line_match(search.requested, alike.places.clone())
}
