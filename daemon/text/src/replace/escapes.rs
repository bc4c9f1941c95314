//! The same text with escapes instead of characters: `\n`, `\"` and the like.
//!
//! The new text is unescaped too, but only if that is clear. If it could mean either, nothing is replaced.

use std::borrow::Cow;

use super::requested_lines::RequestedLines;
use super::search::{ReplaceSearch, TierMatch};
use super::{exact, indentation, trailing_blanks};
use crate::line_ending::to_lf;

pub(super) fn find<'a>(search: &'a ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let (old, new) = search.unescaped(unescape_both)?;
    let places = exact::places(&search.lf_text.text, old);
    if !places.is_empty() {
        let raw = |at: usize| search.lf_text.raw_offset(at)..search.lf_text.raw_offset(at + old.len());
        return Some(TierMatch::Text { places: places.into_iter().map(raw).collect(), new: new.to_owned() });
    }
    let reading = RequestedLines::new(old, new);
    trailing_blanks::find(search, &reading).or_else(|| indentation::find(search, &reading))
}

/// Both texts unescaped, if the old one has escapes.
fn unescape_both(old: &str, new: &str) -> Option<(String, String)> {
    let plain = unescape(old).filter(|plain| !plain.trim().is_empty())?;
    Some((to_lf(&plain).into_owned(), to_lf(&unescape_new(old, new)?).into_owned()))
}

/// The new text unescaped; `None` if it is unclear whether it has escapes.
fn unescape_new<'a>(old: &str, new: &'a str) -> Option<Cow<'a, str>> {
    let Some(plain) = unescape(new) else { return Some(Cow::Borrowed(new)) };
    // A raw line break, or a raw quote that the old text escapes, shows that the new text is not escaped.
    let raw = |c: char| new.replace(&format!("\\{c}"), "").contains(c);
    let quotes = ['"', '\'', '`'];
    if new.contains('\n') || quotes.iter().any(|quote| old.contains(&format!("\\{quote}")) && raw(*quote)) {
        return Some(Cow::Borrowed(new));
    }
    // Inside raw quotes, an escape may be program text.
    (!quotes.iter().any(|quote| raw(*quote))).then_some(Cow::Owned(plain))
}

/// `None` without an escape, or with an invalid one.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                c @ ('\'' | '"' | '`' | '\\' | '$' | '\n') => c,
                _ => return None,
            },
            c => c,
        });
    }
    (plain != text).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_text_that_may_mean_either_is_left_alone() {
        let new = |old, new| unescape_both(old, new).map(|(_, new)| new);
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
        assert_eq!(new("a", r"b\n"), None);
    }
}
