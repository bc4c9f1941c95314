//! Lines by content.
//!
//! Skips binary files (with a NUL byte); decodes files with a UTF-16 byte order mark. Searches line by line:
//! an expression cannot match across a line ending.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use regex_syntax::hir::Hir;

use super::{
    SearchDeadline, SearchError, SearchStop, first_matches::FirstMatches, glob_pattern::IncludeGlobs,
    line_excerpt::excerpt_line, run_blocking, search_view::SearchView,
};
use crate::file_walk::FileWalker;
use crate::real_file::{metadata, open_regular_file};
use crate::text_index::TrigramQuery;

/// Fewer files are searched by one thread: to begin another takes as long.
const FILES_PER_THREAD: usize = 16;

/// Longer lines are not searched, because each would have to be in memory as a whole.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

const MAX_REGEX_BYTES: usize = 4096;

/// What to find, and where.
#[derive(Debug, Clone)]
pub struct GrepRequest {
    /// A folder, or the one file to search, whatever its name and even if ignored. A real path: links are not followed.
    pub root: PathBuf,
    pub regex: String,
    pub case: CaseSensitivity,
    /// Globs of the files to search, or with `!` not to search; none means all.
    pub include: Vec<String>,
    /// Whether to search files and folders whose names begin with a dot. `.git` is never searched.
    pub hidden: bool,
    pub limit: usize,
    /// Files to skip, by the paths that matches have.
    pub excluded_paths: HashSet<PathBuf>,
    pub view: SearchView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaseSensitivity {
    #[default]
    Sensitive,
    Insensitive,
    /// Insensitive unless the expression has a capital.
    Smart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepMatches {
    /// In path order, then by line.
    pub matches: Vec<GrepMatch>,
    pub has_more: bool,
    /// The search timed out before it had seen everything.
    pub is_timed_out: bool,
    /// How many files and folders could not be read.
    pub unreadable: u64,
}

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepMatch {
    /// Absolute, if `root` was.
    pub path: PathBuf,
    /// From 1.
    pub line: u64,
    /// Without its line ending. Of a line over 2000 characters: the part around the match, with `…` at the
    /// cuts.
    pub text: String,
}

pub async fn grep(
    request: GrepRequest,
    until: impl Into<SearchDeadline>,
) -> Result<GrepMatches, SearchError> {
    run_blocking(until.into(), move |stop| search(&request, stop)).await
}

fn search(request: &GrepRequest, stop: &SearchStop) -> Result<GrepMatches, SearchError> {
    let expression = parse(request)?;
    let matcher = matcher(request)?;
    let include = IncludeGlobs::new(&request.include)?;
    let first = FirstMatches::new(request.limit);
    let unreadable = AtomicU64::new(0);
    let seek = || FileSearcher { matcher: matcher.clone(), searcher: searcher(), request, stop };
    let look = |seek: &mut FileSearcher<'_>, path: PathBuf| match seek.file(&path) {
        _ if request.excluded_paths.contains(&path) => {}
        Ok(lines) => first.add(path, lines),
        Err(_) => drop(unreadable.fetch_add(1, Ordering::Relaxed)),
    };

    let root = request.root.as_path();
    let is_open = request.view.text(root).is_some();
    let mut skipped = 0;
    let is_file = is_open || is_file(root)?;
    let candidates = if is_file { None } else { candidates(request, &expression, &include) };
    if is_file {
        look(&mut seek(), root.to_owned());
    } else if let Some(candidates) = &candidates {
        let next = AtomicUsize::new(0);
        run_on_threads(candidates.len() / FILES_PER_THREAD, || {
            let mut seek = seek();
            while let Some(path) = candidates.get(next.fetch_add(1, Ordering::Relaxed)) {
                // They are in path order.
                if stop.is_set() || !first.may_include(path) {
                    break;
                }
                look(&mut seek, path.clone());
            }
        });
    } else {
        let walk = FileWalker { root, hidden: request.hidden, is_stopped: &|| stop.is_set() };
        let counts = walk.run(
            |path| first.may_include(path),
            || {
                let mut seek = seek();
                let (look, include) = (&look, &include);
                move |path: PathBuf| {
                    if path.strip_prefix(root).is_ok_and(|below| include.matches(below)) {
                        look(&mut seek, path);
                    }
                }
            },
        );
        skipped = counts.unreadable;
        request.view.index(root).inspect(|index| index.note_walk(counts.files));
    }
    if !is_file {
        let mut seek = seek();
        for path in request.view.unsaved(root) {
            if path.strip_prefix(root).is_ok_and(|below| include.matches(below)) {
                look(&mut seek, path.clone());
            }
        }
    }
    let (found, more) = first.finish();
    let matches = found.into_iter().map(|(path, (line, text))| GrepMatch { path, line, text }).collect();
    Ok(GrepMatches {
        matches,
        has_more: more,
        is_timed_out: stop.is_timed_out(),
        unreadable: skipped + unreadable.into_inner(),
    })
}

/// The files that the index does not rule out, in path order. `None` if they are not known.
fn candidates(request: &GrepRequest, expression: &Hir, include: &IncludeGlobs) -> Option<Vec<PathBuf>> {
    let root = request.root.as_path();
    let index = request.view.index(root)?;
    let files = index.fresh_files(root, request.hidden)?;
    let query = TrigramQuery::new(expression);
    let found = files.candidates(&query).filter(|below| include.matches(below));
    let mut found: Vec<_> = found.map(|below| root.join(below)).collect();
    // The index knows what is on the disk.
    let open = request.view.names.iter().filter(|path| {
        path.strip_prefix(root).is_ok_and(|below| include.matches(below) && files.contains(below))
    });
    found.extend(open.cloned());
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Runs `work` on as many threads as there are processors, but not more than `most`.
fn run_on_threads(most: usize, work: impl Fn() + Sync) {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(most);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(&work);
        }
        work();
    });
}

fn is_file(path: &Path) -> Result<bool, SearchError> {
    match metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(false),
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(SearchError::NotRegular(path.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SearchError::NotFound(path.into())),
        Err(error) => Err(SearchError::Stopped(format!("{}: {error}", path.display()))),
    }
}

/// The expression as it was written: the matcher puts it into a group, but it must be valid alone (`a)|(b` is not), and an
/// error must show it as it is.
fn parse(request: &GrepRequest) -> Result<Hir, SearchError> {
    let (length, longest) = (request.regex.len(), MAX_REGEX_BYTES);
    if length > longest {
        return Err(SearchError::PatternTooLong { length, longest });
    }
    let mut parser = regex_syntax::ParserBuilder::new();
    parser.utf8(false).case_insensitive(request.case != CaseSensitivity::Sensitive);
    parser.build().parse(&request.regex).map_err(|error| SearchError::Regex(error.to_string()))
}

fn matcher(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    // `$` also matches before `\r\n`.
    builder.multi_line(true).crlf(true);
    match request.case {
        CaseSensitivity::Sensitive => {}
        CaseSensitivity::Insensitive => drop(builder.case_insensitive(true)),
        CaseSensitivity::Smart => drop(builder.case_smart(true)),
    }
    builder.build(&request.regex).map_err(|error| SearchError::Regex(error.to_string()))
}

fn searcher() -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_LINE_BYTES));
    builder.build()
}

/// What one thread searches with.
struct FileSearcher<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    request: &'a GrepRequest,
    stop: &'a SearchStop,
}

impl FileSearcher<'_> {
    fn file(&mut self, path: &Path) -> io::Result<Vec<(u64, String)>> {
        let mut lines = MatchedLines {
            matcher: &self.matcher,
            most: self.request.limit.saturating_add(1),
            found: Vec::new(),
        };
        match self.request.view.text(path) {
            Some(text) => self.searcher.search_slice(&self.matcher, text.as_bytes(), &mut lines)?,
            None => {
                let file = StoppableReader { inner: open_regular_file(path)?.0, stop: self.stop };
                self.searcher.search_reader(&self.matcher, file, &mut lines)?;
            }
        }
        Ok(lines.found)
    }
}

/// A file whose reads fail once the search has to stop, however large it is.
struct StoppableReader<'a> {
    inner: File,
    stop: &'a SearchStop,
}

impl Read for StoppableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Err(io::Error::other("the search was cancelled"));
        }
        self.inner.read(buffer)
    }
}

struct MatchedLines<'a> {
    matcher: &'a RegexMatcher,
    most: usize,
    found: Vec<(u64, String)>,
}

impl Sink for MatchedLines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let bytes = line.bytes();
        let start = self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
        self.found.push((line.line_number().unwrap_or_default(), excerpt_line(bytes, start)));
        Ok(self.found.len() < self.most)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        // What came before the NUL is not text either.
        if finish.binary_byte_offset().is_some() {
            self.found.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_not_read_on_once_the_search_is_to_stop() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "text").unwrap();
        let stop = SearchStop::new(crate::time_limits::SEARCH_TIMEOUT);
        let mut reader = StoppableReader { inner: open_regular_file(file.path()).unwrap().0, stop: &stop };
        let mut block = [0; 2];
        assert_eq!(reader.read(&mut block).unwrap(), 2);
        drop(super::super::StopOnDrop(stop.clone()));
        assert!(reader.read(&mut block).is_err());
    }
}
