//! Prompts, and taking back what came of them. Each answers at once; what happens then is told by events.

use copydesk_protocol::desk::Empty;
use copydesk_protocol::lenient::Lenient;
use copydesk_protocol::session::SessionParams;
use copydesk_protocol::turn::{TurnParams, TurnStartResult, TurnSteerResult};
use copydesk_protocol::undo::{UndoParams, UndoResult};
use copydesk_session::When;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{Backend, failed};
use copydesk_host::hub::Prompted;

impl Backend {
    pub(super) async fn turn_start(&self, params: Lenient<TurnParams>) -> Result<TurnStartResult> {
        let Prompted { running, prompt } = self.prompt(params.0, When::Queue).await?;
        Ok(TurnStartResult { queued: running, prompt: prompt.to_string() })
    }

    pub(super) async fn turn_steer(&self, params: Lenient<TurnParams>) -> Result<TurnSteerResult> {
        let Prompted { running, prompt } = self.prompt(params.0, When::Steer).await?;
        Ok(TurnSteerResult { joined: running, prompt: prompt.to_string() })
    }

    async fn prompt(&self, params: TurnParams, when: When) -> Result<Prompted> {
        let client = self.attached()?.id;
        let held = self.hub().hold(&params.session).await.map_err(|error| failed(&error))?;
        held.prompt(client, params, when).await.map_err(|error| failed(&error))
    }

    pub(super) async fn turn_cancel(&self, params: Lenient<SessionParams>) -> Result<Empty> {
        match self.hub().held(&params.0.session) {
            Some(held) => held.cancel().await,
            // One that is not at hand has no turn; but it has to exist.
            None => drop(
                self.hub().store.session(&params.0.session).await.map_err(|error| failed(&error.into()))?,
            ),
        }
        Ok(Empty {})
    }

    pub(super) async fn undo(&self, params: Lenient<UndoParams>) -> Result<UndoResult> {
        let UndoParams { session, what } = params.0;
        let client = self.attached()?.id;
        let held = self.hub().hold(&session).await.map_err(|error| failed(&error))?;
        let undone = held.undo(Some(client), what).await;
        self.hub().let_go(&held);
        undone.map_err(|error| failed(&error))
    }

    pub(super) async fn redo(&self, params: Lenient<SessionParams>) -> Result<UndoResult> {
        let client = self.attached()?.id;
        let held = self.hub().hold(&params.0.session).await.map_err(|error| failed(&error))?;
        let redone = held.redo(Some(client)).await;
        self.hub().let_go(&held);
        redone.map_err(|error| failed(&error))
    }
}
