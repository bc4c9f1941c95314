//! Reading one regular file, up to a limit.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::Path,
};

use rustix::fs::OFlags;

use super::{FileError, Place, Stamp};

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub bytes: Vec<u8>,
    pub stamp: Stamp,
    /// It is the text of an editor's buffer, which may differ from the disk's.
    pub is_open: bool,
}

pub(super) fn read(place: &Place, limit: u64) -> Result<Content, FileError> {
    let unreadable = |error| FileError::io(place, "read", error);
    let real = place.still()?;
    // Looked at before it is opened, since opening some devices does something, and after, since it may be another by then.
    regular(place, &fs::symlink_metadata(real).map_err(unreadable)?)?;
    let file = open(real).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    regular(place, &metadata)?;
    let too_large = |size| FileError::TooLarge { shown: place.shown.clone(), size, limit };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    // It may grow while it is read, and what `/proc` holds says that it is empty.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    (&file).take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(file.metadata().map_or(bytes.len() as u64, |now| now.len())));
    }
    Ok(Content { stamp: Stamp::of(&bytes), bytes, is_open: false })
}

/// Opens without ever waiting for a writer at the other end of a pipe. The path has no links left, and one that was put
/// there since is not followed.
fn open(real: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    OpenOptions::new().read(true).custom_flags(flags).open(real)
}

pub(super) fn regular(place: &Place, metadata: &fs::Metadata) -> Result<(), FileError> {
    let (kind, shown) = (metadata.file_type(), place.shown.clone());
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(FileError::Folder { shown });
    }
    let what = if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(FileError::NotRegular { shown, what })
}
