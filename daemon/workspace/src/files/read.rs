//! Reads one regular file up to a limit, or compares it with an expected content.

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io::{BufRead, BufReader, Read},
    ops::RangeInclusive,
    os::unix::fs::FileTypeExt,
    path::PathBuf,
};

use copydesk_text::FileText;

use super::{ContentStamp, FileError, ResolvedPath};
use crate::real_file::{self, FolderHandle};

/// Bytes to compare at a time.
const CHUNK: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    pub bytes: Vec<u8>,
    pub stamp: ContentStamp,
    /// It is the text of an editor's buffer, which may differ from the disk.
    pub is_from_buffer: bool,
}

/// What the session wrote to a file: while the file contains that, its stamp is known. Comparing takes a
/// tenth of the time of hashing, which matters when a large file is edited again and again.
#[derive(Debug, Clone)]
pub(super) struct WrittenContent {
    pub(super) real: PathBuf,
    pub(super) content: FileText,
    pub(super) stamp: ContentStamp,
}

impl WrittenContent {
    /// The file sizes that are worth keeping, and not too large for it.
    pub(super) const WORTH_IT: RangeInclusive<u64> = 128 * 1024..=16 * 1024 * 1024;

    fn stamp_of(&self, place: &ResolvedPath, bytes: &[u8]) -> Option<ContentStamp> {
        let [mark, text] = self.content.pieces();
        let same = self.real == place.real_path() && bytes.strip_prefix(mark) == Some(text);
        same.then_some(self.stamp)
    }
}

pub(super) fn read(
    place: &ResolvedPath,
    limit: u64,
    written: Option<&WrittenContent>,
) -> Result<FileContent, FileError> {
    let unreadable = |error| FileError::io(place, "read", error);
    let (file, metadata) = opened(place)?;
    let too_large = |size| FileError::TooLarge { shown: place.display_path.clone(), size, limit };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    // The file may grow while it is read, and files in `/proc` claim to be empty.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    (&file).take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(file.metadata().map_or(bytes.len() as u64, |now| now.len())));
    }
    let known = written.and_then(|written| written.stamp_of(place, &bytes));
    Ok(FileContent {
        stamp: known.unwrap_or_else(|| ContentStamp::of_bytes(&bytes)),
        bytes,
        is_from_buffer: false,
    })
}

/// Whether the file of this name in `folder` has exactly this content. Keeps and hashes nothing.
pub(super) fn content_equals(
    place: &ResolvedPath,
    (folder, name): (&FolderHandle, &OsStr),
    content: &FileText,
) -> Result<bool, FileError> {
    let unreadable = |error| FileError::io(place, "read", error);
    let (file, metadata) = folder.open_file(name).map_err(unreadable)?;
    ensure_regular(place, &metadata)?;
    let mut reader = BufReader::with_capacity(CHUNK, file);
    for mut piece in content.pieces() {
        while !piece.is_empty() {
            let read = reader.fill_buf().map_err(unreadable)?;
            let count = read.len().min(piece.len());
            if count == 0 || read.get(..count) != piece.get(..count) {
                return Ok(false);
            }
            piece = piece.get(count..).unwrap_or_default();
            reader.consume(count);
        }
    }
    Ok(reader.fill_buf().map_err(unreadable)?.is_empty())
}

fn opened(place: &ResolvedPath) -> Result<(File, Metadata), FileError> {
    let unreadable = |error| FileError::io(place, "read", error);
    let before = real_file::metadata(place.real_path());
    place.ensure_unchanged()?;
    // Before it is opened, because that has effects on some devices, and after, because it may be another file by then.
    ensure_regular(place, &before.map_err(unreadable)?)?;
    let (file, metadata) = real_file::open_file(place.real_path()).map_err(unreadable)?;
    ensure_regular(place, &metadata)?;
    Ok((file, metadata))
}

pub(super) fn ensure_regular(place: &ResolvedPath, metadata: &Metadata) -> Result<(), FileError> {
    let (kind, shown) = (metadata.file_type(), place.display_path.clone());
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(FileError::IsAFolder { shown });
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
