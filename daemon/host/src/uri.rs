//! Files as editors name them: URIs.

use std::path::PathBuf;

/// The path of a `file:` URI; others (`untitled:`) have none.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    url::Url::parse(uri).ok()?.to_file_path().ok()
}
