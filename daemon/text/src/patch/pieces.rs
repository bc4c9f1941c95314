//! Turns placed hunks into edits of the text. New lines get the ending of those they replace, or of the line
//! before; a text without a final newline stays without one.

use std::borrow::Cow;
use std::ops::Range;

use super::source_lines::SourceLines;
use crate::change::edits_between;
use crate::edit_validation::join_adjacent;
use crate::{Change, LineTag};

/// Lines of the file, and their replacement.
#[derive(Debug)]
pub(super) struct PatchPiece<'a> {
    lines: Range<usize>,
    new: Vec<Cow<'a, str>>,
}

/// What a hunk changes at a place. Lines that it deletes and adds back unchanged stay as the file has them.
pub(super) fn hunk_pieces<'a>(
    lines: &[(LineTag, &'a str)],
    place: usize,
    mut indented: impl FnMut(&'a str) -> Option<Cow<'a, str>>,
) -> Option<Vec<PatchPiece<'a>>> {
    let mut pieces = Vec::new();
    let mut at = place;
    for run in lines.chunk_by(|a, b| (a.0 == LineTag::Equal) == (b.0 == LineTag::Equal)) {
        let with_tag = |tag: LineTag| {
            run.iter().filter(move |line| line.0 == tag).map(|line| line.1).collect::<Vec<&'a str>>()
        };
        let kept = with_tag(LineTag::Equal).len();
        let (old, new) = (with_tag(LineTag::Delete), with_tag(LineTag::Insert));
        let same = |(a, b): &(&&str, &&str)| a == b;
        let before = old.iter().zip(&new).take_while(same).count();
        let most = old.len().min(new.len()) - before;
        let after = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
        let range = at + before..at + old.len() - after;
        let new = new.get(before..new.len() - after).unwrap_or_default();
        if !range.is_empty() || !new.is_empty() {
            let new = new.iter().map(|line| indented(line)).collect::<Option<Vec<_>>>()?;
            pieces.push(PatchPiece { lines: range, new });
        }
        at += kept + old.len();
    }
    Some(pieces)
}

/// Merges the pieces of all hunks, which must not overlap, into one change.
pub(super) fn pieces_to_change(file: &SourceLines<'_>, mut pieces: Vec<PatchPiece<'_>>) -> Change {
    // A stable sort: insertions at one place keep the patch's order.
    pieces.sort_by_key(|piece| (piece.lines.start, piece.lines.end));
    let mut merged: Vec<PatchPiece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if last.lines.end == piece.lines.start => {
                last.lines.end = piece.lines.end;
                last.new.extend(piece.new);
            }
            _ => merged.push(piece),
        }
    }
    Change::from_edits(join_adjacent(merged.into_iter().flat_map(|piece| piece_edits(file, piece)).collect()))
}

fn piece_edits(file: &SourceLines<'_>, piece: PatchPiece<'_>) -> Vec<crate::Edit> {
    let PatchPiece { mut lines, mut new } = piece;
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
        // An empty line without an ending would not exist.
        if !unended || index + 1 < count || line.is_empty() {
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
