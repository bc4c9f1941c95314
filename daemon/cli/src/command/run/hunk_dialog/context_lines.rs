//! The lines around a hunk, from the diffs that came with the ask.

use std::collections::HashMap;

use super::undecided_hunk::UndecidedHunk;
use crate::command::run::text_view::FileDiff;

/// Lines on each side.
const CONTEXT_LINES: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HunkContext {
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

/// By hunk. A hunk that is not where the diff has it gets no context.
pub(super) fn around(diffs: &[FileDiff<'_>], items: &[UndecidedHunk]) -> HashMap<String, HunkContext> {
    let mut around = HashMap::new();
    for file in diffs {
        let lines = lines(file.diff);
        let is_here = |item: &&UndecidedHunk| file.path.is_none_or(|path| path == item.path);
        let find = |item: &UndecidedHunk| Some((item.hunk.clone(), context(&lines, item)?));
        around.extend(items.iter().filter(is_here).filter_map(find));
    }
    around
}

struct ParsedDiffLine<'a> {
    sign: char,
    text: &'a str,
    /// Its index in the old text; of a new line, that of the next old line.
    index: usize,
}

fn lines(diff: &str) -> Vec<ParsedDiffLine<'_>> {
    let mut lines = Vec::new();
    let mut index = None;
    for line in diff.lines() {
        let mut characters = line.chars();
        let (sign, text) = (characters.next().unwrap_or(' '), characters.as_str());
        match (sign, &mut index) {
            ('@', _) => {
                index = first_index(text);
                lines.push(ParsedDiffLine { sign, text: "", index: 0 });
            }
            (' ' | '-', Some(index)) => {
                lines.push(ParsedDiffLine { sign, text, index: *index });
                *index += 1;
            }
            ('+', Some(index)) => lines.push(ParsedDiffLine { sign, text, index: *index }),
            _ => {}
        }
    }
    lines
}

/// `@ -3,4 +3,5 @@`: the hunk begins with the third line. Without old lines, the number is that of the line
/// before.
fn first_index(head: &str) -> Option<usize> {
    let old = head.split('-').nth(1)?.split(' ').next()?;
    let (line, count) = old.split_once(',').unwrap_or((old, "1"));
    let line: usize = line.parse().ok()?;
    if count == "0" { Some(line) } else { line.checked_sub(1) }
}

fn context(lines: &[ParsedDiffLine<'_>], item: &UndecidedHunk) -> Option<HunkContext> {
    let is_changed = |line: &ParsedDiffLine<'_>| matches!(line.sign, '-' | '+');
    let start = lines.iter().position(|line| is_changed(line) && line.index == item.line)?;
    let (before, rest) = lines.split_at_checked(start)?;
    let length = rest.iter().take_while(|line| is_changed(line)).count();
    let (changed, after) = rest.split_at_checked(length)?;
    let old = changed.iter().filter(|line| line.sign == '-').map(|line| line.text);
    if !old.eq(item.old.iter().map(String::as_str)) {
        return None;
    }
    let is_same = |line: &&ParsedDiffLine<'_>| line.sign == ' ';
    let text = |line: &ParsedDiffLine<'_>| line.text.to_owned();
    let mut before: Vec<_> = before.iter().rev().take(CONTEXT_LINES).take_while(is_same).map(text).collect();
    before.reverse();
    let after = after.iter().take(CONTEXT_LINES).take_while(is_same).map(text).collect();
    Some(HunkContext { before, after })
}
