//! What a person committed they have decided: hunks that stand in a committed text count as kept.

use similar::DiffTag;

use super::cluster::{EditWindow, HunkAuthor};
use super::{HunkId, HunkOutcome, Review};
use crate::Edit;
use crate::diff::ops;

impl Review {
    /// Keeps the hunks whose lines are in a committed text, between the same lines as here. How lines end is left out
    /// of account: Git may write them in another way than they are on the disk.
    pub fn keep_committed(&mut self, committed: &str) -> Vec<HunkId> {
        if self.hunks.is_empty() {
            return Vec::new();
        }
        let text = self.text.text();
        let equal: Vec<_> = ops(&bounded(&text), &bounded(committed))
            .into_iter()
            .filter(|op| op.tag() == DiffTag::Equal)
            .map(|op| op.old_range())
            .collect();
        let (mut kept, mut touches) = (Vec::new(), Vec::new());
        let (mut at, mut line) = (0, 0);
        for hunk in &self.hunks {
            line += self.text.count_line_breaks(at..hunk.text.start);
            at = hunk.text.start;
            let new = self.new_text(hunk);
            // With the line before it and the line after; the first of the bounded lines is none of the text's.
            let end = line + new.lines().count() + 2;
            let run = equal.get(equal.partition_point(|run| run.end < end));
            if run.is_some_and(|run| run.start <= line) {
                let edit = Edit { range: hunk.base.clone(), text: new };
                touches.push(EditWindow { window: hunk.text.clone(), text: Vec::new(), base: vec![edit] });
                kept.push(hunk.id);
            }
        }
        if !kept.is_empty() {
            self.apply_edit_windows(touches, HunkAuthor::Decision(HunkOutcome::Committed));
            self.keep_file_with_lines();
        }
        kept
    }
}

/// The lines of a text between two that no text has, so that its ends are lines like others.
fn bounded(text: &str) -> Vec<&str> {
    ["\nstart"].into_iter().chain(text.lines()).chain(["\nend"]).collect()
}
