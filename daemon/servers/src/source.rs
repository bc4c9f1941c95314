//! The interfaces of diagnostics sources, document providers and disk watchers.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use copydesk_workspace::search::SearchView;
use tokio::time::Instant;

use crate::report::DiagnosticsReport;

/// The name of the source that finds syntax errors only.
pub const TREE_SITTER: &str = "tree-sitter";

/// A text to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedDocument {
    /// Canonical.
    pub path: PathBuf,
    /// Without a byte order mark, with its original line endings.
    pub text: Arc<String>,
    /// The file on the disk has the same text.
    pub is_saved: bool,
}

/// Provides texts: the editor's buffer if the file is open, else the disk.
pub trait DocumentProvider: Send + Sync {
    /// The current text. `None` if there is none, or if it is too large to check.
    fn document(&self, path: &Path) -> Option<CheckedDocument>;

    /// The text of an installed library's file, to be shown.
    fn library_text(&self, _path: &Path) -> Option<Arc<String>> {
        None
    }

    /// Files that editors have open; their texts may change at any time.
    fn open_paths(&self) -> BTreeSet<PathBuf> {
        BTreeSet::new()
    }

    /// Changes whenever something is typed, opened or closed in an editor.
    fn edit_epoch(&self) -> u64 {
        0
    }

    /// A file changed on the disk: editors that have it open should reload it. Returns whether one has another text.
    fn reload(&self, _path: &Path) -> bool {
        false
    }

    /// Whether an editor's text differs from the disk, or the disk has no such file.
    fn differs_from_disk(&self, path: &Path) -> bool;

    /// The open buffers, for searching.
    fn search_view(&self) -> SearchView {
        SearchView::default()
    }
}

pub type CheckFuture<'a> = Pin<Box<dyn Future<Output = Vec<DiagnosticsReport>> + Send + 'a>>;

/// Files that a change affects besides the changed ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AffectedFiles {
    /// To be checked.
    pub paths: Vec<PathBuf>,
    /// Those that are too many to check, or could not be found.
    pub unchecked: Vec<DiagnosticsReport>,
}

pub type AffectedFilesFuture<'a> = Pin<Box<dyn Future<Output = AffectedFiles> + Send + 'a>>;

pub type ReadyFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

pub type ServesFuture<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

pub type ChangedFilesFuture<'a> = Pin<Box<dyn Future<Output = ChangedFiles> + Send + 'a>>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    pub paths: Vec<PathBuf>,
    /// There may be more, and some of those may be served.
    pub is_incomplete: bool,
}

pub type CheckpointFuture<'a> = Pin<Box<dyn Future<Output = u64> + Send + 'a>>;

pub trait DiagnosticsSource: Send + Sync {
    /// At least one report for each subject that it serves, and one for every other file that it knows to be affected.
    /// Whatever is not known at `until` is reported as unknown; whatever cannot be known soon, at once.
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a>;

    /// Checks these texts alone, without their dependents.
    fn check_file_only<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }

    /// Like `check`, for a caller that did not write these texts: a text that has changed since is not checked.
    fn warm_up<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }

    /// Like `check`, but waits until the source is ready.
    fn check_when_ready<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }

    /// The users of these files, which were created, deleted or moved; and everything that a server serves which one of
    /// them configures.
    fn affected_files<'a>(&'a self, _changed: &'a [PathBuf], _until: Instant) -> AffectedFilesFuture<'a> {
        Box::pin(std::future::ready(AffectedFiles::default()))
    }

    /// Waits until the source can check these texts. Starts nothing.
    fn wait_until_ready<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> ReadyFuture<'a> {
        Box::pin(std::future::ready(()))
    }

    /// Whether this source serves the workspace, as far as it can tell without a text.
    fn serves(&self, _until: Instant) -> ServesFuture<'_> {
        Box::pin(std::future::ready(true))
    }

    /// Another source serves these files: resources that only they need may be released soon.
    fn mark_redundant(&self, _paths: &[PathBuf]) {}

    /// Checks proposed texts, which do not become the documents. Empty if the source cannot.
    fn check_proposed<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// Watches the disk for changes by commands and others.
pub trait CommandWatcher: Send + Sync {
    /// Watches everything below a folder from the next checkpoint on, even if none of our servers does. Does not wait.
    fn watch_folder(&self, _below: &Path) {}

    /// A checkpoint. Earlier changes in the folder are known when it returns, unless the time ran out.
    fn checkpoint<'a>(&'a self, below: &'a Path, until: Instant) -> CheckpointFuture<'a>;

    /// The files below a folder that were changed, created or deleted since a checkpoint, by anyone. Only files that a
    /// source may serve.
    fn changes_since<'a>(&'a self, since: u64, below: &'a Path, until: Instant) -> ChangedFilesFuture<'a>;
}
