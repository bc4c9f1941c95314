//! Wildcard patterns as users write them in the configuration: `*` matches any run of characters (also `/`
//! and line breaks), `?` matches one character, everything else matches itself. The whole text must match.
//!
//! - A pattern that ends in ` *` also matches without that end: `git push *` matches `git push` with or
//!   without arguments, but not `git pushx`.
//! - `\` and `/` are equal, so that one pattern works for paths on all systems.
//! - Case matters, except on Windows.
//!
//! Time is linear in the text. The stars cut the pattern into segments: the first and the last are compared
//! in place, the others are searched from left to right. A segment without `?` is a plain search; one with
//! `?` costs the text's length for every 64 characters of the segment.

use std::borrow::Cow;

mod segment_search;

pub fn matches_wildcard(pattern: &str, text: &str) -> bool {
    matches_in(pattern, text, cfg!(windows))
}

fn matches_in(pattern: &str, text: &str, any_case: bool) -> bool {
    // Most patterns fail at their first letter, without a look at the rest.
    let first = pattern.bytes().next().filter(u8::is_ascii_alphanumeric);
    if !any_case && first.is_some() && text.bytes().next() != first {
        return false;
    }
    let (pattern, text) = (folded(pattern, any_case), folded(text, any_case));
    let without_arguments = pattern.strip_suffix(" *");
    matches_folded(&pattern, &text) || without_arguments.is_some_and(|command| matches_folded(command, &text))
}

fn folded(text: &str, any_case: bool) -> Cow<'_, str> {
    if any_case {
        return text.replace('\\', "/").to_lowercase().into();
    }
    if text.contains('\\') { text.replace('\\', "/").into() } else { text.into() }
}

fn matches_folded(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return segment_search::match_start(pattern, text).is_some_and(str::is_empty);
    };
    let Some(mut text) = segment_search::match_start(first, text) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for segment in middle.split('*').filter(|segment| !segment.is_empty()) {
        let Some(behind) = segment_search::match_leftmost(segment, text) else { return false };
        text = behind;
    }
    segment_search::matches_end(last, text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct WildcardCase {
        id: String,
        input: String,
        pattern: String,
        expected: bool,
        platform: Option<String>,
    }

    #[derive(Deserialize)]
    struct WildcardCases {
        r#match: Vec<WildcardCase>,
    }

    /// Covers every case of upstream's current matcher. The corpus also describes a matcher that sorts
    /// patterns by length and one that parses commands; upstream no longer decides by either, and our only
    /// order is the order written.
    #[test]
    fn conformance() {
        let file = include_str!("../../../tests/conformance/wildcard.json");
        let cases: WildcardCases = serde_json::from_str(file).unwrap();
        for case in &cases.r#match {
            let any_case = case.platform.as_deref() == Some("win32");
            let ours = matches_in(&case.pattern, &case.input, any_case);
            assert_eq!(ours, case.expected, "{}: {} ~ {}", case.id, case.input, case.pattern);
        }
        assert_eq!(cases.r#match.len(), 54);
    }

    /// Not timed: a matcher that backtracks over every `*` would never finish.
    #[test]
    fn many_stars_come_to_an_end() {
        assert!(!matches_wildcard(&("*a".repeat(30) + "b"), &"a".repeat(5000)));
        let text = "a".repeat(100_000);
        for pattern in ["*a*a*a*a*b*".to_owned(), "*a?".repeat(40) + "b", format!("*{}b*", "a?".repeat(500))]
        {
            assert!(!matches_wildcard(&pattern, &text));
        }
    }

    #[test]
    fn a_character_is_one_whatever_its_length() {
        assert!(matches_wildcard("?本*?", "日本語") && !matches_wildcard("??", "日"));
        assert!(matches_wildcard("*本?x*", "日本語x!") && !matches_wildcard("*本?x*", "日本x"));
    }

    /// The definition, slow but obviously right.
    fn plain(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => (0..=text.len()).any(|taken| plain(rest, &text[taken..])),
            (Some(('?', rest)), Some((_, text))) => plain(rest, text),
            (Some((wanted, rest)), Some((c, text))) if wanted == c => plain(rest, text),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn it_is_what_the_definition_says(pattern in "[abé*?]{0,8}", text in "[abé*?]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches_wildcard(&pattern, &text), plain(&chars(&pattern), &chars(&text)));
        }
    }
}
