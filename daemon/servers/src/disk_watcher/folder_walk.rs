//! The folders below a root that are worth watching.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};

/// Folders that are passed over whether or not anything ignores them: nobody writes source in them by hand.
const NEVER: [&str; 8] =
    [".git", ".hg", ".jj", ".svn", ".venv", "__pycache__", "node_modules", "bower_components"];

/// Everything below a folder that is not ignored, a folder always before what is in it.
pub(super) fn walk_all(root: &Path) -> Walk {
    builder(root).filter_entry(|entry| !is_passed_over(entry)).build()
}

/// The same of a few entries of it, and of nothing beside them.
pub(super) fn walk_entries(folder: &Path, names: BTreeSet<OsString>) -> Walk {
    builder(folder)
        .filter_entry(move |entry| {
            (entry.depth() != 1 || names.contains(entry.file_name())) && !is_passed_over(entry)
        })
        .build()
}

fn is_passed_over(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    NEVER.iter().any(|never| name == OsStr::new(never)) || is_made(entry)
}

/// What tools make for themselves: a folder that says so itself, and Cargo's, which says so only where Cargo made it.
fn is_made(entry: &DirEntry) -> bool {
    let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    let is_target =
        || entry.file_name() == OsStr::new("target") && is_there(entry.path().with_file_name("Cargo.toml"));
    is_folder && (is_target() || is_there(entry.path().join("CACHEDIR.TAG")))
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
