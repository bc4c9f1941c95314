//! Wildcard patterns as users write them in the configuration: `*` matches any run of characters (also `/`
//! and line breaks), `?` matches one character, everything else matches itself. The whole text must match.
//!
//! - A pattern that ends in ` *` also matches without that end: `git push *` matches `git push` with or
//!   without arguments, but not `git pushx`.
//! - `\` and `/` are equal, so that one pattern works for paths on all systems.
//! - Case matters, except on Windows.
//!
//! Time is at most the product of both lengths: on a mismatch only the last `*` takes one more character.

pub fn matches_wildcard(pattern: &str, text: &str) -> bool {
    matches_in(pattern, text, cfg!(windows))
}

fn matches_in(pattern: &str, text: &str, any_case: bool) -> bool {
    let seen = |c: char| match c {
        '\\' => '/',
        c if any_case => c.to_lowercase().next().unwrap_or(c),
        c => c,
    };
    let text: Vec<_> = text.chars().map(seen).collect();
    let pattern: Vec<_> = pattern.chars().map(seen).collect();
    let without_arguments = pattern.strip_suffix(&[' ', '*']);
    run(&pattern, &text) || without_arguments.is_some_and(|command| run(command, &text))
}

fn run(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    // The position of the last `*`, and where the text continues after the characters it has taken.
    let mut star = None;
    while let Some(c) = text.get(t) {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == c => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, t) = (at + 1, taken + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|rest| *rest == '*')
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
        fn it_is_what_the_definition_says(pattern in "[ab*?]{0,8}", text in "[ab*?]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches_wildcard(&pattern, &text), plain(&chars(&pattern), &chars(&text)));
        }
    }
}
