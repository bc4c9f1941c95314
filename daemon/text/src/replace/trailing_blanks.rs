//! The same lines except for trailing blanks.

use super::fold::LineFold;
use super::requested_lines::RequestedLines;
use super::search::{ReplaceSearch, TierMatch, line_match};

pub(super) fn find<'a>(search: &ReplaceSearch<'a>, reading: &RequestedLines<'a>) -> Option<TierMatch<'a>> {
    line_match(reading, search.places(reading, LineFold::Trailing))
}
