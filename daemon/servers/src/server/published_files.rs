//! The last publish for each file, within caps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::freshness::PublishRecord;
use crate::diagnostic::Diagnostic;

/// Cap on the diagnostics of all files together.
const MAX_TOTAL: usize = 100_000;
const MAX_FILES: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct PublishedFiles {
    files: BTreeMap<PathBuf, PublishedFile>,
    /// Number of diagnostics in all files.
    total: usize,
}

#[derive(Debug, Clone)]
pub(super) struct PublishedFile {
    pub(super) record: PublishRecord,
    /// Its position in the order of all events.
    pub(super) tick: u64,
    pub(super) diagnostics: Arc<Vec<Diagnostic>>,
    /// Those that only follow a save.
    pub(super) save_diagnostics: Arc<Vec<Diagnostic>>,
    pub(super) origin: ReportOrigin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportOrigin {
    Publish,
    /// It is about the text that the server had then. No proof if the server may not have read the disk.
    Pull {
        is_proof: bool,
    },
}

impl PublishedFile {
    pub(super) fn is_pull(&self) -> bool {
        matches!(self.origin, ReportOrigin::Pull { .. })
    }

    fn count(&self) -> usize {
        self.diagnostics.len() + self.save_diagnostics.len()
    }
}

impl PublishedFiles {
    pub(super) fn get(&self, path: &Path) -> Option<&PublishedFile> {
        self.files.get(path)
    }

    pub(super) fn published_since(&self, tick: u64) -> impl Iterator<Item = (&PathBuf, &PublishedFile)> {
        self.files.iter().filter(move |(_, published)| published.tick > tick)
    }

    /// Above the caps, files for which `is_kept` is true are dropped last.
    pub(super) fn store(&mut self, path: PathBuf, published: PublishedFile, is_kept: impl Fn(&Path) -> bool) {
        self.total += published.count();
        if let Some(before) = self.files.insert(path, published) {
            self.total -= before.count();
        }
        if self.total > MAX_TOTAL || self.files.len() > MAX_FILES {
            self.make_room(is_kept);
        }
    }

    /// Drops the oldest down to 90 % of the caps, so that this is rare.
    fn make_room(&mut self, is_kept: impl Fn(&Path) -> bool) {
        let files = self.files.iter();
        let mut oldest: Vec<_> = files.map(|(path, all)| (is_kept(path), all.tick, path.clone())).collect();
        oldest.sort();
        for (_, _, path) in oldest {
            if self.total <= MAX_TOTAL / 10 * 9 && self.files.len() <= MAX_FILES / 10 * 9 {
                return;
            }
            self.forget(&path);
        }
    }

    pub(super) fn with_save_diagnostics(&self) -> impl Iterator<Item = (&PathBuf, &PublishedFile)> {
        self.files.iter().filter(|(_, published)| !published.save_diagnostics.is_empty())
    }

    pub(super) fn with_own_diagnostics(&self) -> impl Iterator<Item = (&PathBuf, &PublishedFile)> {
        self.files.iter().filter(|(_, published)| !published.diagnostics.is_empty())
    }

    /// Drops the diagnostics of the text. Those that follow a save are about the disk, and stay.
    pub(super) fn forget_own_diagnostics(&mut self, path: &Path) {
        match self.files.get_mut(path) {
            Some(published) if !published.save_diagnostics.is_empty() => {
                self.total -= published.diagnostics.len();
                *published = PublishedFile {
                    tick: 0,
                    diagnostics: Arc::default(),
                    origin: ReportOrigin::Pull { is_proof: true },
                    ..published.clone()
                };
            }
            _ => self.forget(path),
        }
    }

    fn forget(&mut self, path: &Path) {
        if let Some(before) = self.files.remove(path) {
            self.total -= before.count();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{DiagnosticSpan, Severity};

    fn published(count: usize, tick: u64) -> PublishedFile {
        let diagnostic = Diagnostic {
            span: DiagnosticSpan::default(),
            severity: Severity::Error,
            code: None,
            source: None,
            message: "".into(),
            related: Vec::new(),
            data: None,
        };
        let diagnostics = Arc::new(vec![diagnostic; count]);
        let record = PublishRecord::following(None, None, tokio::time::Instant::now(), None);
        PublishedFile {
            record,
            tick,
            diagnostics,
            save_diagnostics: Arc::default(),
            origin: ReportOrigin::Publish,
        }
    }

    #[test]
    fn the_caps_hold_and_open_files_are_dropped_last() {
        let mut all = PublishedFiles::default();
        let is_open = |path: &Path| path == Path::new("/open");
        all.store("/open".into(), published(10_000, 1), is_open);
        for number in 0..20 {
            all.store(format!("/{number}").into(), published(10_000, 2 + number), is_open);
        }
        assert!(all.total <= MAX_TOTAL && all.total > MAX_TOTAL / 2 && all.total == 10_000 * all.files.len());
        assert!(all.get(Path::new("/open")).is_some() && all.get(Path::new("/10")).is_none());
        let before = all.total;
        all.store("/19".into(), published(1, 50), is_open);
        assert_eq!(all.total, before - 9_999);
        let late: Vec<_> = all.published_since(19).map(|(path, _)| path.clone()).collect();
        assert_eq!(late, [Path::new("/18"), Path::new("/19")]);
        for number in 0..3 * MAX_FILES {
            all.store(format!("/more/{number}").into(), published(0, 100), is_open);
        }
        assert!(all.files.len() <= MAX_FILES && all.get(Path::new("/open")).is_some());
    }
}
