//! The same lines with a reader's decoration: a number before each, a fence around all.
//!
//! Numbers are stripped only if every old line has one and they count up; then either all new lines have one
//! or none has.

use std::ops::Range;

use super::fold::LineFold;
use super::requested_lines::RequestedLines;
use super::search::{ReplaceSearch, TierMatch};

pub(super) fn find<'a>(search: &ReplaceSearch<'a>) -> Option<TierMatch<'a>> {
    let bare = strip_decoration(search.requested)?;
    [LineFold::Trailing, LineFold::Trimmed].into_iter().find_map(|fold| search.line_match(&bare, fold))
}

/// Strips fences and numbers, if any.
fn strip_decoration<'a>(asked: &RequestedLines<'a>) -> Option<RequestedLines<'a>> {
    let unfenced = match strip_fence(&asked.old) {
        Some(old) => Some(asked.slice(old, unfenced_new(&asked.new)?)?),
        None => None,
    };
    let reading = unfenced.as_ref().unwrap_or(asked);
    match strip_line_numbers(&reading.old) {
        Some((old, numbers)) => {
            let counted = numbers.windows(2).all(|two| matches!(two, [a, b] if a.checked_add(1) == Some(*b)));
            let new = strip_new_numbers(reading)?;
            if counted && !numbers.is_empty() { reading.with_lines(old, new) } else { None }
        }
        None => unfenced,
    }
}

/// The new lines without their numbers, if all that the model wrote have one. `None` if some have one: those may be text.
fn strip_new_numbers<'a>(reading: &RequestedLines<'a>) -> Option<Vec<&'a str>> {
    let is_written = reading.written_lines();
    let written = || reading.new.iter().zip(&is_written).filter(|(_, is_written)| **is_written);
    let numbered = written().filter(|(line, _)| number(line).is_some()).count();
    let strips = numbered > 0;
    if strips && numbered < written().count() {
        return None;
    }
    let strip = |(line, is_written): (&&'a str, &bool)| {
        if strips || !is_written { number(line).map(|(_, line)| line) } else { Some(*line) }
    };
    reading.new.iter().zip(&is_written).map(strip).collect()
}

/// The new lines without their fence, which a line break may follow. `None` if it is unclear whether a fence is theirs.
fn unfenced_new(lines: &[&str]) -> Option<Range<usize>> {
    let trimmed = lines.strip_suffix(&[""]).unwrap_or(lines);
    let has_fence = |line: Option<&&str>| line.is_some_and(|line| fence(line).is_some());
    match strip_fence(trimmed) {
        Some(inner) => Some(inner),
        None if has_fence(trimmed.first()) || has_fence(trimmed.last()) => None,
        None => Some(0..lines.len()),
    }
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence))
}

fn strip_fence(lines: &[&str]) -> Option<Range<usize>> {
    let (first, rest) = lines.split_first()?;
    let (last, inner) = rest.split_last()?;
    let fence = fence(first)?;
    (last.trim() == fence && !inner.is_empty()).then(|| 1..lines.len() - 1)
}

/// All lines without their numbers, and the numbers.
fn strip_line_numbers<'a>(lines: &[&'a str]) -> Option<(Vec<&'a str>, Vec<usize>)> {
    lines.iter().map(|line| number(line).map(|(number, line)| (line, number))).collect()
}

/// `12: line`, as our reader shows it, and the usual other forms: `12| line`, `12<tab>line`, `12→line`.
fn number(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = rest.split_at_checked(digits)?;
    let line = match rest.strip_prefix(':') {
        Some("") => "",
        Some(line) => line.strip_prefix(' ')?,
        None => match rest.strip_prefix('|') {
            Some(line) => line.strip_prefix(' ').unwrap_or(line),
            None => rest.strip_prefix(['\t', '→'])?,
        },
    };
    Some((number.parse().ok()?, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: Option<(&str, &str)>) {
        let seen = strip_decoration(&RequestedLines::new(old, new))
            .map(|bare| (bare.old.join("\n"), bare.new.join("\n")));
        assert_eq!(seen, expected.map(|(old, new)| (old.to_owned(), new.to_owned())), "{old:?}");
    }

    #[test]
    fn what_is_shown_beside_the_text_is_known() {
        check("1: a\n2:   b\n3: ", "1: x", Some(("a\n  b\n", "x")));
        check("9: a\n10:\n11: b", "x: 1", Some(("a\n\nb", "x: 1")));
        check("00012| a\n00013|   b", "c", Some(("a\n  b", "c")));
        check("   7\ta\n   8\tb", "c", Some(("a\nb", "c")));
        check("```rust\na\n```", "b", Some(("a", "b")));
        check("```\n1: a\n2: b\n```", "```\n1: c\n```", Some(("a\nb", "c")));
        check("```\na\n```", "```\nb\n```\n", Some(("a", "b")));
        check("```\na\n```\n", "```\nb\n```", Some(("a", "b")));
    }

    #[test]
    fn what_may_be_text_is_left_alone() {
        check("a\n```", "b", None);
        check("```\na\n```", "```\nb", None);
        check("1: a\nb", "c", None);
        check("1: a\n3: b", "c", None);
        check("12:30", "c", None);
        check("1: a\n2: b", "1: c\nd", None);
    }
}
