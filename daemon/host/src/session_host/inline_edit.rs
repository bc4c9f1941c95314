//! Inline edits of a session: each is a review *before* that grows while the model writes, and a talk about it.
//!
//! Invariant: nothing is changed in the document but by a decision. Whoever gives one up, or leaves, leaves nothing behind.

use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use copydesk_model::Model;
use copydesk_protocol::inline::InlineStartParams;
use copydesk_session::inline_edit::{InlineConversation, InlineRegion, rewrite};
use copydesk_text::{Change, Document, FileText, LineBreaks, Position, PositionEncoding};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{FileChangeKind, READ_LIMIT};
use copydesk_workspace::reviews::ReviewProposal;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::review_requests::resolve_uri;
use super::{HostedSession, SessionHostError};
use crate::session_builder;

/// A screen is not drawn more often while the model writes.
const PACE: Duration = Duration::from_millis(50);

/// As many as one session may have.
const MOST: usize = 16;

pub(super) struct InlineEdit {
    proposal: ReviewProposal,
    model: Model,
    stretch: Arc<InlineRegion>,
    talk: InlineConversation,
    writing: Option<AbortHandle>,
}

impl Drop for InlineEdit {
    fn drop(&mut self) {
        if let Some(writing) = &self.writing {
            writing.abort();
        }
    }
}

impl HostedSession {
    pub async fn inline_start(
        self: &Arc<Self>,
        client: ClientId,
        params: InlineStartParams,
    ) -> Result<String, SessionHostError> {
        let instruction = params.instruction.trim().to_owned();
        if instruction.is_empty() {
            return Err(SessionHostError::Failed("say what is to be done with the selection".to_owned()));
        }
        let (hub, session) = (self.host()?, self.session());
        let setup = hub.setup(&session.folder);
        let loaded = setup.load().map_err(SessionHostError::failed)?;
        let model =
            session_builder::inline_model(&setup, &loaded, &session).map_err(SessionHostError::failed)?;
        let files = self.files(client).await?;
        let place = resolve_uri(&files, &params.uri);
        let failed = |why: String| {
            SessionHostError::Failed(format!("{} cannot be rewritten: {why}", place.display_path))
        };
        let content = files.peek(&place, READ_LIMIT).await.map_err(|error| failed(error.to_string()))?;
        let (stamp, file) = (content.stamp, FileText::decode(content.bytes));
        let file = file.map_err(|error| failed(error.to_string()))?;
        let encoding = hub.buffers.encoding(client).unwrap_or(PositionEncoding::Utf16);
        let stretch = stretch(&place.display_path, file.text(), params.range, encoding);
        let kind = FileChangeKind::Edit { file, stamp, change: Change::default() };
        let call = format!("inline {}", copydesk_session::Id::new());
        let proposal = files.reviews().propose(self.id().as_str(), &call, &place, &kind);
        let proposal = proposal.ok_or_else(|| failed("it changes too quickly".to_owned()))?;
        let (review, talk) = (proposal.id().0.to_string(), InlineConversation::new(instruction));
        let mut inlines = self.inlines();
        if inlines.len() >= MOST {
            return Err(SessionHostError::Failed(format!(
                "{MOST} inline edits are undecided; decide some first"
            )));
        }
        let stretch = Arc::new(stretch);
        let mut inline = InlineEdit { proposal, model, stretch, talk, writing: None };
        inline.write(Arc::downgrade(self), &review);
        inlines.insert(review.clone(), inline);
        Ok(review)
    }

    pub fn inline_refine(
        self: &Arc<Self>,
        review: &str,
        instruction: Option<String>,
    ) -> Result<(), SessionHostError> {
        let mut inlines = self.inlines();
        let gone =
            || SessionHostError::Failed("that inline edit is decided or given up; begin another".to_owned());
        let inline = inlines.get_mut(review).ok_or_else(gone)?;
        if inline.proposal.has_decisions() {
            return Err(SessionHostError::Failed(
                "some of it is decided: begin another inline edit".to_owned(),
            ));
        }
        inline.talk.follow_up(instruction);
        inline.write(Arc::downgrade(self), review);
        Ok(())
    }

    pub fn inline_cancel(&self, review: &str) {
        let given_up = self.inlines().remove(review);
        drop(given_up);
    }

    /// Those that are decided are over.
    pub(super) fn end_inlines(&self) {
        let is_over = |inline: &InlineEdit| {
            inline.proposal.has_decisions() && inline.proposal.decisions().undecided == 0
        };
        let over: Vec<_> = self.inlines().extract_if(|_, inline| is_over(inline)).collect();
        drop(over);
    }

    fn inlines(&self) -> MutexGuard<'_, std::collections::HashMap<String, InlineEdit>> {
        self.inlines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn inline_shown(&self, review: &str, text: &str, is_whole: bool) {
        let inlines = self.inlines();
        let Some(inline) = inlines.get(review) else { return };
        let stretch = &inline.stretch;
        let text = if is_whole { stretch.fit_replacement(text) } else { stretch.fit_partial(text) };
        let whole = stretch.whole();
        let change = Change::between(&whole, &stretch.with_replacement(&text));
        inline.proposal.update(&whole, &change, !is_whole);
    }

    fn inline_ended(&self, review: &str, result: Result<String, String>) {
        match result {
            Ok(text) => {
                self.inline_shown(review, &text, true);
                let mut inlines = self.inlines();
                let Some(inline) = inlines.get_mut(review) else { return };
                inline.talk.record_answer(&text);
                inline.writing = None;
                if inline.proposal.decisions().undecided == 0 {
                    let over = inlines.remove(review);
                    drop(inlines);
                    if let Some(mut inline) = over {
                        inline.fail("the model left the text as it is");
                    }
                }
            }
            Err(why) => {
                let over = self.inlines().remove(review);
                if let Some(mut inline) = over {
                    inline.fail(&why);
                }
            }
        }
    }
}

impl InlineEdit {
    /// Has the model write. What it was writing before is over.
    fn write(&mut self, held: Weak<HostedSession>, review: &str) {
        if let Some(writing) = self.writing.take() {
            writing.abort();
        }
        let (model, stretch, talk) = (self.model.clone(), Arc::clone(&self.stretch), self.talk.clone());
        let review = review.to_owned();
        self.proposal.update(&stretch.whole(), &Change::default(), true);
        let task = tokio::spawn(async move {
            let (written, mut so_far) = mpsc::channel(1);
            let mut rewriting = std::pin::pin!(rewrite(&model, &stretch, &talk, written));
            let (mut next, mut waiting) = (Instant::now(), None);
            let result = loop {
                tokio::select! {
                    result = &mut rewriting => break result,
                    Some(text) = so_far.recv() => waiting = Some(text),
                    () = sleep_until(next), if waiting.is_some() => {
                        let (Some(held), Some(text)) = (held.upgrade(), waiting.take()) else { return };
                        held.inline_shown(&review, &text, false);
                        next = Instant::now() + PACE;
                    }
                }
            };
            if let Some(held) = held.upgrade() {
                held.inline_ended(&review, result);
            }
        });
        self.writing = Some(task.abort_handle());
    }

    fn fail(&mut self, why: &str) {
        self.proposal.fail(format!("{}: {why}", self.stretch.display_name));
    }
}

fn stretch(
    shown: &str,
    text: &str,
    range: copydesk_protocol::position::WireRange,
    encoding: PositionEncoding,
) -> InlineRegion {
    let document = Document::new(text, LineBreaks::Any);
    let offset = |at: copydesk_protocol::position::WirePosition| {
        document.offset(Position::new(at.line, at.character), encoding)
    };
    let start = offset(range.start);
    let end = offset(range.end).max(start);
    let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    InlineRegion {
        display_name: shown.to_owned(),
        before: piece(0..start),
        text: piece(start..end),
        after: piece(end..text.len()),
    }
}
