//! What was committed is decided.

use std::path::Path;

use super::news::{Happened, Item};
use super::{OfSession, Reviews};

impl Reviews {
    pub(crate) fn knows_head(&self, session: &str) -> bool {
        self.lock().of(session).head.is_some()
    }

    /// The commit that is checked out, empty where there is none. Gives the one before it, where that is known and another.
    pub(crate) fn head(&self, session: &str, head: &str) -> Option<String> {
        let before = self.lock().of(session).head.replace(head.to_owned());
        before.filter(|before| before != head && !before.is_empty())
    }

    /// A document as it was committed: the hunks that are in it are kept.
    pub(crate) fn committed(&self, session: &str, name: &Path, committed: &str) {
        let mut state = self.lock();
        let OfSession { reviews, news, changed, .. } = state.of(session);
        for tracked in reviews.values_mut().filter(|tracked| tracked.name == name && !tracked.is_before()) {
            let open: Vec<_> =
                tracked.review.lines().map(|(hunk, line)| (hunk.id, hunk.by.clone(), line)).collect();
            let kept = tracked.review.kept_elsewhere(committed);
            for (_, by, line) in open.into_iter().filter(|(hunk, ..)| kept.contains(hunk)) {
                news.add(Item {
                    shown: tracked.shown.clone(),
                    line: line + 1,
                    lines: 1,
                    happened: Happened::Accepted,
                    partly: false,
                    comment: None,
                    text: None,
                    by,
                });
            }
            if !kept.is_empty() {
                (tracked.is_changed, tracked.is_unsaved) = (true, true);
                changed.send_modify(|count| *count += 1);
            }
        }
        drop(state);
        self.keep(name);
        self.keep_news(session);
    }
}
