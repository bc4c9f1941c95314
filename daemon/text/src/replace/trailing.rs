//! The same lines, but for blanks at their ends.

use super::fold::Fold;
use super::reading::Reading;
use super::search::{Found, Search, found};

pub(super) fn find<'a>(search: &Search<'a>, reading: &Reading<'a>) -> Option<Found<'a>> {
    found(reading, search.places(reading, Fold::Trailing))
}
