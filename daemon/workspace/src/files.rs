//! What a session reads and writes: contents by path, each with a stamp that says which content it was.
//!
//! A path goes through [`Files::resolve`] once; the [`Place`] that comes back says where it leads *now*, links and
//! all, and whether that is inside the workspace. Reading and writing take a place and refuse when it has since come to
//! lead elsewhere, so what was allowed is what is touched.
//!
//! Invariant: a write replaces the whole file in one step, or changes nothing.
//! Invariant: a write never replaces a content other than the one it was made against, unless told `Expect::Any`.
//! Invariant: nothing that is not a regular file is opened for its content; a pipe would block for ever.
//!
//! Today every content comes from the disk. An editor's buffers will lie over it behind these same methods, which is why
//! callers see neither handles nor modification times to compare, and why the methods are async.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use self::{
    error::FileError,
    listing::Listing,
    place::Place,
    read::{Content, Metadata},
    stamp::Stamp,
    write::{Expect, Folders, Written},
};

mod error;
mod listing;
mod place;
mod read;
mod stamp;
#[cfg(test)]
mod tests;
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
    /// By real path, since two names of one file are one file.
    seen: Mutex<HashMap<PathBuf, Stamp>>,
    /// Held from the last look at a file until it is replaced, so that of two calls of one session neither overwrites the
    /// other.
    replacing: Mutex<()>,
}

impl Files {
    /// `root` is the workspace, `home` what `~` stands for; both absolute.
    pub fn new(root: &Path, home: &Path) -> Self {
        let root = place::normalise(root);
        let shared = Shared {
            real_root: place::real_path(&root).unwrap_or_else(|_| root.clone()),
            root,
            home: home.into(),
            seen: Mutex::default(),
            replacing: Mutex::default(),
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

    /// The content, which counts as seen by the session from now on.
    pub async fn read(&self, place: &Place, limit: u64) -> Result<Content, FileError> {
        let found = place.clone();
        let content = on_disk(place, move || read::read(&found, limit)).await?;
        self.remember(place, content.stamp);
        Ok(content)
    }

    /// The content that the session last read from or wrote to this place.
    pub fn seen(&self, place: &Place) -> Option<Stamp> {
        lock(&self.shared.seen).get(place.real()).copied()
    }

    /// Replaces the content, which counts as seen by the session from now on. Links stay links: what they lead to is
    /// written. Mode bits stay, and the owner where the system permits. Other hard links keep the old content.
    pub async fn write(
        &self,
        place: &Place,
        bytes: Vec<u8>,
        expect: Expect,
        folders: Folders,
    ) -> Result<Written, FileError> {
        let (target, shared) = (place.clone(), Arc::clone(&self.shared));
        let written = on_disk(place, move || {
            write::write(&target, &bytes, expect, folders, || lock(&shared.replacing))
        })
        .await?;
        self.remember(place, written.stamp);
        Ok(written)
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

    fn remember(&self, place: &Place, stamp: Stamp) {
        lock(&self.shared.seen).insert(place.real().to_owned(), stamp);
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
