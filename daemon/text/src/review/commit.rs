//! A commit is a decision: hunks that a committed text contains count as kept.

use similar::DiffTag;

use super::cluster::{EditWindow, HunkAuthor};
use super::{HunkId, HunkOutcome, Review};
use crate::Edit;
use crate::diff::ops;

impl Review {
    /// Keeps the hunks whose lines the committed text contains between the same lines as here. Line endings
    /// are ignored: Git may convert them.
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
            // Including the line before and the line after; the first bounded line is a sentinel.
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

/// The lines of a text between two sentinels that no text contains, so that its ends are lines like others.
fn bounded(text: &str) -> Vec<&str> {
    ["\nstart"].into_iter().chain(text.lines()).chain(["\nend"]).collect()
}
