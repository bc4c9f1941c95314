//! Any edit of any text: it terminates, and an accepted edit changes no more than it may.
#![no_main]

use copydesk_text::{MatchTier, replace};
use libfuzzer_sys::fuzz_target;

/// Parts of texts: everything that a tier ignores, and enough repetition.
const PIECES: [&str; 24] = [
    "a",
    "b",
    "let sum",
    "let sun",
    "call(one)",
    "}",
    "{",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "“x”",
    "\"x\"",
    "1: ",
    "2: ",
    "```\n",
    "\\n",
    "\\\"",
    "\u{a0}",
    "$&",
    "é",
];

fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|piece| PIECES[usize::from(*piece) % PIECES.len()]).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((manner, bytes)) = bytes.split_first() else { return };
    let mut parts = bytes.splitn(3, |byte| *byte == 255).map(text);
    let mut part = || parts.next().unwrap_or_default();
    let (file, old, new) = (part(), part(), part());
    let Ok(replaced) = replace(&file, &old, &new, manner & 1 == 1) else { return };
    let result = replaced.change.apply(&file).unwrap();
    assert!(result != file && !old.trim().is_empty());
    if replaced.tier == MatchTier::Exact || replaced.tier >= MatchTier::Anchors {
        return;
    }
    // An edit deletes only characters that the old text shows, in their order; and nothing from a line without any of its words.
    // Text written as escapes may begin and end within a word.
    for edit in replaced.change.edits() {
        let mut shown = old.chars();
        let gone = file[edit.range.clone()].chars().filter(|letter| letter.is_alphanumeric());
        gone.for_each(|letter| assert!(shown.any(|other| other == letter), "{letter:?} of {edit:?} is gone"));
    }
    if replaced.tier == MatchTier::Escapes {
        return;
    }
    let shown: Vec<_> = words(&old).collect();
    let is_shown = |line: &str| words(line).any(|word| shown.contains(&word));
    // It may have been joined with another: a line end that the old text shows may go.
    let mut left = result.as_str();
    for line in file.lines().filter(|line| words(line).next().is_some() && !is_shown(line)) {
        let found = left.find(line).unwrap_or_else(|| panic!("{line:?} is gone"));
        left = &left[found + line.len()..];
    }
});
