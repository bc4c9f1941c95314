//! Turns replaced lines into edits of the text. New lines get the ending of those they replace, or of the line
//! before; a text without a final newline stays without one.

use std::borrow::Cow;
use std::ops::Range;

use crate::Change;
use crate::change::edits_between;
use crate::edit_validation::join_adjacent;
use crate::source_lines::SourceLines;

/// Lines of the file, and their replacement.
#[derive(Debug)]
pub(crate) struct LinePiece<'a> {
    pub(crate) lines: Range<usize>,
    pub(crate) new: Vec<Cow<'a, str>>,
}

impl LinePiece<'_> {
    pub(crate) fn into_owned(self) -> LinePiece<'static> {
        let new = self.new.into_iter().map(|line| Cow::Owned(line.into_owned())).collect();
        LinePiece { lines: self.lines, new }
    }
}

/// An empty last line of a text without a final newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmptyLastLine {
    /// It gets an ending, because without one it would not exist.
    Ended,
    /// What remains of a line whose text was deleted.
    AsIs,
}

/// Merges the pieces, which must not overlap, into one change.
pub(crate) fn pieces_to_change(
    file: &SourceLines<'_>,
    mut pieces: Vec<LinePiece<'_>>,
    last: EmptyLastLine,
) -> Change {
    // A stable sort: insertions at one place keep their order.
    pieces.sort_by_key(|piece| (piece.lines.start, piece.lines.end));
    let mut merged: Vec<LinePiece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if last.lines.end == piece.lines.start => {
                last.lines.end = piece.lines.end;
                last.new.extend(piece.new);
            }
            _ => merged.push(piece),
        }
    }
    let edits = merged.into_iter().flat_map(|piece| piece_edits(file, piece, last));
    Change::from_edits(join_adjacent(edits.collect()))
}

fn piece_edits(file: &SourceLines<'_>, piece: LinePiece<'_>, last: EmptyLastLine) -> Vec<crate::Edit> {
    let LinePiece { mut lines, mut new } = piece;
    let unended =
        lines.end == file.len() && lines.end.checked_sub(1).is_some_and(|last| file.ending(last).is_empty());
    if unended && (lines.is_empty() || new.is_empty()) {
        // The line before becomes the last line, or stops being it: its ending changes.
        if let Some(before) = lines.start.checked_sub(1) {
            lines.start = before;
            new.insert(0, Cow::Borrowed(file.line(before)));
        }
    }
    let mut text = String::new();
    let count = new.len();
    for (index, line) in new.into_iter().enumerate() {
        text.push_str(&line);
        let is_ended = !unended || index + 1 < count || line.is_empty() && last == EmptyLastLine::Ended;
        if is_ended {
            text.push_str(ending(file, &lines, index));
        }
    }
    let range = file.bytes(lines.clone());
    edits_between(file.slice(lines), &text, range.start, |line| line)
}

/// The ending of the new line with this index.
fn ending<'t>(file: &SourceLines<'t>, lines: &Range<usize>, index: usize) -> &'t str {
    let replaced = (lines.start + index).min(lines.end.saturating_sub(1));
    let replaced = Some(replaced).filter(|_| !lines.is_empty());
    let near = [replaced, lines.start.checked_sub(1), Some(lines.end), Some(0)];
    let endings = near.into_iter().flatten().map(|line| file.ending(line));
    endings.into_iter().find(|ending| !ending.is_empty()).unwrap_or("\n")
}
