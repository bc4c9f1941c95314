//! Moves a file or a folder, and changes what names it in other files.

use std::path::{Path, PathBuf};

use copydesk_servers::{CodeQuery, ExistingFilePolicy, ServerFileOperation, ServerWorkspaceEdit};
use copydesk_syntax::grammar::grammar_for;
use tokio::time::Instant;

use super::server_edits::{require_ready, server_refuses};
use super::{Navigator, run_blocking};
use crate::answer::NavigationError;
use crate::code_edit_plan::{CodeEditPlan, CodeEditPlanner, TextsThen};
use crate::time_limits::{ANSWER_TIMEOUT, EDIT_READY_TIMEOUT};

/// How many entries of a folder are looked at for a file that a server serves.
const MAX_ENTRIES: usize = 1000;

impl Navigator {
    /// Both are absolute paths in the workspace. `to` does not exist yet.
    pub async fn rename_file(&self, from: &Path, to: &Path) -> Result<CodeEditPlan, NavigationError> {
        if !from.exists() {
            return Err(NavigationError::new(format!("{} does not exist.", self.names.shown(from))));
        }
        let served = source_file(from).unwrap_or_else(|| from.to_owned());
        let ready_by = Instant::now() + EDIT_READY_TIMEOUT;
        let leased = self.lease(&served, CodeQuery::WillRenameFiles, ready_by).await;
        let then = TextsThen::now(&self.names);
        let until = Instant::now() + ANSWER_TIMEOUT;
        let mut edit = ServerWorkspaceEdit::default();
        // Two servers that change the same imports would change them twice.
        let lease = leased.leases.into_iter().next();
        if let Some(lease) = &lease {
            require_ready(lease)?;
            let answer = lease.server.will_rename_file(from, to, until).await;
            edit = answer.map_err(|error| server_refuses(lease, &error))?;
            for operation in &mut edit.operations {
                edit_before_move(operation, from, to);
            }
        }
        let is_move = |operation: &ServerFileOperation| matches!(operation, ServerFileOperation::Rename { to: other, .. } if other == to);
        if !edit.operations.iter().any(is_move) {
            let (from, to) = (from.to_owned(), to.to_owned());
            let existing = ExistingFilePolicy::Refuse;
            edit.operations.push(ServerFileOperation::Rename { from, to, existing });
        }
        if let Some(lease) = &lease {
            return self.plan_server_edit(edit, lease, then).await;
        }
        let mut notes: Vec<_> =
            leased.unavailable.iter().map(|(name, why)| format!("{name}: {why}.")).collect();
        notes.push(format!(
            "What names {} in other files was not changed: search for it.",
            self.names.shown(from)
        ));
        let names = self.names.clone();
        let files = run_blocking(move || CodeEditPlanner::new(&names, &then, None).plan(&edit)).await??;
        Ok(CodeEditPlan { files, server: None, notes })
    }
}

/// Servers name a file that moves by its old or its new path. It is edited before it moves.
fn edit_before_move(operation: &mut ServerFileOperation, from: &Path, to: &Path) {
    if let ServerFileOperation::Edit { path, .. } = operation
        && let Ok(rest) = path.strip_prefix(to)
    {
        *path = if rest.as_os_str().is_empty() { from.to_owned() } else { from.join(rest) };
    }
}

/// The file, or one in the folder that has code: it decides which servers are asked.
fn source_file(path: &Path) -> Option<PathBuf> {
    let mut pending = vec![path.to_owned()];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        seen += 1;
        if seen > MAX_ENTRIES {
            return None;
        }
        if path.is_dir() {
            pending.extend(path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if grammar_for(&path).is_some() {
            return Some(path);
        }
    }
    None
}
