//! Other names of a file that look like a secret: a hard link must not lead past a rule about them.
//!
//! Only folders in which secrets usually lie are looked at, and only for a file with more than one name, so that a read
//! costs no search.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use copydesk_permission::looks_like_secret;
use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};

/// A folder with more entries is looked at in part.
const MAX_ENTRIES: usize = 2000;

/// Folders of the user's home.
const HOME_FOLDERS: [&str; 6] = ["", ".ssh", ".aws", ".docker", ".kube", ".config/gh"];

pub(super) fn find_secret_names(files: &WorkspaceFiles, place: &ResolvedPath) -> Vec<String> {
    let real = place.real_path();
    let Some(file) = fs::symlink_metadata(real).ok().filter(|file| file.is_file() && file.nlink() > 1) else {
        return Vec::new();
    };
    let root = files.root();
    let above = real.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    let home = HOME_FOLDERS.map(|name| files.home().join(name));
    let folders = above.map(Path::to_owned).chain([root.to_owned()]).chain(home);
    let mut names: Vec<String> = folders
        .flat_map(|folder| links_in(&folder, &file))
        .map(|path| files.resolve(&path.to_string_lossy()).display_path)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn links_in(folder: &Path, file: &Metadata) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.take(MAX_ENTRIES).flatten().map(|entry| entry.path());
    let is_link = |path: &PathBuf| {
        looks_like_secret(&path.to_string_lossy())
            && fs::symlink_metadata(path)
                .is_ok_and(|other| (other.dev(), other.ino()) == (file.dev(), file.ino()))
    };
    paths.filter(is_link).collect()
}
