//! Opens files and folders by their real paths, so that the file that was checked is the file that is used.
//!
//! A real path contains no symlink. These functions follow none: if a symlink has taken the place of a folder or of the file since
//! the path was resolved, they fail. On Linux one system call does that (`openat2`). On other systems, and where a container
//! forbids that call, each folder is opened from the one before.
//!
//! Invariant: to open a pipe never waits for its other end.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, mkdirat, openat, statat};
#[cfg(target_os = "linux")]
use rustix::fs::{ResolveFlags, openat2};
use rustix::io::Errno;

/// A handle that names a file or a folder without reading it: to open a device this way has no effect.
#[cfg(target_os = "linux")]
const HANDLE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const HANDLE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

const READ: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// The mode of a new folder, of which the umask takes away.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// Opens a regular file for reading.
pub fn open_regular_file(real: &Path) -> io::Result<(File, Metadata)> {
    let (file, metadata) = open_file(real)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok((file, metadata))
}

/// Paths below a folder of the regular files in it and in its folders, in any order, without hidden ones. It looks at so many names at most, and
/// goes so many folders deep: 1 is the folder alone.
pub fn regular_files_below(real: &Path, depth: usize, max_names: usize) -> Vec<PathBuf> {
    let (mut files, mut left) = (Vec::new(), max_names);
    if let Ok(folder) = FolderHandle::open(real) {
        gather_files(&folder, Path::new(""), depth, &mut left, &mut files);
    }
    files
}

fn gather_files(
    folder: &FolderHandle,
    below: &Path,
    depth: usize,
    left: &mut usize,
    files: &mut Vec<PathBuf>,
) {
    for name in folder.names().into_iter().flatten().flatten() {
        let Some(less) = left.checked_sub(1) else { return };
        *left = less;
        if name.as_bytes().starts_with(b".") {
            continue;
        }
        match folder.metadata(&name) {
            Ok(found) if found.is_file() => files.push(below.join(&name)),
            Ok(found) if found.is_dir() && depth > 1 => {
                if let Ok(inner) = FolderHandle::open_from(folder, Path::new(&name)) {
                    gather_files(&inner, &below.join(&name), depth - 1, left, files);
                }
            }
            _ => {}
        }
    }
}

/// Opens whatever is there for reading. The caller looks at the metadata before it reads.
pub(crate) fn open_file(real: &Path) -> io::Result<(File, Metadata)> {
    let file = File::from(open(CWD, real, READ)?);
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

/// The metadata of whatever is there.
pub(crate) fn metadata(real: &Path) -> io::Result<Metadata> {
    handle_metadata(CWD, real)
}

fn handle_metadata(start: impl AsFd, path: &Path) -> io::Result<Metadata> {
    let metadata = File::from(open(start, path, HANDLE)?).metadata()?;
    // A handle can be one of a symlink itself.
    if metadata.is_symlink() { Err(Errno::LOOP.into()) } else { Ok(metadata) }
}

/// An open folder. Files in it are named relative to it, so no change further up leads elsewhere.
#[derive(Debug)]
pub(crate) struct FolderHandle {
    folder: OwnedFd,
}

impl FolderHandle {
    pub(crate) fn open(real: &Path) -> io::Result<Self> {
        Self::open_from(CWD, real)
    }

    /// Opens a folder, and creates it and those above it if they are missing.
    pub(crate) fn open_or_create(real: &Path) -> io::Result<Self> {
        match Self::open(real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        let (Some(above), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let above = Self::open_or_create(above)?;
        match mkdirat(&above, name, FOLDER_MODE) {
            // Another process was faster.
            Ok(()) | Err(Errno::EXIST) => Self::open_from(&above, Path::new(name)),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { folder: self.folder.try_clone()? })
    }

    /// Opens whatever has this name for reading. The caller looks at the metadata before it reads.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        let file = File::from(open(self, Path::new(name), READ)?);
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    /// The metadata of whatever has this name.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        handle_metadata(self, Path::new(name))
    }

    /// The names in the folder, in any order.
    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = io::Result<OsString>> + use<>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let entries = Dir::new(openat(self, c".", flags, Mode::empty())?)?;
        Ok(entries.filter_map(|entry| match entry {
            Ok(entry) => {
                let name = CString::from(entry.file_name()).into_bytes();
                (name != b"." && name != b"..").then(|| Ok(OsString::from_vec(name)))
            }
            Err(error) => Some(Err(error.into())),
        }))
    }

    /// Whether a name is a folder, or a symlink to one.
    pub(crate) fn is_folder(&self, name: &OsStr) -> bool {
        let found = statat(self, name, AtFlags::empty());
        found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
    }

    /// A path that leads to this very folder as long as the handle is open, also in a process that is forked from this one.
    #[cfg(target_os = "linux")]
    pub(crate) fn descriptor_path(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd as _;
        let path = Path::new(DESCRIPTORS).join(self.folder.as_raw_fd().to_string());
        path.is_dir().then_some(path)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn descriptor_path(&self) -> Option<PathBuf> {
        None
    }

    fn open_from(start: impl AsFd, path: &Path) -> io::Result<Self> {
        open(start, path, HANDLE | OFlags::DIRECTORY).map(|folder| Self { folder })
    }
}

impl AsFd for FolderHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// The folder of a process's open files.
#[cfg(target_os = "linux")]
pub(crate) const DESCRIPTORS: &str = "/proc/self/fd";

fn open(start: impl AsFd, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        let mut resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        if path.is_relative() {
            resolve |= ResolveFlags::BENEATH;
        }
        match openat2(&start, path, flags, Mode::empty(), resolve) {
            // An older kernel, or a filter that forbids the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened.map_err(io::Error::from),
        }
    }
    open_stepwise(start.as_fd(), path, flags)
}

fn open_stepwise(start: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let folder_flags = HANDLE | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let begin = if path.is_absolute() { c"/" } else { c"." };
    let mut folder = openat(start, begin, folder_flags, Mode::empty())?;
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        match part {
            Component::Normal(name) if parts.peek().is_none() => {
                return Ok(openat(&folder, name, flags, Mode::empty())?);
            }
            Component::Normal(name) => folder = openat(&folder, name, folder_flags, Mode::empty())?,
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(openat(&folder, c".", flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::{MetadataExt as _, symlink};
    use std::process::Command;

    use super::*;

    #[test]
    fn files_below_a_folder_are_listed_without_following_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in ["a/b/c/deep", "a/b/file", "a/.hidden", "file", "outside/secret"] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        symlink("../outside", root.join("a/link")).unwrap();
        symlink("../file", root.join("a/file")).unwrap();
        let mut found = regular_files_below(&root.join("a"), 2, 100);
        found.sort();
        assert_eq!(found, [Path::new("b/file")]);
        assert_eq!(regular_files_below(&root.join("a/link"), 2, 100), Vec::<PathBuf>::new());
        assert!(regular_files_below(&root, 9, 2).len() <= 2, "it looks at two names");
    }

    /// The same with the system call and without.
    #[test]
    fn a_path_is_opened_only_if_no_link_is_on_its_way() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/file"), "text").unwrap();
        symlink("b", root.join("a/link")).unwrap();
        symlink("file", root.join("a/b/link")).unwrap();
        let start = FolderHandle::open(&root).unwrap();
        let inode = |path: &str| root.join(path).symlink_metadata().unwrap().ino();
        for (path, is_opened) in [
            ("a/b/file", true),
            ("a/b", true),
            ("a/b/", true),
            ("a", true),
            ("a/link/file", false),
            ("a/b/link", false),
            ("a/none", false),
            ("a/b/file/x", false),
        ] {
            let full = root.join(path);
            let flags = READ | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = [
                open(CWD, &full, READ),
                open(&start, Path::new(path), READ),
                open_stepwise(CWD, &full, flags),
                open_stepwise(start.as_fd(), Path::new(path), flags),
            ];
            for opened in opened {
                let found = opened.map(|opened| File::from(opened).metadata().unwrap().ino());
                assert_eq!(found.ok(), is_opened.then(|| inode(path)), "{path}");
            }
        }
        for way_out in ["..", "a/../.."] {
            assert!(open_stepwise(start.as_fd(), Path::new(way_out), READ).is_err(), "{way_out}");
            assert!(open(&start, Path::new(way_out), READ).is_err(), "{way_out}");
        }
        let mut text = String::new();
        let (mut file, _) = open_regular_file(&root.join("a/b/file")).unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }

    #[test]
    fn a_pipe_is_opened_at_once_and_is_no_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().canonicalize().unwrap().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(open_regular_file(&pipe).unwrap_err().to_string(), "it is not a regular file");
        assert!(!metadata(&pipe).unwrap().is_file());
        symlink("pipe", pipe.with_file_name("link")).unwrap();
        assert!(metadata(&pipe.with_file_name("link")).is_err());
    }
}
