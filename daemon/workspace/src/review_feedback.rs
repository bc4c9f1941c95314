//! Feedback on an agent's edits, as it is kept for the model and in the journal.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The cap on items to report at once; older ones are only counted.
const MAX_ITEMS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FeedbackKind {
    Accepted,
    /// With the user's changes, or only in part.
    AcceptedEdited,
    Rejected,
    /// The user has typed in it; it is undecided.
    Edited,
    /// Undecided.
    Open,
    /// A comment without a decision.
    Commented,
    /// Its lines changed while the daemon did not follow them; it cannot be decided any more.
    Lost,
}

/// One decision, comment or change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackItem {
    /// The path shown to the model.
    pub shown: String,
    /// From 1, at the time; 0 is the file itself.
    pub line: usize,
    pub lines: usize,
    pub happened: FeedbackKind,
    /// Only some of its lines.
    pub partly: bool,
    pub comment: Option<String>,
    /// The current text, if the model cannot know it.
    pub text: Option<String>,
    /// The calls that wrote it, if known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<Arc<str>>,
}

/// Items in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewFeedback {
    pub items: VecDeque<FeedbackItem>,
    /// The number of older items that were dropped.
    pub left_out: usize,
}

impl ReviewFeedback {
    pub(crate) fn add(&mut self, item: FeedbackItem) {
        if self.items.len() == MAX_ITEMS {
            self.items.pop_front();
            self.left_out += 1;
        }
        self.items.push_back(item);
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Puts earlier items first. Open hunks are dropped: the next report lists them again.
    pub(crate) fn put_before(&mut self, mut earlier: Self) {
        earlier.items.retain(|item| item.happened != FeedbackKind::Open);
        let since = std::mem::replace(self, earlier);
        self.left_out += since.left_out;
        since.items.into_iter().for_each(|item| self.add(item));
    }
}

impl ReviewFeedback {
    pub(crate) fn comment_count(&self) -> usize {
        self.items.iter().filter(|item| item.happened == FeedbackKind::Commented).count()
    }
}
