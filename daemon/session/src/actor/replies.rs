//! What the user always allows: in this session, where the actor remembers it, and in the project, whose replies the host stores.
//!
//! Invariant: no reply for the project allows a call that is not stored when the call asks. So a reply that another program takes
//! back counts no more from the next call on.

use copydesk_permission::{Ask, PermissionDecision, RememberedPattern};
use copydesk_tool::{PermissionDenial, PermissionGrant};

use super::SessionActor;
use crate::event::SessionEvent;

impl SessionActor {
    /// Reads the project's replies if one of them could answer this ask.
    pub(super) async fn load_project_replies(&mut self, ask: &Ask) {
        let layers = self.asks.layers_mut();
        let known = layers.set_project_replies(Vec::new());
        let asks = matches!(layers.decide(ask), PermissionDecision::Ask(_));
        let replies = if asks { self.read_project_replies().await } else { known };
        self.asks.layers_mut().set_project_replies(replies);
    }

    /// The project's replies have changed. A waiting call continues if the user need not be asked any more.
    pub(super) async fn refresh_project_replies(&mut self) {
        // A subagent's asks are answered by its parent.
        if self.deps.parent.is_some() {
            return;
        }
        let replies = self.read_project_replies().await;
        let settled = self.asks.set_project_replies(replies);
        self.deps.rules.set(self.asks.layers());
        self.settle(settled, |_| PermissionGrant::ByRule, |reason| PermissionDenial::ByUser { reason }).await;
    }

    pub(super) fn forget_replies(&mut self, replies: &[RememberedPattern]) {
        replies.iter().for_each(|reply| self.asks.layers_mut().forget(reply));
        self.deps.rules.set(self.asks.layers());
    }

    /// Replies that cannot be read allow nothing.
    async fn read_project_replies(&self) -> Vec<RememberedPattern> {
        match self.deps.roles.project_replies() {
            Ok(replies) => replies,
            Err(message) => {
                self.emit(SessionEvent::Warning { message }).await;
                Vec::new()
            }
        }
    }
}
