//! What a session reads and writes: contents by path, each with a stamp that says which content it was.
//!
//! A path goes through [`Files::resolve`] once; the [`Place`] that comes back says where it leads *now*, links and
//! all, and whether that is inside the workspace. Reading and writing take a place and refuse when it has since come to
//! lead elsewhere, so what was allowed is what is touched.
//!
//! Invariant: a write replaces the whole file in one step, or changes nothing.
//! Invariant: a write never replaces a content other than the one it was made against.
//! Invariant: nothing that is not a regular file is opened for its content; a pipe would block for ever.
//! Invariant: what an editor has open is read from there, saved or not, and changed there: the buffer of the session's home
//! client, else another client's, else the disk.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use copydesk_text::FileText;

pub(crate) use self::place::real_path;
use self::read::Written;
use self::seen::Seen;
use self::write::{Expect, Staged};
pub use self::{
    change::{By, Cause, ChangeKind, Changed, FileChange},
    error::FileError,
    listing::Listing,
    place::Place,
    read::Content,
    stamp::Stamp,
    undo::{How, TakenBack},
};
use crate::buffers::{Buffers, ClientId, Open};
use crate::journal::{Journal, Text};
use crate::reviews::Reviews;
use crate::search::Overlay;
use copydesk_config::Save;

mod change;
mod committed;
mod decide;
mod error;
mod land;
mod listing;
mod place;
mod read;
mod seen;
mod stamp;
mod take_back;
#[cfg(test)]
mod tests;
mod undo;
mod write;

/// The largest file that is read where the caller has no reason for another limit.
pub const READ_LIMIT: u64 = 64 * 1024 * 1024;

/// One session's view of the files. Clones are the same view.
#[derive(Debug, Clone)]
pub struct Files {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    /// Where it really is, as it was when the session began.
    real_root: PathBuf,
    home: PathBuf,
    buffers: Buffers,
    /// The client that prompted last: its buffers win.
    home_client: Arc<Mutex<Option<ClientId>>>,
    journal: Option<Journal>,
    reviews: Reviews,
    save: Save,
    /// By real path, since two names of one file are one file.
    seen: Mutex<HashMap<PathBuf, Seen>>,
    /// The large file that the session wrote last.
    written: Mutex<Option<Written>>,
    /// Held from the last look at a file until it is replaced, so that of two calls neither overwrites the other.
    replacing: Arc<Mutex<()>>,
}

impl Files {
    /// The files of a desk without editors. `root` is the workspace, `home` what `~` stands for; both absolute.
    pub fn new(root: &Path, home: &Path) -> Self {
        Self::over(root, home, Buffers::default(), None, Reviews::default(), Save::Never)
    }

    /// The files under the buffers of whoever is attached. `save`: when editors are told to save what was changed there.
    pub fn over(
        root: &Path,
        home: &Path,
        buffers: Buffers,
        journal: Option<Journal>,
        reviews: Reviews,
        save: Save,
    ) -> Self {
        let root = place::normalise(root);
        let shared = Shared {
            real_root: real_path(&root).unwrap_or_else(|_| root.clone()),
            root,
            home: home.into(),
            buffers,
            home_client: Arc::default(),
            journal,
            reviews,
            save,
            seen: Mutex::default(),
            written: Mutex::default(),
            replacing: Arc::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The same files for a session that works for this one, and has seen nothing of them.
    pub fn for_another(&self) -> Self {
        let own = &*self.shared;
        let shared = Shared {
            root: own.root.clone(),
            real_root: own.real_root.clone(),
            home: own.home.clone(),
            buffers: own.buffers.clone(),
            home_client: Arc::clone(&own.home_client),
            journal: own.journal.clone(),
            reviews: own.reviews.clone(),
            save: own.save,
            seen: Mutex::default(),
            written: Mutex::default(),
            replacing: Arc::clone(&own.replacing),
        };
        Self { shared: Arc::new(shared) }
    }

    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// Where `path`, as a person or a model writes it, leads at this moment. Relative to the workspace unless it begins
    /// with `/` or `~/`.
    pub fn resolve(&self, path: &str) -> Place {
        Place::resolve(path, &self.shared.root, &self.shared.real_root, &self.shared.home)
    }

    pub fn buffers(&self) -> &Buffers {
        &self.shared.buffers
    }

    pub fn journal(&self) -> Option<&Journal> {
        self.shared.journal.as_ref()
    }

    pub fn reviews(&self) -> &Reviews {
        &self.shared.reviews
    }

    fn save_when(&self) -> Save {
        self.shared.save
    }

    /// Whose buffers count first from now on.
    pub fn set_home(&self, client: Option<ClientId>) {
        *lock(&self.shared.home_client) = client;
    }

    pub fn home_client(&self) -> Option<ClientId> {
        *lock(&self.shared.home_client)
    }

    /// The content as it is: what an editor has, else what is on the disk.
    pub async fn look(&self, place: &Place, limit: u64) -> Result<Content, FileError> {
        if let Some(open) = self.buffer(place)? {
            let size = open.document.len() as u64;
            if size > limit {
                return Err(FileError::TooLarge { shown: place.shown.clone(), size, limit });
            }
            let bytes = open.document.text().into_bytes();
            return Ok(Content { stamp: Stamp::of(&bytes), bytes, is_open: true });
        }
        if place.is_untitled() {
            return Err(FileError::NotFound { shown: place.shown.clone() });
        }
        let (found, written) = (place.clone(), lock(&self.shared.written).clone());
        on_disk(place, move || read::read(&found, limit, written.as_ref())).await
    }

    /// The content, which counts as seen by the session from now on.
    pub async fn read(&self, place: &Place, limit: u64) -> Result<Content, FileError> {
        let content = self.look(place, limit).await?;
        self.saw(place, content.stamp);
        Ok(content)
    }

    /// What editors have open, for searching.
    pub fn overlay(&self) -> Overlay {
        Overlay::new(self.shared.buffers.all(self.home_client()))
    }

    /// The editor's text of a place, where one has it open.
    fn buffer(&self, place: &Place) -> Result<Option<Open>, FileError> {
        let found = self.shared.buffers.find(place.real(), self.home_client());
        found.transpose().map_err(|why| FileError::Lost { shown: place.shown.clone(), why })
    }

    /// The content that the session last read from or wrote to this place.
    pub fn seen(&self, place: &Place) -> Option<Stamp> {
        lock(&self.shared.seen).get(place.real()).map(|seen| seen.stamp)
    }

    /// Gets the new content of a file onto the disk, beside it.
    async fn stage(
        &self,
        place: &Place,
        content: &FileText,
        expect: Expect,
        mode: Option<u32>,
    ) -> Result<Staged, FileError> {
        let (target, content) = (place.clone(), content.clone());
        on_disk(place, move || Staged::new(target, &content, expect, mode)).await
    }

    /// Lets it take the file's place; it counts as seen by the session from now on. Links stay links: what they lead to is
    /// replaced. Mode bits stay, and the owner where the system permits. Other hard links keep the old content.
    async fn put(
        &self,
        place: &Place,
        staged: Staged,
        content: FileText,
        text: Text,
    ) -> Result<(), FileError> {
        let (real, shared) = (place.real().to_owned(), Arc::clone(&self.shared));
        let stamp = on_disk(place, move || {
            staged.take_place(|| lock(&shared.replacing))?;
            let stamp = Stamp::of_file(&content, &text);
            if Written::WORTH_IT.contains(&content.size()) {
                *lock(&shared.written) = Some(Written { real, content, stamp });
            }
            Ok(stamp)
        })
        .await?;
        self.saw(place, stamp);
        Ok(())
    }

    /// Replaces the content on the disk.
    async fn write(
        &self,
        place: &Place,
        content: FileText,
        expect: Expect,
        mode: Option<u32>,
    ) -> Result<(), FileError> {
        let staged = self.stage(place, &content, expect, mode).await?;
        let text = Text::shared(content.shared());
        self.put(place, staged, content, text).await
    }

    /// The first `limit` entries of a folder, by name, and how many there are.
    pub async fn list(&self, place: &Place, limit: usize) -> Result<Listing, FileError> {
        let folder = place.clone();
        on_disk(place, move || listing::list(&folder, limit)).await
    }

    /// Up to three files beside a missing one that it may have been meant to be.
    pub async fn similar_names(&self, place: &Place) -> Vec<String> {
        let missing = place.clone();
        on_disk(place, move || Ok(listing::similar(&missing))).await.unwrap_or_default()
    }

    /// Takes a file away, if it still has this content.
    async fn remove(&self, place: &Place, content: FileText) -> Result<(), FileError> {
        let (target, shared) = (place.clone(), Arc::clone(&self.shared));
        on_disk(place, move || write::remove(&target, &content, || lock(&shared.replacing))).await
    }

    /// The session knows this content now.
    pub fn saw(&self, place: &Place, stamp: Stamp) {
        lock(&self.shared.seen).insert(place.real().to_owned(), Seen::new(stamp));
    }
}

/// A panic while the lock was held leaves nothing half done in what these locks guard.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn on_disk<T: Send + 'static>(
    place: &Place,
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(stopped) => Err(FileError::io(place, "used", stopped.into())),
    }
}
