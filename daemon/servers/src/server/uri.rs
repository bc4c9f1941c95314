//! Files as servers name them.

use std::path::{Path, PathBuf};

/// None for a path that is not absolute. A folder has no slash at the end: some servers compare roots as text.
pub(super) fn from_path(path: &Path) -> Option<String> {
    url::Url::from_file_path(path).ok().map(String::from)
}

/// Other kinds (`untitled:`, `jdt:`) have no path.
pub(super) fn to_path(uri: &str) -> Option<PathBuf> {
    url::Url::parse(uri).ok()?.to_file_path().ok()
}
