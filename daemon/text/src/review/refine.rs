//! Rewrites the user's edits by lines, as they are meant: an editor may send the whole text for one letter,
//! or pieces of two lines for one line if lines start or end alike.

use std::ops::Range;

use similar::DiffTag;

use super::Review;
use super::base_edits::apply_edits_to_piece;
use crate::Edit;
use crate::diff::ops;

impl Review {
    /// Edits with the same effect that skip unchanged lines.
    pub(super) fn refine_edits(&self, given: &[Edit]) -> Vec<Edit> {
        let mut groups: Vec<(Range<usize>, Vec<Edit>)> = Vec::new();
        for edit in given {
            let lines = self.text.line_start(edit.range.start)..self.text.line_end(edit.range.end);
            match groups.last_mut() {
                // Two edits of one line become one.
                Some((last, group)) if lines.start < last.end || lines.start == last.start => {
                    last.end = last.end.max(lines.end);
                    group.push(edit.clone());
                }
                _ => groups.push((lines, vec![edit.clone()])),
            }
        }
        groups.into_iter().flat_map(|(lines, group)| self.by_lines(lines, &group)).collect()
    }

    fn by_lines(&self, window: Range<usize>, edits: &[Edit]) -> Vec<Edit> {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Vec::new() };
        // The unchanged start of the first line and end of the last.
        let (head, tail) = (first.range.start - window.start, window.end - last.range.end);
        let old = self.text.slice(window.clone());
        let new = apply_edits_to_piece(&old, window.start, edits);
        let (old, new): (Vec<_>, Vec<_>) = (lines(&old), lines(&new));
        let mut refined = Vec::new();
        let mut at = window.start;
        for op in ops(&old, &new) {
            let (tag, from, to) = op.as_tag_tuple();
            let is_first = from.start == 0 && to.start == 0 && tag == DiffTag::Replace;
            let is_last = from.end == old.len() && to.end == new.len() && tag == DiffTag::Replace;
            let replaced: usize = old.get(from).unwrap_or_default().iter().map(|line| line.len()).sum();
            if tag != DiffTag::Equal {
                let text = new.get(to).unwrap_or_default().concat();
                let (head, tail) = (if is_first { head } else { 0 }, if is_last { tail } else { 0 });
                let text = text.get(head..text.len() - tail).unwrap_or_default().to_owned();
                refined.push(Edit { range: at + head..at + replaced - tail, text });
            }
            at += replaced;
        }
        refined
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}
