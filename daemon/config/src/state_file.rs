//! The files of the state folder that keep what the user said: JSON by path.
//!
//! Only the user can read them; they are replaced atomically, under a lock. A damaged file is an error that names it, and its
//! content counts as missing.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Serialize, de::DeserializeOwned};

use crate::{ConfigError, private_file, read::read_bytes};

/// More than any user's folders need.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct StateFileError {
    path: PathBuf,
    reason: String,
}

impl StateFileError {
    pub(crate) fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The message without the path.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The content, or an empty one if there is no file.
pub(crate) fn load<T: DeserializeOwned + Default>(path: &Path) -> Result<T, StateFileError> {
    let bytes = match read_bytes(path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(ConfigError::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(T::default());
        }
        Err(error) => return Err(StateFileError::new(path, error.reason(path))),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| StateFileError::new(path, format!("is damaged ({error}); remove it")))
}

/// Changes the content. Two programs that do so at once never lose each other's changes; a change that fails changes nothing.
pub(crate) fn update<T, R>(
    path: &Path,
    change: impl FnOnce(&mut T) -> Result<R, StateFileError>,
) -> Result<R, StateFileError>
where
    T: Serialize + DeserializeOwned + Default + Clone + PartialEq,
{
    let error = |error: io::Error| StateFileError::new(path, format!("cannot be written: {error}"));
    let _lock = private_file::lock_file(path).map_err(error)?;
    let before: T = load(path)?;
    let mut content = before.clone();
    let changed = change(&mut content)?;
    if content != before {
        let text = serde_json::to_vec_pretty(&content).map_err(io::Error::from).map_err(error)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(StateFileError::new(path, "is full; revoke what you need no more"));
        }
        private_file::replace_file(path, &text).map_err(error)?;
    }
    Ok(changed)
}

/// The path with symlinks resolved. A deleted folder keeps its written path, so that what was said about it can be revoked.
pub(crate) fn real_name(path: &Path) -> Result<String, StateFileError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.into());
    real.into_os_string()
        .into_string()
        .map_err(|_| StateFileError::new(path, "expected a path that is UTF-8"))
}
