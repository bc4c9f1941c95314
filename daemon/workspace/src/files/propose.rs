//! Proposes a change of a file as a review *before*.

use copydesk_text::review::Review;

use super::{FileChangeKind, ResolvedPath};
use crate::reviews::{ReviewProposal, ReviewTracker, review_before};

impl ReviewTracker {
    /// Proposes what a call would make of a file. `None` if the change does not fit the file's text.
    pub fn propose(
        &self,
        session: &str,
        call: &str,
        path: &ResolvedPath,
        kind: &FileChangeKind,
    ) -> Option<ReviewProposal> {
        let (review, mode) = match kind {
            FileChangeKind::Edit { file, change, .. } => (review_before(file.text(), change, call)?, None),
            FileChangeKind::Create { text, mode } => (Review::for_created_file(text, call), *mode),
            FileChangeKind::Delete { file, .. } => {
                let mut review = Review::new(file.text());
                review.record_deletion(call);
                (review, None)
            }
            FileChangeKind::Move { to, .. } => {
                let mut review = Review::new("");
                review.record_rename(&path.display_path, &to.display_path, call);
                (review, None)
            }
        };
        let shown = if let FileChangeKind::Move { to, .. } = kind { to } else { path };
        let paths = (path.real_path().to_owned(), shown.display_path.clone());
        Some(self.propose_review(session, call, paths, (review, mode)))
    }
}
