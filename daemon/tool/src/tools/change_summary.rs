//! What the model reads after a change of one or several files.

use super::apply_changes::{AppliedChanges, shown, total};
use super::change::RequestedChange;
use super::target_file::count;
use crate::outcome::ToolOutput;

/// The cap on changed lines that the model sees, for all files together.
const MAX_SHOWN_LINES: usize = 200;

/// The cap on files that the model is told by name: a rename may change hundreds.
const MAX_LISTED_FILES: usize = 50;

pub(super) struct ChangeSummary {
    title: String,
    output: String,
}

impl ChangeSummary {
    /// `done` is the word for a change of several files: `Patched`.
    pub(super) fn new(changes: &[RequestedChange], done: &str) -> Self {
        let shown = shown(changes);
        let one = |change: &RequestedChange, room: &mut usize| {
            let title = format!("{} ({})", change.describe_done(), change.size());
            let lines = change.places.lines().count();
            match room.checked_sub(lines) {
                Some(left) if change.is_edited() && lines > 0 => {
                    *room = left;
                    format!("{title}. The changed places now read:\n{}", change.places)
                }
                _ => format!("{title}.\n"),
            }
        };
        let mut room = MAX_SHOWN_LINES;
        let mut each: String =
            shown.iter().take(MAX_LISTED_FILES).map(|change| one(change, &mut room)).collect();
        if let Some(more) = shown.len().checked_sub(MAX_LISTED_FILES).filter(|more| *more > 0) {
            each.push_str(&format!("… and {}.\n", count(more, "more file")));
        }
        match shown.as_slice() {
            [only] => Self { title: format!("{} ({})", only.describe_done(), only.size()), output: each },
            several => {
                let title = format!("{done} {} ({})", count(several.len(), "file"), total(several));
                let output = format!("{title}.\n{each}");
                Self { title, output }
            }
        }
    }

    /// `remarks` follow the changed places.
    pub(super) fn finish(mut self, made: AppliedChanges, remarks: &str) -> ToolOutput {
        if let Some(reviewed) = &made.review {
            if !reviewed.is_fully_accepted {
                let what = self.title.rsplit_once(" (").map_or(self.title.as_str(), |(what, _)| what);
                self.title = format!("{what}, in part");
            }
            self.output.clone_from(&reviewed.summary);
        }
        self.output.push_str(remarks);
        let notes = made.notes();
        if !notes.is_empty() {
            self.output.truncate(self.output.trim_end_matches('\n').len());
        }
        self.output.push_str(&notes);
        let Self { title, output } = self;
        ToolOutput { title, output, metadata: made.into_metadata(), ..ToolOutput::default() }
    }
}
