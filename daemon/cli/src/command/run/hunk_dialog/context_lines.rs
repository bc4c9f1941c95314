//! The lines around a hunk, as the diffs have them that came with the ask.

use std::collections::HashMap;

use super::undecided_hunk::UndecidedHunk;
use crate::command::run::text_view::FileDiff;

/// So many on each side.
const LINES: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HunkContext {
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

/// By hunk; those that are not where the diff has them have nothing around them.
pub(super) fn around(diffs: &[FileDiff<'_>], items: &[UndecidedHunk]) -> HashMap<String, HunkContext> {
    let mut around = HashMap::new();
    for file in diffs {
        let lines = lines(file.diff);
        let is_here = |item: &&UndecidedHunk| file.path.is_none_or(|path| path == item.path);
        let find = |item: &UndecidedHunk| Some((item.hunk.clone(), of(&lines, item)?));
        around.extend(items.iter().filter(is_here).filter_map(find));
    }
    around
}

/// A line of a diff.
struct ParsedDiffLine<'a> {
    sign: char,
    text: &'a str,
    /// Where it is in the old text, or would be, from 0.
    at: usize,
}

fn lines(diff: &str) -> Vec<ParsedDiffLine<'_>> {
    let mut lines = Vec::new();
    let mut at = None;
    for line in diff.lines() {
        let mut characters = line.chars();
        let (sign, text) = (characters.next().unwrap_or(' '), characters.as_str());
        match (sign, &mut at) {
            ('@', _) => {
                at = first(text);
                lines.push(ParsedDiffLine { sign, text: "", at: 0 });
            }
            (' ' | '-', Some(at)) => {
                lines.push(ParsedDiffLine { sign, text, at: *at });
                *at += 1;
            }
            ('+', Some(at)) => lines.push(ParsedDiffLine { sign, text, at: *at }),
            _ => {}
        }
    }
    lines
}

/// `@ -3,4 +3,5 @@`: the hunk begins with the third line. Where it has no old lines, the number is that of the line before.
fn first(head: &str) -> Option<usize> {
    let old = head.split('-').nth(1)?.split(' ').next()?;
    let (line, count) = old.split_once(',').unwrap_or((old, "1"));
    let line: usize = line.parse().ok()?;
    if count == "0" { Some(line) } else { line.checked_sub(1) }
}

fn of(lines: &[ParsedDiffLine<'_>], item: &UndecidedHunk) -> Option<HunkContext> {
    let is_changed = |line: &ParsedDiffLine<'_>| matches!(line.sign, '-' | '+');
    let start = lines.iter().position(|line| is_changed(line) && line.at == item.line)?;
    let (before, rest) = lines.split_at_checked(start)?;
    let length = rest.iter().take_while(|line| is_changed(line)).count();
    let (changed, after) = rest.split_at_checked(length)?;
    let old = changed.iter().filter(|line| line.sign == '-').map(|line| line.text);
    if !old.eq(item.old.iter().map(String::as_str)) {
        return None;
    }
    let is_same = |line: &&ParsedDiffLine<'_>| line.sign == ' ';
    let text = |line: &ParsedDiffLine<'_>| line.text.to_owned();
    let mut before: Vec<_> = before.iter().rev().take(LINES).take_while(is_same).map(text).collect();
    before.reverse();
    let after = after.iter().take(LINES).take_while(is_same).map(text).collect();
    Some(HunkContext { before, after })
}
