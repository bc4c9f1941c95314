//! A call may replace a whole text only if the model was shown all of it: what it was not shown would be lost.

use copydesk_text::PageRequest;
use copydesk_workspace::files::{
    AppliedFileChange, ContentStamp, FileContent, FileError, ResolvedPath, ShownText,
};

use super::change::RequestedChange;
use super::target_file::file_error;
use crate::context::ToolContext;
use crate::outcome::ToolError;

/// Whether the model may replace this whole content; if not, the error says what it was not shown.
pub(super) fn check_shown(
    context: &ToolContext,
    place: &ResolvedPath,
    content: &FileContent,
) -> Result<(), ToolError> {
    let shown = &place.display_path;
    let refuse =
        |why: String, how: &str| Err(ToolError::target(format!("{why}; nothing was written. {how}")));
    let how = "Read it first, or change only a part of it with `edit`.";
    match (context.files.shown_text(place, content.stamp), context.files.seen_stamp(place)) {
        (Some(ShownText::Whole), _) => Ok(()),
        (Some(ShownText::Lines(lines)), _) => {
            let next = lines.iter().take_while(|(first, _)| *first == 1).map(|(_, last)| last + 1).last();
            let next = next.unwrap_or(1);
            if is_too_long(&content.bytes, next) {
                let why = format!("Line {next} of `{shown}` is too long to be shown whole");
                return refuse(why, "Change the file with `edit`.");
            }
            refuse(format!("`{shown}` has lines that you were not shown, from line {next} on"), how)
        }
        (None, Some(_)) => Err(file_error(&FileError::Changed { shown: shown.clone() })),
        (None, None) => refuse(format!("`{shown}` exists, and you have not read it in this session"), how),
    }
}

/// Whether `read` cuts this line, counted from 1.
fn is_too_long(bytes: &[u8], line: usize) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.lines().nth(line - 1).is_some_and(|line| line.chars().count() > PageRequest::default().line_chars)
}

/// The files whose whole text the model knows before its changes. It also knows the result, where it is exactly what the
/// model requested; a formatter changes only its form.
pub(super) struct KnownTexts(Vec<ResolvedPath>);

impl KnownTexts {
    pub(super) fn new(context: &ToolContext, changes: &[RequestedChange]) -> Self {
        let is_whole = |place: &ResolvedPath, stamp: ContentStamp| {
            context.files.shown_text(place, stamp) == Some(ShownText::Whole)
        };
        let is_known = |change: &&RequestedChange| match (change.moved_from(), change.kind.stamp()) {
            (Some((from, stamp)), _) => is_whole(from, stamp),
            (None, Some(stamp)) => is_whole(&change.place, stamp),
            // The model wrote the whole file.
            (None, None) => true,
        };
        Self(changes.iter().filter(is_known).map(|change| change.place.clone()).collect())
    }

    /// Where the user has typed meanwhile, the result is another than the model requested.
    pub(super) fn mark_applied(&self, context: &ToolContext, applied: &[AppliedFileChange]) {
        for change in applied.iter().filter(|change| !change.is_rebased && self.contains(&change.path)) {
            if let Some(stamp) = change.stamp {
                context.files.mark_known(&change.path, stamp);
            }
        }
    }

    /// After a review, in which the user may have decided otherwise. `requested` are the changes as they were proposed.
    pub(super) fn mark_reviewed(&self, context: &ToolContext, requested: &[RequestedChange]) {
        for change in requested.iter().filter(|change| self.contains(&change.place)) {
            if let Some(text) = change.result() {
                context.files.mark_known(&change.place, ContentStamp::of_bytes(text.as_bytes()));
            }
        }
    }

    fn contains(&self, place: &ResolvedPath) -> bool {
        self.0.iter().any(|known| known.real_path() == place.real_path())
    }
}
