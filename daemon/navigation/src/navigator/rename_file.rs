//! Moves a file or a folder, and changes what names it in other files.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use copydesk_servers::{
    CodeQuery, ExistingFilePolicy, ServerFileOperation, ServerTextEdit, ServerWorkspaceEdit,
};
use copydesk_syntax::grammar::grammar_for;
use copydesk_text::{Document, LineBreaks, PositionEncoding};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::server_edits::{require_ready, server_refuses};
use super::{Navigator, run_blocking};
use crate::answer::NavigationError;
use crate::code_edit_plan::{CodeEditPlan, CodeEditPlanner, TextsThen};
use crate::moved_imports::{self, ImportingFile, PathMove, import_edits};
use crate::time_limits::{ANSWER_TIMEOUT, EDIT_READY_TIMEOUT};

/// How many entries of a folder that moves are looked at.
const MAX_ENTRIES: usize = 1000;

impl Navigator {
    /// Both are absolute paths in the workspace. `to` does not exist yet.
    pub async fn rename_file(
        &self,
        from: &Path,
        to: &Path,
        cancel: &CancellationToken,
    ) -> Result<CodeEditPlan, NavigationError> {
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
        if moved_imports::is_supported(&served) {
            let moved = PathMove { from: from.to_owned(), to: to.to_owned() };
            let (operations, note) = self.change_imports(moved, cancel).await?;
            edit.operations.splice(0..0, operations);
            notes.push(note);
        } else {
            let shown = self.names.shown(from);
            notes.push(format!("What names {shown} in other files was not changed: search for it."));
        }
        let names = self.names.clone();
        let files = run_blocking(move || CodeEditPlanner::new(&names, &then, None).plan(&edit)).await??;
        Ok(CodeEditPlan { files, server: None, notes })
    }

    /// The edits of the files that import what moves, and what is to be said of them.
    async fn change_imports(
        &self,
        moved: PathMove,
        cancel: &CancellationToken,
    ) -> Result<(Vec<ServerFileOperation>, String), NavigationError> {
        let name = moved.from.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let candidates = self.names.files_with(&name, cancel).await;
        let names = self.names.clone();
        run_blocking(move || {
            let inside = files_below(&moved.from);
            let mut is_cut = candidates.is_cut || inside.len() >= MAX_ENTRIES;
            let paths: BTreeSet<PathBuf> = candidates.paths.into_iter().chain(inside).collect();
            let (mut operations, mut left) = (Vec::new(), Vec::new());
            for path in paths.into_iter().filter(|path| moved_imports::is_supported(path)) {
                let Some(text) = names.text(&path) else {
                    is_cut = true;
                    continue;
                };
                let file = ImportingFile { path: &path, text: &text };
                let found = import_edits(&file, &moved, &|path| path.exists());
                if found.left > 0 {
                    left.push(names.shown(&path));
                }
                if !found.edits.is_empty() {
                    let edits = text_edits(&text, &found.edits);
                    operations.push(ServerFileOperation::Edit { path, version: None, edits });
                }
            }
            (operations, imports_note(&left, is_cut))
        })
        .await
    }
}

fn imports_note(left: &[String], is_cut: bool) -> String {
    let mut note = "Imports were changed by syntax, likely all of them.".to_owned();
    if !left.is_empty() {
        note = format!(
            "Imports were changed by syntax. Some cannot be written any more, in {}.",
            left.join(", ")
        );
    }
    if is_cut {
        note.push_str(" Not all files could be searched.");
    }
    note
}

fn text_edits(text: &str, edits: &[(Range<usize>, String)]) -> Vec<ServerTextEdit> {
    let document = Document::new(text, LineBreaks::Any);
    let position = |offset| document.position(offset, PositionEncoding::Utf16);
    let edit = |(range, text): &(Range<usize>, String)| ServerTextEdit {
        range: position(range.start)..position(range.end),
        text: text.clone(),
    };
    edits.iter().map(edit).collect()
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
    files_below(path).into_iter().find(|path| grammar_for(path).is_some())
}

/// The file itself, or the files in a folder, up to a limit.
fn files_below(path: &Path) -> Vec<PathBuf> {
    let (mut pending, mut found) = (vec![path.to_owned()], Vec::new());
    while let Some(path) = pending.pop() {
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_folder {
            pending.extend(path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()));
        } else {
            found.push(path);
        }
        if found.len() + pending.len() > MAX_ENTRIES {
            break;
        }
    }
    found
}
