//! The folders below a root that are watched. A folder whose ignore files cannot be read is not.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};

use super::WatchedFolders;
use crate::file_walk::{is_in_repository, walk_builder};
use crate::ignore_files;

/// Folders that contain no hand-written source.
const NEVER: [&str; 8] =
    [".git", ".hg", ".jj", ".svn", ".venv", "__pycache__", "node_modules", "bower_components"];

/// Everything below a folder that is not ignored. A folder comes before its contents.
pub(super) fn walk_all(root: &Path, wanted: WatchedFolders) -> Walk {
    builder(root).filter_entry(move |entry| !is_skipped(entry, wanted)).build()
}

/// The same, for some entries of a folder below the root only, and the folders above them.
pub(super) fn walk_entries(
    root: &Path,
    folder: &Path,
    names: BTreeSet<OsString>,
    wanted: WatchedFolders,
) -> Walk {
    let folder = folder.to_owned();
    // The walk begins at the root, because rules further up may hold only there.
    builder(root)
        .filter_entry(move |entry| {
            let is_entered = match entry.path().strip_prefix(&folder) {
                Ok(below) => below.iter().next().is_none_or(|name| names.contains(name)),
                Err(_) => folder.starts_with(entry.path()),
            };
            is_entered && !is_skipped(entry, wanted)
        })
        .build()
}

fn is_skipped(entry: &DirEntry, wanted: WatchedFolders) -> bool {
    let name = entry.file_name();
    let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
    let is_unwanted = match wanted {
        WatchedFolders::Searched => name == OsStr::new(".git"),
        WatchedFolders::Sources => {
            NEVER.iter().any(|never| name == OsStr::new(never)) || is_folder && is_generated(entry)
        }
    };
    is_unwanted || is_folder && !ignore_files::are_readable(entry.path())
}

/// Folders that tools generate: with a `CACHEDIR.TAG`, or Cargo's `target`, which has the tag only if Cargo created it.
fn is_generated(entry: &DirEntry) -> bool {
    let exists = |path: PathBuf| path.symlink_metadata().is_ok();
    let is_target =
        || entry.file_name() == OsStr::new("target") && exists(entry.path().with_file_name("Cargo.toml"));
    is_target() || exists(entry.path().join("CACHEDIR.TAG"))
}

/// With hidden files: some contain settings of servers.
fn builder(folder: &Path) -> WalkBuilder {
    let in_git = is_in_repository(folder);
    let has_rules = ignore_files::are_readable_for_walk(folder);
    let mut builder = walk_builder(folder, true, in_git);
    builder.ignore(has_rules).git_ignore(has_rules).git_exclude(has_rules).parents(in_git && has_rules);
    builder
}
