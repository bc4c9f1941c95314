//! What an editor last said of files that nobody asked about: what of it is other now is what a change may have done to them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use copydesk_language::{Report, Said, Subject};

#[derive(Debug, Default)]
pub(super) struct Others(Mutex<HashMap<PathBuf, Said>>);

impl Others {
    /// Those of which something else is said than was last. Of what is not mentioned any more nothing is wrong.
    pub(super) fn changed(&self, said: Vec<Report>, subjects: &[Subject], source: &str) -> Vec<Report> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_mentioned = |path: &PathBuf| {
            said.iter().any(|report| report.path == *path)
                || subjects.iter().any(|subject| subject.path == *path)
        };
        let gone: Vec<_> = last.keys().filter(|path| !is_mentioned(path)).cloned().collect();
        let mut changed = Vec::new();
        for path in gone {
            let before = last.remove(&path);
            if before.as_ref().and_then(Said::diagnostics).is_some_and(|items| !items.is_empty()) {
                changed.push(Report { path, source: source.to_owned(), said: Said::Likely(Vec::new()) });
            }
        }
        let is_other = |report: &Report| {
            let before = last.insert(report.path.clone(), report.said.clone());
            before.is_none_or(|before| before.diagnostics() != report.said.diagnostics())
        };
        changed.extend(said.into_iter().filter(is_other));
        changed
    }
}
