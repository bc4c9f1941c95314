//! Which of the editors have language servers at all.
//!
//! Whoever said that it has some is believed until it says otherwise, does not answer when it is asked of a file, or leaves: one that is
//! busy has them still. One question is open at a time: who does not answer it soon is not waited for again before it has, and what it says
//! then counts, however late.

use std::collections::HashMap;
use std::sync::Arc;

use copydesk_protocol::editor::{AnswerState, DiagnosticsParams};
use copydesk_workspace::buffers::{ClientId, EditorError};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::SHORT_TIMEOUT;
use crate::editors::{AttachedEditor, AttachedEditors};

/// What is known of one of them. Nothing, at first.
#[derive(Debug, Clone, Copy, Default)]
struct EditorServingState {
    is_serving: bool,
    /// Nothing since makes that doubtful.
    is_sure: bool,
    /// Since when it is asked.
    asked: Option<Instant>,
}

#[derive(Default)]
pub(super) struct EditorsWithServers {
    known: Arc<watch::Sender<HashMap<ClientId, EditorServingState>>>,
}

impl EditorsWithServers {
    /// Whether it has any, as far as is known by then.
    pub(super) async fn is_serving(
        &self,
        client: ClientId,
        editor: Arc<dyn AttachedEditor>,
        until: Instant,
    ) -> bool {
        let known = self.known.borrow().get(&client).copied().unwrap_or_default();
        if known.is_serving && known.is_sure {
            return true;
        }
        // Two that ask at once wait for the same answer.
        let until = if self.begin(client) {
            self.ask(client, editor);
            until
        } else {
            known.asked.map_or(until, |asked| until.min(asked + SHORT_TIMEOUT))
        };
        let mut news = self.known.subscribe();
        let is_answered = |all: &HashMap<ClientId, EditorServingState>| {
            all.get(&client).is_none_or(|it| it.asked.is_none())
        };
        _ = timeout_at(until, news.wait_for(is_answered)).await;
        self.known.borrow().get(&client).is_some_and(|known| known.is_serving)
    }

    /// It has none for some file: it is asked anew.
    pub(super) fn mark_unsure(&self, client: ClientId) {
        self.change(client, |known| known.is_sure = false);
    }

    /// It did not answer when it was asked of a file.
    pub(super) fn mark_not_serving(&self, client: ClientId) {
        self.change(client, |known| known.is_serving = false);
    }

    /// Those that left are forgotten.
    pub(super) fn retain_attached(&self, editors: &AttachedEditors) {
        self.known.send_modify(|all| all.retain(|client, _| editors.get(*client).is_some()));
    }

    /// Whether the question is the caller's to ask.
    fn begin(&self, client: ClientId) -> bool {
        self.known.send_if_modified(|all| {
            let known = all.entry(client).or_default();
            let is_first = known.asked.is_none();
            known.asked.get_or_insert_with(Instant::now);
            is_first
        })
    }

    /// Ends with the answer, or when the client leaves.
    fn ask(&self, client: ClientId, editor: Arc<dyn AttachedEditor>) {
        let known = Arc::clone(&self.known);
        tokio::spawn(async move {
            let answer = editor.diagnostics(DiagnosticsParams::default()).await;
            known.send_modify(|all| {
                let Some(known) = all.get_mut(&client) else { return };
                known.asked = None;
                match answer {
                    Ok(result) => known.is_serving = result.state != AnswerState::Unsupported,
                    Err(EditorError::Declined(_) | EditorError::Disconnected) => known.is_serving = false,
                    Err(EditorError::TimedOut) => return,
                }
                known.is_sure = true;
            });
        });
    }

    fn change(&self, client: ClientId, change: impl FnOnce(&mut EditorServingState)) {
        self.known.send_modify(|all| {
            if let Some(known) = all.get_mut(&client) {
                change(known);
            }
        });
    }
}
