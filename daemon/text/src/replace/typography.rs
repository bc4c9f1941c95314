//! The same lines, but for the indentation and characters that a plain keyboard has no keys for.

use super::fold::Fold;
use super::search::{Found, Search, found};

pub(super) fn find<'a>(search: &Search<'a>) -> Option<Found<'a>> {
    // In plain texts there is nothing of the kind.
    if search.flat.text.is_ascii() && search.old.is_ascii() {
        return None;
    }
    found(&search.asked, search.places(&search.asked, Fold::Typography))
}
