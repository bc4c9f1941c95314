//! Deletes a file that may be open in an editor.
//!
//! Invariant: what the user typed and did not save is never deleted with the file. An agent's deletion and an undo are
//! refused while there is such text. A decision of the user deletes the file; then the buffer keeps the text.

use copydesk_text::{Document, FileText};
use tokio::time::timeout;

use super::apply_decisions::decoded;
use super::{Author, ChangeCause, FileChange, FileChangeKind, FileError, ResolvedPath, WorkspaceFiles};
use crate::buffers::{DiskChange, EditorError, OpenBuffer};
use crate::time_limits::APPLY_EDIT_TIMEOUT;

impl WorkspaceFiles {
    /// The deletion of an open file, with the content that the file has on disk.
    pub(super) async fn check_deletion(
        &self,
        change: &FileChange,
        open: &OpenBuffer,
        cause: &ChangeCause,
    ) -> Result<FileChange, FileError> {
        let place = &change.path;
        let unsaved = || FileError::Unsaved { shown: place.display_path.clone() };
        let content = match self.read_from_disk(place).await {
            Err(FileError::NotFound { .. }) => return Err(unsaved()),
            content => content?,
        };
        let (stamp, file) = (content.stamp, decoded(place, content.bytes)?);
        if file.text() != open.document.text() && !cause.is_decision() {
            return Err(unsaved());
        }
        Ok(FileChange { path: place.clone(), kind: FileChangeKind::Delete { file, stamp } })
    }

    /// Closes the buffer of a file, and deletes the file if it still has this content. If the user has typed there
    /// meanwhile, nothing happens.
    pub(super) async fn delete_file(
        &self,
        place: &ResolvedPath,
        content: &FileText,
        open: Option<&OpenBuffer>,
        cause: &ChangeCause,
    ) -> Result<(), FileError> {
        let Some(open) = open else { return self.remove(place, content.clone()).await };
        if let Some(editor) = self.buffers().editor(open.client) {
            // The file's text, not the buffer's: the editor keeps a buffer with unsaved text.
            let saved = Document::new(content.text(), open.document.line_breaks());
            let closing = editor.close_deleted(&cause.label, &open.uri, &saved);
            if let Ok(Err(EditorError::Declined(_))) = timeout(APPLY_EDIT_TIMEOUT, closing).await
                && !cause.is_decision()
            {
                return Err(FileError::Unsaved { shown: place.display_path.clone() });
            }
        }
        match self.remove(place, content.clone()).await {
            // The editor has deleted it.
            Err(FileError::Disappeared { .. }) => Ok(()),
            Err(error) => {
                // The editor opens it again.
                self.buffers().notify_disk_change(place.real_path(), DiskChange::Created, None);
                Err(error)
            }
            removed => removed,
        }
    }
}

impl ChangeCause {
    fn is_decision(&self) -> bool {
        matches!(self.author, Author::Decision(_))
    }
}
