//! Sessions: create, list, load, change, search.

use copydesk_host::agents::AgentRegistry;
use copydesk_host::session_host::{self, SessionHostError};
use copydesk_protocol::daemon::Empty;
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::session::{
    SessionForkParams, SessionListParams, SessionListResult, SessionLoadParams, SessionLoadResult,
    SessionNewParams, SessionParams, SessionPartsParams, SessionPartsResult, SessionPendingParams,
    SessionPendingResult, SessionRenameParams, SessionResult, SessionSearchMatch, SessionSearchParams,
    SessionSearchResult, SessionSetAgentParams, SessionSetModelParams,
};
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

/// Sessions or matches on a page, unless the client sets a limit.
const PAGE: usize = 50;
const PARTS: usize = 200;

impl LspBackend {
    pub(super) async fn session_new(&self, params: LenientJson<SessionNewParams>) -> Result<SessionResult> {
        let SessionNewParams { folder, agent, model } = params.0;
        let folder = self.folder(folder)?;
        let session =
            self.host().create(folder, agent, model).await.map_err(|error| rpc_error_from(&error))?;
        Ok(SessionResult { session: session_host::session_info(&session) })
    }

    pub(super) async fn session_list(
        &self,
        params: LenientJson<SessionListParams>,
    ) -> Result<SessionListResult> {
        let SessionListParams { folder, limit, before } = params.0;
        let all =
            self.host().store.sessions(usize::MAX).await.map_err(|error| rpc_error_from(&error.into()))?;
        let after = match before {
            Some(before) => {
                all.iter().position(|session| session.id.as_str() == before).map_or(0, |index| index + 1)
            }
            None => 0,
        };
        let wanted = |session: &&copydesk_session::Session| {
            folder.as_ref().is_none_or(|folder| session.folder == std::path::Path::new(folder))
        };
        let page = all.iter().skip(after).filter(wanted).take(limit.map_or(PAGE, |limit| limit as usize));
        Ok(SessionListResult { sessions: page.map(session_host::session_info).collect() })
    }

    pub(super) async fn session_pending(
        &self,
        params: LenientJson<SessionPendingParams>,
    ) -> Result<SessionPendingResult> {
        let folder = self.folder(params.0.folder)?;
        let sessions = self.host().pending_sessions(self.attached()?.id, &folder).await;
        Ok(SessionPendingResult { sessions: sessions.map_err(|error| rpc_error_from(&error))? })
    }

    pub(super) async fn session_load(
        &self,
        params: LenientJson<SessionLoadParams>,
    ) -> Result<SessionLoadResult> {
        let SessionLoadParams { session, limit } = params.0;
        let attached = self.attached()?;
        let hosted = self.host().open_session(&session).await.map_err(|error| rpc_error_from(&error))?;
        hosted
            .attach(attached.id, attached.outbox.clone(), limit)
            .await
            .map_err(|error| rpc_error_from(&error))
    }

    pub(super) async fn session_parts(
        &self,
        params: LenientJson<SessionPartsParams>,
    ) -> Result<SessionPartsResult> {
        let SessionPartsParams { session, before, limit } = params.0;
        let session =
            self.host().store.session(&session).await.map_err(|error| rpc_error_from(&error.into()))?;
        let limit = limit.map_or(PARTS, |limit| limit as usize);
        let page = session_host::parts_before(self.host(), &session.id, Some(&before), limit).await;
        let (parts, earlier) = page.map_err(|error| rpc_error_from(&error))?;
        Ok(SessionPartsResult { parts, earlier })
    }

    pub(super) async fn session_leave(&self, params: LenientJson<SessionParams>) -> Result<Empty> {
        let attached = self.attached()?;
        if let Some(hosted) = self.host().hosted_session(&params.0.session) {
            hosted.detach(attached.id);
        }
        Ok(Empty {})
    }

    pub(super) async fn session_fork(&self, params: LenientJson<SessionForkParams>) -> Result<SessionResult> {
        let SessionForkParams { session, before } = params.0;
        let store = &self.host().store;
        let session = store.session(&session).await.map_err(|error| rpc_error_from(&error.into()))?;
        let fork = store.fork(&session, &before).await.map_err(|error| rpc_error_from(&error.into()))?;
        let unknown = || SessionHostError::UnknownPart(format!("the session has no part `{before}`"));
        Ok(SessionResult {
            session: session_host::session_info(&fork.ok_or_else(|| rpc_error_from(&unknown()))?),
        })
    }

    pub(super) async fn session_rename(
        &self,
        params: LenientJson<SessionRenameParams>,
    ) -> Result<SessionResult> {
        let SessionRenameParams { session, title } = params.0;
        self.change(&session, |session| session.title = title.trim().to_owned()).await
    }

    pub(super) async fn session_delete(&self, params: LenientJson<SessionParams>) -> Result<Empty> {
        self.host().delete(&params.0.session).await.map_err(|error| rpc_error_from(&error))?;
        Ok(Empty {})
    }

    pub(super) async fn session_set_model(
        &self,
        params: LenientJson<SessionSetModelParams>,
    ) -> Result<SessionResult> {
        let SessionSetModelParams { session, model } = params.0;
        let stored =
            self.host().store.session(&session).await.map_err(|error| rpc_error_from(&error.into()))?;
        let setup = self.host().setup(&stored.folder);
        let usable = setup.load().and_then(|loaded| {
            let models = setup.registry(&loaded)?;
            Ok(models.model(&model).map(drop)?)
        });
        usable.map_err(|error| rpc_error_from(&SessionHostError::UnknownModel(error.to_string())))?;
        self.change(&session, |session| session.model = Some(model)).await
    }

    pub(super) async fn session_set_agent(
        &self,
        params: LenientJson<SessionSetAgentParams>,
    ) -> Result<SessionResult> {
        let SessionSetAgentParams { session, agent } = params.0;
        let stored =
            self.host().store.session(&session).await.map_err(|error| rpc_error_from(&error.into()))?;
        let setup = self.host().setup(&stored.folder);
        let known =
            setup.load().and_then(|loaded| AgentRegistry::new(&setup, &loaded)?.find(&agent).map(drop));
        known.map_err(|error| rpc_error_from(&SessionHostError::UnknownAgent(error.to_string())))?;
        self.change(&session, |session| session.agent = agent).await
    }

    pub(super) async fn session_search(
        &self,
        params: LenientJson<SessionSearchParams>,
    ) -> Result<SessionSearchResult> {
        let SessionSearchParams { query, limit } = params.0;
        let limit = limit.map_or(PAGE, |limit| limit as usize);
        let hits =
            self.host().store.search(&query, limit).await.map_err(|error| rpc_error_from(&error.into()))?;
        let to_match = |hit: copydesk_session::SessionSearchHit| SessionSearchMatch {
            session: hit.session.to_string(),
            title: hit.title,
            part: hit.part.to_string(),
            excerpt: hit.excerpt,
        };
        Ok(SessionSearchResult { found: hits.into_iter().map(to_match).collect() })
    }

    async fn change(
        &self,
        session: &str,
        change: impl FnOnce(&mut copydesk_session::Session),
    ) -> Result<SessionResult> {
        let hosted = self.host().open_session(session).await.map_err(|error| rpc_error_from(&error))?;
        let changed = hosted.update_session(change).await;
        self.host().release_if_unused(&hosted);
        changed.map_err(|error| rpc_error_from(&error))?;
        Ok(SessionResult { session: hosted.info() })
    }
}
