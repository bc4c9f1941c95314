//! Replaces a file in one step: everything goes into a new file beside it, is flushed, and takes its name.
//!
//! The content is flushed, the folder is not: after a power failure the file has its old content or its new
//! one. The precondition is checked before anything is written, and again just before the new file takes the
//! name. Programs that ignore our lock can still write between that check and the rename. The gap is one
//! system call; for `WritePrecondition::New` there is none, because the system itself refuses to replace.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Permissions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    sync::atomic::{AtomicU64, Ordering},
};

use copydesk_text::FileText;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, openat, renameat, renameat_with, unlinkat};

use super::{FileError, ResolvedPath, parent_folder::ParentFolder};
use crate::real_file::FolderHandle;
#[cfg(target_os = "linux")]
use {
    crate::real_file::DESCRIPTORS,
    rustix::fs::{CWD, linkat},
    std::{os::fd::AsRawFd, path::Path},
};

/// What must hold for a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WritePrecondition {
    /// There is no such file yet. Its folders may be missing too.
    New,
    /// The file has this content.
    Unchanged(FileText),
}

/// Whether a write would succeed now, as far as can be told without trying.
pub(super) fn check(place: &ResolvedPath, expect: &WritePrecondition) -> Result<(), FileError> {
    let before = match ParentFolder::open(place)? {
        Some(parent) => parent.replaceable_metadata(place)?,
        None => None,
    };
    check_expected(place, before.as_ref(), expect)
}

/// Deletes a file that still has this content.
pub(super) fn remove<Lock>(
    place: &ResolvedPath,
    content: &FileText,
    lock: impl FnOnce() -> Lock,
) -> Result<(), FileError> {
    let _lock = lock();
    let parent = ParentFolder::open_existing(place)?;
    parent.ensure_unchanged(place, content)?;
    let removed = unlinkat(&parent.folder, parent.name, AtFlags::empty());
    removed.map_err(|error| FileError::io(place, "removed", error.into()))
}

/// Moves a file that still has this content to a path where there is none.
pub(super) fn rename<Lock>(
    from: &ResolvedPath,
    to: &ResolvedPath,
    content: &FileText,
    lock: impl Fn() -> Lock,
) -> Result<(), FileError> {
    let mode = from.mode();
    let moved = {
        let _lock = lock();
        let source = ParentFolder::open_existing(from)?;
        source.ensure_unchanged(from, content)?;
        let target = ParentFolder::create(to)?;
        check_expected(to, target.replaceable_metadata(to)?.as_ref(), &WritePrecondition::New)?;
        let keep = RenameFlags::NOREPLACE;
        match renameat_with(&source.folder, source.name, &target.folder, target.name, keep)
            .map_err(io::Error::from)
        {
            // Some file systems cannot refuse to replace.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                renameat(&source.folder, source.name, &target.folder, target.name).map_err(io::Error::from)
            }
            moved => moved,
        }
    };
    match moved {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            StagedFile::new(to.clone(), content, WritePrecondition::New, mode)?.commit(&lock)?;
            remove(from, content, lock)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(FileError::AlreadyExists { shown: to.display_path.clone() })
        }
        moved => moved.map_err(|error| FileError::io(from, "moved", error)),
    }
}

/// Creates the folders in which a new file is to be.
pub(super) fn create_parent_folder(place: &ResolvedPath) -> Result<(), FileError> {
    ParentFolder::create(place).map(drop)
}

fn check_expected(
    place: &ResolvedPath,
    before: Option<&fs::Metadata>,
    expect: &WritePrecondition,
) -> Result<(), FileError> {
    let shown = || place.display_path.clone();
    match (expect, before) {
        (WritePrecondition::New, Some(_)) => Err(FileError::AlreadyExists { shown: shown() }),
        (WritePrecondition::Unchanged(_), None) => Err(FileError::Disappeared { shown: shown() }),
        (WritePrecondition::Unchanged(content), Some(before)) if before.len() != content.size() => {
            Err(FileError::Changed { shown: shown() })
        }
        _ => Ok(()),
    }
}

/// The new content, which vanishes unless it takes the file's name.
pub(super) struct StagedFile {
    place: ResolvedPath,
    expect: WritePrecondition,
    file: TempFile,
}

impl StagedFile {
    /// A replacement takes the old file's mode; a new file may be given one.
    pub(super) fn new(
        place: ResolvedPath,
        content: &FileText,
        expect: WritePrecondition,
        mode: Option<u32>,
    ) -> Result<Self, FileError> {
        let parent = ParentFolder::open(&place)?;
        let before = match &parent {
            Some(parent) => parent.replaceable_metadata(&place)?,
            None => None,
        };
        check_expected(&place, before.as_ref(), &expect)?;
        let parent = match parent {
            Some(parent) => parent,
            None => ParentFolder::create(&place)?,
        };
        let written = TempFile::new(parent.folder, content, before.as_ref(), mode);
        let file = written.map_err(|error| FileError::io(&place, "written", error))?;
        Ok(Self { place, expect, file })
    }

    /// `lock` is taken for the last check and the rename.
    pub(super) fn commit<Lock>(self, lock: impl FnOnce() -> Lock) -> Result<(), FileError> {
        let Self { place, expect, file } = self;
        let _lock = lock();
        let parent = match expect {
            WritePrecondition::New => ParentFolder::create(&place)?,
            WritePrecondition::Unchanged(_) => ParentFolder::open_existing(&place)?,
        };
        parent.replaceable_metadata(&place)?;
        match expect {
            WritePrecondition::New => file.take_new_name(&place, &parent),
            WritePrecondition::Unchanged(content) => {
                parent.ensure_unchanged(&place, &content)?;
                file.take_name(&parent).map_err(|error| FileError::io(&place, "written", error))
            }
        }
    }
}

/// A file that has no name while it is written, so that nothing is left if the process is killed. It has a temporary name
/// only for the moment before it replaces another file, or where the system has no files without a name.
struct TempFile {
    file: File,
    folder: FolderHandle,
    /// Its temporary name in `folder`, which is removed unless the file takes another.
    name: Option<OsString>,
}

impl TempFile {
    fn new(
        folder: FolderHandle,
        content: &FileText,
        before: Option<&fs::Metadata>,
        wanted: Option<u32>,
    ) -> io::Result<Self> {
        // A new file gets what the umask leaves of 0666; a replacement is private until it has the old file's
        // mode.
        let mode = if before.is_some() { 0o600 } else { 0o666 };
        let mut temporary = Self::open(folder, Mode::from_raw_mode(mode))?;
        for piece in content.pieces() {
            temporary.file.write_all(piece)?;
        }
        if let Some(before) = before {
            keep_rights(&temporary.file, before)?;
        } else if let Some(mode) = wanted {
            temporary.file.set_permissions(Permissions::from_mode(mode & 0o777))?;
        }
        temporary.file.sync_data()?;
        Ok(temporary)
    }

    fn open(folder: FolderHandle, mode: Mode) -> io::Result<Self> {
        if let Some(file) = unnamed_file(&folder, mode) {
            return Ok(Self { file, folder, name: None });
        }
        let name = temporary_name();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&folder, &name, flags, mode)?);
        Ok(Self { file, folder, name: Some(name) })
    }

    /// Gives it a temporary name beside the file that it is to replace.
    fn name(&mut self, parent: &ParentFolder<'_>) -> io::Result<OsString> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let name = temporary_name();
        link(&self.file, &parent.folder, &name)?;
        self.folder = parent.folder.try_clone()?;
        self.name = Some(name.clone());
        Ok(name)
    }

    fn take_name(mut self, parent: &ParentFolder<'_>) -> io::Result<()> {
        let name = self.name(parent)?;
        renameat(&self.folder, &name, &parent.folder, parent.name)?;
        self.name = None;
        Ok(())
    }

    fn take_new_name(mut self, place: &ResolvedPath, parent: &ParentFolder<'_>) -> Result<(), FileError> {
        let failed = |error| FileError::io(place, "written", error);
        let named = match &self.name {
            // A link never replaces a file.
            None => link(&self.file, &parent.folder, parent.name),
            Some(name) => {
                renameat_with(&self.folder, name, &parent.folder, parent.name, RenameFlags::NOREPLACE)
                    .map_err(io::Error::from)
            }
        };
        match named {
            Ok(()) => self.name = None,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(FileError::AlreadyExists { shown: place.display_path.clone() });
            }
            // Some file systems cannot refuse to replace.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                check_expected(place, parent.replaceable_metadata(place)?.as_ref(), &WritePrecondition::New)?;
                return self.take_name(parent).map_err(failed);
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = unlinkat(&self.folder, name, AtFlags::empty());
        }
    }
}

fn temporary_name() -> OsString {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    format!(".copydesk-{}-{serial}.tmp", std::process::id()).into()
}

/// `None` if the file system has no files without a name.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &FolderHandle, mode: Mode) -> Option<File> {
    if !Path::new(DESCRIPTORS).is_dir() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    openat(folder, c".", flags, mode).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &FolderHandle, _: Mode) -> Option<File> {
    None
}

/// Gives a file without a name its first one.
#[cfg(target_os = "linux")]
fn link(file: &File, folder: &FolderHandle, name: &OsStr) -> io::Result<()> {
    let descriptor = Path::new(DESCRIPTORS).join(file.as_raw_fd().to_string());
    linkat(CWD, &descriptor, folder, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &FolderHandle, _: &OsStr) -> io::Result<()> {
    Err(io::Error::from(ErrorKind::Unsupported))
}

/// The owner first: changing it clears the set-user bit. Only root may change it, so a failure is no error.
fn keep_rights(file: &File, before: &fs::Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid())
        && fchown(file, Some(before.uid()), Some(before.gid())).is_err()
    {
        let _ = fchown(file, None, Some(before.gid()));
    }
    file.set_permissions(Permissions::from_mode(before.mode() & 0o7777))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A process that is killed while it writes leaves nothing behind.
    #[test]
    fn a_staged_file_has_no_name_until_it_takes_one() {
        let folder = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let opened = || FolderHandle::open(&folder.path().canonicalize().unwrap()).unwrap();
        let content = FileText::from("new\n".to_owned());
        let new = TempFile::new(opened(), &content, None, Some(0o640)).unwrap();
        assert_eq!((names(), new.name.is_none()), (0, true));
        new.take_name(&ParentFolder { folder: opened(), name: OsStr::new("a") }).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "new\n");
        assert_eq!(folder.path().join("a").metadata().unwrap().mode() & 0o777, 0o640);
        drop(TempFile::new(opened(), &content, None, None).unwrap());
        assert_eq!(names(), 1);
    }
}
