//! The text itself.

use memchr::memmem;

/// Where it begins, without overlap; where only one is found, another that overlaps it is given too: in "aaa" there are
/// two "aa", which one is meant nobody can say.
pub(super) fn places(text: &str, old: &str) -> Vec<usize> {
    let mut places: Vec<_> = memmem::find_iter(text.as_bytes(), old.as_bytes()).collect();
    if let [only] = *places {
        places.extend(overlapping(text, old, only));
    }
    places
}

/// Another place that begins within the only one.
fn overlapping(text: &str, old: &str, first: usize) -> Option<usize> {
    let next = first + old.chars().next()?.len_utf8();
    let end = text.len().min(first + 2 * old.len());
    Some(next + memmem::find(text.as_bytes().get(next..end)?, old.as_bytes())?)
}
