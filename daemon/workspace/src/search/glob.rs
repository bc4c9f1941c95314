//! Files by name.
//!
//! Order: most recently modified first if all fit the limit, since those are most often meant; else the first
//! in path order. A file is looked at again by its real path before it counts: if a folder of it became a link during the
//! search, its name is one from elsewhere.

use std::{
    cmp::Reverse,
    fs::Metadata,
    io,
    path::{Component, Path, PathBuf},
};

use super::{
    SearchDeadline, SearchError, SearchStop,
    first_matches::FirstMatches,
    glob_pattern::{IncludeGlobs, literal_prefix, names_hidden},
    run_blocking,
    search_view::SearchView,
};
use crate::file_walk::FileWalker;
use crate::real_file::metadata;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobMatches {
    /// Absolute.
    pub paths: Vec<PathBuf>,
    pub has_more: bool,
    /// The search timed out before it had seen everything.
    pub is_timed_out: bool,
}

/// The regular files below `root` whose relative path matches. Hidden files match only if the pattern names
/// them (`.github/*.yml`, `**/.env`). Folders that it spells out are searched even if ignored
/// (`node_modules/react/*.json`): the caller means them. `root` is a real path: links are not followed.
pub async fn glob(
    root: &Path,
    pattern: &str,
    limit: usize,
    view: SearchView,
    until: impl Into<SearchDeadline>,
) -> Result<GlobMatches, SearchError> {
    let (root, pattern) = (root.to_owned(), pattern.to_owned());
    run_blocking(until.into(), move |stop| search(&root, &pattern, limit, &view, stop)).await
}

fn search(
    root: &Path,
    pattern: &str,
    limit: usize,
    view: &SearchView,
    stop: &SearchStop,
) -> Result<GlobMatches, SearchError> {
    folder(root)?;
    let include = IncludeGlobs::new(std::slice::from_ref(&pattern.to_owned()))?;
    let (start, rest) = literal_prefix(pattern);
    if start.components().any(|part| part == Component::Normal(".git".as_ref())) {
        return Ok(GlobMatches { paths: Vec::new(), has_more: false, is_timed_out: false });
    }
    // The walk does not follow symlinks, so it must not start behind one either.
    let (start, hidden) = if has_link(root, &start) {
        (root.to_owned(), names_hidden(pattern))
    } else {
        (root.join(start), names_hidden(rest))
    };
    let first = FirstMatches::new(limit);
    let matches = |path: &Path| path.strip_prefix(root).is_ok_and(|below| include.matches(below));
    let add = |path: PathBuf| {
        if matches(&path)
            && let Some(found) = metadata(&path).ok().filter(Metadata::is_file)
        {
            first.add(path, vec![found.modified().ok()]);
        }
    };
    if start.is_dir() {
        let index = view.index(&start);
        let indexed = index.as_ref().and_then(|index| index.fresh_files(&start, hidden));
        if let Some(files) = indexed {
            let is_root = start == root;
            let matching = files.paths().filter(|below| !is_root || include.matches(below));
            matching.map(|below| start.join(below)).take_while(|path| first.may_include(path)).for_each(add);
        } else {
            let walk = FileWalker { root: &start, hidden, is_stopped: &|| stop.is_set() };
            let counts = walk.run(|path| first.may_include(path), || &add);
            index.iter().for_each(|index| index.note_walk(counts.files));
        }
    }
    let unsaved = view.unsaved(root).filter(|path| matches(path));
    unsaved.for_each(|path| first.add(path.clone(), vec![None]));
    let (mut found, more) = first.finish();
    if !more {
        found.sort_by_key(|(_, modified)| Reverse(*modified));
    }
    let paths = found.into_iter().map(|(path, _)| path).collect();
    Ok(GlobMatches { paths, has_more: more, is_timed_out: stop.is_timed_out() })
}

pub(super) fn folder(path: &Path) -> Result<(), SearchError> {
    match metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(SearchError::NotAFolder(path.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SearchError::NotFound(path.into())),
        Err(error) => Err(SearchError::Stopped(format!("{}: {error}", path.display()))),
    }
}

fn has_link(root: &Path, below: &Path) -> bool {
    let mut ways = below.ancestors().filter(|way| !way.as_os_str().is_empty());
    ways.any(|way| root.join(way).is_symlink())
}
