//! The same lines except for indentation and characters that a plain keyboard lacks.

use super::fold::LineFold;
use super::search::{ReplaceSearch, TierMatch, line_match};

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    // ASCII texts have none of these.
    if search.lf_text.text.is_ascii() && search.old.is_ascii() {
        return None;
    }
    line_match(&search.requested, search.places(&search.requested, LineFold::Typography))
}
