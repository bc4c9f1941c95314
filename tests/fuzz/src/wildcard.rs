//! A wildcard pattern matches what its definition says, whatever the texts.
#![no_main]

use copydesk_permission::matches_wildcard;
use libfuzzer_sys::fuzz_target;

/// The definition, by a table of all prefixes.
fn matches_plainly(pattern: &[char], text: &[char]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for wanted in pattern {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = match wanted {
                '*' => reached[at] || (at > 0 && next[at - 1]),
                '?' => at > 0 && reached[at - 1],
                wanted => at > 0 && reached[at - 1] && text[at - 1] == *wanted,
            };
        }
        reached = next;
    }
    reached[text.len()]
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let Some((pattern, text)) = input.split_once('\n') else { return };
    let chars = |text: &str| text.chars().map(|c| if c == '\\' { '/' } else { c }).collect::<Vec<_>>();
    let (plain_pattern, plain_text) = (chars(pattern), chars(text));
    let without_arguments = plain_pattern.strip_suffix(&[' ', '*']);
    let expected = matches_plainly(&plain_pattern, &plain_text)
        || without_arguments.is_some_and(|command| matches_plainly(command, &plain_text));
    assert_eq!(matches_wildcard(pattern, text), expected, "{pattern:?} and {text:?}");
});
