//! What names a moved file in other files, for languages whose servers do not change it: `#include` of C and C++, `import` of
//! Python.
//!
//! Contract: an import is changed only if it leads to something that moves, or is relative and stands in something that moves.
//! Where it leads is found by the files there are (`exists`); what a search path of a compiler would find elsewhere is left.

mod c_includes;
mod python_imports;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use copydesk_syntax::grammar::grammar_for;

/// A file or a folder gets another path.
#[derive(Debug, Clone)]
pub(crate) struct PathMove {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
}

impl PathMove {
    /// The path of something after the move.
    fn destination(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.from) {
            Ok(rest) if rest.as_os_str().is_empty() => self.to.clone(),
            Ok(rest) => self.to.join(rest),
            Err(_) => path.to_owned(),
        }
    }

    /// Where a path of these words begins, if it leads to what moves: `from` ends with the first of them.
    fn root_of(&self, words: &[&str], exists: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
        (1..=words.len()).rev().find_map(|count| {
            let first: PathBuf = words.get(..count)?.iter().collect();
            let root = self.from.ends_with(&first).then(|| self.from.ancestors().nth(count)).flatten()?;
            let target: PathBuf = root.join(words.iter().collect::<PathBuf>());
            exists(&target).then(|| root.to_owned())
        })
    }
}

/// A file that may name what moves.
pub(crate) struct ImportingFile<'a> {
    /// Before the move.
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

/// Replacements in a text, by bytes, in its order. `left` counts imports that cannot be written any more.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportEdits {
    pub(crate) edits: Vec<(Range<usize>, String)>,
    pub(crate) left: usize,
}

impl ImportEdits {
    fn replace(&mut self, range: Range<usize>, old: &str, new: String) {
        if old != new {
            self.edits.push((range, new));
        }
    }
}

/// Whether the imports of a file's language can be changed.
pub(crate) fn is_supported(path: &Path) -> bool {
    grammar_for(path).is_some_and(|grammar| matches!(grammar.name, "c" | "cpp" | "python"))
}

/// The edits that a file needs. `exists` tells whether there is a file or a folder before the move.
pub(crate) fn import_edits(
    file: &ImportingFile<'_>,
    moved: &PathMove,
    exists: &dyn Fn(&Path) -> bool,
) -> ImportEdits {
    let mut found = match grammar_for(file.path).map(|grammar| grammar.name) {
        Some("c" | "cpp") => c_includes::edits(file, moved, exists),
        Some("python") => python_imports::edits(file, moved, exists),
        _ => ImportEdits::default(),
    };
    found.edits.sort_by_key(|(range, _)| (range.start, range.end));
    // Two imports of one module have the same uses.
    found.edits.dedup();
    found
}

/// How one path is reached from a folder: `../a/b`.
fn relative_path(folder: &Path, target: &Path) -> PathBuf {
    let common = folder.components().zip(target.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(target.components().skip(common)).collect()
}

/// The path without `.` and `..`.
fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    normal
}
