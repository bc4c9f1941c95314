//! The same text with escapes instead of characters: `\n`, `\"` and the like.
//!
//! A model escapes all characters that JSON escapes, or only quotes and backslashes: two interpretations of
//! its text. The new text is unescaped in the same way, but only if it is clearly escaped, too. If it could
//! mean either, nothing is replaced.

use std::borrow::Cow;

use super::exact;
use super::fold::LineFold;
use super::requested_lines::RequestedLines;
use super::search::{ReplaceSearch, TierMatch};
use crate::line_ending::to_lf;

/// The escapes that each interpretation undoes, by the character after the backslash.
const READINGS: [&[char]; 2] = [&['n', 't', 'r', '\'', '"', '`', '\\', '$', '\n'], &QUOTES_AND_BACKSLASH];

const QUOTES_AND_BACKSLASH: [char; 4] = ['\'', '"', '`', '\\'];

const QUOTES: [char; 3] = ['"', '\'', '`'];

pub(super) fn find<'a>(search: &'a ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let readings = search.unescaped(unescape_both).iter();
    let mut found = readings.filter_map(|(old, new)| Some((find_reading(search, old, new.as_deref())?, new)));
    let (first, new) = found.next()?;
    // If two interpretations give different texts, neither is used, unless one is implausible.
    match found.find(|(_, other)| *other != new && !has_escaped_lines(search)) {
        Some((other, _)) => Some(TierMatch::Unclear { line: first_line(search, &other) }),
        None => Some(first),
    }
}

/// Whether every escaped line break of the new text is followed by indentation, so that it begins a line: what is text of a
/// program hardly is.
fn has_escaped_lines(search: &ReplaceSearch<'_>) -> bool {
    let Some(text) = search.text else { return false };
    let mut lines = text.new.split("\\n").skip(1).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with("  ") || line.starts_with('\t'))
}

fn first_line(search: &ReplaceSearch<'_>, found: &TierMatch<'_>) -> usize {
    match found {
        TierMatch::Lines { places, .. } => places.first().copied().unwrap_or_default(),
        TierMatch::Text { places, .. } => {
            places.first().map_or(0, |place| search.lines.file.line_at(place.start))
        }
        TierMatch::Unclear { line } => *line,
    }
}

fn find_reading<'a>(
    search: &'a ReplaceSearch<'a>,
    old: &'a str,
    new: Option<&'a str>,
) -> Option<TierMatch<'a>> {
    let find_lines = |reading: &RequestedLines<'a>| {
        [LineFold::Trailing, LineFold::Trimmed].into_iter().find_map(|fold| search.line_match(reading, fold))
    };
    let unclear = |found| Some(TierMatch::Unclear { line: first_line(search, &found) });
    if search.text.is_some() {
        let text = new.unwrap_or_default();
        let found = find_text(search, old, text).or_else(|| find_lines(&RequestedLines::new(old, text)))?;
        return if new.is_some() { Some(found) } else { unclear(found) };
    }
    // Which lines of a hunk stay is known only as long as the escapes contain no line breaks.
    let lines = |new| search.requested.with_lines(old.split('\n').collect(), new);
    let as_given = lines(search.requested.new.clone())?;
    let new = new.map(|new| if new.is_empty() { Vec::new() } else { new.split('\n').collect() });
    match new.and_then(lines) {
        Some(reading) => find_lines(&reading),
        None => find_lines(&as_given).and_then(unclear),
    }
}

/// Parts of the file's text, which a hunk never means.
fn find_text<'a>(search: &ReplaceSearch<'_>, old: &str, new: &str) -> Option<TierMatch<'a>> {
    let file = search.text?.file;
    let raw = |at: usize| file.raw_offset(at)..file.raw_offset(at + old.len());
    let places: Vec<_> = exact::places(&file.text, old).into_iter().map(raw).collect();
    (!places.is_empty()).then(|| TierMatch::Text { places, new: new.to_owned() })
}

/// The interpretations of both texts, if the old one has escapes. One has no new text if that is unclear.
pub(super) type UnescapedTexts = Vec<(String, Option<String>)>;

fn unescape_both(old: &str, new: &str) -> UnescapedTexts {
    let lf = |text: &str| to_lf(text).into_owned();
    let reading = |kinds: &&[char]| {
        let plain = unescape(old, kinds).filter(|plain| !plain.trim().is_empty())?;
        Some((lf(&plain), unescape_new(old, new, kinds).map(|new| lf(&new))))
    };
    READINGS.iter().filter_map(reading).collect()
}

/// The new text unescaped; `None` if it is unclear whether it has escapes.
fn unescape_new<'a>(old: &str, new: &'a str, kinds: &[char]) -> Option<Cow<'a, str>> {
    let Some(plain) = unescape(new, kinds) else { return Some(Cow::Borrowed(new)) };
    let has_raw = |text: &str, c: char| text.replace(&format!("\\{c}"), "").contains(c);
    // A raw line break shows that the new text is not escaped only if the old text escapes its breaks. A raw quote that the
    // old text escapes shows it, too.
    let is_one_line = is_escaped(old, 'n') && !old.contains('\n') && kinds.contains(&'n');
    let has_plain_quote = QUOTES.iter().any(|quote| is_escaped(old, *quote) && has_raw(new, *quote));
    if is_one_line && new.contains('\n') || has_plain_quote {
        return Some(Cow::Borrowed(new));
    }
    // Inside quotes that the old text does not have, an escape may be program text. An escaped line break inside quotes
    // always is.
    let has_breaks = kinds.contains(&'n') && ['n', 't', 'r'].iter().any(|c| is_escaped(new, *c));
    let breaks_quotes = |quote: char| has_breaks && may_break_quotes(old, new, quote);
    let is_unclear = |quote: &char| has_raw(new, *quote) && (breaks_quotes(*quote) || !has_raw(old, *quote));
    (!QUOTES.iter().any(is_unclear)).then_some(Cow::Owned(plain))
}

/// Whether an escaped line break of the new text may be inside quotes. It is not beside a line that the old text has, too,
/// nor at the end of a line in which every quote has a counterpart.
fn may_break_quotes(old: &str, new: &str, quote: char) -> bool {
    let has_tab = ['t', 'r'].iter().any(|c| is_escaped(new, *c) && !is_escaped(old, *c));
    let known: Vec<_> = old.split("\\n").map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_known = |line: &str| known.contains(&line.trim());
    let lines = || new.split("\\n").filter(|line| !line.trim().is_empty());
    let is_open = |line: &str| !line.matches(quote).count().is_multiple_of(2);
    has_tab || !lines().any(is_known) || lines().any(|line| !is_known(line) && is_open(line))
}

/// Whether the text has this character behind a backslash that is not escaped itself.
fn is_escaped(text: &str, wanted: char) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next() == Some(wanted) {
            return true;
        }
    }
    false
}

/// `None` without an escape of these kinds, or with an invalid one.
fn unescape(text: &str, kinds: &[char]) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let escaped = chars.next()?;
        match escaped {
            _ if !kinds.contains(&escaped) => {
                // The interpretation with all kinds knows every escape.
                if kinds.len() > QUOTES_AND_BACKSLASH.len() {
                    return None;
                }
                plain.extend(['\\', escaped]);
            }
            'n' => plain.push('\n'),
            't' => plain.push('\t'),
            'r' => plain.push('\r'),
            c => plain.push(c),
        }
    }
    (plain != text).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_text_that_may_mean_either_is_left_alone() {
        let new = |old, new| unescape_both(old, new).into_iter().next().and_then(|(_, new)| new);
        assert_eq!(new(r"a\nb", "c").as_deref(), Some("c"));
        assert_eq!(new(r"a\nb", r"a\nc").as_deref(), Some("a\nc"));
        assert_eq!(new(r"a\nb", "a\nprint('\\n')").as_deref(), Some("a\nprint('\\n')"), "it has line breaks");
        assert_eq!(
            new(r#"say(\"a\")"#, r#"say("a\n")"#).as_deref(),
            Some(r#"say("a\n")"#),
            "its quotes are plain"
        );
        assert_eq!(new(r#"say(\"a\")"#, r#"say(\"b\", 1)"#).as_deref(), Some(r#"say("b", 1)"#));
        assert_eq!(new(r"a\nb", r"print('\n')"), None);
        assert_eq!(new(r"a\nb", r"a\nprint('\n')"), None);
        assert_eq!(new(r"a<'b>\nc", r"a<'b>\nd").as_deref(), Some("a<'b>\nd"), "one line is known");
        assert_eq!(new("a", r"b\n"), None);
        // Only the quotes are escaped, in several lines: the breaks of the new text prove nothing.
        assert_eq!(new("say(\\\"a\\\")\nb", "say(\\\"c\\\")\nb").as_deref(), Some("say(\"c\")\nb"),);
    }

    #[test]
    fn an_escape_may_be_program_text_beside_escaped_quotes() {
        let readings = unescape_both(r#"say(\"a\n\")"#, r#"say(\"b\n\")"#);
        let quotes = (r#"say("a\n")"#.to_owned(), Some(r#"say("b\n")"#.to_owned()));
        assert_eq!(readings, [("say(\"a\n\")".to_owned(), Some("say(\"b\n\")".to_owned())), quotes]);
    }
}
