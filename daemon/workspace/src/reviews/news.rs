//! What people did with an agent's edits that its model does not know yet.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::tracked::Tracked;
use super::{OfSession, Reviews};

/// So much is told at once; what is older is counted.
const MOST: usize = 200;
/// Open hunks that are named.
const OPEN: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Happened {
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
pub struct Item {
    /// The document, for a model.
    pub shown: String,
    /// From 1, at the time; 0 is the file itself.
    pub line: usize,
    pub lines: usize,
    pub happened: Happened,
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
pub struct News {
    pub items: VecDeque<Item>,
    /// Older ones that were too many.
    pub left_out: usize,
}

/// What a person says about lines, without deciding anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub shown: String,
    /// From 0.
    pub line: usize,
    pub lines: usize,
    pub text: String,
    /// The lines as they are.
    pub about: Option<String>,
}

impl News {
    pub(super) fn add(&mut self, item: Item) {
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
        earlier.items.retain(|item| item.happened != Happened::Open);
        let since = std::mem::replace(self, earlier);
        self.left_out += since.left_out;
        since.items.into_iter().for_each(|item| self.add(item));
    }
}

impl Reviews {
    /// How many comments wait, this one included.
    pub fn comment(&self, session: &str, comment: Comment) -> usize {
        let mut state = self.lock();
        let news = &mut state.of(session).news;
        news.add(Item {
            shown: comment.shown,
            line: comment.line + 1,
            lines: comment.lines,
            happened: Happened::Commented,
            partly: false,
            comment: Some(comment.text),
            text: comment.about,
            by: Vec::new(),
        });
        let comments = news.comments();
        drop(state);
        self.keep_news(session);
        comments
    }

    pub fn comments(&self, session: &str) -> usize {
        self.lock().of(session).news.comments()
    }

    /// What the model is to be told now, and is not told again: decisions, comments, typing in hunks that are undecided.
    /// With anything of a document, what in it is still open.
    pub fn news(&self, session: &str) -> News {
        self.take_news(session, None)
    }

    /// The same of what one call wrote alone, for whoever does its work.
    pub fn news_of(&self, session: &str, call: &str) -> News {
        self.take_news(session, Some(call))
    }

    fn take_news(&self, session: &str, call: Option<&str>) -> News {
        let mut state = self.lock();
        let of = state.of(session);
        of.note_typing(call);
        let mut news = std::mem::take(&mut of.news);
        if call.is_some() {
            let items = std::mem::take(&mut news.items);
            let (wanted, others) = items.into_iter().partition(|item| is_by(&item.by, call));
            // Older ones that were too many may be of anybody.
            of.news = std::mem::replace(&mut news, News { items: wanted, left_out: 0 });
            of.news.items = others;
        }
        let spoken_of = |tracked: &&Tracked| news.items.iter().any(|item| item.shown == tracked.shown);
        let open: Vec<_> = of
            .reviews
            .values()
            .filter(|tracked| !tracked.is_before())
            .filter(spoken_of)
            .flat_map(|tracked| tracked.open(call))
            .take(OPEN)
            .collect();
        news.items.extend(open);
        drop(state);
        self.keep_news(session);
        news
    }

    /// It could not be told after all.
    pub fn untold(&self, session: &str, news: News) {
        self.lock().of(session).news.put_before(news);
        self.keep_news(session);
    }
}

impl News {
    fn comments(&self) -> usize {
        self.items.iter().filter(|item| item.happened == Happened::Commented).count()
    }
}

impl OfSession {
    fn note_typing(&mut self, call: Option<&str>) {
        for tracked in self.reviews.values_mut().filter(|tracked| !tracked.is_before()) {
            let mut items = Vec::new();
            let edited = tracked.review.lines().filter(|(hunk, _)| hunk.edited && is_by(&hunk.by, call));
            for (hunk, line) in edited {
                let decision = tracked.review.decision(hunk);
                if tracked.noted.get(&hunk.id) == Some(&decision.expected) {
                    continue;
                }
                let text = tracked.review.now(hunk);
                let item = Item {
                    shown: tracked.shown.clone(),
                    line: line + 1,
                    lines: text.lines().count(),
                    happened: Happened::Edited,
                    partly: false,
                    comment: None,
                    text: Some(text),
                    by: hunk.by.clone(),
                };
                items.push((decision, item));
            }
            for (decision, item) in items {
                tracked.noted.insert(decision.hunk, decision.expected);
                self.news.add(item);
            }
        }
    }
}

impl Tracked {
    /// The hunks that nobody has touched.
    fn open<'a>(&'a self, call: Option<&'a str>) -> impl Iterator<Item = Item> + 'a {
        let open = self.review.lines().filter(|(hunk, _)| !hunk.edited && !hunk.rejecting);
        let open = open.filter(move |(hunk, _)| is_by(&hunk.by, call));
        open.map(|(hunk, line)| Item {
            shown: self.shown.clone(),
            line: line + 1,
            lines: self.review.now(hunk).lines().count(),
            happened: Happened::Open,
            partly: false,
            comment: None,
            text: None,
            by: hunk.by.clone(),
        })
    }
}

/// Everything is by whoever is not named.
fn is_by(by: &[Arc<str>], call: Option<&str>) -> bool {
    call.is_none_or(|call| by.iter().any(|by| **by == *call))
}
