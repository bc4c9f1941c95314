//! Applies the requested edit to the matched lines. Old lines that the new text keeps stay as the file has
//! them, including what the match ignored; only the others are replaced.
//!
//! Invariant: every deleted line has a counterpart in the old text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use similar::DiffTag;

use super::file_line::FileLine;
use super::fold::{LineFold, in_file_typography, is_blank};
use super::indent_shift::{IndentShift, NewIndentation};
use super::requested_lines::RequestedLines;
use crate::change::{Edit, edits_between};
use crate::diff::ops;

/// The edits of the lines from `first` on, which correspond to the old lines one by one. `None` if the
/// indentation of a new line or the counterpart of a line is unclear, or if a new line contains a word that
/// the model wrongly remembered from the file.
pub(super) fn merge_lines(
    file: &[FileLine<'_>],
    first: usize,
    reading: &RequestedLines<'_>,
) -> Option<Vec<Edit>> {
    let there = file.get(first..first + reading.old.len())?;
    let shift = IndentShift::infer(reading, there)?;
    match shift.new_indentation(reading, there) {
        NewIndentation::AsOld => {}
        NewIndentation::AsFile => {
            // The old lines as the model would show them with the file's indentation.
            let old: Vec<_> =
                reading.old.iter().zip(there).map(|(old, line)| with_indent_of(old, line)).collect();
            let old = old.iter().map(String::as_str).collect();
            return merge_lines(file, first, &RequestedLines { old, new: reading.new.clone() });
        }
        NewIndentation::Unclear => return None,
    }
    // The counterpart of each old line; `None` if equal old lines have different counterparts.
    let mut meant: HashMap<&str, Option<&str>> = HashMap::with_capacity(there.len());
    for (old, line) in reading.old.iter().zip(there) {
        let entry = meant.entry(old).or_insert(Some(line.text));
        *entry = entry.filter(|other| *other == line.text);
    }
    let mut lines: Vec<(Cow<'_, str>, &str)> = Vec::with_capacity(reading.new.len());
    for op in ops(&reading.old, &reading.new) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            lines.extend(there.get(old)?.iter().map(|line| (Cow::Borrowed(line.text), line.ending)));
            continue;
        }
        let (gone, new) = (reading.old.get(old.clone())?, reading.new.get(new)?);
        if gone.iter().chain(new).any(|line| meant.get(line) == Some(&None))
            || writes_misremembered_word(gone, there.get(old.clone())?, new)
        {
            return None;
        }
        for (nth, line) in new.iter().enumerate() {
            let ending = there.get(old.clone())?.get(nth).map(|line| line.ending);
            let ending = ending.or(lines.last().map(|line| line.1)).unwrap_or_default();
            let line = shift.shift_line(line, &old, nth, new.len())?;
            let is_there = |c: char| there.iter().any(|line| line.text.contains(c));
            lines.push((in_file_typography(line, &reading.old, is_there), ending));
        }
    }
    Some(line_edits(file, first, there, lines))
}

fn with_indent_of(old: &str, line: &FileLine<'_>) -> String {
    let words = old.trim_start_matches(is_blank);
    let indent = line.text.len() - line.text.trim_start_matches(is_blank).len();
    format!("{}{words}", line.text.get(..indent).unwrap_or_default())
}

/// Whether the edit would write a word that is in the old lines but not in their counterparts in the file.
fn writes_misremembered_word(old: &[&str], there: &[FileLine<'_>], new: &[&str]) -> bool {
    let mut wrong = HashSet::new();
    for (old, line) in old.iter().zip(there) {
        if LineFold::Blanks.fold_line(old) != LineFold::Blanks.fold_line(line.text) {
            let right: HashSet<_> = words(line.text).collect();
            wrong.extend(words(old).filter(|word| !right.contains(word)));
        }
    }
    !wrong.is_empty() && new.iter().flat_map(|line| words(line)).any(|word| wrong.contains(word))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The edits that replace the lines `there`. Every line but the last gets a break; the last keeps the ending
/// of the last replaced line.
fn line_edits(
    file: &[FileLine<'_>],
    first: usize,
    there: &[FileLine<'_>],
    lines: Vec<(Cow<'_, str>, &str)>,
) -> Vec<Edit> {
    let (Some(start), Some(last)) = (there.first().map(|line| line.start), there.last()) else {
        return Vec::new();
    };
    let before_it = first.checked_sub(1).and_then(|before| file.get(before));
    if lines.is_empty() && last.ending.is_empty() {
        // The file stays without a final newline.
        let start = before_it.map_or(start, |line| line.end() - line.ending.len());
        return vec![Edit { range: start..last.end(), text: String::new() }];
    }
    let usual = before_it.or(file.first()).map(|line| line.ending).filter(|ending| !ending.is_empty());
    let usual = usual.or(there.first().map(|line| line.ending).filter(|ending| !ending.is_empty()));
    let (mut before, mut after) = (String::new(), String::new());
    for line in there {
        before.push_str(line.text);
        before.push_str(line.ending);
    }
    let count = lines.len();
    let mut ending = usual.unwrap_or("\n");
    for (index, (line, own)) in lines.into_iter().enumerate() {
        if !own.is_empty() {
            ending = own;
        }
        after.push_str(&line);
        after.push_str(if index + 1 == count { last.ending } else { ending });
    }
    edits_between(&before, &after, start, |line| line)
}
