//! The same lines, but for the indentation and characters that a plain keyboard has no keys for.

use super::fold::LineFold;
use super::search::{ReplaceSearch, TierMatch, line_match};

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    // In plain texts there is nothing of the kind.
    if search.lf_text.text.is_ascii() && search.old.is_ascii() {
        return None;
    }
    line_match(&search.requested, search.places(&search.requested, LineFold::Typography))
}
