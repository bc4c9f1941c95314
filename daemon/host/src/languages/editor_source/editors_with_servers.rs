//! Which attached editors have language servers at all.
//!
//! An editor that reported servers keeps that state until it reports otherwise, does not answer a request about a file, or detaches: a busy
//! editor still has its servers. Each editor has at most one open request. If the response is late, callers do not wait for it again, but
//! it counts whenever it arrives.

use std::collections::HashMap;
use std::sync::Arc;

use copydesk_protocol::editor::{AnswerState, DiagnosticsParams};
use copydesk_workspace::buffers::{ClientId, EditorError};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::SHORT_TIMEOUT;
use crate::editors::{AttachedEditor, AttachedEditors};

/// The state of one editor.
#[derive(Debug, Clone, Copy, Default)]
struct EditorServingState {
    is_serving: bool,
    /// False if the editor must be asked again.
    is_sure: bool,
    /// When the open request was sent.
    asked_at: Option<Instant>,
}

#[derive(Default)]
pub(super) struct EditorsWithServers {
    states: Arc<watch::Sender<HashMap<ClientId, EditorServingState>>>,
}

impl EditorsWithServers {
    /// Whether the editor has servers, as far as is known by `until`.
    pub(super) async fn is_serving(
        &self,
        client: ClientId,
        editor: Arc<dyn AttachedEditor>,
        until: Instant,
    ) -> bool {
        let known = self.states.borrow().get(&client).copied().unwrap_or_default();
        if known.is_serving && known.is_sure {
            return true;
        }
        // Concurrent callers wait for the same response.
        let until = if self.begin_request(client) {
            self.ask(client, editor);
            until
        } else {
            known.asked_at.map_or(until, |asked_at| until.min(asked_at + SHORT_TIMEOUT))
        };
        let mut updates = self.states.subscribe();
        let is_answered = |all: &HashMap<ClientId, EditorServingState>| {
            all.get(&client).is_none_or(|known| known.asked_at.is_none())
        };
        _ = timeout_at(until, updates.wait_for(is_answered)).await;
        self.states.borrow().get(&client).is_some_and(|known| known.is_serving)
    }

    /// The editor has no server for some file: the next caller asks again.
    pub(super) fn mark_unsure(&self, client: ClientId) {
        self.change(client, |known| known.is_sure = false);
    }

    /// The editor did not answer a request about a file.
    pub(super) fn mark_not_serving(&self, client: ClientId) {
        self.change(client, |known| known.is_serving = false);
    }

    /// Forgets detached editors.
    pub(super) fn retain_attached(&self, editors: &AttachedEditors) {
        self.states.send_modify(|all| all.retain(|client, _| editors.get(*client).is_some()));
    }

    /// Whether the caller has to send the request, because none is open.
    fn begin_request(&self, client: ClientId) -> bool {
        self.states.send_if_modified(|all| {
            let known = all.entry(client).or_default();
            let is_first = known.asked_at.is_none();
            known.asked_at.get_or_insert_with(Instant::now);
            is_first
        })
    }

    /// The task ends with the response, or when the client disconnects.
    fn ask(&self, client: ClientId, editor: Arc<dyn AttachedEditor>) {
        let states = Arc::clone(&self.states);
        tokio::spawn(async move {
            let answer = editor.diagnostics(DiagnosticsParams::default()).await;
            states.send_modify(|all| {
                let Some(known) = all.get_mut(&client) else { return };
                known.asked_at = None;
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
        self.states.send_modify(|all| {
            if let Some(known) = all.get_mut(&client) {
                change(known);
            }
        });
    }
}
