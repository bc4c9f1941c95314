//! Reviews of a session: published to its clients, decided by them.

use std::sync::Weak;

use copydesk_protocol::event::EventInfo;
use copydesk_protocol::permission::PermissionPresetInfo;
use copydesk_protocol::review::{
    FeedbackInfo, ReviewChange, ReviewCommentParams, ReviewDecideParams, ReviewDecisionResult,
    ReviewListParams, ReviewListResult, ReviewTimingInfo,
};
use copydesk_session::{Id, SessionReviewTiming as When};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{READ_LIMIT, WorkspaceFiles};
use copydesk_workspace::reviews::{LineComment, ReviewTracker};
use tokio::sync::watch;

use super::{HostedSession, SessionHostError, convert};
use crate::reviews::{self, hunk_id, to_u32};
use crate::uri::path_of;

/// The cap on lines of the document that a comment stores.
const MAX_COMMENTED_LINES: usize = 20;

/// The cap on decisions and comments that clients get.
const MAX_FEEDBACK: usize = 50;

impl HostedSession {
    pub async fn list_reviews(
        &self,
        client: ClientId,
        params: ReviewListParams,
    ) -> Result<ReviewListResult, SessionHostError> {
        let files = self.files(client).await?;
        let name = params.uri.as_deref().map(|uri| resolve_uri(&files, uri).real_path().to_owned());
        let skip = params.skip.unwrap_or_default() as usize;
        let reviews = reviews::list(&files, self.id().as_str(), name.as_deref(), skip).await;
        let comments = to_u32(files.reviews().comment_count(self.id().as_str()));
        Ok(ReviewListResult { reviews, comments })
    }

    pub async fn decide(
        &self,
        client: ClientId,
        params: ReviewDecideParams,
    ) -> Result<Vec<ReviewDecisionResult>, SessionHostError> {
        let files = self.files(client).await?;
        let session = self.id().as_str();
        let decided = reviews::decide(&files, session, params.decisions).await;
        self.end_inlines();
        self.settle_asks(files.reviews()).await;
        Ok(decided)
    }

    /// Settles asks without undecided hunks: all were decided, or typing or undo removed them.
    async fn settle_asks(&self, reviews: &ReviewTracker) {
        for ask in reviews.settled_asks(self.id().as_str()) {
            self.finish_reviewed_ask(&ask).await;
        }
    }

    pub async fn comment(
        &self,
        client: ClientId,
        params: ReviewCommentParams,
    ) -> Result<u32, SessionHostError> {
        let files = self.files(client).await?;
        let place = resolve_uri(&files, &params.uri);
        let (line, lines) = (params.line as usize, params.lines.unwrap_or(1).max(1) as usize);
        let commented_lines = match files.peek(&place, READ_LIMIT).await {
            Ok(content) => {
                let text = String::from_utf8_lossy(&content.bytes).into_owned();
                let lines: Vec<_> = text.lines().skip(line).take(lines.min(MAX_COMMENTED_LINES)).collect();
                Some(lines.join("\n"))
            }
            Err(_) => None,
        };
        let text = params.text.trim().to_owned();
        if text.is_empty() {
            return Err(SessionHostError::Failed("a comment cannot be empty".to_owned()));
        }
        let comment = LineComment { display_path: place.display_path, line, lines, text, commented_lines };
        Ok(to_u32(files.reviews().add_comment(self.id().as_str(), comment)))
    }

    /// Sets when edits are reviewed, from the next edit on, also in a running turn.
    pub async fn set_review(
        &self,
        when: Option<ReviewTimingInfo>,
    ) -> Result<copydesk_session::Session, SessionHostError> {
        let when = when.map(|when| match when {
            ReviewTimingInfo::Before => When::Before,
            ReviewTimingInfo::After => When::After,
        });
        let session = self.update_session(|session| session.review = when).await?;
        self.apply_review_mode(when).await;
        Ok(session)
    }

    /// Sets what runs unasked, from the next call on, also in a running turn.
    pub async fn set_preset(
        &self,
        preset: Option<PermissionPresetInfo>,
    ) -> Result<copydesk_session::Session, SessionHostError> {
        let preset = preset.map(convert::preset_from_client);
        let session = self.update_session(|session| session.preset = preset).await?;
        if let Some(handle) = self.session_handle().await {
            handle.set_preset(preset).await;
        }
        Ok(session)
    }

    async fn finish_reviewed_ask(&self, ask: &str) {
        if let Some(handle) = self.session_handle().await {
            handle.settle_reviewed_ask(&Id::from(ask)).await;
        }
    }

    async fn apply_review_mode(&self, when: Option<When>) {
        if let Some(handle) = self.session_handle().await {
            handle.set_review_timing(when).await;
        }
    }

    /// Publishes what changed since the last call.
    fn publish_review_changes(&self, reviews: &ReviewTracker) {
        for change in reviews.take_updates(self.id().as_str()) {
            let id = change.snapshot.id;
            let gone = change.removed_hunks.iter().map(|hunk| hunk_id(id, *hunk)).collect();
            let review = reviews::review(change.snapshot);
            let change = ReviewChange { review, gone, failed: change.failure };
            self.publish_event(EventInfo::ReviewChanged(Box::new(change)));
        }
        self.publish_feedback(pending_feedback(reviews, self.id().as_str()));
    }
}

/// The decisions and comments that the model has not read yet.
pub(super) fn pending_feedback(reviews: &ReviewTracker, session: &str) -> Vec<FeedbackInfo> {
    let items = reviews.pending_feedback(session, MAX_FEEDBACK);
    items.into_iter().filter_map(reviews::feedback).collect()
}

/// Publishes a session's review changes to its clients, until it is released.
pub(super) async fn watch(
    hosted: Weak<HostedSession>,
    mut changed: watch::Receiver<u64>,
    reviews: ReviewTracker,
) {
    while changed.changed().await.is_ok() {
        let Some(hosted) = hosted.upgrade() else { return };
        hosted.publish_review_changes(&reviews);
        hosted.settle_asks(&reviews).await;
    }
}

pub(super) fn resolve_uri(files: &WorkspaceFiles, uri: &str) -> copydesk_workspace::files::ResolvedPath {
    let path = path_of(uri).map(|path| path.to_string_lossy().into_owned());
    files.resolve(path.as_deref().unwrap_or(uri))
}
