//! What a call is about: asking for it, looking at it, and saying what is wrong with it.

use copydesk_workspace::files::{Content, FileError, Place, READ_LIMIT};
use copydesk_workspace::search::SearchError;

use crate::context::{Ask, Context};
use crate::outcome::{Failure, FailureKind};
use crate::tool::Touches;

/// The ask of a tool that only looks, at what is at a place.
pub(super) fn look_ask(key: &str, context: &Context, place: &Place) -> Ask {
    let names = names(context, place);
    let title = format!("{key} {}", place.shown);
    Ask { key: key.to_owned(), patterns: names.clone(), always: names, title, ..Ask::default() }
}

/// The ask of a tool that looks for a pattern.
pub(super) fn search_ask(key: &str, pattern: &str) -> Ask {
    Ask {
        key: key.to_owned(),
        patterns: vec![pattern.to_owned()],
        always: vec!["*".to_owned()],
        title: format!("{key} {pattern}"),
        ..Ask::default()
    }
}

/// What a place is called in rules: its name, and where that is a link the name of what it leads to. A rule about either
/// counts, so that no link leads past it.
pub(super) fn names(context: &Context, place: &Place) -> Vec<String> {
    let real = context.files.resolve(&place.real().to_string_lossy()).shown;
    if real == place.shown { vec![real] } else { vec![place.shown.clone(), real] }
}

/// The file that a call is about, by its real path: two names of one file are one file.
pub(super) fn touches(path: &str, context: &Context) -> Touches {
    Touches::Files(vec![context.files.resolve(path).real().to_owned()])
}

/// The content as it is, without counting as seen by the session: the model is not shown it.
pub(super) async fn look(context: &Context, place: &Place) -> Result<Content, FileError> {
    context.files.look(place, READ_LIMIT).await
}

/// Why a file cannot be had; for one that does not exist with what may have been meant.
pub(super) async fn failure(context: &Context, place: &Place, error: FileError) -> Failure {
    if !matches!(error, FileError::NotFound { .. }) {
        return file_failure(&error);
    }
    let hint = meant(context, place).await;
    let hint = hint.unwrap_or_else(|| "Look for it with `glob`, or list its folder.".to_owned());
    Failure::target(format!("{} {hint}", sentence(&error.to_string())))
}

/// Which file may have been meant by one that does not exist.
pub(super) async fn meant(context: &Context, place: &Place) -> Option<String> {
    let names = context.files.similar_names(place).await;
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    Some(match names.split_last()? {
        (only, []) => format!("Did you mean {only}?"),
        (last, others) => format!("Did you mean {} or {last}?", others.join(", ")),
    })
}

pub(super) fn file_failure(error: &FileError) -> Failure {
    let kind = match error {
        FileError::Denied { .. }
        | FileError::ReadOnly { .. }
        | FileError::DiskFull { .. }
        | FileError::Refused { .. }
        | FileError::Journal { .. }
        | FileError::Half { .. }
        | FileError::Io { .. } => FailureKind::Failed,
        _ => FailureKind::Target,
    };
    Failure::new(kind, sentence(&error.to_string()))
}

pub(super) async fn search_failure(context: &Context, place: &Place, error: SearchError) -> Failure {
    let shown = place.shown.clone();
    let kind = match error {
        SearchError::Cancelled => return Failure::cancelled(),
        SearchError::NotFound(_) => return failure(context, place, FileError::NotFound { shown }).await,
        SearchError::Glob { .. }
        | SearchError::Escapes(_)
        | SearchError::Regex(_)
        | SearchError::Long { .. } => FailureKind::Arguments,
        SearchError::NotAFolder(_) | SearchError::NotRegular(_) => FailureKind::Target,
        SearchError::Stopped(_) => FailureKind::Failed,
    };
    Failure::new(kind, sentence(&error.to_string()))
}

/// Runs what may take a while on a thread that may block.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let broken = |_| {
        Failure::new(
            FailureKind::Broken,
            "The call broke down. This is a fault of Copydesk, not of the call.",
        )
    };
    tokio::task::spawn_blocking(work).await.map_err(broken)?
}

/// An error's words as a sentence.
pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let end = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    first.chain(letters).collect::<String>() + end
}

/// What is said of a search whose time was over; `narrower` is what would have helped.
pub(super) fn late(patience: std::time::Duration, narrower: &str) -> String {
    format!(
        "\n(The search was stopped after {} s, so that there may be more. Give a narrower {narrower}.)",
        patience.as_secs()
    )
}

/// `1 line`, `2 lines`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
