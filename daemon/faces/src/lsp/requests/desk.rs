//! The desk itself: what it offers, how it is, its end.

use std::collections::BTreeMap;

use copydesk_protocol::PROTOCOL;
use copydesk_protocol::desk::{
    AgentInfo, AgentsParams, AgentsResult, Empty, ModelInfo, ModelsResult, ServersRestartParams,
    ServersRestartResult, StatusResult, StopParams, StopResult,
};
use copydesk_protocol::lenient::Lenient;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{Backend, failed};
use copydesk_host::agents::{self, Agents};
use copydesk_host::hub::HubError;

impl Backend {
    pub(super) async fn models(&self, _: Lenient<Empty>) -> Result<ModelsResult> {
        let setup = self.hub().setup(&self.folder(None).unwrap_or_else(|_| "/".into()));
        let listed = setup.load().and_then(|loaded| {
            let models = setup.registry(&loaded)?;
            let default = loaded.config.model.clone().or_else(|| models.default_model());
            Ok((models.list(&BTreeMap::new()), default))
        });
        let (listed, default) = listed.map_err(|error| failed(&HubError::failed(error)))?;
        let mut models = Vec::new();
        for provider in listed.iter().filter(|provider| provider.is_usable()) {
            models.extend(provider.models.iter().map(|model| ModelInfo {
                id: format!("{}/{}", provider.id, model.id),
                name: model.name.clone(),
                provider: provider.name.clone(),
                context: (model.context > 0).then_some(model.context),
                output: (model.output > 0).then_some(model.output),
                local: provider.local,
            }));
        }
        Ok(ModelsResult { models, default })
    }

    pub(super) async fn agents(&self, params: Lenient<AgentsParams>) -> Result<AgentsResult> {
        let setup = self.hub().setup(&self.folder(params.0.folder)?);
        let agents = setup
            .load()
            .and_then(|loaded| Ok((Agents::new(&setup, &loaded)?, agents::first(&setup, &loaded))));
        let (agents, default) = agents.map_err(|error| failed(&HubError::failed(error)))?;
        let info = |agent: &copydesk_session::agent::Agent| AgentInfo {
            name: agent.name.clone(),
            description: agent.description.clone(),
            model: agent.model.clone(),
        };
        let mut agents: Vec<_> = agents.choices().map(info).collect();
        agents.sort_by_key(|agent| (agent.name != default, agent.name.clone()));
        Ok(AgentsResult { agents })
    }

    pub(super) async fn status(&self, _: Lenient<Empty>) -> Result<StatusResult> {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Ok(StatusResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            pid: std::process::id(),
            started: self.hub().started,
            clients: count(self.life().clients()),
            sessions: self.hub().live(),
            documents: count(self.hub().buffers.count()),
            tiers: self.hub().tiers(),
            servers: self.hub().servers.running(),
            missing: self.hub().servers.missing(),
        })
    }

    pub(super) async fn servers_restart(
        &self,
        params: Lenient<ServersRestartParams>,
    ) -> Result<ServersRestartResult> {
        let restarted = self.hub().servers.pool().map_or(0, |pool| pool.restart(&params.0.name));
        Ok(ServersRestartResult { servers: u32::try_from(restarted).unwrap_or(u32::MAX) })
    }

    pub(super) async fn stop(&self, params: Lenient<StopParams>) -> Result<StopResult> {
        let waiting = *self.hub().turns().borrow();
        self.life().stop(params.0.when);
        Ok(StopResult { waiting_for: u32::try_from(waiting).unwrap_or(u32::MAX) })
    }
}
