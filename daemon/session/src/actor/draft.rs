//! Stores what the model is writing now and then, so that little of it is lost with the process.
//!
//! A draft is a text or a reasoning in the state `Running`. Its part replaces it when it is complete. A call is no draft: an
//! incomplete one is worth nothing.

use std::collections::HashSet;
use std::future::pending;

use tokio::time::{Instant, sleep_until};

use super::SessionActor;
use super::step::StepDraft;
use crate::data::{Part, PartContent};
use crate::event::SessionEvent;
use crate::id::{Id, now};
use crate::store::StoreError;
use crate::time_limits::{DRAFT_COST_DIVISOR, DRAFT_INTERVAL};

/// When drafts are stored, and which are.
#[derive(Default)]
pub(super) struct DraftSaving {
    due: Option<Instant>,
    /// Not before this time, because the last time took long.
    rest_until: Option<Instant>,
    stored: HashSet<Id>,
}

impl DraftSaving {
    /// A part has grown.
    pub(super) fn note_growth(&mut self) {
        if self.due.is_none() {
            let due = Instant::now() + DRAFT_INTERVAL;
            self.due = Some(self.rest_until.map_or(due, |rest| rest.max(due)));
        }
    }

    /// Never ready while nothing has grown.
    pub(super) async fn wait_until_due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => pending().await,
        }
    }
}

impl SessionActor {
    /// Stores the texts that the model is writing.
    pub(super) async fn store_draft(&mut self, draft: &mut StepDraft) -> Result<(), StoreError> {
        draft.saving.due = None;
        // Parts are in the order in which they are stored first, and complete calls wait for the end of the step.
        if draft.has_call {
            return Ok(());
        }
        let started = Instant::now();
        self.store_parts(std::mem::take(&mut draft.unstored)).await?;
        let is_text = |part: &&Part| matches!(part.content, PartContent::Text(_) | PartContent::Reasoning(_));
        let open = draft.open.values().filter(is_text);
        let open: Vec<_> = open.map(|part| Part { updated: now(), ..part.clone() }).collect();
        draft.saving.stored.extend(open.iter().map(|part| part.id.clone()));
        self.deps.store.put_parts(open).await?;
        draft.saving.rest_until = Some(Instant::now() + started.elapsed() * DRAFT_COST_DIVISOR);
        Ok(())
    }

    /// Withdraws incomplete parts, also from the store.
    pub(super) async fn discard(&mut self, parts: Vec<Id>, draft: &mut StepDraft) -> Result<(), StoreError> {
        let stored: Vec<_> = parts.iter().filter(|part| draft.saving.stored.remove(*part)).cloned().collect();
        if !stored.is_empty() {
            self.deps.store.remove_parts(stored).await?;
        }
        for part in parts {
            self.emit(SessionEvent::PartDiscarded { part }).await;
        }
        Ok(())
    }
}
