//! A commit is a decision: when the repository has another commit checked out than before, the daemon keeps
//! the hunks of reviewed files that are in it and were not in the last one.
//!
//! The daemon asks `git` only for stored objects: it uses no command that runs a program named by the
//! repository's own configuration (hooks, filters, monitors), and fetches nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{READ_LIMIT, WorkspaceFiles};
use crate::process::ProcessExit;
use crate::process::subprocess::{self, SubprocessSpec};
use crate::time_limits::GIT_TIMEOUT;

/// A file, and the line with its size before it.
const MAX_OUTPUT_BYTES: usize = READ_LIMIT as usize + 1024;

impl WorkspaceFiles {
    /// Checks whether something was committed since the last call.
    pub async fn detect_commits(&self, session: &str) {
        self.load_reviews(session).await;
        if self.reviews().reviewed_paths(session).is_empty() {
            return;
        }
        let Some((root, head)) = self.head().await else { return };
        let Some(before) = self.reviews().replace_head(session, &head) else { return };
        let names: Vec<_> = self.reviews().reviewed_paths(session);
        for name in names {
            let Some(path) = path_in(&root, &name) else { continue };
            let Some(now) = self.committed_text(&format!("{head}:{path}")).await else { continue };
            // A text that was there before was not committed just now.
            if self.committed_text(&format!("{before}:{path}")).await.as_ref() != Some(&now) {
                self.reviews().keep_committed_hunks(session, &name, &now);
            }
        }
    }

    /// Called before the first edit: what is committed from then on is a decision.
    pub(super) async fn know_head(&self, session: &str) {
        if !self.reviews().has_head(session) {
            let head = self.head().await.map(|(_, head)| head).unwrap_or_default();
            self.reviews().replace_head(session, &head);
        }
    }

    /// The root of the repository, and its commit.
    async fn head(&self) -> Option<(PathBuf, String)> {
        let output = self.git(&["rev-parse", "--show-toplevel", "HEAD"], "").await?;
        let output = String::from_utf8(output).ok()?;
        let mut lines = output.lines();
        Some((PathBuf::from(lines.next()?), lines.next()?.to_owned()))
    }

    /// The text of a file in a commit.
    async fn committed_text(&self, object: &str) -> Option<String> {
        let (asked, size) = (format!("{object}\n"), self.git(&["cat-file", "--batch-check"], object).await?);
        let size = String::from_utf8(size).ok()?;
        let mut words = size.trim_end().rsplit(' ');
        let (size, kind) = (words.next()?.parse::<u64>().ok()?, words.next()?);
        if kind != "blob" || size > READ_LIMIT {
            return None;
        }
        let said = String::from_utf8(self.git(&["cat-file", "--batch"], &asked).await?).ok()?;
        let (_, text) = said.split_once('\n')?;
        Some(text.strip_suffix('\n')?.to_owned())
    }

    /// What git prints for the arguments, with `input` on its stdin.
    async fn git(&self, arguments: &[&str], input: &str) -> Option<Vec<u8>> {
        let set = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        // The environment that started the daemon may name another repository.
        let removed = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].map(|name| (name.to_owned(), None));
        let added =
            [set("GIT_NO_LAZY_FETCH", "1"), set("GIT_OPTIONAL_LOCKS", "0"), set("GIT_TERMINAL_PROMPT", "0")];
        let task = SubprocessSpec {
            command: ["git"].iter().chain(arguments).map(OsString::from).collect(),
            cwd: self.root().to_owned(),
            environment: removed.into_iter().chain(added).collect(),
            input: input.to_owned(),
            merge_stderr: false,
            timeout: GIT_TIMEOUT,
            max_output_bytes: MAX_OUTPUT_BYTES,
            sandbox: None,
        };
        let ran = subprocess::run(self.shared.processes.as_ref()?, task).await.ok()?;
        (ran.exit == ProcessExit::Code(0)).then_some(ran.output)
    }
}

/// The path as Git names it. A path with a line break cannot be queried.
fn path_in(root: &Path, name: &Path) -> Option<String> {
    let path = name.strip_prefix(root).ok()?.to_str()?;
    (!path.contains('\n')).then(|| path.to_owned())
}
