//! The thread that reads the queue, and knows which folder each watch is for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::mem::{self, MaybeUninit};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::io::Errno;

use super::super::coalesce::PathEvent;
use super::super::folder_walk;
use super::InotifyShared;
use super::folder_listing::FolderListing;

const WANTED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::EXCL_UNLINK);

const BUFFER: usize = 64 * 1024;

/// Files below one root that are known by name.
const MOST_FILES: usize = 50_000;

/// What the thread owns.
pub(super) struct InotifyThread {
    shared: Arc<InotifyShared>,
    root: PathBuf,
    most: usize,
    names: HashMap<i32, Arc<Path>>,
    watches: BTreeMap<Arc<Path>, i32>,
    /// What is in them.
    files: FolderListing,
    /// Entries of folders that began since the queue was last empty.
    fresh: BTreeMap<PathBuf, BTreeSet<OsString>>,
}

/// One entry of the queue, out of its buffer.
struct InotifyEvent {
    watch: i32,
    what: ReadFlags,
    name: OsString,
}

impl InotifyThread {
    pub(super) fn new(shared: Arc<InotifyShared>, root: PathBuf, most: usize) -> Self {
        let (names, watches, fresh) = Default::default();
        Self { shared, root, most, names, watches, files: FolderListing::new(MOST_FILES), fresh }
    }

    pub(super) fn run(mut self) {
        if let Err(why) = self.begin().and_then(|()| self.read()) {
            for watch in self.names.keys() {
                let _ = inotify::remove_watch(&self.shared.queue, *watch);
            }
            let mut state = self.shared.lock();
            state.problem = Some(why);
            state.fold.missed = true;
            state.barriers.clear();
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        for entry in folder_walk::walk_all(&self.root.clone()).flatten() {
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
            let event = match reader.next() {
                Ok(event) => InotifyEvent {
                    watch: event.wd(),
                    what: event.events(),
                    name: event
                        .file_name()
                        .map(|name| OsStr::from_bytes(name.to_bytes()).to_owned())
                        .unwrap_or_default(),
                },
                Err(Errno::INTR) => continue,
                Err(error) => return Err(format!("the system stopped telling of changes: {error}")),
            };
            if event.what.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.overflow()?;
            } else if event.what.contains(ReadFlags::IGNORED) {
                if shared.lock().barriers.contains_key(&event.watch) {
                    self.look_into_fresh()?;
                }
                let mut state = shared.lock();
                state.barriers.remove(&event.watch).map(|reached| reached.send(()));
                if state.is_closed {
                    return Ok(());
                }
                drop(state);
                self.forget(event.watch);
            } else {
                self.handle(event);
            }
            if reader.is_buffer_empty() {
                self.look_into_fresh()?;
            }
        }
    }

    fn handle(&mut self, event: InotifyEvent) {
        let Some(folder) = self.names.get(&event.watch).cloned() else { return };
        let path = folder.join(&event.name);
        let is_folder = event.what.contains(ReadFlags::ISDIR);
        let comes_or_goes =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        if is_folder && event.what.intersects(comes_or_goes) {
            self.shared.lock().fold.folders_changed = true;
        }
        if event.what.intersects(ReadFlags::MOVED_FROM | ReadFlags::DELETE) {
            if is_folder {
                self.forget_below(&path);
                self.fresh.get_mut(&*folder).map(|fresh| fresh.remove(&event.name));
                // Elsewhere they may be out of sight, or have other names.
                for file in self.files.remove_folder(&path) {
                    self.tell(file, PathEvent::Deleted);
                }
                if !self.files.is_complete && event.what.contains(ReadFlags::MOVED_FROM) {
                    self.shared.lock().fold.missed = true;
                }
            } else {
                self.files.remove(&folder, &event.name);
            }
            self.tell(path, if is_folder { PathEvent::FolderDeleted } else { PathEvent::Deleted });
        } else if is_folder {
            if event.what.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
                self.shared.lock().fold.cancel_folder_deletion(&path);
                self.fresh.entry(folder.to_path_buf()).or_default().insert(event.name);
            }
        } else if event.what.contains(ReadFlags::MOVED_TO) {
            self.files.add(&folder, event.name);
            self.tell(path, PathEvent::MovedIn);
        } else if event.what.contains(ReadFlags::CREATE) {
            self.files.add(&folder, event.name);
            self.tell(path, PathEvent::Created);
        } else if event.what.intersects(ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE) {
            self.tell(path, PathEvent::Changed);
        }
    }

    /// Watches the folders that began, and tells what is in them.
    fn look_into_fresh(&mut self) -> Result<(), String> {
        for (folder, names) in mem::take(&mut self.fresh) {
            for entry in folder_walk::walk_entries(&folder, names).flatten().filter(|entry| entry.depth() > 0)
            {
                let path = entry.path();
                if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    self.watch(path)?;
                    continue;
                }
                self.tell(path.to_owned(), PathEvent::MovedIn);
            }
        }
        Ok(())
    }

    /// Events are lost: folders may have begun or gone unseen.
    fn overflow(&mut self) -> Result<(), String> {
        self.fresh.clear();
        self.begin()?;
        let gone: Vec<_> = self.watches.keys().filter(|folder| !folder.is_dir()).cloned().collect();
        for folder in gone {
            self.forget_below(&folder);
            for file in self.files.remove_folder(&folder) {
                self.tell(file, PathEvent::Deleted);
            }
            self.tell(folder.to_path_buf(), PathEvent::FolderDeleted);
        }
        let mut state = self.shared.lock();
        state.fold.missed = true;
        // Whoever waits is woken by the end of the channel, too.
        state.barriers.clear();
        Ok(())
    }

    fn watch(&mut self, folder: &Path) -> Result<(), String> {
        if self.watches.len() >= self.most && !self.watches.contains_key(folder) {
            return Err(format!(
                "`{}` has more than {} folders that are not ignored; changes by others are seen in open files only",
                self.root.display(),
                self.most
            ));
        }
        match inotify::add_watch(&self.shared.queue, folder, WANTED) {
            Ok(watch) => {
                self.files.scan_folder(folder);
                let folder: Arc<Path> = folder.into();
                self.names.insert(watch, Arc::clone(&folder));
                self.watches.insert(folder, watch);
                Ok(())
            }
            Err(Errno::NOSPC) => Err(
                "the system watches no more folders of this user (fs.inotify.max_user_watches); changes by others are seen in open files only"
                    .to_owned(),
            ),
            // It is gone again, or not ours to read.
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

    /// A folder that went elsewhere takes its watches along.
    fn forget_below(&mut self, folder: &Path) {
        let below = self.watches.range(Arc::<Path>::from(folder)..);
        let below: Vec<_> =
            below.take_while(|(path, _)| path.starts_with(folder)).map(|(_, watch)| *watch).collect();
        for watch in below {
            let _ = inotify::remove_watch(&self.shared.queue, watch);
            self.forget(watch);
        }
    }

    fn tell(&self, path: PathBuf, seen: PathEvent) {
        self.shared.lock().fold.add(path, seen);
    }
}
