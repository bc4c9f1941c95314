//! The socket's folder. A folder that others can enter is rejected with a message that says what to do.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Why a folder is rejected. Nothing is repaired: another user may have prepared the folder in order to
/// listen.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeFolderError {
    #[error("{}: this is a symlink or not a folder; remove it, or set COPYDESK_RUNTIME_DIR to another folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("{}: this folder belongs to user {owner}, not to you; set COPYDESK_RUNTIME_DIR to one of your own", folder.display())]
    Owner { folder: PathBuf, owner: u32 },
    #[error("{}: others may enter this folder (its mode is {mode:03o}); run `chmod 700 {}`", folder.display(), folder.display())]
    Mode { folder: PathBuf, mode: u32 },
    #[error("{}: cannot create or read this folder: {error}; set COPYDESK_RUNTIME_DIR to another", folder.display())]
    System { folder: PathBuf, error: io::Error },
}

pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(super) fn exists(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok()
}

pub(super) fn make(folder: &Path) -> Result<(), RuntimeFolderError> {
    match DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        // If something else is there, `check` reports it.
        Err(error) if !exists(folder) => Err(RuntimeFolderError::System { folder: folder.to_owned(), error }),
        _ => Ok(()),
    }
}

pub(super) fn check(path: &Path) -> Result<(), RuntimeFolderError> {
    let folder = path.to_owned();
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return Err(RuntimeFolderError::System { folder, error }),
    };
    let mode = metadata.mode() & 0o777;
    if !metadata.is_dir() {
        Err(RuntimeFolderError::NotAFolder(folder))
    } else if metadata.uid() != user() {
        Err(RuntimeFolderError::Owner { folder, owner: metadata.uid() })
    } else if mode & 0o077 != 0 {
        Err(RuntimeFolderError::Mode { folder, mode })
    } else {
        Ok(())
    }
}
