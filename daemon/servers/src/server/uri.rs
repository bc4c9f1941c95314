//! Converts between paths and the URIs of servers.

use std::path::{Path, PathBuf};

/// `None` if the path is not absolute. A folder gets no slash at the end: some servers compare roots as text.
pub(super) fn from_path(path: &Path) -> Option<String> {
    url::Url::from_file_path(path).ok().map(String::from)
}

/// `None` for other schemes (`untitled:`, `jdt:`).
pub(super) fn to_path(uri: &str) -> Option<PathBuf> {
    url::Url::parse(uri).ok()?.to_file_path().ok()
}
