//! Sessions: made, found, attached to, changed.

use copydesk_protocol::desk::Empty;
use copydesk_protocol::lenient::Lenient;
use copydesk_protocol::session::{
    Found, SessionForkParams, SessionListParams, SessionListResult, SessionLoadParams, SessionLoadResult,
    SessionNewParams, SessionParams, SessionPartsParams, SessionPartsResult, SessionRenameParams,
    SessionResult, SessionSearchParams, SessionSearchResult, SessionSetAgentParams, SessionSetModelParams,
};
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{Backend, failed};
use copydesk_host::agents::Agents;
use copydesk_host::hub::{self, HubError};

/// How many sessions or matches a page has where a client does not say.
const PAGE: usize = 50;
const PARTS: usize = 200;

impl Backend {
    pub(super) async fn session_new(&self, params: Lenient<SessionNewParams>) -> Result<SessionResult> {
        let SessionNewParams { folder, agent, model } = params.0;
        let folder = self.folder(folder)?;
        let session = self.hub().create(folder, agent, model).await.map_err(|error| failed(&error))?;
        Ok(SessionResult { session: hub::session(&session) })
    }

    pub(super) async fn session_list(&self, params: Lenient<SessionListParams>) -> Result<SessionListResult> {
        let SessionListParams { folder, limit, before } = params.0;
        let all = self.hub().store.sessions(usize::MAX).await.map_err(|error| failed(&error.into()))?;
        let after = match before {
            Some(before) => {
                all.iter().position(|session| session.id.as_str() == before).map_or(0, |at| at + 1)
            }
            None => 0,
        };
        let wanted = |session: &&copydesk_session::Session| {
            folder.as_ref().is_none_or(|folder| session.folder == std::path::Path::new(folder))
        };
        let page = all.iter().skip(after).filter(wanted).take(limit.map_or(PAGE, |limit| limit as usize));
        Ok(SessionListResult { sessions: page.map(hub::session).collect() })
    }

    pub(super) async fn session_load(&self, params: Lenient<SessionLoadParams>) -> Result<SessionLoadResult> {
        let SessionLoadParams { session, limit } = params.0;
        let attached = self.attached()?;
        let held = self.hub().hold(&session).await.map_err(|error| failed(&error))?;
        held.attach(attached.id, attached.outbox.clone(), limit).await.map_err(|error| failed(&error))
    }

    pub(super) async fn session_parts(
        &self,
        params: Lenient<SessionPartsParams>,
    ) -> Result<SessionPartsResult> {
        let SessionPartsParams { session, before, limit } = params.0;
        let session = self.hub().store.session(&session).await.map_err(|error| failed(&error.into()))?;
        let limit = limit.map_or(PARTS, |limit| limit as usize);
        let page = hub::parts_before(self.hub(), &session.id, Some(&before), limit).await;
        let (parts, earlier) = page.map_err(|error| failed(&error))?;
        Ok(SessionPartsResult { parts, earlier })
    }

    pub(super) async fn session_leave(&self, params: Lenient<SessionParams>) -> Result<Empty> {
        let attached = self.attached()?;
        if let Some(held) = self.hub().held(&params.0.session) {
            held.leave(attached.id);
        }
        Ok(Empty {})
    }

    pub(super) async fn session_fork(&self, params: Lenient<SessionForkParams>) -> Result<SessionResult> {
        let SessionForkParams { session, before } = params.0;
        let store = &self.hub().store;
        let session = store.session(&session).await.map_err(|error| failed(&error.into()))?;
        let fork = store.fork(&session, &before).await.map_err(|error| failed(&error.into()))?;
        let unknown = || HubError::UnknownPart(format!("the session has no part `{before}`"));
        Ok(SessionResult { session: hub::session(&fork.ok_or_else(|| failed(&unknown()))?) })
    }

    pub(super) async fn session_rename(&self, params: Lenient<SessionRenameParams>) -> Result<SessionResult> {
        let SessionRenameParams { session, title } = params.0;
        self.change(&session, |session| session.title = title.trim().to_owned()).await
    }

    pub(super) async fn session_delete(&self, params: Lenient<SessionParams>) -> Result<Empty> {
        self.hub().delete(&params.0.session).await.map_err(|error| failed(&error))?;
        Ok(Empty {})
    }

    pub(super) async fn session_set_model(
        &self,
        params: Lenient<SessionSetModelParams>,
    ) -> Result<SessionResult> {
        let SessionSetModelParams { session, model } = params.0;
        let found = self.hub().store.session(&session).await.map_err(|error| failed(&error.into()))?;
        let setup = self.hub().setup(&found.folder);
        let usable = setup.load().and_then(|loaded| {
            let models = setup.registry(&loaded)?;
            Ok(models.model(&model).map(drop)?)
        });
        usable.map_err(|error| failed(&HubError::UnknownModel(error.to_string())))?;
        self.change(&session, |session| session.model = Some(model)).await
    }

    pub(super) async fn session_set_agent(
        &self,
        params: Lenient<SessionSetAgentParams>,
    ) -> Result<SessionResult> {
        let SessionSetAgentParams { session, agent } = params.0;
        let found = self.hub().store.session(&session).await.map_err(|error| failed(&error.into()))?;
        let setup = self.hub().setup(&found.folder);
        let known = setup.load().and_then(|loaded| Agents::new(&setup, &loaded)?.find(&agent).map(drop));
        known.map_err(|error| failed(&HubError::UnknownAgent(error.to_string())))?;
        self.change(&session, |session| session.agent = agent).await
    }

    pub(super) async fn session_search(
        &self,
        params: Lenient<SessionSearchParams>,
    ) -> Result<SessionSearchResult> {
        let SessionSearchParams { query, limit } = params.0;
        let most = limit.map_or(PAGE, |limit| limit as usize);
        let found = self.hub().store.search(&query, most).await.map_err(|error| failed(&error.into()))?;
        let one = |found: copydesk_session::Found| Found {
            session: found.session.to_string(),
            title: found.title,
            part: found.part.to_string(),
            excerpt: found.excerpt,
        };
        Ok(SessionSearchResult { found: found.into_iter().map(one).collect() })
    }

    async fn change(
        &self,
        session: &str,
        change: impl FnOnce(&mut copydesk_session::Session),
    ) -> Result<SessionResult> {
        let held = self.hub().hold(session).await.map_err(|error| failed(&error))?;
        let changed = held.change(change).await;
        self.hub().let_go(&held);
        let session = changed.map_err(|error| failed(&error))?;
        Ok(SessionResult { session: hub::session(&session) })
    }
}
