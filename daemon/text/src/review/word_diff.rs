//! The differing words of two lines.

use std::ops::Range;

use similar::DiffTag;

use crate::diff::ops;

/// Lines with less in common are shown whole.
const COMMON_PERCENT: usize = 30;

/// In bytes of a line.
pub(super) type ByteRanges = Vec<Range<usize>>;

/// The ranges in which the lines differ; `None` if they have too little in common.
pub(super) fn diff_words(old: &str, new: &str) -> Option<(ByteRanges, ByteRanges)> {
    let (old_words, new_words) = (split(old), split(new));
    let (mut old_ranges, mut new_ranges) = (ByteRanges::new(), ByteRanges::new());
    let (mut old_at, mut new_at, mut common) = (0, 0, 0);
    for op in ops(&old_words, &new_words) {
        let len = |words: &[&str], range: Range<usize>| {
            words.get(range).unwrap_or_default().iter().map(|word| word.len()).sum::<usize>()
        };
        let old_end = old_at + len(&old_words, op.old_range());
        let new_end = new_at + len(&new_words, op.new_range());
        if op.tag() == DiffTag::Equal {
            let words = old_words.get(op.old_range()).unwrap_or_default();
            common +=
                words.iter().filter(|word| !word.trim().is_empty()).map(|word| word.len()).sum::<usize>();
        } else {
            add(&mut old_ranges, old_at..old_end);
            add(&mut new_ranges, new_at..new_end);
        }
        (old_at, new_at) = (old_end, new_end);
    }
    let inked = |text: &str| text.split_whitespace().map(str::len).sum::<usize>();
    let most = inked(old).max(inked(new));
    (common * 100 >= most * COMMON_PERCENT && common > 0).then_some((old_ranges, new_ranges))
}

fn add(ranges: &mut ByteRanges, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ if range.is_empty() => {}
        _ => ranges.push(range),
    }
}

/// Words, runs of blanks, and every other character by itself.
fn split(line: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let (mut start, mut last) = (0, 2);
    for (at, c) in line.char_indices() {
        if kind(c) != last || last == 2 {
            words.extend(line.get(start..at).filter(|word| !word.is_empty()));
            (start, last) = (at, kind(c));
        }
    }
    words.extend(line.get(start..).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: Option<(&[&str], &[&str])>) {
        let seen = diff_words(old, new);
        let texts = |line: &str, ranges: &[Range<usize>]| -> Vec<String> {
            ranges.iter().map(|range| line[range.clone()].to_owned()).collect()
        };
        let seen = seen.map(|(a, b)| (texts(old, &a), texts(new, &b)));
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(seen, expected.map(|(a, b)| (owned(a), owned(b))));
    }

    #[test]
    fn the_words_that_differ_are_found() {
        check("let x = 1;", "let x = 12;", Some((&["1"], &["12"])));
        check("fn a(b: B) {", "fn a(b: B, c: C) {", Some((&[], &[", c: C"])));
        check("größe = é", "größe = è", Some((&["é"], &["è"])));
        check("same", "same", Some((&[], &[])));
    }

    #[test]
    fn lines_with_little_in_common_are_left_whole() {
        check("return None;", "let value = compute(input, 3)?;", None);
        check("", "x", None);
        check("  ", "    ", None);
    }
}
