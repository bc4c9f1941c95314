//! Why a file could not be read or written, in words that a user or a model can act on.

use std::io;

use copydesk_text::Conflict;
use rustix::io::Errno;

use super::ResolvedPath;
use crate::buffers::SyncError;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("`{shown}` does not exist")]
    NotFound { shown: String },
    #[error("`{shown}` is a folder, not a file")]
    IsAFolder { shown: String },
    #[error("`{shown}` is a file, not a folder")]
    NotAFolder { shown: String },
    #[error("`{shown}` is {what}; only regular files can be read and written")]
    NotRegular { shown: String, what: &'static str },
    #[error(
        "`{shown}` has {size} bytes, and at most {limit} are read; search in it, or cut it with a command"
    )]
    TooLarge { shown: String, size: u64, limit: u64 },
    #[error("`{shown}` cannot be {doing}: {error}; nothing was changed")]
    Denied { shown: String, doing: &'static str, error: io::Error },
    #[error(
        "`{shown}` is read-only; nothing was changed. If it is meant to change, run `chmod u+w` on it first"
    )]
    ReadOnly { shown: String },
    #[error(
        "`{shown}` has changed since it was read; nothing was written. Read it again and repeat the change"
    )]
    Changed { shown: String },
    #[error(
        "`{shown}` is gone since it was read; nothing was written. Look for where it went, or write it as new"
    )]
    Disappeared { shown: String },
    #[error("`{shown}` exists already; nothing was written. Read it before you change it")]
    AlreadyExists { shown: String },
    #[error("the folder of `{shown}` does not exist; nothing was written. Create it, or check the path")]
    ParentMissing { shown: String },
    #[error("the disk is full: `{shown}` was not written and is as it was. Free some space first")]
    DiskFull { shown: String },
    #[error("`{shown}` now leads elsewhere than a moment ago: a link on its way was changed; try again")]
    PathChanged { shown: String },
    /// The editor's reports about its text are contradictory.
    #[error(
        "`{shown}` is open in an editor whose text of it is not known: {why}. Nothing was changed; close it there and open \
         it again"
    )]
    OutOfSync { shown: String, why: SyncError },
    #[error("the user has changed the same lines of `{shown}` meanwhile; nothing was changed.\n{conflict}")]
    Conflict { shown: String, conflict: Box<Conflict> },
    #[error(
        "`{shown}` is open in an editor and has text there that is not saved; it was left as it is. The user must save or \
         discard that text first"
    )]
    Unsaved { shown: String },
    #[error("the editor did not change `{shown}`: {why}")]
    Refused { shown: String, why: String },
    #[error(
        "`{shown}` is being typed in so fast that the change did not come through; nothing was changed. Try again"
    )]
    Busy { shown: String },
    #[error("the journal of edits cannot be written, and without it nothing is changed: {why}")]
    Journal { why: String },
    #[error("{why} What had been changed until then could not be taken back in: {left}")]
    PartiallyApplied { why: String, left: String },
    #[error("`{shown}` cannot be {doing}: {error}")]
    Io { shown: String, doing: &'static str, error: io::Error },
}

impl FileError {
    /// The variant for a system error while the file was `doing` (`read`, `written`…).
    pub(super) fn io(place: &ResolvedPath, doing: &'static str, error: io::Error) -> Self {
        use io::ErrorKind;
        let shown = place.display_path.clone();
        // A real path has no link.
        if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
            return Self::PathChanged { shown };
        }
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NotFound { shown },
            ErrorKind::IsADirectory => Self::IsAFolder { shown },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Self::Denied { shown, doing, error }
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { shown },
            _ => Self::Io { shown, doing, error },
        }
    }
}
