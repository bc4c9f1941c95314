//! The first and the last line are there, and most between them; what is not is nearly there.

use super::search::{Found, Search, found};

const MIN_SHARE: f64 = 0.85;

pub(super) fn find<'a>(search: &Search<'a>) -> Option<Found<'a>> {
    let alike = search.alike().filter(|alike| alike.anchored && alike.share >= MIN_SHARE)?;
    found(&search.asked, alike.places.clone())
}
