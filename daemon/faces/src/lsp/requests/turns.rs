//! Prompts, undo and redo. Prompts are answered at once; events tell what follows.

use copydesk_host::session_host::AcceptedPrompt;
use copydesk_protocol::daemon::Empty;
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::session::SessionParams;
use copydesk_protocol::turn::{TurnParams, TurnStartResult, TurnSteerResult, TurnStopCallParams};
use copydesk_protocol::undo::{UndoParams, UndoResult};
use copydesk_session::PromptDelivery;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn turn_start(&self, params: LenientJson<TurnParams>) -> Result<TurnStartResult> {
        let AcceptedPrompt { running, prompt } = self.prompt(params.0, PromptDelivery::Queue).await?;
        Ok(TurnStartResult { queued: running, prompt: prompt.to_string() })
    }

    pub(super) async fn turn_steer(&self, params: LenientJson<TurnParams>) -> Result<TurnSteerResult> {
        let AcceptedPrompt { running, prompt } = self.prompt(params.0, PromptDelivery::Steer).await?;
        Ok(TurnSteerResult { joined: running, prompt: prompt.to_string() })
    }

    async fn prompt(&self, params: TurnParams, when: PromptDelivery) -> Result<AcceptedPrompt> {
        let client = self.attached()?.id;
        let hosted =
            self.host().open_session(&params.session).await.map_err(|error| rpc_error_from(&error))?;
        hosted.prompt(client, params, when).await.map_err(|error| rpc_error_from(&error))
    }

    pub(super) async fn turn_stop_call(&self, params: LenientJson<TurnStopCallParams>) -> Result<Empty> {
        let TurnStopCallParams { session, part } = params.0;
        if let Some(hosted) = self.host().hosted_session(&session) {
            hosted.stop_call(&part).await;
        }
        Ok(Empty {})
    }

    pub(super) async fn turn_cancel(&self, params: LenientJson<SessionParams>) -> Result<Empty> {
        match self.host().hosted_session(&params.0.session) {
            Some(hosted) => hosted.cancel().await,
            // An unopened session has no turn, but it has to exist.
            None => drop(
                self.host()
                    .store
                    .session(&params.0.session)
                    .await
                    .map_err(|error| rpc_error_from(&error.into()))?,
            ),
        }
        Ok(Empty {})
    }

    pub(super) async fn undo(&self, params: LenientJson<UndoParams>) -> Result<UndoResult> {
        let UndoParams { session, what } = params.0;
        let client = self.attached()?.id;
        let hosted = self.host().open_session(&session).await.map_err(|error| rpc_error_from(&error))?;
        let undone = hosted.undo(Some(client), what).await;
        self.host().release_if_unused(&hosted);
        undone.map_err(|error| rpc_error_from(&error))
    }

    pub(super) async fn redo(&self, params: LenientJson<SessionParams>) -> Result<UndoResult> {
        let client = self.attached()?.id;
        let hosted =
            self.host().open_session(&params.0.session).await.map_err(|error| rpc_error_from(&error))?;
        let redone = hosted.redo(Some(client)).await;
        self.host().release_if_unused(&hosted);
        redone.map_err(|error| rpc_error_from(&error))
    }
}
