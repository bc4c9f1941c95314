//! The files of a tree with their signatures, and how changes on the disk come into them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::file_names::FileNames;
use super::ignore_rules::is_ignore_file;
use super::listing::{FileList, ListedFolders};
use super::signature::{SignatureBuilder, TextSignature};
use super::{IndexLimits, IndexProblem};
use crate::disk_watcher::{DiskChanges, FileChangeType};
use crate::real_file::open_regular_file;
use crate::time_limits::INDEX_SETTLE_TIME;

/// Larger files are searched whatever is looked for: there are few.
const MAX_SIGNED_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone)]
pub(super) struct IndexedFile {
    /// Differs after every change of the file, if it is settled.
    pub(super) stamp: [u8; 16],
    /// The file was not written so recently that it could be written again without another stamp.
    pub(super) is_settled: bool,
    /// A search that does not want hidden files sees it.
    pub(super) is_visible: bool,
    /// The number of the file on its disk.
    inode: u64,
    pub(super) signature: TextSignature,
}

/// Paths are relative to the root.
#[derive(Debug)]
pub(super) struct IndexedFiles {
    pub(super) root: PathBuf,
    pub(super) files: BTreeMap<PathBuf, IndexedFile>,
    /// The keys of `files`.
    names: FileNames,
    /// The folders that a search of the root goes through.
    pub(super) folders: BTreeSet<PathBuf>,
    repositories: BTreeSet<PathBuf>,
    /// The size of names and signatures.
    bytes: usize,
    /// Changed files that were not read, because there were too many at a time. Their signatures are unknown.
    unread: BTreeSet<PathBuf>,
    /// How many files were read since the index was stored.
    unstored: usize,
    limits: IndexLimits,
}

/// How much is read again while a search waits. More files than this, or larger ones, are read by later searches.
const MAX_REFRESHED_FILES: usize = 500;
const MAX_REFRESHED_BYTES: u64 = 8 * 1024 * 1024;

/// More folders are not listed again while a search waits.
const MAX_RELISTED_FOLDERS: usize = 1000;

/// An index is stored again when one file in so many is new in it.
const STORED_PART: usize = 50;

impl IndexedFiles {
    /// Reads all listed files, except those that `known` has as they are now. Stops when `is_stopped`.
    pub(super) fn read(
        root: &Path,
        list: &FileList,
        mut known: BTreeMap<PathBuf, IndexedFile>,
        limits: IndexLimits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Self, IndexProblem> {
        let mut indexed = Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            names: FileNames::default(),
            folders: list.folders.clone(),
            repositories: list.repositories.clone(),
            bytes: 0,
            unread: BTreeSet::new(),
            unstored: 0,
            limits,
        };
        let mut reader = FileReader::new();
        for (path, is_visible) in &list.files {
            if is_stopped() {
                return Err(IndexProblem::Stopped);
            }
            let known = known.remove(path);
            let known_stamp = known.as_ref().map(|known| known.stamp);
            if let Some(file) = reader.read(&indexed.root.join(path), *is_visible, known) {
                indexed.unstored += usize::from(known_stamp != Some(file.stamp));
                indexed.insert(path.clone(), file)?;
            }
        }
        Ok(indexed)
    }

    /// Brings the index up to date with what changed on the disk.
    pub(super) fn apply(&mut self, changes: DiskChanges) -> Result<(), IndexProblem> {
        let DiskChanges { changed, missed, rules_changed, .. } = changes;
        if missed || rules_changed || changed.iter().any(|(path, _)| is_ignore_file(path)) {
            return Err(IndexProblem::Outdated);
        }
        let mut relisted = BTreeSet::new();
        let mut written = BTreeSet::new();
        for (path, change) in changed {
            let Ok(path) = path.strip_prefix(&self.root) else { continue };
            // A file or a link may have taken the place of a folder.
            if change == FileChangeType::Deleted || self.folders.contains(path) {
                self.remove(path);
            }
            if change == FileChangeType::Deleted {
                continue;
            }
            written.insert(path.to_owned());
            // A name that is not listed may be ignored, or have been a link before.
            if change == FileChangeType::Created || !self.files.contains_key(path) {
                relisted.extend(path.parent().map(Path::to_owned));
            }
        }
        if relisted.len() > MAX_RELISTED_FOLDERS {
            return Err(IndexProblem::Outdated);
        }
        let mut listed_again = FileList::default();
        if !relisted.is_empty() {
            listed_again = FileList::walk(&self.root, ListedFolders::These(&relisted), &self.limits)?;
            // A repository that was moved there whole has rules of its own.
            if !listed_again.repositories.is_subset(&self.repositories) {
                return Err(IndexProblem::Outdated);
            }
            self.folders.append(&mut listed_again.folders);
        }
        for path in written {
            let was_visible = self.remove_file(&path).map(|file| file.is_visible);
            let is_relisted = path.parent().is_some_and(|folder| relisted.contains(folder));
            let is_visible = if is_relisted { listed_again.files.get(&path).copied() } else { was_visible };
            if let Some(is_visible) = is_visible {
                self.insert(path.clone(), IndexedFile::unknown(is_visible))?;
                self.unread.insert(path);
            }
        }
        self.read_changed()
    }

    /// Reads files that have changed, as many as a search can wait for.
    fn read_changed(&mut self) -> Result<(), IndexProblem> {
        let (mut reader, mut bytes, mut linked) = (FileReader::new(), 0, BTreeSet::new());
        for _ in 0..MAX_REFRESHED_FILES {
            if bytes > MAX_REFRESHED_BYTES {
                break;
            }
            let Some(path) = self.unread.pop_first() else { break };
            let Some(is_visible) = self.remove_file(&path).map(|file| file.is_visible) else { continue };
            if let Some(file) = reader.read(&self.root.join(&path), is_visible, None) {
                bytes += reader.content.len() as u64;
                if reader.has_other_names {
                    linked.insert(file.inode);
                }
                self.unstored += 1;
                self.insert(path, file)?;
            }
        }
        // A file that got a second name may be written by it, unseen.
        if !linked.is_empty() {
            for file in self.files.values_mut().filter(|file| linked.contains(&file.inode)) {
                file.is_settled = false;
                file.signature = TextSignature::Unknown;
            }
        }
        Ok(())
    }

    pub(super) fn is_worth_storing(&self) -> bool {
        self.unstored * STORED_PART > self.files.len()
    }

    #[cfg(test)]
    pub(super) fn unread_count(&self) -> usize {
        self.unread.len()
    }

    pub(super) fn note_stored(&mut self) {
        self.unstored = 0;
    }

    fn insert(&mut self, path: PathBuf, file: IndexedFile) -> Result<(), IndexProblem> {
        self.bytes += path.as_os_str().len() + file.signature.size();
        self.names.insert(&path, file.is_visible);
        self.files.insert(path, file);
        if self.files.len() > self.limits.files {
            return Err(IndexProblem::TooManyFiles(self.limits.files));
        }
        if self.bytes > self.limits.bytes {
            return Err(IndexProblem::TooMuchText(self.limits.bytes));
        }
        Ok(())
    }

    fn remove_file(&mut self, path: &Path) -> Option<IndexedFile> {
        let removed = self.files.remove(path)?;
        self.names.remove(path);
        // The signature of a file with two names may have been dropped since it was counted.
        self.bytes = self.bytes.saturating_sub(path.as_os_str().len() + removed.signature.size());
        Some(removed)
    }

    /// Removes a file, or a folder with everything below it.
    fn remove(&mut self, path: &Path) {
        if self.remove_file(path).is_some() || !self.folders.contains(path) {
            return;
        }
        let below: Vec<_> = files_below(&self.files, path).map(|(path, _)| path.clone()).collect();
        for path in below {
            self.remove_file(&path);
        }
        let below = self.folders.range(path.to_owned()..).take_while(|folder| folder.starts_with(path));
        for folder in below.cloned().collect::<Vec<_>>() {
            self.folders.remove(&folder);
        }
    }

    /// The paths below a folder, in path order. `hidden`: also those of hidden files.
    pub(super) fn names_below<'a>(
        &'a self,
        folder: &'a Path,
        hidden: bool,
    ) -> impl Iterator<Item = &'a Path> {
        self.names.below(folder, hidden)
    }

    /// The files below a folder, in path order.
    pub(super) fn below(&self, folder: &Path) -> impl Iterator<Item = (&PathBuf, &IndexedFile)> {
        files_below(&self.files, folder)
    }
}

fn files_below<'a>(
    files: &'a BTreeMap<PathBuf, IndexedFile>,
    folder: &Path,
) -> impl Iterator<Item = (&'a PathBuf, &'a IndexedFile)> {
    let folder = folder.to_owned();
    let is_all = folder.as_os_str().is_empty();
    files.range(folder.clone()..).take_while(move |(path, _)| is_all || path.starts_with(&folder))
}

/// Reads files, one after the other, into the same memory.
struct FileReader {
    builder: SignatureBuilder,
    content: Vec<u8>,
    /// The file that was read last has other names: it can be written by them, unseen.
    has_other_names: bool,
}

impl IndexedFile {
    /// A file that may contain anything.
    fn unknown(is_visible: bool) -> Self {
        Self { stamp: [0; 16], is_settled: false, is_visible, inode: 0, signature: TextSignature::Unknown }
    }

    /// A file of a stored index.
    pub(super) fn stored(stamp: [u8; 16], signature: TextSignature) -> Self {
        Self { stamp, is_settled: true, is_visible: false, inode: 0, signature }
    }
}

impl FileReader {
    fn new() -> Self {
        Self { builder: SignatureBuilder::new(), content: Vec::new(), has_other_names: false }
    }

    /// `None` if it is not a regular file, or no longer there. One that cannot be read has an unknown signature, so that each
    /// search tries it, and counts it.
    fn read(&mut self, path: &Path, is_visible: bool, known: Option<IndexedFile>) -> Option<IndexedFile> {
        self.content.clear();
        let found = path.symlink_metadata().ok().filter(Metadata::is_file)?;
        let (stamp, inode) = (stamp(&found), found.ino());
        let unknown = || IndexedFile { inode, ..IndexedFile::unknown(is_visible) };
        self.has_other_names = found.nlink() > 1;
        if self.has_other_names {
            return Some(unknown());
        }
        let known = known.filter(|known| known.is_settled && known.stamp == stamp);
        if let Some(known) = known {
            return Some(IndexedFile { is_visible, inode, ..known });
        }
        if found.len() > MAX_SIGNED_BYTES {
            return Some(unknown());
        }
        let changed = Duration::new(found.ctime().try_into().unwrap_or_default(), 0);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        match self.content(path) {
            Ok(()) => Some(IndexedFile {
                stamp,
                is_settled: changed + INDEX_SETTLE_TIME < now,
                is_visible,
                inode,
                signature: self.builder.build(&self.content),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => Some(unknown()),
        }
    }

    fn content(&mut self, path: &Path) -> io::Result<()> {
        let (file, _) = open_regular_file(path)?;
        file.take(MAX_SIGNED_BYTES + 1).read_to_end(&mut self.content)?;
        if self.content.len() as u64 > MAX_SIGNED_BYTES {
            return Err(io::Error::other("it has grown"));
        }
        Ok(())
    }
}

/// A program can set back the time of a file's content, but not that of its change.
fn stamp(found: &Metadata) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for number in [found.dev(), found.ino(), found.size()] {
        hasher.update(&number.to_le_bytes());
    }
    for number in [found.ctime(), found.ctime_nsec()] {
        hasher.update(&number.to_le_bytes());
    }
    let mut stamp = [0; 16];
    hasher.finalize_xof().fill(&mut stamp);
    stamp
}
