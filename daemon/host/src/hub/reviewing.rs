//! Reviews of a session: told to its clients, decided by them.

use std::sync::Weak;

use copydesk_protocol::event::Event;
use copydesk_protocol::review::{
    Decided, ReviewChange, ReviewCommentParams, ReviewDecideParams, ReviewListParams, ReviewListResult,
    ReviewWhen,
};
use copydesk_session::{Id, ReviewWhen as When};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{Files, READ_LIMIT};
use copydesk_workspace::reviews::{Comment, Reviews};
use tokio::sync::watch;

use super::{Held, HubError};
use crate::reviews::{self, hunk_id, narrow};
use crate::uri::path_of;

/// Lines of a document that go with a comment.
const ABOUT: usize = 20;

impl Held {
    pub async fn list_reviews(
        &self,
        client: ClientId,
        params: ReviewListParams,
    ) -> Result<ReviewListResult, HubError> {
        let files = self.files(client).await?;
        let name = params.uri.as_deref().map(|uri| place(&files, uri).real().to_owned());
        let skip = params.skip.unwrap_or_default() as usize;
        let reviews = reviews::list(&files, self.id().as_str(), name.as_deref(), skip).await;
        let comments = narrow(files.reviews().comments(self.id().as_str()));
        Ok(ReviewListResult { reviews, comments })
    }

    pub async fn decide(
        &self,
        client: ClientId,
        params: ReviewDecideParams,
    ) -> Result<Vec<Decided>, HubError> {
        let files = self.files(client).await?;
        let session = self.id().as_str();
        let decided = reviews::decide(&files, session, params.decisions).await;
        self.end_inlines();
        self.settle_asks(files.reviews()).await;
        Ok(decided)
    }

    /// Calls go on of which everything is decided, or was typed or undone until nothing is left to decide.
    async fn settle_asks(&self, reviews: &Reviews) {
        for ask in reviews.settled_asks(self.id().as_str()) {
            self.reviewed(&ask).await;
        }
    }

    pub async fn comment(&self, client: ClientId, params: ReviewCommentParams) -> Result<u32, HubError> {
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
    pub async fn set_review(&self, when: Option<ReviewWhen>) -> Result<copydesk_session::Session, HubError> {
        let when = when.map(|when| match when {
            ReviewWhen::Before => When::Before,
            ReviewWhen::After => When::After,
        });
        let session = self.change(|session| session.review = when).await?;
        self.review(when).await;
        Ok(session)
    }

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

    /// Tells what has changed since the last time.
    fn tell_reviews(&self, reviews: &Reviews) {
        for change in reviews.changes(self.id().as_str()) {
            let id = change.view.id;
            let gone = change.gone.iter().map(|hunk| hunk_id(id, *hunk)).collect();
            let review = reviews::review(change.view);
            let change = ReviewChange { review, gone, failed: change.failed };
            self.tell(Event::ReviewChanged(Box::new(change)));
        }
    }
}

/// Tells the clients of a session of its reviews, until it is let go.
pub(super) async fn watch(held: Weak<Held>, mut changed: watch::Receiver<u64>, reviews: Reviews) {
    while changed.changed().await.is_ok() {
        let Some(held) = held.upgrade() else { return };
        held.tell_reviews(&reviews);
        held.settle_asks(&reviews).await;
    }
}

pub(super) fn place(files: &Files, uri: &str) -> copydesk_workspace::files::Place {
    let path = path_of(uri).map(|path| path.to_string_lossy().into_owned());
    files.resolve(path.as_deref().unwrap_or(uri))
}
