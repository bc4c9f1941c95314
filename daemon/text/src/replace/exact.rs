//! Exact search.

use memchr::memmem;

/// The non-overlapping matches. A single match is joined by one that overlaps it: "aaa" contains "aa" twice,
/// and which one is meant is unclear.
pub(super) fn places(text: &str, old: &str) -> Vec<usize> {
    let mut places: Vec<_> = memmem::find_iter(text.as_bytes(), old.as_bytes()).collect();
    if let [only] = *places {
        places.extend(overlapping(text, old, only));
    }
    places
}

/// Another match that starts within the only one.
fn overlapping(text: &str, old: &str, first: usize) -> Option<usize> {
    let next = first + old.chars().next()?.len_utf8();
    let end = text.len().min(first + 2 * old.len());
    Some(next + memmem::find(text.as_bytes().get(next..end)?, old.as_bytes())?)
}
