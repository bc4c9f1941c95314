//! Whether the ignore files of a folder can be read.
//!
//! The `ignore` crate reads them as they are. A repository may contain a link to `/dev/zero`, a pipe or a file of gigabytes by
//! such a name, which would take all memory or all time. A walk leaves out the rules of a folder where one cannot be read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Larger files are not read. Real ones have some kilobytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// For one folder: `.ignore`, `.gitignore`, and what git excludes if it is a repository.
pub fn are_readable(folder: &Path) -> bool {
    [".ignore", ".gitignore"].iter().all(|name| is_readable(&folder.join(name)))
        && is_git_readable(&folder.join(".git"))
}

/// For the folder that a walk begins at. The `ignore` crate also opens the ignore files of the folders above it, whether
/// their rules hold or not.
pub fn are_readable_for_walk(folder: &Path) -> bool {
    let real = folder.canonicalize();
    let above = real.iter().flat_map(|real| real.ancestors());
    folder.ancestors().chain(above).all(are_readable)
}

fn is_git_readable(git: &Path) -> bool {
    // In a worktree and in a submodule, `.git` is a file with the path of the folder.
    let common = git_folder(git).map(|folder| folder.join("commondir"));
    let is_link_readable =
        !git.is_file() || is_readable(git) && common.is_none_or(|common| is_readable(&common));
    is_link_readable && git_exclude_file(git).is_none_or(|file| is_readable(&file))
}

/// The files, besides `git` itself, that decide what git excludes beside `.gitignore`. They need not exist.
pub(crate) fn git_rule_files(git: &Path) -> impl Iterator<Item = PathBuf> {
    git_exclude_file(git).into_iter().chain(git_folder(git).map(|folder| folder.join("commondir")))
}

/// The file with what git excludes beside `.gitignore`, if `git` is the `.git` of a repository. It need not exist.
fn git_exclude_file(git: &Path) -> Option<PathBuf> {
    if !git.is_file() {
        return Some(git.join("info/exclude"));
    }
    let folder = git_folder(git)?;
    let common = first_line(&folder.join("commondir"))?;
    Some(folder.join(common).join("info/exclude"))
}

/// The folder that a `.git` file names.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if !git.is_file() {
        return None;
    }
    first_line(git)?.strip_prefix("gitdir: ").map(PathBuf::from)
}

/// A missing file is readable. A folder of that name has no rules: reading it fails at once.
fn is_readable(file: &Path) -> bool {
    fs::metadata(file).map_or(true, |meta| meta.is_dir() || meta.is_file() && meta.len() <= MAX_FILE_BYTES)
}

fn first_line(file: &Path) -> Option<String> {
    let mut text = String::new();
    if is_readable(file) {
        File::open(file).ok()?.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    }
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_no_small_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for folder in ["plain", "none", "zero", "large", "git/.git/info", "tree", "common/info"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("plain/.gitignore"), "target\n").unwrap();
        symlink("nowhere", at("plain/.ignore")).unwrap();
        fs::create_dir_all(at("none/.ignore")).unwrap();
        symlink("/dev/zero", at("zero/.ignore")).unwrap();
        File::create(at("large/.gitignore")).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        symlink("/dev/zero", at("git/.git/info/exclude")).unwrap();
        fs::write(at("tree/.git"), format!("gitdir: {}\n", at("none").display())).unwrap();
        let are = |name: &str| are_readable(&at(name));
        assert_eq!(
            ["plain", "none", "zero", "large", "git", "tree"].map(are),
            [true, true, false, false, false, true]
        );
        fs::write(at("none/commondir"), "../common\n").unwrap();
        assert!(are("tree"));
        symlink("/dev/zero", at("common/info/exclude")).unwrap();
        assert!(!are("tree") && !are_readable_for_walk(&at("tree/below")));
        symlink(at("tree"), at("linked")).unwrap();
        fs::create_dir_all(at("tree/below")).unwrap();
        assert!(!are_readable_for_walk(&at("linked/below")));
        fs::remove_file(at("none/commondir")).unwrap();
        symlink("/dev/zero", at("none/commondir")).unwrap();
        assert!(!are("tree"));
    }
}
