//! Globs as people write them: `*.rs` applies to every folder, `src/*.rs` to one, `{a,b}` to either.

use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::SearchError;

/// The cap on all globs of a search together: a long one takes minutes to compile.
const MAX_GLOB_BYTES: usize = 4096;

/// The files to search: those that match one of the globs (or all, if there are none), minus those that match
/// one with `!`.
#[derive(Debug)]
pub(super) struct IncludeGlobs {
    wanted: Option<GlobSet>,
    unwanted: GlobSet,
}

impl IncludeGlobs {
    pub(super) fn new(patterns: &[String]) -> Result<Self, SearchError> {
        let length = patterns.iter().map(String::len).sum::<usize>();
        if length > MAX_GLOB_BYTES {
            return Err(SearchError::PatternTooLong { length, longest: MAX_GLOB_BYTES });
        }
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for pattern in patterns {
            match pattern.strip_prefix('!') {
                Some(pattern) => unwanted.push(compile(pattern)?),
                None => wanted.push(compile(pattern)?),
            }
        }
        let wanted = if wanted.is_empty() { None } else { Some(set(wanted)?) };
        Ok(Self { wanted, unwanted: set(unwanted)? })
    }

    /// `path` is relative to the searched folder.
    pub(super) fn matches(&self, path: &Path) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.is_match(path)) && !self.unwanted.is_match(path)
    }
}

/// A set of one is faster than the glob alone: it compares plain names and endings without a regular
/// expression.
fn set(globs: Vec<Glob>) -> Result<GlobSet, SearchError> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob);
    }
    set.build().map_err(|error| invalid("", &error))
}

fn compile(pattern: &str) -> Result<Glob, SearchError> {
    let pattern = pattern.trim_start_matches("./");
    if Path::new(pattern).components().any(|part| part == Component::ParentDir) {
        return Err(SearchError::PatternEscapes(pattern.to_owned()));
    }
    // As in a `.gitignore`: a slash ties the pattern to the folder, and one at the end means everything
    // below.
    let full = match pattern.strip_prefix('/') {
        Some(tied) => tied.to_owned(),
        None if pattern.trim_end_matches('/').contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    };
    let full = if full.ends_with('/') { full + "**" } else { full };
    let glob = GlobBuilder::new(&full).literal_separator(true).build();
    glob.map_err(|error| invalid(pattern, &error))
}

fn invalid(pattern: &str, error: &globset::Error) -> SearchError {
    SearchError::Glob { pattern: pattern.to_owned(), reason: error.kind().to_string() }
}

/// The folders that a pattern spells out before its first wildcard, and the rest of it.
pub(super) fn literal_prefix(pattern: &str) -> (PathBuf, &str) {
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let is_plain = |part: &str| !part.contains(['*', '?', '[', '{', '\\']);
    let mut rest = pattern;
    let mut start = PathBuf::new();
    // The last component is the name to find.
    while let Some((part, after)) = rest.split_once('/') {
        if !is_plain(part) || after.is_empty() {
            break;
        }
        start.push(part);
        rest = after;
    }
    (start, rest)
}

/// Whether a component of the pattern, or one alternative of it, begins with a dot.
pub(super) fn names_hidden(pattern: &str) -> bool {
    let begins_hidden = |part: &str| part.starts_with('.') && !part.starts_with("./");
    pattern.split(['/', '{', ',']).any(begins_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_people_mean() {
        let cases = [
            ("*.rs", "a.rs", true),
            ("*.rs", "deep/er/a.rs", true),
            ("/*.rs", "deep/a.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/*.rs", "x/src/a.rs", false),
            ("./src/**", "src/b/a.rs", true),
            ("src/", "x/src/a/b", true),
            ("**/Makefile", "Makefile", true),
            ("**/*.{ts,tsx}", "a/b.tsx", true),
            ("a[0-9].c", "x/a7.c", true),
        ];
        for (pattern, path, matches) in cases {
            let include = IncludeGlobs::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(include.matches(Path::new(path)), matches, "{pattern} {path}");
        }
        let include = IncludeGlobs::new(&["*.js".into(), "!*.min.js".into(), "!vendor/".into()]).unwrap();
        let matching = |path: &&str| include.matches(Path::new(path));
        let paths = ["a.js", "a.min.js", "x/vendor/a.js", "a.ts"];
        assert_eq!(paths.iter().filter(|path| matching(path)).collect::<Vec<_>>(), [&"a.js"]);
    }

    #[test]
    fn a_pattern_begins_with_plain_folders() {
        let start = |pattern: &'static str| {
            let (start, rest) = literal_prefix(pattern);
            (start.to_string_lossy().into_owned(), rest)
        };
        assert_eq!(start("./a/b/*.rs"), ("a/b".into(), "*.rs"));
        assert_eq!(start("a"), (String::new(), "a"));
        assert_eq!(start("a/"), (String::new(), "a/"));
        assert_eq!(start("a{b,c/d}/e"), (String::new(), "a{b,c/d}/e"));
        assert!(names_hidden("**/.env") && names_hidden("{a,.b}/c") && !names_hidden("a.b/*.rs"));
    }

    #[test]
    fn a_broken_pattern_is_explained() {
        let error = IncludeGlobs::new(&["a{b".to_owned()]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the pattern `a{b` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
        );
        assert!(matches!(IncludeGlobs::new(&["../x/*".to_owned()]), Err(SearchError::PatternEscapes(_))));
    }
}
