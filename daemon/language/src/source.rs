//! Whoever can say what is wrong with a text.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use tokio::time::Instant;

use crate::report::Report;

/// The name of the source that knows only whether a text keeps to its grammar.
pub const TREE_SITTER: &str = "tree-sitter";

/// A text that is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its real path.
    pub path: PathBuf,
    /// Without a byte order mark, with the line endings that it has.
    pub text: Arc<String>,
    /// The same text lies on the disk.
    pub is_saved: bool,
}

pub type Checking<'a> = Pin<Box<dyn Future<Output = Vec<Report>> + Send + 'a>>;

pub trait Source: Send + Sync {
    /// At least one report for each subject that it serves, and one for every other file that it knows to be changed by them.
    /// When `until` has come, what is not known is told as such.
    fn check<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a>;
}
