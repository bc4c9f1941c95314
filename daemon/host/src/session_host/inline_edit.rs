//! Inline edits of a session: each is a review *before* that grows while the model writes, with a conversation
//! about it. A text that a client brings along, such as code from the conversation, is such a review at once.
//!
//! Invariant: only a decision changes the document. A cancelled inline edit, or a client that leaves, leaves
//! nothing behind.

use std::sync::{Arc, MutexGuard, PoisonError, Weak};

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
use crate::time_limits::INLINE_EDIT_INTERVAL;

/// Inline edits of one session.
const MAX_INLINE_EDITS: usize = 16;

pub(super) struct InlineEdit {
    proposal: ReviewProposal,
    /// Missing if the client brought the text and the session's model cannot rewrite.
    model: Option<Model>,
    region: Arc<InlineRegion>,
    conversation: InlineConversation,
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
        if instruction.is_empty() && params.text.is_none() {
            return Err(SessionHostError::Failed("an inline edit needs an instruction or a text".to_owned()));
        }
        // For a later refinement: the model sees the text as its answer to this.
        let instruction = if instruction.is_empty() { "Use your code here.".to_owned() } else { instruction };
        let (host, session) = (self.host()?, self.session());
        let setup = host.setup(&session.folder);
        let loaded = setup.load().map_err(SessionHostError::failed)?;
        let model =
            session_builder::inline_model(&setup, &loaded, &session).map_err(SessionHostError::failed);
        let model = if params.text.is_some() { model.ok() } else { Some(model?) };
        let files = self.files(client).await?;
        let place = resolve_uri(&files, &params.uri);
        let failed =
            |why: String| SessionHostError::Failed(format!("cannot edit {}: {why}", place.display_path));
        let content = files.peek(&place, READ_LIMIT).await.map_err(|error| failed(error.to_string()))?;
        let (stamp, file) = (content.stamp, FileText::decode(content.bytes));
        let file = file.map_err(|error| failed(error.to_string()))?;
        let encoding = host.buffers.encoding(client).unwrap_or(PositionEncoding::Utf16);
        let region = region(&place.display_path, file.text(), params.range, encoding);
        let kind = FileChangeKind::Edit { file, stamp, change: Change::default() };
        let call = format!("inline {}", copydesk_session::Id::new());
        let proposal = files.reviews().propose(self.id().as_str(), &call, &place, &kind);
        let proposal =
            proposal.ok_or_else(|| failed("the file changes too quickly; try again".to_owned()))?;
        let (review, conversation) = (proposal.id().0.to_string(), InlineConversation::new(instruction));
        let mut inlines = self.inlines();
        if inlines.len() >= MAX_INLINE_EDITS {
            return Err(SessionHostError::Failed(format!(
                "{MAX_INLINE_EDITS} inline edits are undecided; accept or reject some first"
            )));
        }
        let region = Arc::new(region);
        let mut inline = InlineEdit { proposal, model, region, conversation, writing: None };
        if params.text.is_none() {
            inline.write(Arc::downgrade(self), &review);
        }
        inlines.insert(review.clone(), inline);
        drop(inlines);
        if let Some(text) = params.text {
            self.inline_ended(&review, Ok(text));
        }
        Ok(review)
    }

    pub fn inline_refine(
        self: &Arc<Self>,
        review: &str,
        instruction: Option<String>,
    ) -> Result<(), SessionHostError> {
        let mut inlines = self.inlines();
        let gone =
            || SessionHostError::Failed("that inline edit is decided or cancelled; start another".to_owned());
        let inline = inlines.get_mut(review).ok_or_else(gone)?;
        if inline.proposal.has_decisions() {
            return Err(SessionHostError::Failed(
                "some of its hunks are decided; start another inline edit".to_owned(),
            ));
        }
        if inline.model.is_none() {
            return Err(SessionHostError::Failed(
                "the session's model cannot rewrite text; choose another".to_owned(),
            ));
        }
        inline.conversation.follow_up(instruction);
        inline.write(Arc::downgrade(self), review);
        Ok(())
    }

    pub fn inline_cancel(&self, review: &str) {
        let cancelled = self.inlines().remove(review);
        drop(cancelled);
    }

    /// Ends inline edits that are fully decided.
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
        let region = &inline.region;
        let text = if is_whole { region.fit_replacement(text) } else { region.fit_partial(text) };
        let whole = region.whole();
        let change = Change::between(&whole, &region.with_replacement(&text));
        inline.proposal.update(&whole, &change, !is_whole);
    }

    fn inline_ended(&self, review: &str, result: Result<String, String>) {
        match result {
            Ok(text) => {
                self.inline_shown(review, &text, true);
                let mut inlines = self.inlines();
                let Some(inline) = inlines.get_mut(review) else { return };
                inline.conversation.record_answer(&text);
                inline.writing = None;
                if inline.proposal.decisions().undecided == 0 {
                    let over = inlines.remove(review);
                    drop(inlines);
                    if let Some(mut inline) = over {
                        inline.fail("nothing changed");
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
    /// Starts the model. A response that is still being written is dropped.
    fn write(&mut self, hosted: Weak<HostedSession>, review: &str) {
        if let Some(writing) = self.writing.take() {
            writing.abort();
        }
        let Some(model) = self.model.clone() else { return };
        let (region, conversation) = (Arc::clone(&self.region), self.conversation.clone());
        let review = review.to_owned();
        self.proposal.update(&region.whole(), &Change::default(), true);
        let task = tokio::spawn(async move {
            let (partial_sender, mut partial) = mpsc::channel(1);
            let mut rewriting = std::pin::pin!(rewrite(&model, &region, &conversation, partial_sender));
            let (mut next, mut waiting) = (Instant::now(), None);
            let result = loop {
                tokio::select! {
                    result = &mut rewriting => break result,
                    Some(text) = partial.recv() => waiting = Some(text),
                    () = sleep_until(next), if waiting.is_some() => {
                        let (Some(hosted), Some(text)) = (hosted.upgrade(), waiting.take()) else { return };
                        hosted.inline_shown(&review, &text, false);
                        next = Instant::now() + INLINE_EDIT_INTERVAL;
                    }
                }
            };
            if let Some(hosted) = hosted.upgrade() {
                hosted.inline_ended(&review, result);
            }
        });
        self.writing = Some(task.abort_handle());
    }

    fn fail(&mut self, why: &str) {
        self.proposal.fail(format!("{}: {why}", self.region.display_name));
    }
}

fn region(
    display_path: &str,
    text: &str,
    range: copydesk_protocol::position::WireRange,
    encoding: PositionEncoding,
) -> InlineRegion {
    let document = Document::new(text, LineBreaks::Any);
    let offset = |position: copydesk_protocol::position::WirePosition| {
        document.offset(Position::new(position.line, position.character), encoding)
    };
    let start = offset(range.start);
    let end = offset(range.end).max(start);
    let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    InlineRegion {
        display_name: display_path.to_owned(),
        before: piece(0..start),
        text: piece(start..end),
        after: piece(end..text.len()),
    }
}
