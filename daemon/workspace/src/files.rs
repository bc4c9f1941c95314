//! Reads and writes files for a session: contents by path, each with a stamp that identifies it.
//!
//! [`WorkspaceFiles::resolve`] resolves a path once. The [`ResolvedPath`] says where the path leads *now*,
//! symlinks included, and whether that is inside the workspace. Reading and writing take a resolved path, open
//! the file by its real path without following symlinks ([`crate::real_file`]), and fail if the path has come to
//! lead elsewhere. So the file that was allowed is the file that is touched.
//!
//! Invariant: a write replaces the whole file in one step, or changes nothing.
//! Invariant: a write never replaces a content other than the one it was made against.
//! Invariant: only regular files are opened for their content; a pipe would block forever.
//! Invariant: what an editor has open is read and changed there, saved or not: in the buffer of the session's
//! home client, else in another client's, else on disk.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use copydesk_text::FileText;

use self::read::WrittenContent;
use self::seen_content::SeenContents;
use self::write::{StagedFile, WritePrecondition};
pub use self::{
    content_stamp::ContentStamp,
    error::FileError,
    file_change::{AppliedFileChange, Author, ChangeCause, FileChange, FileChangeKind},
    listing::DirectoryListing,
    read::FileContent,
    resolved_path::ResolvedPath,
    seen_content::ShownText,
    undo::{UndoDirection, UndoneEntry, UndoneEntryOutcome},
};
use crate::buffers::{Buffers, ClientId, OpenBuffer};
use crate::journal::{HashedText, Journal};
use crate::process::Processes;
use crate::real_path::real_path;
use crate::reviews::ReviewTracker;
use crate::search::SearchView;
use crate::text_index::{TextIndex, TextIndexes};
use copydesk_config::SaveMode;

mod apply_decisions;
mod change;
mod content_stamp;
mod delete_file;
mod error;
mod file_change;
mod git_commits;
mod in_flight_edit;
mod listing;
mod move_file;
mod parent_folder;
mod propose;
#[cfg(test)]
mod race_tests;
mod read;
mod resolved_path;
mod rollback;
mod seen_content;
#[cfg(test)]
mod tests;
mod undo;
mod unsaved_files;
mod write;

/// The default size limit of a file to read.
pub const READ_LIMIT: u64 = 64 * 1024 * 1024;

/// One session's view of the files. Clones share it.
#[derive(Debug, Clone)]
pub struct WorkspaceFiles {
    shared: Arc<FilesState>,
}

#[derive(Debug)]
struct FilesState {
    root: PathBuf,
    /// The real path of the root when the session began.
    real_root: PathBuf,
    home: PathBuf,
    buffers: Buffers,
    /// The client that prompted last: its buffers win.
    home_client: Arc<Mutex<Option<ClientId>>>,
    journal: Option<Journal>,
    reviews: ReviewTracker,
    save: SaveMode,
    seen_contents: Mutex<SeenContents>,
    /// The large file that the session wrote last.
    last_large_write: Mutex<Option<WrittenContent>>,
    indexes: TextIndexes,
    /// Kept open as long as the session is.
    text_index: Option<TextIndex>,
    /// Run git. Without them nothing is known of commits.
    processes: Option<Processes>,
    /// Locked from the last check of a file until it is replaced, so that two calls never overwrite each
    /// other's writes.
    replacing: Arc<Mutex<()>>,
}

impl WorkspaceFiles {
    /// Files without editors. `root` is the workspace, `home` what `~` stands for; both are absolute.
    pub fn new(root: &Path, home: &Path) -> Self {
        Self::with_buffers(root, home, Buffers::default(), None, ReviewTracker::default(), SaveMode::Never)
    }

    /// Files under the buffers of the attached clients. `save`: when editors save what was changed in them.
    pub fn with_buffers(
        root: &Path,
        home: &Path,
        buffers: Buffers,
        journal: Option<Journal>,
        reviews: ReviewTracker,
        save: SaveMode,
    ) -> Self {
        let root = resolved_path::normalise(root);
        let shared = FilesState {
            real_root: real_path(&root).unwrap_or_else(|_| root.clone()),
            root,
            home: home.into(),
            buffers,
            home_client: Arc::default(),
            journal,
            reviews,
            save,
            seen_contents: Mutex::default(),
            last_large_write: Mutex::default(),
            indexes: TextIndexes::default(),
            text_index: None,
            processes: None,
            replacing: Arc::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The same files for a subagent's session, which has seen none of them.
    pub fn for_subagent(&self) -> Self {
        let own = &*self.shared;
        let shared = FilesState {
            root: own.root.clone(),
            real_root: own.real_root.clone(),
            home: own.home.clone(),
            buffers: own.buffers.clone(),
            home_client: Arc::clone(&own.home_client),
            journal: own.journal.clone(),
            reviews: own.reviews.clone(),
            save: own.save,
            seen_contents: Mutex::default(),
            last_large_write: Mutex::default(),
            indexes: own.indexes.clone(),
            text_index: own.text_index.clone(),
            processes: own.processes.clone(),
            replacing: Arc::clone(&own.replacing),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Searches use an index of the workspace, once it is built.
    #[must_use]
    pub fn with_indexes(mut self, indexes: &TextIndexes) -> Self {
        // No clone exists yet.
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.text_index = indexes.open(&shared.real_root);
            shared.indexes = indexes.clone();
        }
        self
    }

    /// Commits are noticed: git runs as one of these processes.
    #[must_use]
    pub fn with_processes(mut self, processes: &Processes) -> Self {
        // No clone exists yet.
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.processes = Some(processes.clone());
        }
        self
    }

    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// What `~` stands for.
    pub fn home(&self) -> &Path {
        &self.shared.home
    }

    /// Where `path`, as a user or a model writes it, leads now. Relative to the workspace unless it begins
    /// with `/` or `~/`.
    pub fn resolve(&self, path: &str) -> ResolvedPath {
        ResolvedPath::resolve(path, &self.shared.root, &self.shared.real_root, &self.shared.home)
    }

    pub fn buffers(&self) -> &Buffers {
        &self.shared.buffers
    }

    pub fn journal(&self) -> Option<&Journal> {
        self.shared.journal.as_ref()
    }

    pub fn reviews(&self) -> &ReviewTracker {
        &self.shared.reviews
    }

    fn save_when(&self) -> SaveMode {
        self.shared.save
    }

    /// Sets the client whose buffers come first.
    pub fn set_home_client(&self, client: Option<ClientId>) {
        *lock(&self.shared.home_client) = client;
    }

    pub fn home_client(&self) -> Option<ClientId> {
        *lock(&self.shared.home_client)
    }

    /// The current content: the editor's buffer, else the disk's file.
    pub async fn peek(&self, place: &ResolvedPath, limit: u64) -> Result<FileContent, FileError> {
        if let Some(open) = self.buffer(place)? {
            let size = open.document.len() as u64;
            if size > limit {
                return Err(FileError::TooLarge { shown: place.display_path.clone(), size, limit });
            }
            let bytes = open.document.text().into_bytes();
            return Ok(FileContent { stamp: ContentStamp::of_bytes(&bytes), bytes, is_from_buffer: true });
        }
        if place.has_no_file() {
            return Err(FileError::NotFound { shown: place.display_path.clone() });
        }
        let (found, written) = (place.clone(), lock(&self.shared.last_large_write).clone());
        run_blocking(place, move || read::read(&found, limit, written.as_ref())).await
    }

    /// What searches see: the open buffers over the disk.
    pub fn search_view(&self) -> SearchView {
        SearchView::new(self.shared.buffers.documents(self.home_client()), self.shared.indexes.clone())
    }

    /// The editor's buffer of a file, if one has it open.
    fn buffer(&self, place: &ResolvedPath) -> Result<Option<OpenBuffer>, FileError> {
        let found = self.shared.buffers.find(place.real_path(), self.home_client());
        found.transpose().map_err(|why| FileError::OutOfSync { shown: place.display_path.clone(), why })
    }

    /// Writes the new content to disk beside the file.
    async fn stage(
        &self,
        place: &ResolvedPath,
        content: &FileText,
        expect: WritePrecondition,
        mode: Option<u32>,
    ) -> Result<StagedFile, FileError> {
        let (target, content) = (place.clone(), content.clone());
        run_blocking(place, move || StagedFile::new(target, &content, expect, mode)).await
    }

    /// Replaces the file with the staged one, and returns its stamp. Symlinks stay: their
    /// target is replaced. Mode bits stay, and the owner if the system permits. Other hard links keep the old
    /// content.
    async fn commit_staged(
        &self,
        place: &ResolvedPath,
        staged: StagedFile,
        (content, text): (FileText, HashedText),
    ) -> Result<ContentStamp, FileError> {
        let (real, shared) = (place.real_path().to_owned(), Arc::clone(&self.shared));
        let stamp = run_blocking(place, move || {
            staged.commit(|| lock(&shared.replacing))?;
            let stamp = ContentStamp::of_file(&content, &text);
            if WrittenContent::WORTH_IT.contains(&content.size()) {
                *lock(&shared.last_large_write) = Some(WrittenContent { real, content, stamp });
            }
            Ok(stamp)
        })
        .await?;
        self.mark_written(place, stamp);
        Ok(stamp)
    }

    /// Replaces the content on disk.
    async fn write(
        &self,
        place: &ResolvedPath,
        content: FileText,
        expect: WritePrecondition,
        mode: Option<u32>,
    ) -> Result<(), FileError> {
        let staged = self.stage(place, &content, expect, mode).await?;
        let text = HashedText::from_shared(content.shared_text());
        self.commit_staged(place, staged, (content, text)).await.map(|_| ())
    }

    /// The first `limit` entries of a folder, by name, and how many there are.
    pub async fn list(&self, place: &ResolvedPath, limit: usize) -> Result<DirectoryListing, FileError> {
        let folder = place.clone();
        run_blocking(place, move || listing::list(&folder, limit)).await
    }

    /// Up to three names beside a missing file that the caller may have meant.
    pub async fn similar_names(&self, place: &ResolvedPath) -> Vec<String> {
        let missing = place.clone();
        run_blocking(place, move || Ok(listing::similar(&missing))).await.unwrap_or_default()
    }

    /// Deletes a file if it still has this content.
    async fn remove(&self, place: &ResolvedPath, content: FileText) -> Result<(), FileError> {
        let (target, shared) = (place.clone(), Arc::clone(&self.shared));
        run_blocking(place, move || write::remove(&target, &content, || lock(&shared.replacing))).await
    }
}

/// A panic under one of these locks leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn run_blocking<T: Send + 'static>(
    place: &ResolvedPath,
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(stopped) => Err(FileError::io(place, "used", stopped.into())),
    }
}
