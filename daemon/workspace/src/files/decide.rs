//! Carrying out what a person decided in reviews: documents are changed as agents change them, through the editor where
//! they are open, else on the disk.

use copydesk_text::FileText;

use super::{By, Cause, ChangeKind, FileChange, FileError, Files, Place, READ_LIMIT};
use crate::journal::Form;
use crate::reviews::{Carried, Decision, Hand, Order, Refusal, ReviewId, Verdict};
use copydesk_config::Save;

impl Files {
    /// Decides one after the other; those on lines of one review with one verdict together. Answers in the same order.
    /// What is begun is brought to its end, even if nobody waits for that any more.
    pub async fn decide(&self, session: &str, decisions: &[Decision]) -> Vec<Result<(), Refusal>> {
        let (files, session, wanted) = (self.clone(), session.to_owned(), decisions.to_owned());
        let deciding = tokio::spawn(async move { files.decide_all(&session, &wanted).await });
        let ended = |why: tokio::task::JoinError| {
            decisions.iter().map(|_| Err(Refusal::No(why.to_string()))).collect()
        };
        deciding.await.unwrap_or_else(ended)
    }

    async fn decide_all(&self, session: &str, decisions: &[Decision]) -> Vec<Result<(), Refusal>> {
        let mut results = Vec::with_capacity(decisions.len());
        let mut rest = decisions;
        while let Some(first) = rest.first() {
            self.look_again(session, first.review).await;
            let alike = |decision: &&Decision| {
                (decision.review, decision.verdict) == (first.review, first.verdict)
                    && self.reviews().is_simple(session, decision)
            };
            let count = if alike(&first) { rest.iter().take_while(alike).count() } else { 1 };
            let (now, later) = rest.split_at(count.min(rest.len()));
            results.extend(self.decide_together(session, now).await);
            rest = later;
        }
        // Whoever is told that it is decided is not asked again, whatever happens to the desk.
        self.reviews().keep_all();
        if let Some(journal) = self.journal() {
            journal.catch_up().await;
        }
        results
    }

    async fn decide_together(&self, session: &str, decisions: &[Decision]) -> Vec<Result<(), Refusal>> {
        let taken: Vec<_> = decisions.iter().collect();
        let Some(first) = decisions.first() else { return Vec::new() };
        let place = self.reviews().place(session, first.review);
        let (carried, mut results) = self.reviews().decide(session, &taken);
        let (Some(carried), Some(place)) = (carried, place) else { return results };
        let place = self.resolve(&place.to_string_lossy());
        let done = self.carry_out(session, first, &place, &carried).await;
        self.reviews().carried(session, first.review, carried, done.is_ok());
        match done {
            Err(error) => {
                let failed = |result: &mut Result<(), Refusal>| {
                    if result.is_ok() {
                        *result = Err(Refusal::No(error.to_string()));
                    }
                };
                results.iter_mut().for_each(failed);
            }
            Ok(()) => self.save_decided(session, &place, first.verdict).await,
        }
        results
    }

    async fn carry_out(
        &self,
        session: &str,
        decision: &Decision,
        place: &Place,
        carried: &Carried,
    ) -> Result<(), FileError> {
        let kind = match &carried.order {
            Order::Nothing => return Ok(()),
            Order::Create { text } => {
                let form = self.reviews().form(session, decision.review);
                ChangeKind::Create { text: form.of_text(text.clone()), mode: form.mode }
            }
            Order::Edit { text, change } => {
                let content = self.look(place, READ_LIMIT).await?;
                let (stamp, file) = (content.stamp, decoded(place, content.bytes)?);
                // On the disk it must still be what the decision was made for; a buffer's own text is merged.
                if file.text() != text && !content.is_open {
                    return Err(FileError::Changed { shown: place.shown.clone() });
                }
                let file = if content.is_open { FileText::from(text.clone()) } else { file };
                ChangeKind::Edit { file, stamp, change: change.clone() }
            }
            Order::Delete { text } => {
                let content = match self.on_disk_alone(place).await {
                    // Somebody was faster.
                    Err(FileError::NotFound { .. }) => {
                        self.is_gone(session, decision.review, place);
                        return Ok(());
                    }
                    content => content?,
                };
                let (stamp, file) = (content.stamp, decoded(place, content.bytes)?);
                if text.as_ref().is_some_and(|text| text != file.text()) {
                    return Err(FileError::Changed { shown: place.shown.clone() });
                }
                ChangeKind::Delete { stamp, file }
            }
        };
        let verb = match decision.verdict {
            Verdict::Accept => "Accept",
            Verdict::Reject => "Reject",
        };
        let call = self.reviews().call(session, decision.review);
        let cause = Cause {
            session: session.to_owned(),
            // What is accepted of a call that waits is what that call did, and is taken back with it.
            call: call.unwrap_or_else(|| format!("review {}", decision.review.0)),
            label: format!("{verb} {}", place.shown),
            accepted: decision.verdict == Verdict::Accept,
            by: match carried.written {
                Some(hunk) => By::Written(decision.review, hunk),
                None => By::Decision(decision.review),
            },
            group: None,
        };
        self.change(&[FileChange { place: place.clone(), kind }], &cause).await.map(drop)
    }

    /// The file that a decision takes away is not there.
    fn is_gone(&self, session: &str, review: ReviewId, place: &Place) {
        let (name, hand) = (place.real(), Hand::Decision(review));
        self.reviews().removed(name, &place.shown, session, hand, ("", Form::default()));
    }

    /// The review of a document that no editor has open may be behind what is on the disk.
    async fn look_again(&self, session: &str, review: ReviewId) {
        if let Some(name) = self.reviews().place(session, review) {
            self.look_at(session, &name).await;
        }
    }

    /// Brings the reviews of one document up to date.
    pub async fn look_at_review(&self, session: &str, name: &std::path::Path) {
        self.fetch_reviews(session).await;
        self.look_at(session, name).await;
    }

    async fn look_at(&self, session: &str, name: &std::path::Path) {
        let place = self.resolve(&name.to_string_lossy());
        let open = self.buffers().find(name, self.home_client());
        if let Some(open) = open {
            let Ok(open) = open else { return };
            let look = |now: &copydesk_text::Document| {
                self.reviews().seen(session, name, Some(open.client), now.into());
            };
            self.buffers().with(open.client, name, look);
            return;
        }
        let content = self.look(&place, READ_LIMIT).await;
        let Ok(Ok(file)) = content.map(|content| FileText::decode(content.bytes)) else { return };
        self.reviews().seen(session, name, None, file.text().into());
    }

    /// Brings all reviews of a session up to date, those of earlier days and what was committed included.
    pub async fn look_at_reviews(&self, session: &str) {
        self.look_at_commits(session).await;
        for name in self.reviews().places(session) {
            self.look_at(session, &name).await;
        }
    }

    /// What is kept of earlier days, before anything of today is kept.
    pub async fn fetch_reviews(&self, session: &str) {
        if !self.reviews().is_unread(session) {
            return;
        }
        let (kept, news) = match self.journal().map(|journal| journal.reviews(session)) {
            // What cannot be read now is asked for again.
            Some(kept) => match kept.await {
                Ok(kept) => kept,
                Err(_) => return,
            },
            None => Default::default(),
        };
        let mut found = Vec::new();
        for review in kept {
            let place = self.resolve(&review.place);
            let content = self.look(&place, READ_LIMIT).await;
            let file = content.ok().and_then(|content| FileText::decode(content.bytes).ok());
            found.push((review, place.shown.clone(), file));
        }
        self.reviews().restore(session, found, news);
    }

    /// A document of which everything is accepted is saved, where the person wants that.
    async fn save_decided(&self, session: &str, place: &Place, verdict: Verdict) {
        let is_open = !self.reviews().list(session, Some(place.real()), 0).is_empty();
        if self.save_when() != Save::AfterAccept || verdict != Verdict::Accept || is_open {
            return;
        }
        let Some(Ok(open)) = self.buffers().find(place.real(), self.home_client()) else { return };
        if let Some(editor) = self.buffers().editor(open.client) {
            // The person sees that it is not saved.
            let _ = editor.save(&open.uri).await;
        }
    }

    /// What is on the disk, whatever an editor has.
    pub(super) async fn on_disk_alone(&self, place: &Place) -> Result<super::Content, FileError> {
        let found = place.clone();
        super::on_disk(place, move || super::read::read(&found, READ_LIMIT, None)).await
    }
}

fn decoded(place: &Place, bytes: Vec<u8>) -> Result<FileText, FileError> {
    let refused = |why: copydesk_text::Unreadable| FileError::Refused {
        shown: place.shown.clone(),
        why: why.to_string(),
    };
    FileText::decode(bytes).map_err(refused)
}
