//! Lists a folder, and finds the names that a misspelled one may have meant.

use std::{collections::BinaryHeap, ffi::OsStr, io, path::Path};

use super::{FileError, ResolvedPath};
use crate::real_file::{self, FolderHandle};

/// With more entries, a guess helps no one.
const MAX_SIBLINGS: usize = 10_000;
const MAX_GUESSES: usize = 3;

/// The first entries of a folder, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryListing {
    /// Folders, and symlinks to folders, end with `/`.
    pub entries: Vec<String>,
    /// How many there are in all.
    pub total: usize,
}

/// A folder may contain millions of entries: at most `limit` names are in memory at any time.
pub(super) fn list(place: &ResolvedPath, limit: usize) -> Result<DirectoryListing, FileError> {
    let unreadable = |error| FileError::io(place, "listed", error);
    let real = place.real_path();
    let opened = FolderHandle::open(real);
    place.ensure_unchanged()?;
    let folder = match opened {
        Err(error)
            if error.kind() == io::ErrorKind::NotADirectory
                && real_file::metadata(real).is_ok_and(|found| !found.is_dir()) =>
        {
            return Err(FileError::NotAFolder { shown: place.display_path.clone() });
        }
        opened => opened.map_err(unreadable)?,
    };
    let mut first = BinaryHeap::new();
    let mut total = 0;
    for name in folder.names().map_err(unreadable)? {
        first.push(name.map_err(unreadable)?);
        total += 1;
        if first.len() > limit {
            first.pop();
        }
    }
    let entries = first.into_sorted_vec().into_iter().map(|name| {
        let end = if folder.is_folder(&name) { "/" } else { "" };
        format!("{}{end}", name.to_string_lossy())
    });
    Ok(DirectoryListing { entries: entries.collect(), total })
}

pub(super) fn similar(place: &ResolvedPath) -> Vec<String> {
    let (Some(folder), Some(name)) = (place.real_path().parent(), place.absolute_path.file_name()) else {
        return Vec::new();
    };
    let wanted = name.to_string_lossy().to_lowercase();
    let Ok(siblings) = FolderHandle::open(folder).and_then(|folder| folder.names()) else {
        return Vec::new();
    };
    let siblings = siblings.flatten().take(MAX_SIBLINGS);
    let mut guesses: Vec<_> = siblings.filter_map(|sibling| likeness(&sibling, &wanted)).collect();
    guesses.sort_by(|(likeness, name), (other, other_name)| {
        other.total_cmp(likeness).then_with(|| name.cmp(other_name))
    });
    let beside = Path::new(&place.display_path).parent().unwrap_or(Path::new(""));
    let shown = guesses.into_iter().take(MAX_GUESSES);
    shown.map(|(_, name)| beside.join(name).to_string_lossy().into_owned()).collect()
}

/// The similarity from 0 to 1, and the name; `None` if no one would confuse the two.
fn likeness(sibling: &OsStr, wanted: &str) -> Option<(f64, String)> {
    let name = sibling.to_string_lossy().into_owned();
    let lower = name.to_lowercase();
    let (shorter, longer) =
        if lower.len() < wanted.len() { (lower.as_str(), wanted) } else { (wanted, lower.as_str()) };
    if shorter.len() * 2 < longer.len() {
        return None;
    }
    let likeness = strsim::normalized_damerau_levenshtein(&lower, wanted);
    (likeness >= 0.6 || longer.contains(shorter)).then_some((likeness, name))
}
