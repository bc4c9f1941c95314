//! Resolves a written path to the file that it leads to.
//!
//! The path becomes absolute, and `.` and `..` are removed by name alone. The real path decides what is
//! inside the workspace. It follows the symlinks of every component, even if the last ones do not exist yet:
//! a symlink inside the workspace that leads outside is outside.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use super::FileError;
use crate::real_path::real_path;

/// The prefixes of buffers without a file of their own: new documents, and the cells of VS Code's notebooks.
const WITHOUT_FILE: [&str; 2] = ["untitled:", "vscode-notebook-cell:"];

/// Where a path led when it was resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    /// Absolute, without `.` and `..`; symlinks are not resolved.
    pub absolute_path: PathBuf,
    /// For a user or a model: relative to the workspace if inside, else absolute.
    pub display_path: String,
    /// Whether the real path lies in the workspace.
    pub is_in_workspace: bool,
    real: PathBuf,
}

impl ResolvedPath {
    /// `real_root` is the real path of the workspace.
    pub(super) fn resolve(path: &str, root: &Path, real_root: &Path, home: &Path) -> Self {
        if has_no_file(path) {
            let path_of = PathBuf::from(path);
            return Self {
                absolute_path: path_of.clone(),
                display_path: path.to_owned(),
                is_in_workspace: true,
                real: path_of,
            };
        }
        let path = match path.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => root.join(path),
        };
        let path = normalise(&path);
        // A path that cannot be followed (a loop, a folder without access) does not count as inside.
        let (real, inside) = match real_path(&path) {
            Ok(real) => (real.clone(), real.starts_with(real_root)),
            Err(_) => (path.clone(), false),
        };
        let below = path.strip_prefix(root).or_else(|_| path.strip_prefix(real_root)).ok();
        let shown = match below.filter(|_| inside) {
            Some(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Some(below) => below.to_string_lossy().into_owned(),
            None => path.to_string_lossy().into_owned(),
        };
        Self { absolute_path: path, display_path: shown, is_in_workspace: inside, real }
    }

    /// The path without symlinks, as it was when resolved. Permission asks show this one.
    pub fn real_path(&self) -> &Path {
        &self.real
    }

    /// Whether it is a buffer without a file of its own.
    pub fn has_no_file(&self) -> bool {
        has_no_file(&self.display_path)
    }

    /// The mode bits of the existing file.
    pub fn mode(&self) -> Option<u32> {
        fs::metadata(&self.real).ok().map(|metadata| metadata.permissions().mode() & 0o777)
    }

    /// Fails if the path leads elsewhere now. This check alone protects nothing, because the path may change right after it: what is
    /// used is opened by the real path ([`crate::real_file`]).
    pub(super) fn ensure_unchanged(&self) -> Result<(), FileError> {
        match real_path(&self.absolute_path) {
            Ok(real) if real == self.real => Ok(()),
            Ok(_) => Err(FileError::PathChanged { shown: self.display_path.clone() }),
            Err(error) => Err(FileError::io(self, "followed", error)),
        }
    }
}

fn has_no_file(path: &str) -> bool {
    WITHOUT_FILE.iter().any(|prefix| path.starts_with(prefix))
}

/// Removes `.` and `..` by name alone.
pub(super) fn normalise(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // At the root this does nothing, as `/..` is `/`.
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
