//! Inline edits of a session: each is a review *before* that grows while the model writes, and a talk about it.
//!
//! Invariant: nothing is changed in the document but by a decision. Whoever gives one up, or leaves, leaves nothing behind.

use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use copydesk_model::Model;
use copydesk_protocol::inline::InlineStartParams;
use copydesk_session::inline::{Stretch, Talk, rewrite};
use copydesk_text::{Change, Document, Encoding, FileText, Lines, Position};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{ChangeKind, READ_LIMIT};
use copydesk_workspace::reviews::Proposal;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::reviewing::place;
use super::{Held, HubError};
use crate::opening;

/// A screen is not drawn more often while the model writes.
const PACE: Duration = Duration::from_millis(50);

/// As many as one session may have.
const MOST: usize = 16;

pub(super) struct Inline {
    proposal: Proposal,
    model: Model,
    stretch: Arc<Stretch>,
    talk: Talk,
    writing: Option<AbortHandle>,
}

impl Drop for Inline {
    fn drop(&mut self) {
        if let Some(writing) = &self.writing {
            writing.abort();
        }
    }
}

impl Held {
    pub async fn inline_start(
        self: &Arc<Self>,
        client: ClientId,
        params: InlineStartParams,
    ) -> Result<String, HubError> {
        let instruction = params.instruction.trim().to_owned();
        if instruction.is_empty() {
            return Err(HubError::Failed("say what is to be done with the selection".to_owned()));
        }
        let (hub, session) = (self.hub()?, self.session());
        let setup = hub.setup(&session.folder);
        let loaded = setup.load().map_err(HubError::failed)?;
        let model = opening::inline_model(&setup, &loaded, &session).map_err(HubError::failed)?;
        let files = self.files(client).await?;
        let place = place(&files, &params.uri);
        let failed = |why: String| HubError::Failed(format!("{} cannot be rewritten: {why}", place.shown));
        let content = files.look(&place, READ_LIMIT).await.map_err(|error| failed(error.to_string()))?;
        let (stamp, file) = (content.stamp, FileText::decode(content.bytes));
        let file = file.map_err(|error| failed(error.to_string()))?;
        let encoding = hub.buffers.encoding(client).unwrap_or(Encoding::Utf16);
        let stretch = stretch(&place.shown, file.text(), params.range, encoding);
        let kind = ChangeKind::Edit { file, stamp, change: Change::default() };
        let call = format!("inline {}", copydesk_session::Id::new());
        let proposal = files.reviews().propose(self.id().as_str(), &call, &place, &kind);
        let proposal = proposal.ok_or_else(|| failed("it changes too quickly".to_owned()))?;
        let (review, talk) = (proposal.id().0.to_string(), Talk::new(instruction));
        let mut inlines = self.inlines();
        if inlines.len() >= MOST {
            return Err(HubError::Failed(format!("{MOST} inline edits are undecided; decide some first")));
        }
        let stretch = Arc::new(stretch);
        let mut inline = Inline { proposal, model, stretch, talk, writing: None };
        inline.write(Arc::downgrade(self), &review);
        inlines.insert(review.clone(), inline);
        Ok(review)
    }

    pub fn inline_refine(
        self: &Arc<Self>,
        review: &str,
        instruction: Option<String>,
    ) -> Result<(), HubError> {
        let mut inlines = self.inlines();
        let gone = || HubError::Failed("that inline edit is decided or given up; begin another".to_owned());
        let inline = inlines.get_mut(review).ok_or_else(gone)?;
        if inline.proposal.is_begun() {
            return Err(HubError::Failed("some of it is decided: begin another inline edit".to_owned()));
        }
        inline.talk.again(instruction);
        inline.write(Arc::downgrade(self), review);
        Ok(())
    }

    pub fn inline_cancel(&self, review: &str) {
        let given_up = self.inlines().remove(review);
        drop(given_up);
    }

    /// Those that are decided are over.
    pub(super) fn end_inlines(&self) {
        let is_over = |inline: &Inline| inline.proposal.is_begun() && inline.proposal.decided().open == 0;
        let over: Vec<_> = self.inlines().extract_if(|_, inline| is_over(inline)).collect();
        drop(over);
    }

    fn inlines(&self) -> MutexGuard<'_, std::collections::HashMap<String, Inline>> {
        self.inlines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn inline_shown(&self, review: &str, text: &str, is_whole: bool) {
        let inlines = self.inlines();
        let Some(inline) = inlines.get(review) else { return };
        let stretch = &inline.stretch;
        let text = if is_whole { stretch.fitted(text) } else { stretch.so_far(text) };
        let whole = stretch.whole();
        let change = Change::between(&whole, &stretch.with(&text));
        inline.proposal.write(&whole, &change, !is_whole);
    }

    fn inline_ended(&self, review: &str, result: Result<String, String>) {
        match result {
            Ok(text) => {
                self.inline_shown(review, &text, true);
                let mut inlines = self.inlines();
                let Some(inline) = inlines.get_mut(review) else { return };
                inline.talk.answered(&text);
                inline.writing = None;
                if inline.proposal.decided().open == 0 {
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

impl Inline {
    /// Has the model write. What it was writing before is over.
    fn write(&mut self, held: Weak<Held>, review: &str) {
        if let Some(writing) = self.writing.take() {
            writing.abort();
        }
        let (model, stretch, talk) = (self.model.clone(), Arc::clone(&self.stretch), self.talk.clone());
        let review = review.to_owned();
        self.proposal.write(&stretch.whole(), &Change::default(), true);
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
        self.proposal.fail(format!("{}: {why}", self.stretch.shown));
    }
}

fn stretch(shown: &str, text: &str, range: copydesk_protocol::place::Range, encoding: Encoding) -> Stretch {
    let document = Document::new(text, Lines::Any);
    let offset = |at: copydesk_protocol::place::Position| {
        document.offset(Position::new(at.line, at.character), encoding)
    };
    let start = offset(range.start);
    let end = offset(range.end).max(start);
    let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    Stretch {
        shown: shown.to_owned(),
        before: piece(0..start),
        text: piece(start..end),
        after: piece(end..text.len()),
    }
}
