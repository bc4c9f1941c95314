//! The file or folder that a call is about: the ask, the content, the errors.

use copydesk_workspace::files::{FileContent, FileError, READ_LIMIT, ResolvedPath};
use copydesk_workspace::search::SearchError;

use super::rule_names::rule_names;
use crate::context::{PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind};
use crate::tool::TouchedFiles;

/// The ask of a tool that reads a path.
pub(super) fn path_ask(key: &str, context: &ToolContext, place: &ResolvedPath) -> PermissionRequest {
    let names = rule_names(&context.files, place);
    let title = format!("{key} {}", place.display_path);
    PermissionRequest {
        key: key.to_owned(),
        patterns: names.clone(),
        always: names,
        title,
        ..PermissionRequest::default()
    }
}

/// The ask of a tool that searches for a pattern.
pub(super) fn search_ask(key: &str, pattern: &str) -> PermissionRequest {
    PermissionRequest {
        key: key.to_owned(),
        patterns: vec![pattern.to_owned()],
        always: vec!["*".to_owned()],
        title: format!("{key} {pattern}"),
        ..PermissionRequest::default()
    }
}

/// The file by its real path: two names of one file are one file.
pub(super) fn touched_file(path: &str, context: &ToolContext) -> TouchedFiles {
    TouchedFiles::Files(vec![context.files.resolve(path).real_path().to_owned()])
}

/// Loads the content without marking it as seen: the model is not shown it.
pub(super) async fn load_content(
    context: &ToolContext,
    place: &ResolvedPath,
) -> Result<FileContent, FileError> {
    context.files.peek(place, READ_LIMIT).await
}

/// The error of a file operation; for a missing file with the names that the model may have meant.
pub(super) async fn file_error_with_hint(
    context: &ToolContext,
    place: &ResolvedPath,
    error: FileError,
) -> ToolError {
    if !matches!(error, FileError::NotFound { .. }) {
        return file_error(&error);
    }
    let hint = similar_file_hint(context, place).await;
    let hint = hint.unwrap_or_else(|| "Look for it with `glob`, or list its folder.".to_owned());
    ToolError::target(format!("{} {hint}", sentence(&error.to_string())))
}

/// Suggests names for a missing file.
pub(super) async fn similar_file_hint(context: &ToolContext, place: &ResolvedPath) -> Option<String> {
    let names = context.files.similar_names(place).await;
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    Some(match names.split_last()? {
        (only, []) => format!("Did you mean {only}?"),
        (last, others) => format!("Did you mean {} or {last}?", others.join(", ")),
    })
}

pub(super) fn file_error(error: &FileError) -> ToolError {
    let kind = match error {
        FileError::Denied { .. }
        | FileError::ReadOnly { .. }
        | FileError::DiskFull { .. }
        | FileError::Refused { .. }
        | FileError::Journal { .. }
        | FileError::PartiallyApplied { .. }
        | FileError::Io { .. } => ToolErrorKind::Failed,
        _ => ToolErrorKind::Target,
    };
    ToolError::new(kind, sentence(&error.to_string()))
}

pub(super) async fn search_error(
    context: &ToolContext,
    place: &ResolvedPath,
    error: SearchError,
) -> ToolError {
    let shown = place.display_path.clone();
    let kind = match error {
        SearchError::Cancelled => return ToolError::cancelled(),
        SearchError::NotFound(_) => {
            return file_error_with_hint(context, place, FileError::NotFound { shown }).await;
        }
        SearchError::Glob { .. }
        | SearchError::PatternEscapes(_)
        | SearchError::Regex(_)
        | SearchError::PatternTooLong { .. } => ToolErrorKind::Arguments,
        SearchError::NotAFolder(_) | SearchError::NotRegular(_) => ToolErrorKind::Target,
        SearchError::Stopped(_) => ToolErrorKind::Failed,
    };
    ToolError::new(kind, sentence(&error.to_string()))
}

/// Runs slow work on a blocking thread.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let broken = |_| {
        ToolError::new(
            ToolErrorKind::Broken,
            "The call broke down. This is a fault of Copydesk, not of the call.",
        )
    };
    tokio::task::spawn_blocking(work).await.map_err(broken)?
}

/// An error message as a sentence.
pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let end = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    first.chain(letters).collect::<String>() + end
}

/// The note about a search that hit its timeout; `narrower` says what would help.
pub(super) fn timeout_note(timeout: std::time::Duration, narrower: &str) -> String {
    format!(
        "\n(The search was stopped after {} s, so that there may be more. Give a narrower {narrower}.)",
        timeout.as_secs()
    )
}

/// `1 line`, `2 lines`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
