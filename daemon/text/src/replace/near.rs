//! Most lines are there, and the rest very nearly, the first or the last among them.

use super::search::{Found, Search, found};

/// Higher than between two lines that are there.
const MIN_SHARE: f64 = 0.9;

pub(super) fn find<'a>(search: &Search<'a>) -> Option<Found<'a>> {
    let alike = search.alike().filter(|alike| !alike.anchored && alike.share >= MIN_SHARE)?;
    found(&search.asked, alike.places.clone())
}
