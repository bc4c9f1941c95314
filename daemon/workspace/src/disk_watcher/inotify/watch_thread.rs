//! The thread that reads the queue, and knows the folder of each watch.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::mem::{self, MaybeUninit};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::io::Errno;

use super::super::coalesce::PathEvent;
use super::super::{WatchedFolders, folder_walk};
use super::folder_listing::FolderListing;
use super::{CONSEQUENCE, InotifyShared};

const WANTED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::EXCL_UNLINK);

const BUFFER: usize = 64 * 1024;

/// The cap on files below one root that are known by name.
const MAX_FILES: usize = 50_000;

pub(super) struct InotifyThread {
    shared: Arc<InotifyShared>,
    root: PathBuf,
    wanted: WatchedFolders,
    most: usize,
    names: HashMap<i32, Arc<Path>>,
    watches: BTreeMap<Arc<Path>, i32>,
    /// The files in them.
    files: FolderListing,
    /// Created entries, by folder, since the queue was last empty.
    created: BTreeMap<PathBuf, BTreeSet<OsString>>,
}

/// One event, copied from the buffer.
struct InotifyEvent {
    watch: i32,
    flags: ReadFlags,
    name: OsString,
}

impl InotifyThread {
    pub(super) fn new(
        shared: Arc<InotifyShared>,
        root: PathBuf,
        wanted: WatchedFolders,
        most: usize,
    ) -> Self {
        let (names, watches, created) = Default::default();
        Self { shared, root, wanted, most, names, watches, files: FolderListing::new(MAX_FILES), created }
    }

    pub(super) fn run(mut self) {
        if let Err(why) = self.watch_all().and_then(|()| self.read()) {
            for watch in self.names.keys() {
                let _ = inotify::remove_watch(&self.shared.queue, *watch);
            }
            let mut state = self.shared.lock();
            state.problem = Some(why);
            state.changes.missed = true;
            state.barriers.clear();
        }
    }

    fn watch_all(&mut self) -> Result<(), String> {
        for entry in folder_walk::walk_all(&self.root.clone(), self.wanted).flatten() {
            if self.shared.is_closing() {
                break;
            }
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                self.watch(entry.path())?;
            }
        }
        Ok(())
    }

    fn read(&mut self) -> Result<(), String> {
        let shared = Arc::clone(&self.shared);
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        let mut reader = inotify::Reader::new(&shared.queue, &mut buffer);
        loop {
            if reader.is_buffer_empty() && shared.wait_for_input() {
                return Ok(());
            }
            let event = match reader.next() {
                Ok(event) => InotifyEvent {
                    watch: event.wd(),
                    flags: event.events(),
                    name: event
                        .file_name()
                        .map(|name| OsStr::from_bytes(name.to_bytes()).to_owned())
                        .unwrap_or_default(),
                },
                Err(Errno::INTR) => continue,
                Err(error) => {
                    return Err(format!("reading inotify events failed: {error}; {CONSEQUENCE}"));
                }
            };
            if event.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.overflow()?;
            } else if event.flags.contains(ReadFlags::IGNORED) {
                if shared.lock().barriers.contains_key(&event.watch) {
                    self.watch_created()?;
                }
                let waker = shared.lock().barriers.remove(&event.watch);
                if let Some(wake) = waker {
                    wake();
                }
                self.forget(event.watch);
            } else {
                self.handle(event);
            }
            if reader.is_buffer_empty() {
                self.watch_created()?;
            }
        }
    }

    fn handle(&mut self, event: InotifyEvent) {
        let Some(folder) = self.names.get(&event.watch).cloned() else { return };
        let path = folder.join(&event.name);
        let is_folder = event.flags.contains(ReadFlags::ISDIR);
        let created_or_removed =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        if event.flags.intersects(created_or_removed) {
            let mut state = self.shared.lock();
            state.changes.folders_changed |= is_folder;
            state.changes.rules_changed |= [".git", ".jj"].iter().any(|name| event.name == OsStr::new(name));
        }
        if is_folder && event.flags.contains(ReadFlags::ATTRIB) {
            self.shared.lock().changes.rules_changed = true;
        }
        if event.flags.intersects(ReadFlags::MOVED_FROM | ReadFlags::DELETE) {
            if is_folder {
                self.forget_below(&path);
                // At the new place they may be ignored, and they have other names.
                for file in self.files.remove_folder(&path) {
                    self.record(file, PathEvent::Deleted);
                }
                if !self.files.is_complete && event.flags.contains(ReadFlags::MOVED_FROM) {
                    self.shared.lock().changes.missed = true;
                }
            } else {
                self.files.remove(&folder, &event.name);
            }
            self.record(path, if is_folder { PathEvent::FolderDeleted } else { PathEvent::Deleted });
        } else if is_folder {
            if event.flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
                self.shared.lock().changes.cancel_folder_deletion(&path);
                self.created.entry(folder.to_path_buf()).or_default().insert(event.name);
            }
        } else if event.flags.contains(ReadFlags::MOVED_TO) {
            self.files.add(&folder, event.name);
            self.record(path, PathEvent::MovedIn);
        } else if event.flags.contains(ReadFlags::CREATE) {
            self.files.add(&folder, event.name);
            self.record(path, PathEvent::Created);
        } else if event.flags.intersects(ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE | ReadFlags::ATTRIB) {
            self.record(path, PathEvent::Changed);
        }
    }

    /// Watches the created folders, and reports their contents.
    fn watch_created(&mut self) -> Result<(), String> {
        for (folder, names) in mem::take(&mut self.created) {
            let entries = folder_walk::walk_entries(&self.root, &folder, names, self.wanted).flatten();
            for entry in entries.filter(|entry| !folder.starts_with(entry.path())) {
                let path = entry.path();
                if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    self.watch(path)?;
                    continue;
                }
                self.record(path.to_owned(), PathEvent::MovedIn);
            }
        }
        Ok(())
    }

    /// Events are lost: folders may have been created or deleted unseen.
    fn overflow(&mut self) -> Result<(), String> {
        self.created.clear();
        self.watch_all()?;
        let gone: Vec<_> = self.watches.keys().filter(|folder| !folder.is_dir()).cloned().collect();
        for folder in gone {
            self.forget_below(&folder);
            for file in self.files.remove_folder(&folder) {
                self.record(file, PathEvent::Deleted);
            }
            self.record(folder.to_path_buf(), PathEvent::FolderDeleted);
        }
        let mut state = self.shared.lock();
        state.changes.missed = true;
        // Dropped wakers wake the waiting callers.
        state.barriers.clear();
        Ok(())
    }

    fn watch(&mut self, folder: &Path) -> Result<(), String> {
        if self.watches.len() >= self.most && !self.watches.contains_key(folder) {
            return Err(format!(
                "`{}` has more than {} folders to watch; {CONSEQUENCE}",
                self.root.display(),
                self.most
            ));
        }
        let events = match self.wanted {
            WatchedFolders::Sources => WANTED,
            // Who may read a file decides what a search finds.
            WatchedFolders::Searched => WANTED.union(WatchFlags::ATTRIB),
        };
        match inotify::add_watch(&self.shared.queue, folder, events) {
            Ok(watch) => {
                self.files.scan_folder(folder);
                let folder: Arc<Path> = folder.into();
                self.names.insert(watch, Arc::clone(&folder));
                self.watches.insert(folder, watch);
                Ok(())
            }
            Err(Errno::NOSPC) => Err(format!(
                "the limit of watched folders of this user is reached (fs.inotify.max_user_watches); {CONSEQUENCE}"
            )),
            // It is deleted again, or not readable.
            Err(_) => Ok(()),
        }
    }

    fn forget(&mut self, watch: i32) {
        if let Some(folder) = self.names.remove(&watch)
            && self.watches.get(&folder) == Some(&watch)
        {
            self.watches.remove(&folder);
        }
    }

    /// A moved folder keeps its watches, so they must be removed.
    fn forget_below(&mut self, folder: &Path) {
        let below = self.watches.range(Arc::<Path>::from(folder)..);
        let below: Vec<_> = below
            .take_while(|(path, _)| path.starts_with(folder))
            .map(|(path, watch)| (Arc::clone(path), *watch))
            .collect();
        for (path, watch) in below {
            self.watches.remove(&path);
            // After lost events, it may be the watch of the folder's new name.
            if self.names.get(&watch) == Some(&path) {
                let _ = inotify::remove_watch(&self.shared.queue, watch);
                self.names.remove(&watch);
            }
        }
    }

    fn record(&self, path: PathBuf, seen: PathEvent) {
        self.shared.lock().changes.add(path, seen);
    }
}
