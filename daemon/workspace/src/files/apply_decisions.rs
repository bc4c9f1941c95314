//! Applies the user's decisions in reviews: it changes documents as agents do, through the editor if they are
//! open, else on disk.

use copydesk_text::FileText;

use super::{
    Author, ChangeCause, FileChange, FileChangeKind, FileError, READ_LIMIT, ResolvedPath, WorkspaceFiles,
};
use crate::journal::FileAttributes;
use crate::reviews::{
    DecisionEffect, DecisionError, EditAuthor, HunkVerdict, PendingDecision, ReviewId, UserDecision,
};
use copydesk_config::SaveMode;

impl WorkspaceFiles {
    /// Applies decisions one after the other; those on hunks of one review with one verdict together. Returns
    /// results in the same order. Once begun, it runs to the end even if the caller goes away.
    pub async fn decide(&self, session: &str, decisions: &[UserDecision]) -> Vec<Result<(), DecisionError>> {
        let (files, session, wanted) = (self.clone(), session.to_owned(), decisions.to_owned());
        let deciding = tokio::spawn(async move { files.decide_all(&session, &wanted).await });
        let ended = |why: tokio::task::JoinError| {
            decisions.iter().map(|_| Err(DecisionError::Rejected(why.to_string()))).collect()
        };
        deciding.await.unwrap_or_else(ended)
    }

    async fn decide_all(&self, session: &str, decisions: &[UserDecision]) -> Vec<Result<(), DecisionError>> {
        let mut results = Vec::with_capacity(decisions.len());
        let mut rest = decisions;
        while let Some(first) = rest.first() {
            self.refresh_review(session, first.review).await;
            if let Some(each) = self.reviews().decisions_per_hunk(session, first) {
                let mut result = Ok(());
                for decision in each {
                    let one = self.decide_together(session, &[decision]).await.pop().unwrap_or(Ok(()));
                    result = result.and(one);
                }
                results.push(result);
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let alike = |decision: &&UserDecision| {
                (decision.review, decision.verdict) == (first.review, first.verdict)
                    && self.reviews().is_batchable(session, decision)
            };
            let count = if alike(&first) { rest.iter().take_while(alike).count() } else { 1 };
            let (now, later) = rest.split_at(count.min(rest.len()));
            results.extend(self.decide_together(session, now).await);
            rest = later;
        }
        // Once the user is told that a hunk is decided, the daemon must not ask again, even after a crash.
        self.reviews().persist_all();
        if let Some(journal) = self.journal() {
            journal.flush().await;
        }
        results
    }

    async fn decide_together(
        &self,
        session: &str,
        decisions: &[UserDecision],
    ) -> Vec<Result<(), DecisionError>> {
        let taken: Vec<_> = decisions.iter().collect();
        let Some(first) = decisions.first() else { return Vec::new() };
        let place = self.reviews().review_path(session, first.review);
        let (carried, mut results) = self.reviews().decide(session, &taken);
        let (Some(carried), Some(place)) = (carried, place) else { return results };
        let place = self.resolve(&place.to_string_lossy());
        let done = self.apply_decision(session, first, &place, &carried).await;
        self.reviews().finish_decision(session, first.review, carried, done.is_ok());
        match done {
            Err(error) => {
                let failed = |result: &mut Result<(), DecisionError>| {
                    if result.is_ok() {
                        *result = Err(DecisionError::Rejected(error.to_string()));
                    }
                };
                results.iter_mut().for_each(failed);
            }
            Ok(()) => self.save_decided(session, &place, first.verdict).await,
        }
        results
    }

    async fn apply_decision(
        &self,
        session: &str,
        decision: &UserDecision,
        place: &ResolvedPath,
        carried: &PendingDecision,
    ) -> Result<(), FileError> {
        let kind = match &carried.effect {
            DecisionEffect::Nothing => return Ok(()),
            DecisionEffect::Create { text } => {
                let attributes = self.reviews().file_attributes(session, decision.review);
                FileChangeKind::Create {
                    text: attributes.with_byte_order_mark(text.clone()),
                    mode: attributes.mode,
                }
            }
            DecisionEffect::Edit { text, change } => {
                let content = self.peek(place, READ_LIMIT).await?;
                let (stamp, file) = (content.stamp, decoded(place, content.bytes)?);
                // On disk it must still be the text of the decision; a buffer's own text is merged.
                if file.text() != text && !content.is_from_buffer {
                    return Err(FileError::Changed { shown: place.display_path.clone() });
                }
                let file = if content.is_from_buffer { FileText::from(text.clone()) } else { file };
                FileChangeKind::Edit { file, stamp, change: change.clone() }
            }
            DecisionEffect::Delete { text } => {
                let content = match self.read_from_disk(place).await {
                    // Another program deleted it first.
                    Err(FileError::NotFound { .. }) => {
                        self.record_missing_file(session, decision.review, place);
                        return Ok(());
                    }
                    content => content?,
                };
                let (stamp, file) = (content.stamp, decoded(place, content.bytes)?);
                if text.as_ref().is_some_and(|text| text != file.text()) {
                    return Err(FileError::Changed { shown: place.display_path.clone() });
                }
                FileChangeKind::Delete { stamp, file }
            }
            DecisionEffect::Move { to } => {
                let content = self.peek(place, READ_LIMIT).await?;
                let (stamp, file) = (content.stamp, decoded(place, content.bytes)?);
                FileChangeKind::Move { to: self.resolve(to), file, stamp }
            }
        };
        let verb = match decision.verdict {
            HunkVerdict::Accept => "Accept",
            HunkVerdict::Reject => "Reject",
        };
        let call = self.reviews().waiting_call_id(session, decision.review);
        let cause = ChangeCause {
            session: session.to_owned(),
            // What the user accepts of a waiting call counts as that call's edit, and is undone with it.
            call: call.unwrap_or_else(|| format!("review {}", decision.review.0)),
            label: format!("{verb} {}", place.display_path),
            is_accepted: decision.verdict == HunkVerdict::Accept,
            author: match carried.replaced_hunk {
                Some(hunk) => Author::HunkReplacement(decision.review, hunk),
                None => Author::Decision(decision.review),
            },
            group: None,
        };
        self.apply_changes(&[FileChange { path: place.clone(), kind }], &cause).await.map(drop)
    }

    /// The file that a decision deletes does not exist.
    fn record_missing_file(&self, session: &str, review: ReviewId, place: &ResolvedPath) {
        let (name, author) = (place.real_path(), EditAuthor::Decision(review));
        self.reviews().record_removed(
            name,
            &place.display_path,
            session,
            author,
            ("", FileAttributes::default()),
        );
    }

    /// The review of a document that no editor has open may be behind the disk.
    async fn refresh_review(&self, session: &str, review: ReviewId) {
        if let Some(name) = self.reviews().review_path(session, review) {
            self.refresh_document(session, &name).await;
        }
    }

    /// Refreshes the reviews of one document.
    pub async fn refresh_document_reviews(&self, session: &str, name: &std::path::Path) {
        self.load_reviews(session).await;
        self.refresh_document(session, name).await;
    }

    async fn refresh_document(&self, session: &str, name: &std::path::Path) {
        let place = self.resolve(&name.to_string_lossy());
        let open = self.buffers().find(name, self.home_client());
        if let Some(open) = open {
            let Ok(open) = open else { return };
            let look = |now: &copydesk_text::Document| {
                self.reviews().refresh_text(session, name, Some(open.client), now.into());
            };
            self.buffers().with_document(open.client, name, look);
            return;
        }
        let content = self.peek(&place, READ_LIMIT).await;
        let Ok(Ok(file)) = content.map(|content| FileText::decode(content.bytes)) else { return };
        self.reviews().refresh_text(session, name, None, file.text().into());
    }

    /// Refreshes all reviews of a session, including stored ones and committed hunks.
    pub async fn refresh_reviews(&self, session: &str) {
        self.detect_commits(session).await;
        for name in self.reviews().reviewed_paths(session) {
            self.refresh_document(session, &name).await;
        }
    }

    /// Loads stored reviews before new ones are stored.
    pub async fn load_reviews(&self, session: &str) {
        if !self.reviews().needs_loading(session) {
            return;
        }
        let (kept, feedback) = match self.journal().map(|journal| journal.load_reviews(session)) {
            // If this fails, the next call tries again.
            Some(kept) => match kept.await {
                Ok(kept) => kept,
                Err(_) => return,
            },
            None => Default::default(),
        };
        let mut found = Vec::new();
        for review in kept {
            let place = self.resolve(&review.path);
            let content = self.peek(&place, READ_LIMIT).await;
            let file = content.ok().and_then(|content| FileText::decode(content.bytes).ok());
            found.push((review, place.display_path.clone(), file));
        }
        self.reviews().restore_reviews(session, found, feedback);
    }

    /// Saves a document whose hunks are all accepted, if the user wants that.
    async fn save_decided(&self, session: &str, place: &ResolvedPath, verdict: HunkVerdict) {
        let is_open = !self.reviews().list_reviews(session, Some(place.real_path()), 0).is_empty();
        if self.save_when() != SaveMode::AfterAccept || verdict != HunkVerdict::Accept || is_open {
            return;
        }
        let Some(Ok(open)) = self.buffers().find(place.real_path(), self.home_client()) else { return };
        if let Some(editor) = self.buffers().editor(open.client) {
            // If this fails, the user sees that the buffer is unsaved.
            let _ = editor.save(&open.uri).await;
        }
    }

    /// The content on disk, whatever an editor has.
    pub(super) async fn read_from_disk(&self, place: &ResolvedPath) -> Result<super::FileContent, FileError> {
        let found = place.clone();
        super::run_blocking(place, move || super::read::read(&found, READ_LIMIT, None)).await
    }
}

pub(super) fn decoded(place: &ResolvedPath, bytes: Vec<u8>) -> Result<FileText, FileError> {
    let refused = |why: copydesk_text::FileTextError| FileError::Refused {
        shown: place.display_path.clone(),
        why: why.to_string(),
    };
    FileText::decode(bytes).map_err(refused)
}
