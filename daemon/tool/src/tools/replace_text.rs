//! Replaces texts in one file, one after the other, as one change: the work of `edit` and `multiedit`.

use copydesk_text::{Change as TextChange, FileText, MatchTier, MatchedChange, ReplaceError, replace};
use copydesk_workspace::files::{FileContent, FileError, ResolvedPath};
use tokio_util::sync::CancellationToken;

use super::apply_changes::apply_changes;
use super::change::RequestedChange;
use super::target_file::{self, count, file_error, path_ask, run_blocking};
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};

/// The cap on inexact matches that a note names.
const MAX_NAMED_MATCHES: usize = 5;

/// One replacement.
#[derive(Debug)]
pub(super) struct TextReplacement {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) all: bool,
}

/// Makes all of the replacements, or none. An empty old text creates a new file. If `is_numbered`, messages name the
/// replacement by its number.
pub(super) async fn replace_in_file(
    context: &ToolContext,
    path: &str,
    replacements: Vec<TextReplacement>,
    is_numbered: bool,
) -> Result<ToolOutput, ToolError> {
    let place = context.resolve_path(path).await?;
    let seen = context.files.seen_stamp(&place);
    let creates = replacements.first().is_some_and(|first| first.old.is_empty());
    let content = match target_file::load_content(context, &place).await {
        Ok(content) => Some(content),
        Err(FileError::NotFound { .. }) if creates => None,
        Err(error) => return Err(target_file::file_error_with_hint(context, &place, error).await),
    };
    if content.is_some() && seen.is_none() {
        // The output, or the error, shows some of the file, so reading it must be allowed.
        context.ask(path_ask("read", context, &place)).await?;
    }
    let other = content.as_ref().zip(seen).is_some_and(|(content, seen)| content.stamp != seen);
    let is_open = content.as_ref().is_some_and(|content| content.is_from_buffer);
    // Typing of the user is no reason to reject: the text to replace must still match.
    if other && !is_open {
        return Err(file_error(&FileError::Changed { shown: place.display_path }));
    }
    let (at, cancel) = (place.clone(), context.cancel.clone());
    let work = move || ReplacementJob { place: at, replacements, is_numbered, cancel }.change(content);
    let (change, found) = run_blocking(work).await?;
    let mut title = format!("{} ({})", change.describe_done(), change.size());
    let mut output = match change.places.as_str() {
        "" => format!("{title}. It is empty now."),
        places => format!("{title}. The changed places now read:\n{places}"),
    };
    let did = change.describe_done();
    let mut made = apply_changes(context, vec![change]).await?;
    made.tell_tiers(found.iter().map(|tier| tier.name()));
    if let Some(reviewed) = &made.review {
        if !reviewed.is_fully_accepted {
            title = format!("{did}, in part");
        }
        output.clone_from(&reviewed.summary);
    }
    output.push_str(&inexact_note(&found, is_numbered));
    if other || made.rebased {
        output.push_str(
            "\n(The user has changed this file in the editor since you read it; what they wrote is kept.)",
        );
    }
    let notes = made.notes();
    if !notes.is_empty() {
        output.truncate(output.trim_end_matches('\n').len());
    }
    output.push_str(&notes);
    Ok(ToolOutput { title, output, metadata: made.into_metadata(), ..ToolOutput::default() })
}

/// The work for a blocking thread.
struct ReplacementJob {
    place: ResolvedPath,
    replacements: Vec<TextReplacement>,
    is_numbered: bool,
    cancel: CancellationToken,
}

impl ReplacementJob {
    /// The change, and the matcher's tier for each text that was in the file.
    fn change(self, content: Option<FileContent>) -> Result<(RequestedChange, Vec<MatchTier>), ToolError> {
        let Some(content) = content else {
            let (text, found) = self.created()?;
            return Ok((RequestedChange::create(&self.place, text), found));
        };
        let file = FileText::decode(content.bytes).map_err(|why| {
            ToolError::target(format!("`{}` cannot be edited: {why}.", self.place.display_path))
        })?;
        let (change, found) = match self.replacements.as_slice() {
            [only] => {
                let MatchedChange { change, tier } = self.replace(file.text(), 0, only)?;
                (change, vec![tier])
            }
            _ => {
                let (text, found) = self.replace_from(0, file.text().to_owned())?;
                (TextChange::between(file.text(), &text), found)
            }
        };
        if change.is_empty() {
            let message = "Nothing to change: what the edits do, later ones undo.";
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        Ok((RequestedChange::edit(&self.place, file, content.stamp, change)?, found))
    }

    /// The text of a new file: the first replacement has it, the others apply to it.
    fn created(&self) -> Result<(String, Vec<MatchTier>), ToolError> {
        let text = self.replacements.first().map(|first| first.new.clone()).unwrap_or_default();
        let (text, found) = self.replace_from(1, text)?;
        if text.is_empty() {
            let message = format!(
                "`{}` does not exist, and nothing would be in it: there is nothing to do.",
                self.place.display_path
            );
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        Ok((text, found))
    }

    /// Applies each to the result of those before it.
    fn replace_from(&self, first: usize, mut text: String) -> Result<(String, Vec<MatchTier>), ToolError> {
        let mut found = Vec::new();
        for (index, wanted) in self.replacements.iter().enumerate().skip(first) {
            if self.cancel.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            let MatchedChange { change, tier } = self.replace(&text, index, wanted)?;
            text = change.apply(&text).map_err(|stale| ToolError::failed(stale.to_string()))?;
            found.push(tier);
        }
        Ok((text, found))
    }

    fn replace(
        &self,
        text: &str,
        index: usize,
        wanted: &TextReplacement,
    ) -> Result<MatchedChange, ToolError> {
        let refused = |error: ReplaceError| {
            let kind = match error {
                ReplaceError::Identical | ReplaceError::BlankOld => ToolErrorKind::Arguments,
                ReplaceError::AlreadyReplaced { .. }
                | ReplaceError::NotFound { .. }
                | ReplaceError::Unclear { .. }
                | ReplaceError::Ambiguous { .. } => ToolErrorKind::Target,
            };
            ToolError::new(kind, format!("{}{error}", self.number(index)))
        };
        replace(text, &wanted.old, &wanted.new, wanted.all).map_err(refused)
    }

    /// `Edit 2 of 3, and with it all of them, was not made. `
    fn number(&self, index: usize) -> String {
        if !self.is_numbered {
            return String::new();
        }
        let lines = match index {
            0 => "",
            _ => " (lines are counted as the edits before it would leave them)",
        };
        let all = self.replacements.len();
        format!("Edit {} of {all} cannot be made, so none was{lines}. ", index + 1)
    }
}

/// The note about inexact matches.
fn inexact_note(found: &[MatchTier], is_numbered: bool) -> String {
    let lenient = found.iter().enumerate().filter_map(|(index, tier)| Some((index, tier.leniency()?)));
    let lenient: Vec<_> = lenient.collect();
    let mut told = String::new();
    for (index, leniency) in lenient.iter().take(MAX_NAMED_MATCHES) {
        let of = if is_numbered { format!(" of edit {}", index + 1) } else { String::new() };
        told.push_str(&format!(
            "\n(The old text{of} was not there exactly: {leniency} was overlooked. Check that this is the place you meant.)"
        ));
    }
    if let Some(more @ 1..) = lenient.len().checked_sub(MAX_NAMED_MATCHES) {
        told.push_str(&format!("\n(So it was with {} more.)", count(more, "edit")));
    }
    told
}
