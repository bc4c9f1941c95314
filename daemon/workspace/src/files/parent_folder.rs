//! The folder of a file that is to be written.
//!
//! Invariant: a write names the file only by its opened folder and its name in it, so no symlink can lead the write elsewhere.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::Path;

use copydesk_text::FileText;
use rustix::fs::{Access, AtFlags, accessat};

use super::read::{content_equals, ensure_regular};
use super::{FileError, ResolvedPath};
use crate::real_file::FolderHandle;

/// The opened folder of a file, and the file's name in it.
pub(super) struct ParentFolder<'a> {
    pub(super) folder: FolderHandle,
    pub(super) name: &'a OsStr,
}

impl<'a> ParentFolder<'a> {
    /// `None` if there is no such folder.
    pub(super) fn open(place: &'a ResolvedPath) -> Result<Option<Self>, FileError> {
        match Self::open_with(place, FolderHandle::open) {
            Err(FileError::ParentMissing { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// For a file that was there before.
    pub(super) fn open_existing(place: &'a ResolvedPath) -> Result<Self, FileError> {
        Self::open(place)?.ok_or_else(|| FileError::Disappeared { shown: place.display_path.clone() })
    }

    /// Creates the folder if it is missing.
    pub(super) fn create(place: &'a ResolvedPath) -> Result<Self, FileError> {
        Self::open_with(place, FolderHandle::open_or_create)
    }

    fn open_with(
        place: &'a ResolvedPath,
        open: impl Fn(&Path) -> io::Result<FolderHandle>,
    ) -> Result<Self, FileError> {
        let shown = || place.display_path.clone();
        let real = place.real_path();
        let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(FileError::IsAFolder { shown: shown() });
        };
        let opened = open(folder);
        place.ensure_unchanged()?;
        match opened {
            Ok(folder) => Ok(Self { folder, name }),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(FileError::ParentMissing { shown: shown() })
            }
            Err(error) => Err(FileError::io(place, "written", error)),
        }
    }

    /// The metadata of the existing file, if it may be replaced.
    pub(super) fn replaceable_metadata(&self, place: &ResolvedPath) -> Result<Option<Metadata>, FileError> {
        let metadata = match self.folder.metadata(self.name) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::io(place, "written", error)),
        };
        ensure_regular(place, &metadata)?;
        // A rename needs no permission to write the file itself, so check its mode. `access` always succeeds for
        // root, who nevertheless means something by a file without any write bit.
        let is_writable = || accessat(&self.folder, self.name, Access::WRITE_OK, AtFlags::empty()).is_ok();
        if metadata.permissions().readonly() || !is_writable() {
            return Err(FileError::ReadOnly { shown: place.display_path.clone() });
        }
        Ok(Some(metadata))
    }

    pub(super) fn ensure_unchanged(&self, place: &ResolvedPath, content: &FileText) -> Result<(), FileError> {
        let shown = || place.display_path.clone();
        match content_equals(place, (&self.folder, self.name), content) {
            Ok(true) => Ok(()),
            Ok(false) => Err(FileError::Changed { shown: shown() }),
            Err(FileError::NotFound { .. }) => Err(FileError::Disappeared { shown: shown() }),
            Err(error) => Err(error),
        }
    }
}
