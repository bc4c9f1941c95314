//! Maps the part of a user's edit that is outside the hunks to edits of the base.

use std::ops::Range;

use super::{Hunk, Review};
use crate::Edit;

impl Review {
    /// The user's edit as edits of the base: empty if it is inside a hunk.
    pub(super) fn base_edits(&self, edit: &Edit) -> Vec<Edit> {
        if edit.range.is_empty() {
            self.base_insertion(edit.range.start, &edit.text).into_iter().collect()
        } else {
            self.base_replacement(edit)
        }
    }

    fn base_insertion(&self, at: usize, text: &str) -> Option<Edit> {
        let Some(hunk) = self.hunks.get(self.first_hunk_reaching(at)).filter(|hunk| hunk.text.start <= at)
        else {
            return Some(insert(self.base_offset(at), text));
        };
        let lines = |split: Option<usize>| text.split_at(split.map_or(0, |at| at + 1));
        if !self.text.begins_line(at) {
            // After a last line without a break: the lines below it do not belong to the hunk.
            let (_, below) = lines(text.find('\n'));
            let is_last = at == hunk.text.end && at == self.text.len() && text.contains('\n');
            return (is_last && !below.is_empty()).then(|| self.insert_below(hunk, below));
        }
        if at == hunk.text.end {
            let is_whole = text.ends_with('\n') || at == self.text.len();
            return (!is_whole || !self.restores_deleted_lines(hunk, text))
                .then(|| self.insert_below(hunk, text));
        }
        let (above, _) = lines(text.rfind('\n'));
        let is_outside =
            at == hunk.text.start && !above.is_empty() && !self.restores_deleted_lines(hunk, above);
        is_outside.then(|| insert(hunk.base.start, above))
    }

    fn insert_below(&self, hunk: &Hunk, text: &str) -> Edit {
        let at = hunk.base.end;
        if self.base.begins_line(at) {
            return insert(at, text);
        }
        insert(at, &format!("{}{text}", if text.contains("\r\n") { "\r\n" } else { "\n" }))
    }

    /// Whether these lines are among those that the hunk deleted.
    fn restores_deleted_lines(&self, hunk: &Hunk, lines: &str) -> bool {
        let old = self.old_text(hunk);
        old.match_indices(lines).any(|(at, _)| {
            let end = at + lines.len();
            let is_border = |at: usize| at == 0 || old.as_bytes().get(at - 1) == Some(&b'\n');
            is_border(at) && (is_border(end) || end == old.len())
        })
    }

    /// All typed text replaces the first piece outside; the other pieces are deleted.
    fn base_replacement(&self, edit: &Edit) -> Vec<Edit> {
        let pieces = self.pieces(&edit.range);
        let Some(first) = pieces.first() else { return Vec::new() };
        let mut typed = edit.text.clone();
        let begins_line = first.start > edit.range.start || self.text.begins_line(first.start);
        let is_whole = if typed.is_empty() { begins_line } else { typed.ends_with('\n') };
        let next = self.hunks.get(self.hunks.partition_point(|hunk| hunk.text.start < first.end));
        if !is_whole && next.is_some_and(|hunk| hunk.text.start == first.end) {
            // The line would run into the hunk's first line.
            let ends = self.text.slice(first.end.saturating_sub(2).max(first.start)..first.end);
            typed.push_str(if ends == "\r\n" { "\r\n" } else { "\n" });
        }
        let base = |piece: &Range<usize>| {
            let start = self.base_offset(piece.start);
            start..start + piece.len()
        };
        let mut texts = vec![typed].into_iter();
        let edit = |piece| Edit { range: base(piece), text: texts.next().unwrap_or_default() };
        pieces.iter().map(edit).collect()
    }

    /// The parts of a range that are in no hunk.
    fn pieces(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut at = range.start;
        for hunk in self.hunks.iter().skip(self.first_hunk_reaching(range.start)) {
            if hunk.text.start >= range.end {
                break;
            }
            if at < hunk.text.start {
                pieces.push(at..hunk.text.start);
            }
            at = at.max(hunk.text.end);
        }
        if at < range.end {
            pieces.push(at..range.end);
        }
        pieces
    }

    /// The first hunk that does not end before the offset.
    pub(super) fn first_hunk_reaching(&self, at: usize) -> usize {
        self.hunks.partition_point(|hunk| hunk.text.end < at)
    }

    /// Maps an offset outside all hunks to the base; after a hunk that ends there.
    fn base_offset(&self, at: usize) -> usize {
        let before = self.hunks.partition_point(|hunk| hunk.text.end <= at);
        let last = before.checked_sub(1).and_then(|last| self.hunks.get(last));
        last.map_or(at, |hunk| hunk.base.end + (at - hunk.text.end))
    }
}

fn insert(at: usize, text: &str) -> Edit {
    Edit { range: at..at, text: text.to_owned() }
}

/// Applies edits to a piece of a text that starts at `start`.
pub(super) fn apply_edits_to_piece(piece: &str, start: usize, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(piece.len());
    let mut at = start;
    let slice = |range: Range<usize>| {
        piece.get(range.start.saturating_sub(start)..range.end.saturating_sub(start)).unwrap_or_default()
    };
    for edit in edits {
        result.push_str(slice(at..edit.range.start));
        result.push_str(&edit.text);
        at = edit.range.end;
    }
    result + slice(at..start + piece.len())
}
