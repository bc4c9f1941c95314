//! The paths of the indexed files, close together in memory.
//!
//! A search by name looks at all of them. In the map of the files each would cost several cache misses.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

#[derive(Debug, Default)]
pub(super) struct FileNames {
    /// The paths, one behind the other, in the order in which they were added.
    text: Vec<u8>,
    /// In path order.
    names: Vec<FileName>,
    removed: usize,
}

#[derive(Debug, Clone, Copy)]
struct FileName {
    start: usize,
    end: usize,
    state: FileNameState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileNameState {
    Visible,
    Hidden,
    /// Kept, because a file that is written is removed and added again.
    Removed,
}

impl FileNames {
    pub(super) fn insert(&mut self, path: &Path, is_visible: bool) {
        let state = if is_visible { FileNameState::Visible } else { FileNameState::Hidden };
        match self.position(path) {
            Ok(index) => self.set_state(index, state),
            Err(index) => {
                let start = self.text.len();
                self.text.extend_from_slice(path.as_os_str().as_bytes());
                self.names.insert(index, FileName { start, end: self.text.len(), state });
            }
        }
    }

    pub(super) fn remove(&mut self, path: &Path) {
        let Ok(index) = self.position(path) else { return };
        self.set_state(index, FileNameState::Removed);
        if self.removed * 2 > self.names.len() {
            self.compact();
        }
    }

    /// The paths below a folder, in path order. `hidden`: also those of hidden files.
    pub(super) fn below<'a>(&'a self, folder: &'a Path, hidden: bool) -> impl Iterator<Item = &'a Path> {
        let is_all = folder.as_os_str().is_empty();
        let first = if is_all { 0 } else { self.position(folder).unwrap_or_else(|index| index) };
        let names = self.names.iter().skip(first).map(|name| (self.path(*name), name.state));
        let names = names.take_while(move |(path, _)| is_all || path.starts_with(folder));
        names.filter_map(move |(path, state)| match state {
            FileNameState::Visible => Some(path),
            FileNameState::Hidden => hidden.then_some(path),
            FileNameState::Removed => None,
        })
    }

    fn set_state(&mut self, index: usize, state: FileNameState) {
        let Some(name) = self.names.get_mut(index) else { return };
        self.removed -= usize::from(name.state == FileNameState::Removed);
        self.removed += usize::from(state == FileNameState::Removed);
        name.state = state;
    }

    fn path(&self, name: FileName) -> &Path {
        Path::new(OsStr::from_bytes(text_of(&self.text, name)))
    }

    /// Where a path is, or would be.
    fn position(&self, path: &Path) -> Result<usize, usize> {
        // A build adds them in order.
        if self.names.last().is_none_or(|last| self.path(*last) < path) {
            return Err(self.names.len());
        }
        self.names.binary_search_by(|name| self.path(*name).cmp(path))
    }

    fn compact(&mut self) {
        let (old, mut text) = (std::mem::take(&mut self.text), Vec::new());
        self.names.retain_mut(|name| {
            let start = text.len();
            let is_kept = name.state != FileNameState::Removed;
            if is_kept {
                text.extend_from_slice(text_of(&old, *name));
                (name.start, name.end) = (start, text.len());
            }
            is_kept
        });
        (self.text, self.removed) = (text, 0);
    }
}

fn text_of(text: &[u8], name: FileName) -> &[u8] {
    text.get(name.start..name.end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;

    fn path() -> impl Strategy<Value = PathBuf> {
        "[ab.-]{1,2}(/[ab.-]{1,2}){0,2}".prop_map(PathBuf::from)
    }

    proptest! {
        #[test]
        fn names_are_those_that_a_map_would_have(
            steps in proptest::collection::vec((path(), proptest::option::of(any::<bool>())), 0..80),
            folder in path(),
        ) {
            let (mut names, mut expected) = (FileNames::default(), BTreeMap::new());
            for (path, change) in steps {
                match change {
                    Some(is_visible) => {
                        names.insert(&path, is_visible);
                        expected.insert(path, is_visible);
                    }
                    None => {
                        names.remove(&path);
                        expected.remove(&path);
                    }
                }
                prop_assert!(names.names.len() <= expected.len() * 2);
            }
            for (folder, hidden) in [(Path::new(""), true), (Path::new(""), false), (&folder, true), (&folder, false)] {
                let wanted = expected.iter().filter(|(path, is_visible)| (hidden || **is_visible) && path.starts_with(folder));
                let wanted: Vec<_> = wanted.map(|(path, _)| path.as_path()).collect();
                prop_assert_eq!(names.below(folder, hidden).collect::<Vec<_>>(), wanted);
            }
        }
    }
}
