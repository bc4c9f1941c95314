//! Replaces a file in one step: everything goes into a new file beside it, is flushed, and takes its name.
//!
//! The content is flushed, the folder is not: after a power failure the file has its old content or its new
//! one. The precondition is checked before anything is written, and again just before the new file takes the
//! name. Programs that ignore our lock can still write between that check and the rename. The gap is one
//! system call; for `WritePrecondition::New` there is none, because the system itself refuses to replace.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use copydesk_text::FileText;
use rustix::fs::{Access, CWD, RenameFlags, access, renameat_with};
#[cfg(target_os = "linux")]
use rustix::fs::{AtFlags, Mode, OFlags, linkat, openat};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;

use super::{
    FileError, ResolvedPath,
    read::{content_equals, ensure_regular},
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
    let before = replaceable_metadata(place, place.verified_real_path()?)?;
    check_expected(place, before.as_ref(), expect)
}

/// Deletes a file that still has this content.
pub(super) fn remove<Lock>(
    place: &ResolvedPath,
    content: &FileText,
    lock: impl FnOnce() -> Lock,
) -> Result<(), FileError> {
    let _lock = lock();
    ensure_unchanged(place, content)?;
    fs::remove_file(place.verified_real_path()?).map_err(|error| FileError::io(place, "removed", error))
}

/// Moves a file that still has this content to a path where there is none.
pub(super) fn rename<Lock>(
    from: &ResolvedPath,
    to: &ResolvedPath,
    content: &FileText,
    lock: impl Fn() -> Lock,
) -> Result<(), FileError> {
    create_parent_folder(to)?;
    let mode = from.mode();
    let moved = {
        let _lock = lock();
        ensure_unchanged(from, content)?;
        let (source, target) = (from.verified_real_path()?, to.verified_real_path()?);
        check_expected(to, replaceable_metadata(to, target)?.as_ref(), &WritePrecondition::New)?;
        match renameat_with(CWD, source, CWD, target, RenameFlags::NOREPLACE).map_err(io::Error::from) {
            // Some file systems cannot refuse to replace.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                fs::rename(source, target)
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
    let folder = place.real_path().parent();
    let folder = folder.ok_or_else(|| FileError::IsAFolder { shown: place.display_path.clone() })?;
    ensure_parent_folder(place, folder, &WritePrecondition::New)
}

/// The metadata of the existing file, if it may be replaced.
fn replaceable_metadata(place: &ResolvedPath, real: &Path) -> Result<Option<fs::Metadata>, FileError> {
    let metadata = match fs::symlink_metadata(real) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(FileError::io(place, "written", error)),
    };
    ensure_regular(place, &metadata)?;
    // A rename needs no permission to write the file itself, so check its mode. `access` always succeeds for
    // root, who nevertheless means something by a file without any write bit.
    if metadata.permissions().readonly() || access(real, Access::WRITE_OK).is_err() {
        return Err(FileError::ReadOnly { shown: place.display_path.clone() });
    }
    Ok(Some(metadata))
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

fn ensure_unchanged(place: &ResolvedPath, content: &FileText) -> Result<(), FileError> {
    let shown = || place.display_path.clone();
    match content_equals(place, content) {
        Ok(true) => Ok(()),
        Ok(false) => Err(FileError::Changed { shown: shown() }),
        Err(FileError::NotFound { .. }) => Err(FileError::Disappeared { shown: shown() }),
        Err(error) => Err(error),
    }
}

fn ensure_parent_folder(
    place: &ResolvedPath,
    folder: &Path,
    expect: &WritePrecondition,
) -> Result<(), FileError> {
    let shown = || place.display_path.clone();
    let error = match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => return Err(FileError::ParentMissing { shown: shown() }),
        Err(error) => error,
    };
    match (error.kind(), expect) {
        (ErrorKind::NotFound, WritePrecondition::New) => {
            let made = DirBuilder::new().recursive(true).create(folder);
            made.map_err(|error| FileError::io(place, "written", error))
        }
        (ErrorKind::NotFound | ErrorKind::NotADirectory, _) => {
            Err(FileError::ParentMissing { shown: shown() })
        }
        _ => Err(FileError::io(place, "written", error)),
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
        let real = place.verified_real_path()?;
        let before = replaceable_metadata(&place, real)?;
        check_expected(&place, before.as_ref(), &expect)?;
        let folder =
            real.parent().ok_or_else(|| FileError::IsAFolder { shown: place.display_path.clone() })?;
        ensure_parent_folder(&place, folder, &expect)?;
        let written = TempFile::new(folder, content, before.as_ref(), mode);
        let file = written.map_err(|error| FileError::io(&place, "written", error))?;
        Ok(Self { place, expect, file })
    }

    /// `lock` is taken for the last check and the rename.
    pub(super) fn commit<Lock>(self, lock: impl FnOnce() -> Lock) -> Result<(), FileError> {
        let Self { place, expect, file } = self;
        let _lock = lock();
        let real = place.verified_real_path()?;
        replaceable_metadata(&place, real)?;
        match expect {
            WritePrecondition::New => file.take_new_name(&place, real),
            WritePrecondition::Unchanged(content) => {
                ensure_unchanged(&place, &content)?;
                file.take_name(real).map_err(|error| FileError::io(&place, "written", error))
            }
        }
    }
}

/// A file that has no name while it is written, so that nothing is left if the process is killed. It has a temporary name
/// only for the moment before it replaces another file, or where the system has no files without a name.
struct TempFile {
    file: File,
    folder: PathBuf,
    /// Its temporary name, which is removed unless the file takes another.
    path: Option<PathBuf>,
}

impl TempFile {
    fn new(
        folder: &Path,
        content: &FileText,
        before: Option<&fs::Metadata>,
        wanted: Option<u32>,
    ) -> io::Result<Self> {
        // A new file gets what the umask leaves of 0666; a replacement is private until it has the old file's
        // mode.
        let mode = if before.is_some() { 0o600 } else { 0o666 };
        let mut temporary = Self::open(folder, mode)?;
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

    fn open(folder: &Path, mode: u32) -> io::Result<Self> {
        if let Some(file) = unnamed_file(folder, mode) {
            return Ok(Self { file, folder: folder.to_owned(), path: None });
        }
        let path = temporary_path(folder);
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        Ok(Self { file, folder: folder.to_owned(), path: Some(path) })
    }

    /// Gives it a temporary name, from which it can be renamed.
    fn name(&mut self) -> io::Result<&Path> {
        if self.path.is_none() {
            let path = temporary_path(&self.folder);
            link(&self.file, &path)?;
            self.path = Some(path);
        }
        Ok(self.path.as_deref().unwrap_or(&self.folder))
    }

    fn take_name(mut self, real: &Path) -> io::Result<()> {
        fs::rename(self.name()?, real)?;
        self.path = None;
        Ok(())
    }

    fn take_new_name(mut self, place: &ResolvedPath, real: &Path) -> Result<(), FileError> {
        let failed = |error| FileError::io(place, "written", error);
        let named = match self.path.is_none() {
            // A link never replaces a file.
            true => link(&self.file, real),
            false => {
                let path = self.name().map_err(failed)?;
                renameat_with(CWD, path, CWD, real, RenameFlags::NOREPLACE).map_err(io::Error::from)
            }
        };
        match named {
            Ok(()) => self.path = None,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(FileError::AlreadyExists { shown: place.display_path.clone() });
            }
            // Some file systems cannot refuse to replace.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                check_expected(place, replaceable_metadata(place, real)?.as_ref(), &WritePrecondition::New)?;
                return self.take_name(real).map_err(failed);
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

fn temporary_path(folder: &Path) -> PathBuf {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".copydesk-{}-{serial}.tmp", std::process::id()))
}

/// The folder through which a file without a name is linked.
#[cfg(target_os = "linux")]
const DESCRIPTORS: &str = "/proc/self/fd";

/// `None` if the file system has no files without a name.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &Path, mode: u32) -> Option<File> {
    if !Path::new(DESCRIPTORS).is_dir() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    openat(CWD, folder, flags, Mode::from_raw_mode(mode)).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &Path, _: u32) -> Option<File> {
    None
}

/// Gives a file without a name its first one.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    let descriptor = Path::new(DESCRIPTORS).join(file.as_raw_fd().to_string());
    linkat(CWD, &descriptor, CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
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
        let content = FileText::from("new\n".to_owned());
        let new = TempFile::new(folder.path(), &content, None, Some(0o640)).unwrap();
        assert_eq!((names(), new.path.is_none()), (0, true));
        new.take_name(&folder.path().join("a")).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "new\n");
        assert_eq!(folder.path().join("a").metadata().unwrap().mode() & 0o777, 0o640);
        drop(TempFile::new(folder.path(), &content, None, None).unwrap());
        assert_eq!(names(), 1);
    }
}
