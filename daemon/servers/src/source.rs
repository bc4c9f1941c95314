//! Whoever can say what is wrong with a text.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use copydesk_workspace::search::BufferOverlay;
use tokio::time::Instant;

use crate::report::DiagnosticsReport;

/// The name of the source that knows only whether a text keeps to its grammar.
pub const TREE_SITTER: &str = "tree-sitter";

/// A text that is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedDocument {
    /// Its real path.
    pub path: PathBuf,
    /// Without a byte order mark, with the line endings that it has.
    pub text: Arc<String>,
    /// The same text lies on the disk.
    pub is_saved: bool,
}

/// Where texts come from: what an editor has open, else the disk.
pub trait DocumentProvider: Send + Sync {
    /// As it is at this moment; none where there is no such text, or it is too large to be asked about.
    fn document(&self, path: &Path) -> Option<CheckedDocument>;

    /// Files that editors have open: what stands in them may change at any time.
    fn open_paths(&self) -> BTreeSet<PathBuf> {
        BTreeSet::new()
    }

    /// This moment: another one when anything was typed, opened or closed in an editor since.
    fn edit_epoch(&self) -> u64 {
        0
    }

    /// Somebody else changed a file on the disk: editors that have it open are to read it again. Tells whether any has another text.
    fn reload(&self, _path: &Path) -> bool {
        false
    }

    /// Whether an editor has another text of a file than the disk, or the disk has none.
    fn differs_from_disk(&self, path: &Path) -> bool;

    /// What editors have open, for searching.
    fn overlay(&self) -> BufferOverlay {
        BufferOverlay::default()
    }
}

pub type CheckFuture<'a> = Pin<Box<dyn Future<Output = Vec<DiagnosticsReport>> + Send + 'a>>;

pub type ServesFuture<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

pub type ChangedFilesFuture<'a> = Pin<Box<dyn Future<Output = ChangedFiles> + Send + 'a>>;

/// What was changed on the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    pub paths: Vec<PathBuf>,
    /// There are more of which it is not known whether anybody has something to say of them.
    pub is_truncated: bool,
}

pub type CheckpointFuture<'a> = Pin<Box<dyn Future<Output = u64> + Send + 'a>>;

pub trait DiagnosticsSource: Send + Sync {
    /// At least one report for each subject that it serves, and one for every other file that it knows to be changed by them.
    /// When `until` has come, what is not known is told as such; what cannot be known soon is told so at once.
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a>;

    /// What it says of these texts alone, without the files that they may break.
    fn check_file_only<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }

    /// The same as `check` for somebody who has not made these texts, and may know older ones: those are not asked about.
    fn warm_up<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }

    /// The same as `check` for somebody who has time: what cannot be known soon is waited for.
    fn check_when_ready<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }

    /// Whether it is the one to be asked, as far as that can be told without asking about any text.
    fn serves(&self, _until: Instant) -> ServesFuture<'_> {
        Box::pin(std::future::ready(true))
    }

    /// Somebody else answers for these files: what is kept for them alone need not be kept for long.
    fn mark_redundant(&self, _paths: &[PathBuf]) {}

    /// What it would say if these were the texts, which they do not become. Nothing where it cannot say so.
    fn check_proposed<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// Whoever sees what is changed on the disk.
pub trait CommandWatcher: Send + Sync {
    /// From the next moment on it watches over all that lies below a folder, also where no server of ours does. Does not wait.
    fn watch_folder(&self, _below: &Path) {}

    /// This moment, when it knows what was changed on the disk before it.
    fn checkpoint(&self, until: Instant) -> CheckpointFuture<'_>;

    /// The files below a folder in which something was changed, created or deleted on the disk, by whomever, since a moment; those that
    /// somebody may have something to say of.
    fn changes_since<'a>(&'a self, since: u64, below: &'a Path, until: Instant) -> ChangedFilesFuture<'a>;
}
