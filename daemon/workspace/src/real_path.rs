//! The file that a path leads to, symlinks resolved, even if its end does not exist yet.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// As many as Linux follows.
const MAX_LINKS: usize = 40;

/// Like `canonicalize`, but also for paths whose end does not exist, and for dangling symlinks.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::from("/");
    let mut left = parts(path);
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        let is_link = match fs::symlink_metadata(&next) {
            Ok(metadata) => metadata.is_symlink(),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                false
            }
            Err(error) => return Err(error),
        };
        if !is_link {
            real = next;
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(io::Error::other("its links lead in a circle"));
        }
        let target = fs::read_link(&next)?;
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        left.extend(parts(&target));
    }
    Ok(real)
}

/// The last component first, for popping.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    parts.collect()
}
