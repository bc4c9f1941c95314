//! `#include` of C and C++.
//!
//! In quotes, the folder of the including file comes first. Otherwise the path begins in some folder of the compiler's search path:
//! that which the moved file's own path shows.

use std::ops::Range;
use std::path::Path;

use super::{ImportEdits, ImportingFile, PathMove, normalized, relative_path};

pub(super) fn edits(
    file: &ImportingFile<'_>,
    moved: &PathMove,
    exists: &dyn Fn(&Path) -> bool,
) -> ImportEdits {
    let mut found = ImportEdits::default();
    let Some(folder) = file.path.parent() else { return found };
    let new_path = moved.destination(file.path);
    let new_folder = new_path.parent().unwrap_or(folder);
    for (range, is_quoted) in included_paths(file.text) {
        let written = file.text.get(range.clone()).unwrap_or_default();
        let beside = normalized(&folder.join(written));
        let new = if is_quoted && exists(&beside) {
            let target = moved.destination(&beside);
            if target == beside && new_folder == folder {
                continue;
            }
            // A path that starts with `./` keeps that only where nothing else changes.
            Some(relative_path(new_folder, &target))
        } else {
            let words: Vec<&str> = written.split('/').collect();
            let Some(root) = moved.root_of(&words, exists) else { continue };
            let target = moved.destination(&root.join(written));
            target.strip_prefix(&root).map(Path::to_owned).ok()
        };
        match new.as_deref().and_then(Path::to_str) {
            Some(new) => found.replace(range, written, new.to_owned()),
            None => found.left += 1,
        }
    }
    found
}

/// The paths between quotes or angle brackets, and whether they are in quotes.
fn included_paths(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some((range, is_quoted)) = included_path(line) {
            found.push((start + range.start..start + range.end, is_quoted));
        }
        start += line.len();
    }
    found
}

fn included_path(line: &str) -> Option<(Range<usize>, bool)> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = directive.strip_prefix("include_next").or_else(|| directive.strip_prefix("include"))?;
    let opened = rest.trim_start();
    let close = match opened.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    let path = opened.get(1..)?;
    let length = path.find(close)?;
    let start = line.len() - path.len();
    Some((start..start + length, close == '"'))
}
