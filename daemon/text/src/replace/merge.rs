//! Applies the requested edit to the matched lines. Old lines that the new text keeps stay as the file has
//! them, including what the match ignored; only the others are replaced.
//!
//! Invariant: every deleted line has a counterpart in the old text.

use std::collections::{HashMap, HashSet};

use super::file_style::FileStyle;
use super::fold::{LineFold, is_blank};
use super::indent_shift::IndentShift;
use super::line_search::LineSearch;
use super::new_indentation::{self, NewIndentation};
use super::requested_lines::RequestedLines;
use crate::line_pieces::LinePiece;

/// What changes in the lines from `first` on, which correspond to the old lines one by one. `None` if the
/// indentation of a new line or the counterpart of a line is unclear, or if a new line contains a word that
/// the model wrongly remembered from the file.
pub(crate) fn merge_lines<'a>(
    search: &LineSearch<'a>,
    first: usize,
    reading: &RequestedLines<'a>,
) -> Option<Vec<LinePiece<'a>>> {
    let there = search.file.texts(first..first + reading.old.len())?;
    let shift = IndentShift::infer(search, reading, &there);
    match new_indentation::infer(search, &shift, reading, &there) {
        NewIndentation::AsOld => {}
        NewIndentation::AsFile => {
            // The old lines as the model would show them with the file's indentation.
            let old: Vec<_> =
                reading.old.iter().zip(&there).map(|(old, line)| with_indent_of(old, line)).collect();
            let old = old.iter().map(String::as_str).collect();
            let pieces = merge_lines(search, first, &reading.with_lines(old, reading.new.clone())?)?;
            return Some(pieces.into_iter().map(LinePiece::into_owned).collect());
        }
        NewIndentation::Unclear => return None,
    }
    // The counterpart of each old line; `None` if equal old lines have different counterparts.
    let mut meant: HashMap<&str, Option<&str>> = HashMap::with_capacity(there.len());
    for (old, line) in reading.old.iter().zip(&there) {
        let entry = meant.entry(old).or_insert(Some(line));
        *entry = entry.filter(|other| other == line);
    }
    let style = FileStyle::new(&reading.old, &there);
    let mut pieces = Vec::new();
    for op in reading.ops().into_iter().filter(|op| !op.is_equal) {
        let (gone, new) = (reading.old.get(op.old.clone())?, reading.new.get(op.new)?);
        if !shift.is_certain(&op.old)
            || gone.iter().chain(new).any(|line| !reading.is_hunk() && meant.get(line) == Some(&None))
            || writes_misremembered_word(gone, there.get(op.old.clone())?, new)
        {
            return None;
        }
        let write =
            |(nth, line): (usize, &&'a str)| style.write(shift.shift_line(line, &op.old, nth, new.len())?);
        let new = new.iter().enumerate().map(write).collect::<Option<Vec<_>>>()?;
        pieces.push(LinePiece { lines: first + op.old.start..first + op.old.end, new });
    }
    Some(pieces)
}

fn with_indent_of(old: &str, line: &str) -> String {
    let words = old.trim_start_matches(is_blank);
    let indent = line.len() - line.trim_start_matches(is_blank).len();
    format!("{}{words}", line.get(..indent).unwrap_or_default())
}

/// Whether the edit would write a word that is in the old lines but not in their counterparts in the file.
fn writes_misremembered_word(old: &[&str], there: &[&str], new: &[&str]) -> bool {
    let mut wrong = HashSet::new();
    for (old, line) in old.iter().zip(there) {
        if LineFold::Quotes.key(old) != LineFold::Quotes.key(line) {
            let right: HashSet<_> = words(line).collect();
            wrong.extend(words(old).filter(|word| !right.contains(word)));
        }
    }
    !wrong.is_empty() && new.iter().flat_map(|line| words(line)).any(|word| wrong.contains(word))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
