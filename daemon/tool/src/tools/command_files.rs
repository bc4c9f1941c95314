//! Asks for the files that a command shows or changes by name, as `read` does: a command is no way past a rule about a
//! file.
//!
//! A command that only reads runs unasked, so what it shows of files that it does not name is looked at first.

use std::collections::BTreeSet;
use std::path::Path;

use copydesk_permission::{CommandReading, looks_like_secret};
use copydesk_workspace::process::{Processes, is_guarded_repository};
use copydesk_workspace::search::list_files;

use super::folder_listing::child_path_from_real;
use super::rule_names::rule_names;
use crate::context::{AskUserMode, PermissionGrant, PermissionRequest, ToolContext};
use crate::outcome::ToolError;

/// A search of more files is asked for as a whole.
const MAX_SEARCHED_FILES: usize = 20_000;

/// The files that a command which only reads shows without naming them. If that cannot be known, or if its repository
/// may run something, the command counts as one that may do more.
pub(super) async fn find_searched_files(
    context: &ToolContext,
    processes: &Processes,
    workdir: &Path,
    reading: &mut CommandReading,
) -> Vec<String> {
    if !reading.only_reads() {
        return Vec::new();
    }
    if reading.reads_git && !is_guarded_repository(processes, workdir).await {
        reading.ask_for_all();
        return Vec::new();
    }
    // Git shows all of its repository, hidden files too.
    let root = reading.reads_git.then(|| context.files.root().display().to_string());
    let root = root.filter(|_| !reading.searched_folders.is_empty());
    let folders: BTreeSet<String> = reading.searched_folders.iter().cloned().chain(root).collect();
    let mut names = BTreeSet::new();
    for folder in folders {
        let place = context.files.resolve(&folder);
        // Another folder is asked for under its own key.
        if !place.is_in_workspace || !place.real_path().is_dir() {
            continue;
        }
        let limit = MAX_SEARCHED_FILES - names.len();
        let files = list_files(place.real_path(), reading.reads_git, limit, context.cancel.clone()).await;
        let Some(files) = files.ok().filter(|files| files.is_complete) else {
            reading.ask_for_all();
            return Vec::new();
        };
        names.extend(files.paths.iter().map(|path| child_path_from_real(&place, path)));
    }
    names.into_iter().collect()
}

/// Asks for what `find_searched_files` found, and for the files that the command names. The user who approved the command
/// saw these, so then only a rule denies them.
pub(super) async fn ask_for_files(
    context: &ToolContext,
    reading: &CommandReading,
    searched: Vec<String>,
    grant: PermissionGrant,
) -> Result<(), ToolError> {
    let mut named = BTreeSet::new();
    for path in &reading.paths {
        let place = context.files.resolve(path);
        if place.real_path().is_file() {
            named.extend(rule_names(&context.files, &place));
        }
    }
    let ask_user = if grant == PermissionGrant::ByUser { AskUserMode::Never } else { AskUserMode::Whole };
    let named: Vec<_> = named.into_iter().collect();
    ask_to_read(context, named, "The command reads", ask_user).await?;
    if grant == PermissionGrant::ByUser || !reading.only_reads() {
        return Ok(());
    }
    let (secret, others): (Vec<_>, Vec<_>) = searched.into_iter().partition(|path| looks_like_secret(path));
    ask_to_read(context, secret, "The command may show", AskUserMode::Whole).await?;
    ask_to_read(context, others, "The command may show", AskUserMode::Whole).await
}

async fn ask_to_read(
    context: &ToolContext,
    files: Vec<String>,
    what: &str,
    ask_user: AskUserMode,
) -> Result<(), ToolError> {
    let Some(first) = files.first() else { return Ok(()) };
    let title = match files.len() {
        1 => format!("{what} {first}"),
        // The rules leave those that they ask for.
        _ => format!("{what} files that a rule asks for"),
    };
    let key = "read".to_owned();
    let ask = PermissionRequest {
        key,
        always: files.clone(),
        patterns: files,
        title,
        ask_user,
        ..PermissionRequest::default()
    };
    context.ask(ask).await.map(drop)
}
