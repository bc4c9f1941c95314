//! Reads a file that an attacker may have prepared: only regular files (a pipe would block forever), up to
//! a limit, and without guessing the encoding.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use crate::error::{ConfigError, ConfigMessage};

/// The maximum size of a configuration file and of a file that `{file:…}` names.
pub(crate) const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Whether `path` exists. A dangling symlink counts: its owner meant a file to be there.
pub(crate) fn exists(path: &Path) -> Result<bool, ConfigError> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(false),
        Err(error) => Err(ConfigError::Unreadable { path: path.into(), error }),
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, ConfigError> {
    let bytes = read_bytes(path, MAX_FILE_BYTES)?;
    String::from_utf8(bytes).map_err(|error| ConfigError::Invalid(not_utf8(path, &error)))
}

pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ConfigError> {
    let unreadable = |error| ConfigError::Unreadable { path: path.into(), error };
    let found = fs::metadata(path).map_err(unreadable)?.file_type();
    if !found.is_file() {
        let found = if found.is_dir() { "a folder" } else { "a device, pipe or socket" };
        return Err(ConfigError::NotAFile { path: path.into(), found });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(ConfigError::TooLarge { path: path.into(), limit });
    }
    Ok(bytes)
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> ConfigMessage {
    let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
    let before = String::from_utf8_lossy(valid);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    let mut remark =
        ConfigMessage::about_file(path, format!("byte {} is not UTF-8; save the file as UTF-8", valid.len()));
    remark.line = u32::try_from(line).unwrap_or(u32::MAX);
    remark.column = u32::try_from(column).unwrap_or(u32::MAX);
    remark
}
