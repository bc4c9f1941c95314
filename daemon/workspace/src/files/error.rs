//! Why a file could not be read or written, in words that a person or a model can act on.

use std::io;

use super::Place;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("`{shown}` does not exist")]
    NotFound { shown: String },
    #[error("`{shown}` is a folder, not a file")]
    Folder { shown: String },
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
    Vanished { shown: String },
    #[error("`{shown}` exists already; nothing was written. Read it before you change it")]
    Appeared { shown: String },
    #[error("the folder of `{shown}` does not exist; nothing was written. Create it, or check the path")]
    NoFolder { shown: String },
    #[error("the disk is full: `{shown}` was not written and is as it was. Free some space first")]
    DiskFull { shown: String },
    #[error("`{shown}` now leads elsewhere than a moment ago: a link on its way was changed; try again")]
    Moved { shown: String },
    #[error("`{shown}` cannot be {doing}: {error}")]
    Io { shown: String, doing: &'static str, error: io::Error },
}

impl FileError {
    /// The variant for what the system said while the place was `doing` (`read`, `written`…).
    pub(super) fn io(place: &Place, doing: &'static str, error: io::Error) -> Self {
        use io::ErrorKind;
        let shown = place.shown.clone();
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NotFound { shown },
            ErrorKind::IsADirectory => Self::Folder { shown },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Self::Denied { shown, doing, error }
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { shown },
            _ => Self::Io { shown, doing, error },
        }
    }
}
