//! The same words with any blanks between them: whole lines, with or without the blank lines around them, or
//! a part of one line.

use std::borrow::Cow;
use std::ops::Range;

use super::fold::{LineFold, in_file_typography, is_blank, plain_typography};
use super::search::{ReplaceSearch, TierMatch, line_match};

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let bare = search.requested.without_blank_margins();
    let whole = |reading| line_match(reading, search.places(reading, LineFold::Blanks));
    whole(&search.requested).or_else(|| bare.as_ref().and_then(whole)).or_else(|| find_within_line(search))
}

/// A part of one line, replaced by one line.
fn find_within_line<'a>(search: &ReplaceSearch<'_>) -> Option<TierMatch<'a>> {
    let ([old], [new]) = (&*search.requested.old, &*search.requested.new) else { return None };
    if old.starts_with(is_blank) || old.ends_with(is_blank) {
        // It must start or end where the line does.
        return None;
    }
    let wanted = LineFold::Blanks.fold_line(old);
    let at = |(line, place): (usize, usize)| {
        let line = search.file_lines.get(line)?;
        let range = unfolded(line.text, place, place + wanted.len())?;
        // Part of a word is not a match.
        let cuts = |at: usize| {
            let (before, after) = line.text.split_at_checked(at).unwrap_or_default();
            before.ends_with(is_part) && after.starts_with(is_part)
        };
        let whole = !cuts(range.start) && !cuts(range.end);
        whole.then(|| line.start + range.start..line.start + range.end)
    };
    let places: Vec<_> = search.folded(LineFold::Blanks).within(&wanted).into_iter().filter_map(at).collect();
    let is_there = |c: char| {
        places.iter().any(|place| search.text.get(place.clone()).is_some_and(|text| text.contains(c)))
    };
    let new = in_file_typography(Cow::Borrowed(new), &[old], is_there).into_owned();
    (!places.is_empty()).then_some(TierMatch::Text { places, new })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Maps `from..to` of the folded line back to the line.
fn unfolded(line: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let (mut folded, mut start) = (0, None);
    let (mut in_blanks, mut any) = (false, false);
    for (at, c) in line.char_indices() {
        let Some(plain) = plain_typography(c) else { continue };
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
        let folded = LineFold::Blanks.fold_line(line);
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
