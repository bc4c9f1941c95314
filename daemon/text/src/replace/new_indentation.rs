//! Whose indentation the new lines have, if the old text has another than the file.
//!
//! A model shows the old lines with another indentation and writes the new ones in the same way, or with the file's. What
//! is in both texts shows which, and so do the steps of the file's indentation. If both may be meant, nothing is.

use super::indent_shift::{IndentShift, indent};
use super::line_search::LineSearch;
use super::requested_lines::{LineOp, RequestedLines};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewIndentation {
    /// That of the old text, which differs from the file's by one rule, or is the same.
    AsOld,
    /// The file's, although the old text has another.
    AsFile,
    Unclear,
}

impl NewIndentation {
    /// The one reading that the evidence allows.
    fn from_evidence(as_old: bool, as_file: bool) -> Self {
        match (as_old, as_file) {
            (true, false) => Self::AsOld,
            (false, true) => Self::AsFile,
            _ => Self::Unclear,
        }
    }
}

pub(super) fn infer(
    search: &LineSearch<'_>,
    shift: &IndentShift<'_>,
    reading: &RequestedLines<'_>,
    there: &[&str],
) -> NewIndentation {
    if !shift.is_shifted() {
        return NewIndentation::AsOld;
    }
    let ops: Vec<_> = reading.ops().into_iter().filter(|op| !op.is_equal).collect();
    let is_hunk = reading.is_hunk();
    let compared = |at: usize| !is_hunk || ops.iter().any(|op| op.new.contains(&at));
    let new = reading.new.iter().enumerate().filter(|(at, line)| compared(*at) && indent(line).is_some());
    let (mut as_old, mut as_file) = (0, 0);
    // Lines that only the new text has.
    let mut written = Vec::new();
    for (_, new) in new {
        let same = |(old, _): &(&&str, &&str)| old.trim() == new.trim();
        let known: Vec<_> = reading.old.iter().zip(there).filter(same).collect();
        if known.is_empty() {
            written.extend(indent(new));
            continue;
        }
        as_old += usize::from(known.iter().any(|(old, _)| indent(old) == indent(new)));
        as_file += usize::from(known.iter().any(|(_, line)| indent(line) == indent(new)));
    }
    if is_hunk && as_old + as_file == 0 {
        // A hunk shows the lines that stay only once.
        let is_as_old = stands_beside_old(shift, reading, &ops);
        return if is_as_old { NewIndentation::AsOld } else { by_steps(search, shift, &written) };
    }
    let found = by_common_lines(shift, reading, there, (as_old, as_file), &written);
    if found == NewIndentation::Unclear { by_steps(search, shift, &written) } else { found }
}

/// Lines that are in both texts have the file's indentation, and so has the new text as a whole: if only those lines have
/// it, the model puts them into another block.
fn by_common_lines(
    shift: &IndentShift<'_>,
    reading: &RequestedLines<'_>,
    there: &[&str],
    common: (usize, usize),
    written: &[&str],
) -> NewIndentation {
    let least = |lines: &[&str]| lines.iter().filter_map(|line| indent(line)).map(str::len).min();
    let new_least = least(&reading.new);
    let is_as_file = || new_least == least(there);
    let is_as_old = || new_least == least(&reading.old);
    let is_written_least = || written.iter().map(|indent| indent.len()).min() == new_least;
    match common {
        (0, 0) if is_as_file() && !is_as_old() => NewIndentation::Unclear,
        (0, 0) | (1.., 0) => NewIndentation::AsOld,
        (0, 1..) if is_as_file() && !is_as_old() => NewIndentation::AsFile,
        // The line of a new block around them.
        (0, 1..) if is_as_old() && is_written_least() && !shift.is_shallower() => NewIndentation::AsOld,
        (as_old @ 1.., as_file @ 1..) if as_old >= as_file => NewIndentation::AsOld,
        _ => NewIndentation::Unclear,
    }
}

/// Whether the first line of each change, or its leftmost one, is indented like the old line that it replaces, or like one
/// beside it, and not like the file there: a line one level deeper may stand where the file's does.
fn stands_beside_old(shift: &IndentShift<'_>, reading: &RequestedLines<'_>, ops: &[LineOp]) -> bool {
    let (mut as_old, mut as_file, mut writes) = (false, false, false);
    for op in ops {
        let lines = reading.new.get(op.new.clone()).unwrap_or_default();
        let indents = || lines.iter().filter_map(|line| indent(line));
        let near =
            if op.old.is_empty() { op.old.start.saturating_sub(1) } else { op.old.start }..op.old.start + 1;
        for given in [indents().next(), indents().min_by_key(|indent| indent.len())].into_iter().flatten() {
            writes = true;
            let pairs = || near.clone().filter_map(|at| shift.pair(at)).filter(|(old, file)| old != file);
            let (is_old, is_file) =
                (pairs().any(|pair| pair.0 == given), pairs().any(|pair| pair.1 == given));
            (as_old, as_file) = (as_old | is_old, as_file | is_file);
            if is_old || is_file {
                break;
            }
        }
    }
    // If lines are only deleted, no indentation matters.
    as_old && !as_file || !writes
}

/// The file is indented in steps, which only one of the two readings has.
fn by_steps(search: &LineSearch<'_>, shift: &IndentShift<'_>, written: &[&str]) -> NewIndentation {
    if written.is_empty() {
        return NewIndentation::Unclear;
    }
    if !shift.can_be_old(written) {
        return NewIndentation::AsFile;
    }
    let Some(unit) = search.indent_unit() else { return NewIndentation::Unclear };
    let is_spaces = |indent: &str| indent.bytes().all(|byte| byte == b' ');
    let Some((old, file)) = shift.first_pair().filter(|(old, file)| is_spaces(old) && is_spaces(file)) else {
        return NewIndentation::Unclear;
    };
    let fits = |base: &str| {
        written
            .iter()
            .all(|indent| is_spaces(indent) && indent.len().abs_diff(base.len()).is_multiple_of(unit))
    };
    NewIndentation::from_evidence(fits(old), fits(file))
}
