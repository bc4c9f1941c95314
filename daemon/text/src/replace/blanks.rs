//! The same words with any blanks between them: whole lines, with or without the blank lines around them, or a part of
//! one line.

use std::ops::Range;

use super::fold::{Fold, is_blank, typography};
use super::search::{Found, Search, found};

pub(super) fn find<'a>(search: &Search<'a>) -> Option<Found<'a>> {
    let bare = search.asked.without_margins();
    let whole = |reading| found(reading, search.places(reading, Fold::Blanks));
    whole(&search.asked).or_else(|| bare.as_ref().and_then(whole)).or_else(|| within(search))
}

/// A part of one line, by one line.
fn within<'a>(search: &Search<'_>) -> Option<Found<'a>> {
    let ([old], [new]) = (&*search.asked.old, &*search.asked.new) else { return None };
    if old.starts_with(is_blank) || old.ends_with(is_blank) {
        // It is meant to begin or end where the line does.
        return None;
    }
    let wanted = Fold::Blanks.of(old);
    let at = |(line, place): (usize, usize)| {
        let line = search.file.get(line)?;
        let range = unfolded(line.text, place, place + wanted.len())?;
        // Half a word is none of the words looked for.
        let cuts = |at: usize| {
            let (before, after) = line.text.split_at_checked(at).unwrap_or_default();
            before.ends_with(is_part) && after.starts_with(is_part)
        };
        let whole = !cuts(range.start) && !cuts(range.end);
        whole.then(|| line.start + range.start..line.start + range.end)
    };
    let places: Vec<_> = search.folded(Fold::Blanks).within(&wanted).into_iter().filter_map(at).collect();
    (!places.is_empty()).then(|| Found::Text { places, new: (*new).to_owned() })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The place in a line of what stands at `from..to` in its folded form.
fn unfolded(line: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let (mut folded, mut start) = (0, None);
    let (mut in_blanks, mut any) = (false, false);
    for (at, c) in line.char_indices() {
        let Some(plain) = typography(c) else { continue };
        if is_blank(plain) {
            in_blanks = true;
            continue;
        }
        if in_blanks && any {
            folded += 1;
        }
        (in_blanks, any) = (false, true);
        if folded == from {
            start = Some(at);
        }
        folded += plain.len_utf8();
        if folded == to {
            return Some(start?..at + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_folded_line_is_one_in_the_line() {
        let line = "  foo(\t a,  “b” )  // x";
        let folded = Fold::Blanks.of(line);
        assert_eq!(folded, "foo( a, \"b\" ) // x");
        let place = |wanted: &str| {
            let at = folded.find(wanted).unwrap();
            unfolded(line, at, at + wanted.len()).map(|range| &line[range])
        };
        assert_eq!(place("foo( a"), Some("foo(\t a"));
        assert_eq!(place("a, \"b\" )"), Some("a,  “b” )"));
        assert_eq!(place("x"), Some("x"));
    }
}
