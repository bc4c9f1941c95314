//! Replacing a file in one step: everything goes into a new file beside it, is flushed, and takes its name.
//!
//! The content is flushed, the folder is not: after a power failure the file has its old content or its new one. What was
//! expected is looked at first, before anything is made, and again at the last moment before the new file takes
//! the name. Programs that know nothing of our lock can still write between that look and the renaming; the gap is
//! one system call, except for `Expect::New`, where the system itself refuses to replace.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use copydesk_text::FileText;
use rustix::fs::{Access, CWD, RenameFlags, access, renameat_with};

use super::{
    FileError, Place,
    read::{holds, regular},
};

/// What a write was made against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expect {
    /// There is no such file yet. Its folders need not be there either.
    New,
    /// The file holds this content.
    Unchanged(FileText),
}

/// Whether a write could be made now, as far as can be told without making it.
pub(super) fn check(place: &Place, expect: &Expect) -> Result<(), FileError> {
    let before = existing(place, place.still()?)?;
    expected(place, before.as_ref(), expect)
}

/// Takes away what is still as it was made.
pub(super) fn remove<Lock>(
    place: &Place,
    content: &FileText,
    lock: impl FnOnce() -> Lock,
) -> Result<(), FileError> {
    let _lock = lock();
    unchanged(place, content)?;
    fs::remove_file(place.still()?).map_err(|error| FileError::io(place, "removed", error))
}

/// What stands at the path, if it is something that may be replaced.
fn existing(place: &Place, real: &Path) -> Result<Option<fs::Metadata>, FileError> {
    let metadata = match fs::symlink_metadata(real) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(FileError::io(place, "written", error)),
    };
    regular(place, &metadata)?;
    // Replacing needs no right to write the file itself, so that its mode has to be asked for. The second question is
    // always answered yes for root, who nevertheless means something by a file without any write bit.
    if metadata.permissions().readonly() || access(real, Access::WRITE_OK).is_err() {
        return Err(FileError::ReadOnly { shown: place.shown.clone() });
    }
    Ok(Some(metadata))
}

fn expected(place: &Place, before: Option<&fs::Metadata>, expect: &Expect) -> Result<(), FileError> {
    let shown = || place.shown.clone();
    match (expect, before) {
        (Expect::New, Some(_)) => Err(FileError::Appeared { shown: shown() }),
        (Expect::Unchanged(_), None) => Err(FileError::Vanished { shown: shown() }),
        (Expect::Unchanged(content), Some(before)) if before.len() != content.size() => {
            Err(FileError::Changed { shown: shown() })
        }
        _ => Ok(()),
    }
}

fn unchanged(place: &Place, content: &FileText) -> Result<(), FileError> {
    let shown = || place.shown.clone();
    match holds(place, content) {
        Ok(true) => Ok(()),
        Ok(false) => Err(FileError::Changed { shown: shown() }),
        Err(FileError::NotFound { .. }) => Err(FileError::Vanished { shown: shown() }),
        Err(error) => Err(error),
    }
}

fn ready(place: &Place, folder: &Path, expect: &Expect) -> Result<(), FileError> {
    let shown = || place.shown.clone();
    let error = match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => return Err(FileError::NoFolder { shown: shown() }),
        Err(error) => error,
    };
    match (error.kind(), expect) {
        (ErrorKind::NotFound, Expect::New) => {
            let made = DirBuilder::new().recursive(true).create(folder);
            made.map_err(|error| FileError::io(place, "written", error))
        }
        (ErrorKind::NotFound | ErrorKind::NotADirectory, _) => Err(FileError::NoFolder { shown: shown() }),
        _ => Err(FileError::io(place, "written", error)),
    }
}

/// The new content under a name of its own, which is removed unless it takes the file's.
pub(super) struct Staged {
    place: Place,
    expect: Expect,
    file: Temporary,
}

impl Staged {
    /// One that replaces another has its mode; a new one may be given one.
    pub(super) fn new(
        place: Place,
        content: &FileText,
        expect: Expect,
        mode: Option<u32>,
    ) -> Result<Self, FileError> {
        let real = place.still()?;
        let before = existing(&place, real)?;
        expected(&place, before.as_ref(), &expect)?;
        let folder = real.parent().ok_or_else(|| FileError::Folder { shown: place.shown.clone() })?;
        ready(&place, folder, &expect)?;
        let written = Temporary::new(folder, content, before.as_ref(), mode);
        let file = written.map_err(|error| FileError::io(&place, "written", error))?;
        Ok(Self { place, expect, file })
    }

    /// `lock` is taken for the last look and the renaming.
    pub(super) fn take_place<Lock>(self, lock: impl FnOnce() -> Lock) -> Result<(), FileError> {
        let Self { place, expect, file } = self;
        let _lock = lock();
        let real = place.still()?;
        existing(&place, real)?;
        match expect {
            Expect::New => file.take_new_name(&place, real),
            Expect::Unchanged(content) => {
                unchanged(&place, &content)?;
                file.take_name(real).map_err(|error| FileError::io(&place, "written", error))
            }
        }
    }
}

struct Temporary {
    path: PathBuf,
    placed: bool,
}

impl Temporary {
    fn new(
        folder: &Path,
        content: &FileText,
        before: Option<&fs::Metadata>,
        wanted: Option<u32>,
    ) -> io::Result<Self> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".copydesk-{}-{serial}.tmp", std::process::id()));
        // A new file gets what the user's mask leaves of 0666; one that replaces is closed until it has the old one's mode.
        let mode = if before.is_some() { 0o600 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        let temporary = Self { path, placed: false };
        for piece in content.pieces() {
            file.write_all(piece)?;
        }
        if let Some(before) = before {
            keep_rights(&file, before)?;
        } else if let Some(mode) = wanted {
            file.set_permissions(Permissions::from_mode(mode & 0o777))?;
        }
        file.sync_data()?;
        Ok(temporary)
    }

    fn take_name(mut self, real: &Path) -> io::Result<()> {
        fs::rename(&self.path, real)?;
        self.placed = true;
        Ok(())
    }

    fn take_new_name(mut self, place: &Place, real: &Path) -> Result<(), FileError> {
        let renamed = renameat_with(CWD, &self.path, CWD, real, RenameFlags::NOREPLACE);
        match renamed.map_err(io::Error::from) {
            Ok(()) => self.placed = true,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(FileError::Appeared { shown: place.shown.clone() });
            }
            // Some file systems cannot refuse by themselves.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                expected(place, existing(place, real)?.as_ref(), &Expect::New)?;
                return self.take_name(real).map_err(|error| FileError::io(place, "written", error));
            }
            Err(error) => return Err(FileError::io(place, "written", error)),
        }
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The owner first: giving a file away takes its set-user bit. Only root may give away, and that is no reason to fail.
fn keep_rights(file: &File, before: &fs::Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid())
        && fchown(file, Some(before.uid()), Some(before.gid())).is_err()
    {
        let _ = fchown(file, None, Some(before.gid()));
    }
    file.set_permissions(Permissions::from_mode(before.mode() & 0o7777))
}
