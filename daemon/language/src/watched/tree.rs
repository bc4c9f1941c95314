//! The folders below a root that are worth watching.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ignore::{Walk, WalkBuilder};

/// Folders that are passed over whether or not anything ignores them: nobody writes source in them by hand.
const NEVER: [&str; 8] =
    [".git", ".hg", ".jj", ".svn", ".venv", "__pycache__", "node_modules", "bower_components"];

/// Everything below a folder that is not ignored, a folder always before what is in it.
pub(super) fn whole(root: &Path) -> Walk {
    builder(root).filter_entry(|entry| !is_never(entry.file_name())).build()
}

/// The same of a few entries of it, and of nothing beside them.
pub(super) fn part<T: Send + Sync + 'static>(folder: &Path, names: BTreeMap<OsString, T>) -> Walk {
    builder(folder)
        .filter_entry(move |entry| {
            let name = entry.file_name();
            !is_never(name) && (entry.depth() != 1 || names.contains_key(name))
        })
        .build()
}

fn is_never(name: &OsStr) -> bool {
    NEVER.iter().any(|never| name == OsStr::new(never))
}

/// As the search of the workspace room sees it, except that hidden files count: servers have their settings in some.
fn builder(folder: &Path) -> WalkBuilder {
    let in_git = folder.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok());
    let mut builder = WalkBuilder::new(folder);
    builder
        .hidden(false)
        .parents(in_git)
        .require_git(in_git)
        .git_global(false)
        .current_dir(PathBuf::from(folder));
    builder
}
