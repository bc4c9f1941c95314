//! What people did with an agent's edits that its model does not know yet.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::tracked_review::TrackedReview;
use super::{ReviewTracker, SessionReviews};

/// So much is told at once; what is older is counted.
const MOST: usize = 200;
/// Open hunks that are named.
const OPEN: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FeedbackKind {
    Accepted,
    /// With changes of the person's own, or only in part.
    AcceptedEdited,
    Rejected,
    /// A person has typed in it; it is undecided.
    Edited,
    /// Nobody has decided it.
    Open,
    /// Something was said, nothing decided.
    Commented,
    /// Its lines were changed while nobody looked; it cannot be decided any more.
    Lost,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackItem {
    /// The document, for a model.
    pub shown: String,
    /// From 1, at the time; 0 is the file itself.
    pub line: usize,
    pub lines: usize,
    pub happened: FeedbackKind,
    /// Only some of its lines.
    pub partly: bool,
    pub comment: Option<String>,
    /// What is there now, where the model cannot know it.
    pub text: Option<String>,
    /// The calls that wrote it, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<Arc<str>>,
}

/// What happened, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewFeedback {
    pub items: VecDeque<FeedbackItem>,
    /// Older ones that were too many.
    pub left_out: usize,
}

/// What a person says about lines, without deciding anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineComment {
    pub display_path: String,
    /// From 0.
    pub line: usize,
    pub lines: usize,
    pub text: String,
    /// The lines as they are.
    pub commented_lines: Option<String>,
}

impl ReviewFeedback {
    pub(super) fn add(&mut self, item: FeedbackItem) {
        if self.items.len() == MOST {
            self.items.pop_front();
            self.left_out += 1;
        }
        self.items.push_back(item);
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// These came earlier. What was open then is said anew when it is told.
    pub(super) fn put_before(&mut self, mut earlier: Self) {
        earlier.items.retain(|item| item.happened != FeedbackKind::Open);
        let since = std::mem::replace(self, earlier);
        self.left_out += since.left_out;
        since.items.into_iter().for_each(|item| self.add(item));
    }
}

impl ReviewTracker {
    /// How many comments wait, this one included.
    pub fn add_comment(&self, session: &str, comment: LineComment) -> usize {
        let mut state = self.lock();
        let news = &mut state.session_mut(session).feedback;
        news.add(FeedbackItem {
            shown: comment.display_path,
            line: comment.line + 1,
            lines: comment.lines,
            happened: FeedbackKind::Commented,
            partly: false,
            comment: Some(comment.text),
            text: comment.commented_lines,
            by: Vec::new(),
        });
        let comments = news.comment_count();
        drop(state);
        self.persist_feedback(session);
        comments
    }

    pub fn comment_count(&self, session: &str) -> usize {
        self.lock().session_mut(session).feedback.comment_count()
    }

    /// What the model is to be told now, and is not told again: decisions, comments, typing in hunks that are undecided.
    /// With anything of a document, what in it is still open.
    pub fn take_feedback(&self, session: &str) -> ReviewFeedback {
        self.drain_feedback(session, None)
    }

    /// The same of what one call wrote alone, for whoever does its work.
    pub fn take_call_feedback(&self, session: &str, call: &str) -> ReviewFeedback {
        self.drain_feedback(session, Some(call))
    }

    fn drain_feedback(&self, session: &str, call: Option<&str>) -> ReviewFeedback {
        let mut state = self.lock();
        let of = state.session_mut(session);
        of.note_typing(call);
        let mut news = std::mem::take(&mut of.feedback);
        if call.is_some() {
            let items = std::mem::take(&mut news.items);
            let (wanted, others) = items.into_iter().partition(|item| is_by(&item.by, call));
            // Older ones that were too many may be of anybody.
            of.feedback = std::mem::replace(&mut news, ReviewFeedback { items: wanted, left_out: 0 });
            of.feedback.items = others;
        }
        let spoken_of =
            |tracked: &&TrackedReview| news.items.iter().any(|item| item.shown == tracked.display_path);
        let open: Vec<_> = of
            .reviews
            .values()
            .filter(|tracked| !tracked.is_proposal())
            .filter(spoken_of)
            .flat_map(|tracked| tracked.open(call))
            .take(OPEN)
            .collect();
        news.items.extend(open);
        drop(state);
        self.persist_feedback(session);
        news
    }

    /// It could not be told after all.
    pub fn return_feedback(&self, session: &str, news: ReviewFeedback) {
        self.lock().session_mut(session).feedback.put_before(news);
        self.persist_feedback(session);
    }
}

impl ReviewFeedback {
    fn comment_count(&self) -> usize {
        self.items.iter().filter(|item| item.happened == FeedbackKind::Commented).count()
    }
}

impl SessionReviews {
    fn note_typing(&mut self, call: Option<&str>) {
        for tracked in self.reviews.values_mut().filter(|tracked| !tracked.is_proposal()) {
            let mut items = Vec::new();
            let edited =
                tracked.review.hunks_with_lines().filter(|(hunk, _)| hunk.edited && is_by(&hunk.calls, call));
            for (hunk, line) in edited {
                let decision = tracked.review.decision_for(hunk);
                if tracked.noted.get(&hunk.id) == Some(&decision.expected) {
                    continue;
                }
                let text = tracked.review.hunk_text(hunk);
                let item = FeedbackItem {
                    shown: tracked.display_path.clone(),
                    line: line + 1,
                    lines: text.lines().count(),
                    happened: FeedbackKind::Edited,
                    partly: false,
                    comment: None,
                    text: Some(text),
                    by: hunk.calls.clone(),
                };
                items.push((decision, item));
            }
            for (decision, item) in items {
                tracked.noted.insert(decision.hunk, decision.expected);
                self.feedback.add(item);
            }
        }
    }
}

impl TrackedReview {
    /// The hunks that nobody has touched.
    fn open<'a>(&'a self, call: Option<&'a str>) -> impl Iterator<Item = FeedbackItem> + 'a {
        let open = self.review.hunks_with_lines().filter(|(hunk, _)| !hunk.edited && !hunk.rejecting);
        let open = open.filter(move |(hunk, _)| is_by(&hunk.calls, call));
        open.map(|(hunk, line)| FeedbackItem {
            shown: self.display_path.clone(),
            line: line + 1,
            lines: self.review.hunk_text(hunk).lines().count(),
            happened: FeedbackKind::Open,
            partly: false,
            comment: None,
            text: None,
            by: hunk.calls.clone(),
        })
    }
}

/// Everything is by whoever is not named.
fn is_by(by: &[Arc<str>], call: Option<&str>) -> bool {
    call.is_none_or(|call| by.iter().any(|by| **by == *call))
}
