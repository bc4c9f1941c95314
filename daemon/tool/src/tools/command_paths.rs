//! Asks for the folders outside the workspace that a command names, as the other tools do for theirs.
//!
//! The user who approves a command sees its paths, so only a rule asks or denies further then.

use std::collections::BTreeSet;
use std::path::Path;

use crate::context::{AskUserMode, PermissionGrant, PermissionRequest, ToolContext};
use crate::outcome::ToolError;

/// A user cannot judge more.
const MAX_FOLDERS: usize = 32;

/// `workdir` is the real folder that the command runs in: it was asked for before.
pub(super) async fn ask_outside_folders(
    context: &ToolContext,
    workdir: &Path,
    paths: &[String],
    grant: PermissionGrant,
) -> Result<(), ToolError> {
    let mut folders = BTreeSet::new();
    for path in paths {
        // The real path: a symlink in the workspace may lead anywhere.
        let place = context.files.resolve(path);
        let real = place.real_path();
        let folder = if real.is_dir() { Some(real) } else { real.parent() };
        // Many arguments only look like a path: nothing is there, and nothing can be made there.
        if let Some(folder) =
            folder.filter(|folder| !place.is_in_workspace && !real.starts_with(workdir) && folder.is_dir())
        {
            folders.insert(folder.join("*").display().to_string());
        }
    }
    let Some(first) = folders.first() else { return Ok(()) };
    let title = match folders.len() {
        1 => format!("The command names {first}, outside the workspace"),
        count => format!("The command names {first} and {} more folders outside the workspace", count - 1),
    };
    let always = if folders.len() > MAX_FOLDERS { Vec::new() } else { folders.iter().cloned().collect() };
    let ask_user = if grant == PermissionGrant::ByUser { AskUserMode::Never } else { AskUserMode::Whole };
    let key = "external_directory".to_owned();
    let patterns = folders.into_iter().collect();
    context
        .ask(PermissionRequest { key, patterns, always, title, ask_user, ..PermissionRequest::default() })
        .await
        .map(drop)
}
