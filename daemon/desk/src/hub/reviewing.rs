//! Reviews of a session: told to its clients, decided by them.

use std::sync::Weak;

use copydesk_protocol::event::Event;
use copydesk_protocol::review::{
    Decided, DecidedOutcome, FileHunk, FileHunkKind, Hunk, Review, ReviewChange, ReviewCommentParams,
    ReviewDecideParams, ReviewDecision, ReviewListParams, ReviewListResult, ReviewWhen, Verdict, Words,
};
use copydesk_session::{Id, ReviewWhen as When};
use copydesk_text::review::{HunkId, HunkView, Print, Selection, Whole};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{Files, READ_LIMIT};
use copydesk_workspace::reviews::{self, Comment, Decision, Refusal, ReviewId, Subject, View};
use tokio::sync::watch;

use super::{Held, HubError};
use crate::face::path_of;

/// Lines of a document that go with a comment.
const ABOUT: usize = 20;

impl Held {
    pub(crate) async fn list_reviews(
        &self,
        client: ClientId,
        params: ReviewListParams,
    ) -> Result<ReviewListResult, HubError> {
        let files = self.files(client).await?;
        files.look_at_reviews(self.id().as_str()).await;
        let name = params.uri.as_deref().map(|uri| place(&files, uri).real().to_owned());
        let skip = params.skip.unwrap_or_default() as usize;
        let views = files.reviews().list(self.id().as_str(), name.as_deref(), skip);
        let comments = narrow(files.reviews().comments(self.id().as_str()));
        Ok(ReviewListResult { reviews: views.into_iter().map(review).collect(), comments })
    }

    pub(crate) async fn decide(
        &self,
        client: ClientId,
        params: ReviewDecideParams,
    ) -> Result<Vec<Decided>, HubError> {
        let files = self.files(client).await?;
        files.look_at_reviews(self.id().as_str()).await;
        let session = self.id().as_str();
        let mut decided = Vec::with_capacity(params.decisions.len());
        let mut known = Vec::new();
        for said in params.decisions {
            let hunk = said.hunk.clone();
            let decision = decision(said);
            let message = decision.is_none().then(|| format!("there is no hunk `{hunk}`"));
            known.extend(decision);
            decided.push(Decided { hunk, outcome: DecidedOutcome::Refused, message });
        }
        let mut results = files.decide(session, &known).await.into_iter();
        for decided in decided.iter_mut().filter(|decided| decided.message.is_none()) {
            match results.next() {
                Some(Ok(())) => decided.outcome = DecidedOutcome::Done,
                Some(Err(refusal)) => {
                    decided.message = Some(refusal.to_string());
                    if matches!(refusal, Refusal::Confirm(_)) {
                        decided.outcome = DecidedOutcome::Confirm;
                    }
                }
                None => {}
            }
        }
        self.end_inlines();
        for ask in files.reviews().settled_asks(session) {
            self.reviewed(&ask).await;
        }
        Ok(decided)
    }

    pub(crate) async fn comment(
        &self,
        client: ClientId,
        params: ReviewCommentParams,
    ) -> Result<u32, HubError> {
        let files = self.files(client).await?;
        let place = place(&files, &params.uri);
        let (line, lines) = (params.line as usize, params.lines.unwrap_or(1).max(1) as usize);
        let about = match files.look(&place, READ_LIMIT).await {
            Ok(content) => {
                let text = String::from_utf8_lossy(&content.bytes).into_owned();
                let about: Vec<_> = text.lines().skip(line).take(lines.min(ABOUT)).collect();
                Some(about.join("\n"))
            }
            Err(_) => None,
        };
        let text = params.text.trim().to_owned();
        if text.is_empty() {
            return Err(HubError::Failed("a comment needs words".to_owned()));
        }
        let comment = Comment { shown: place.shown, line, lines, text, about };
        Ok(narrow(files.reviews().comment(self.id().as_str(), comment)))
    }

    /// When edits are reviewed, from the next one on, in a turn that runs too.
    pub(crate) async fn set_review(
        &self,
        when: Option<ReviewWhen>,
    ) -> Result<copydesk_session::Session, HubError> {
        let when = when.map(|when| match when {
            ReviewWhen::Before => When::Before,
            ReviewWhen::After => When::After,
        });
        let session = self.change(|session| session.review = when).await?;
        self.review(when).await;
        Ok(session)
    }

    /// Tells what has changed since the last time.
    fn tell_reviews(&self, reviews: &reviews::Reviews) {
        for change in reviews.changes(self.id().as_str()) {
            let id = change.view.id;
            let gone = change.gone.iter().map(|hunk| hunk_id(id, *hunk)).collect();
            let review = review(change.view);
            let change = ReviewChange { review, gone, reload: false, failed: change.failed };
            self.tell(Event::ReviewChanged(Box::new(change)));
        }
    }
}

/// Tells the clients of a session of its reviews, until it is let go.
pub(super) async fn watch(held: Weak<Held>, mut changed: watch::Receiver<u64>, reviews: reviews::Reviews) {
    while changed.changed().await.is_ok() {
        let Some(held) = held.upgrade() else { return };
        held.tell_reviews(&reviews);
    }
}

pub(super) fn place(files: &Files, uri: &str) -> copydesk_workspace::files::Place {
    let path = path_of(uri).map(|path| path.to_string_lossy().into_owned());
    files.resolve(path.as_deref().unwrap_or(uri))
}

fn hunk_id(review: ReviewId, hunk: HunkId) -> String {
    format!("{}.{}", review.0, hunk.0)
}

/// Nothing where it names no hunk at all.
fn decision(said: ReviewDecision) -> Option<Decision> {
    let (review, subject) = match said.hunk.split_once('.') {
        Some((review, hunk)) => (review, Subject::Hunk(HunkId(hunk.parse().ok()?))),
        None => (said.hunk.as_str(), Subject::Everything),
    };
    let wide = |lines: Vec<u32>| lines.into_iter().map(|line| line as usize).collect();
    Some(Decision {
        review: ReviewId(review.parse().ok()?),
        subject,
        expected: Print::from(said.expected),
        verdict: match said.verdict {
            Verdict::Accept => reviews::Verdict::Accept,
            Verdict::Reject => reviews::Verdict::Reject,
        },
        lines: said.lines.map(|lines| Selection { old: wide(lines.old), new: wide(lines.new) }),
        text: said.text,
        comment: said.comment,
        confirmed: said.confirmed,
    })
}

fn review(view: View) -> Review {
    let id = view.id;
    let uri = url::Url::from_file_path(&view.name);
    let (when, ask) = match view.when {
        reviews::When::Before { ask } => (ReviewWhen::Before, ask),
        reviews::When::After => (ReviewWhen::After, None),
    };
    let file = view.whole.map(|(whole, print)| {
        let (kind, from) = match whole.kind {
            Whole::Created => (FileHunkKind::Created, None),
            Whole::Deleted => (FileHunkKind::Deleted, None),
            Whole::Renamed { from } => (FileHunkKind::Renamed, Some(from)),
        };
        let by = whole.by.iter().map(ToString::to_string).collect();
        FileHunk { hunk: hunk_id(id, whole.id), expected: print.as_str().to_owned(), kind, from, by }
    });
    Review {
        review: id.0.to_string(),
        uri: uri.map_or_else(|()| view.name.to_string_lossy().into_owned(), String::from),
        path: view.shown,
        when,
        ask,
        writing: view.is_written,
        expected: view.print.as_str().to_owned(),
        file,
        hunks: view.hunks.into_iter().map(|view| hunk(id, view)).collect(),
        total: narrow(view.total),
        additions: narrow(view.additions),
        deletions: narrow(view.deletions),
    }
}

fn hunk(review: ReviewId, view: HunkView) -> Hunk {
    let ranges = |ranges: Vec<std::ops::Range<usize>>| {
        ranges.into_iter().map(|range| (narrow(range.start), narrow(range.end))).collect()
    };
    let words = view.words.into_iter().map(|words| Words {
        line: narrow(words.line),
        old: ranges(words.old),
        new: ranges(words.new),
    });
    Hunk {
        hunk: hunk_id(review, view.id),
        expected: view.print.as_str().to_owned(),
        line: narrow(view.line),
        old: view.old,
        new: view.new,
        old_lines: narrow(view.old_lines),
        new_lines: narrow(view.new_lines),
        words: words.collect(),
        by: view.by.iter().map(ToString::to_string).collect(),
        edited: view.edited,
        deciding: view.rejecting,
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Held {
    async fn reviewed(&self, ask: &str) {
        if let Some(live) = self.live().await {
            live.reviewed(&Id::from(ask)).await;
        }
    }

    async fn review(&self, when: Option<When>) {
        if let Some(live) = self.live().await {
            live.review(when).await;
        }
    }
}
