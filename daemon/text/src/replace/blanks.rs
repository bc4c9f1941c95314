//! The same words with any blanks between them: whole lines, with or without the blank lines around them, or
//! a part of one line. With any quotes around them, if the fold ignores their kind.

use std::borrow::Cow;
use std::ops::Range;

use super::file_style::FileStyle;
use super::fold::{LineFold, compose, is_blank, push_plain};
use super::search::{ReplaceSearch, TierMatch};

pub(super) fn find<'a>(search: &ReplaceSearch<'a>, fold: LineFold) -> Option<TierMatch<'a>> {
    let bare = search.requested.without_blank_margins();
    let whole = |reading| search.line_match(reading, fold);
    whole(search.requested)
        .or_else(|| bare.as_ref().and_then(whole))
        .or_else(|| find_within_line(search, fold))
}

/// A part of one line, replaced by one line. A hunk is whole lines.
fn find_within_line<'a>(search: &ReplaceSearch<'_>, fold: LineFold) -> Option<TierMatch<'a>> {
    let ([old], [new], false) = (&*search.requested.old, &*search.requested.new, search.requested.is_hunk())
    else {
        return None;
    };
    if old.starts_with(is_blank) || old.ends_with(is_blank) {
        // It must start or end where the line does.
        return None;
    }
    let wanted = fold.key(old);
    let file = search.lines.file;
    let at = |(line, place): (usize, usize)| {
        let (start, text) = (file.bytes(line..line).start, file.line(line));
        let range = unfolded(text, place, place + wanted.len())?;
        // Part of a word is not a match.
        let cuts = |at: usize| {
            let (before, after) = text.split_at_checked(at).unwrap_or_default();
            before.ends_with(is_part) && after.starts_with(is_part)
        };
        let whole = !cuts(range.start) && !cuts(range.end);
        whole.then(|| start + range.start..start + range.end)
    };
    let places = search.lines.folded(fold).within(&wanted);
    let places: Vec<_> = places.into_iter().filter_map(at).collect();
    let first = places.first()?.clone();
    let there = file.text.get(first.clone())?;
    match FileStyle::new(&[old], &[there]).write(Cow::Borrowed(new)) {
        Some(new) => Some(TierMatch::Text { places, new: new.into_owned() }),
        None => Some(TierMatch::Unclear { line: file.line_at(first.start) }),
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_accent(c)
}

/// Whether the character is written over the one before it.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Maps `from..to` of the folded line back to the line.
fn unfolded(line: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let (mut folded, mut start) = (0, None);
    let (mut in_blanks, mut any) = (false, false);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let (mut plain, mut end) = (String::new(), at + c.len_utf8());
        push_plain(c, &mut plain);
        while let Some((at, accent)) = chars.next_if(|(_, next)| is_accent(*next)) {
            plain.push(accent);
            end = at + accent.len_utf8();
        }
        if plain.is_empty() {
            continue;
        }
        if plain.chars().all(is_blank) {
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
        folded += compose(&plain).len();
        if folded == to {
            return Some(start?..end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_folded_line_is_one_in_the_line() {
        let line = "  foo(\t a,  “b” )  // x… cafe\u{301} y";
        let folded = LineFold::Blanks.key(line).into_owned();
        assert_eq!(folded, "foo( a, \"b\" ) // x... caf\u{e9} y");
        let place = |wanted: &str| {
            let at = folded.find(wanted).unwrap();
            unfolded(line, at, at + wanted.len()).map(|range| &line[range])
        };
        assert_eq!(place("foo( a"), Some("foo(\t a"));
        assert_eq!(place("a, \"b\" )"), Some("a,  “b” )"));
        assert_eq!(place("x..."), Some("x…"));
        assert_eq!(place("caf\u{e9} y"), Some("cafe\u{301} y"));
        assert_eq!(place("y"), Some("y"));
    }
}
