//! Moves a file: its editor does it if it is open there, so that the buffer goes along, else the daemon.
//!
//! What the user typed and did not save stays in the buffer, which has the new name; the file keeps its content.

use copydesk_text::{Change, FileText};
use tokio::time::timeout;

use super::change::entry;
use super::rollback::RollbackLog;
use super::{
    AppliedFileChange, ChangeCause, ContentStamp, FileChange, FileChangeKind, FileError, ResolvedPath,
    WorkspaceFiles, WritePrecondition, lock, run_blocking, write,
};
use crate::buffers::{ClientId, DiskChange, EditorError, OpenBuffer};
use crate::journal::{HashedText, NewEntryKind};
use crate::reviews::{EditAuthor, MovedDocument};
use crate::time_limits::APPLY_EDIT_TIMEOUT;

/// A file that was moved.
pub(super) struct MovedFile {
    from: ResolvedPath,
    to: ResolvedPath,
    file: FileText,
}

impl WorkspaceFiles {
    /// Makes all moves, after it has checked the other changes too.
    pub(super) async fn apply_moves(
        &self,
        changes: &[FileChange],
        cause: &ChangeCause,
        done: &mut RollbackLog,
    ) -> Result<Vec<AppliedFileChange>, FileError> {
        let moved: Vec<_> = changes.iter().filter_map(FileChange::as_move).collect();
        if moved.is_empty() {
            return Ok(Vec::new());
        }
        for (from, to, file, _) in &moved {
            self.check_move(from, to, file).await?;
        }
        let is_target = |change: &&FileChange| moved.iter().any(|(_, to, ..)| **to == change.path);
        for change in changes.iter().filter(|change| !change.kind.is_move() && !is_target(change)) {
            match (self.buffer(&change.path)?, &change.kind) {
                (Some(open), FileChangeKind::Delete { .. }) => {
                    self.check_deletion(change, &open, cause).await?;
                }
                (Some(_), _) => {}
                (None, _) => self.check_on_disk([change].into_iter()).await?,
            }
        }
        let mut applied = Vec::new();
        for one in moved {
            applied.extend(self.apply_move(one, cause, done).await?);
        }
        Ok(applied)
    }

    async fn check_move(
        &self,
        from: &ResolvedPath,
        to: &ResolvedPath,
        file: &FileText,
    ) -> Result<(), FileError> {
        if self.buffer(to)?.is_some() {
            return Err(FileError::AlreadyExists { shown: to.display_path.clone() });
        }
        let open = self.buffer(from)?;
        let (source, target, file) = (from.clone(), to.clone(), file.clone());
        run_blocking(from, move || {
            write::check(&target, &WritePrecondition::New)?;
            match open {
                None => write::check(&source, &WritePrecondition::Unchanged(file)),
                Some(_) if source.has_no_file() || !source.real_path().exists() => {
                    Err(FileError::Unsaved { shown: source.display_path })
                }
                Some(_) => Ok(()),
            }
        })
        .await
    }

    /// The file that is gone, and the one that is there now.
    async fn apply_move(
        &self,
        (from, to, file, stamp): (&ResolvedPath, &ResolvedPath, &FileText, ContentStamp),
        cause: &ChangeCause,
        done: &mut RollbackLog,
    ) -> Result<[AppliedFileChange; 2], FileError> {
        let open = self.buffer(from)?;
        let text = match &open {
            Some(open) => HashedText::new(open.document.text()),
            None => stamp.text(file),
        };
        let new_path = to.real_path().to_string_lossy().into_owned();
        let (before, after) = (text.clone(), text.clone());
        let recorded = NewEntryKind::Move { to: new_path, before, change: Change::default(), after };
        let ids = self.record(vec![entry(cause, done.group, from.real_path(), recorded)], done).await?;
        let entry = ids.first().copied();
        let moved = self.relocate((from, to, file), open.as_ref(), &cause.label).await;
        self.settle(ids.into_iter().map(|id| (id, moved.is_ok())).collect()).await;
        let client = moved?;
        self.record_move((from, to), &text, client.as_ref(), cause.session.as_str(), cause.edit_author());
        done.moves.push(MovedFile { from: from.clone(), to: to.clone(), file: file.clone() });
        let stamp = if open.is_some() { ContentStamp::of_text(&text) } else { stamp };
        let gone = AppliedFileChange {
            path: from.clone(),
            client: None,
            is_rebased: false,
            entry,
            before: Some(text.to_shared()),
            after: None,
            stamp: None,
            is_saved: true,
            save_error: None,
        };
        let (before, after) = (None, gone.before.clone());
        let is_saved = client.is_none();
        let new = AppliedFileChange {
            path: to.clone(),
            client,
            before,
            after,
            stamp: Some(stamp),
            is_saved,
            ..gone.clone()
        };
        Ok([gone, new])
    }

    /// Moves the file. Returns the client and the new URI of its buffer.
    async fn relocate(
        &self,
        (from, to, file): (&ResolvedPath, &ResolvedPath, &FileText),
        open: Option<&OpenBuffer>,
        label: &str,
    ) -> Result<Option<(ClientId, String)>, FileError> {
        let Some(open) = open else {
            let (source, target) = (from.clone(), to.clone());
            let (file, shared) = (file.clone(), self.shared.clone());
            run_blocking(from, move || write::rename(&source, &target, &file, || lock(&shared.replacing)))
                .await?;
            return Ok(None);
        };
        let target = to.clone();
        run_blocking(to, move || write::create_parent_folder(&target)).await?;
        let answer = match self.buffers().editor(open.client) {
            None => Err(EditorError::Disconnected),
            Some(editor) => {
                let moving = editor.move_file(label, &open.uri, &to.absolute_path);
                timeout(APPLY_EDIT_TIMEOUT, moving).await.unwrap_or(Err(EditorError::TimedOut))
            }
        };
        let (source, target) = (from.real_path().to_owned(), to.real_path().to_owned());
        let is_moved = run_blocking(from, move || Ok(!source.exists() && target.exists())).await?;
        let refused = |why: String| FileError::Refused { shown: from.display_path.clone(), why };
        match answer {
            Err(error) if !is_moved => Err(refused(error.to_string())),
            Ok(()) if !is_moved => {
                Err(refused("it says that it moved the file, but the file is not there".to_owned()))
            }
            _ => Ok(self.buffers().wait_until_open(open.client, to.real_path()).await),
        }
    }

    fn record_move(
        &self,
        (from, to): (&ResolvedPath, &ResolvedPath),
        text: &HashedText,
        client: Option<&(ClientId, String)>,
        session: &str,
        author: EditAuthor<'_>,
    ) {
        self.mark_moved(from, to);
        let moved = MovedDocument {
            from: (from.real_path(), &from.display_path),
            to: (to.real_path(), &to.display_path),
            text: text.as_str(),
        };
        self.reviews().record_moved(&moved, session, author);
        if let Some((client, _)) = client {
            let look = |now: &copydesk_text::Document| {
                self.reviews().adopt_moved(*client, to.real_path(), now.into());
            };
            self.buffers().with_document(*client, to.real_path(), look);
        }
        let except = client.map(|(client, _)| *client);
        self.buffers().notify_disk_change(from.real_path(), DiskChange::Deleted, except);
        self.buffers().notify_disk_change(to.real_path(), DiskChange::Created, except);
    }

    /// Moves files back; returns those that could not be.
    pub(super) async fn move_back(&self, moves: Vec<MovedFile>, cause: &ChangeCause) -> Vec<String> {
        let mut left = Vec::new();
        for MovedFile { from, to, file } in moves.into_iter().rev() {
            let open = self.buffer(&to).ok().flatten();
            match self.relocate((&to, &from, &file), open.as_ref(), &cause.label).await {
                Ok(client) => {
                    let text = open.map_or_else(|| file.text().to_owned(), |open| open.document.text());
                    let text = HashedText::new(text);
                    let session = cause.session.as_str();
                    self.record_move((&to, &from), &text, client.as_ref(), session, EditAuthor::User);
                }
                Err(_) => left.push(to.display_path),
            }
        }
        left
    }
}

impl FileChange {
    fn as_move(&self) -> Option<(&ResolvedPath, &ResolvedPath, &FileText, ContentStamp)> {
        match &self.kind {
            FileChangeKind::Move { to, file, stamp } => Some((&self.path, to, file, *stamp)),
            _ => None,
        }
    }
}
