//! Requests about the daemon itself: models, agents, status, servers, stop.

use std::collections::BTreeMap;

use copydesk_host::agents::{self, AgentRegistry};
use copydesk_host::provider_setup::list_with_servers;
use copydesk_host::session_builder::default_model;
use copydesk_host::session_host::SessionHostError;
use copydesk_protocol::PROTOCOL;
use copydesk_protocol::daemon::{
    AgentInfo, AgentsParams, AgentsResult, Empty, LogLevelEnd, LogSetParams, LogSetResult, ModelInfo,
    ModelsParams, ModelsResult, ServersRestartParams, ServersRestartResult, StatusResult, StopParams,
    StopResult,
};
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::lenient::LenientJson;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};
use super::super::initialize;
use crate::log_control::LogLevelScope;

impl LspBackend {
    pub(super) async fn models(&self, params: LenientJson<ModelsParams>) -> Result<ModelsResult> {
        let ModelsParams { folder, agent, local } = params.0;
        let setup = self.host().setup(&self.folder(folder).unwrap_or_else(|_| "/".into()));
        let registry = setup.load().and_then(|loaded| {
            let registry = setup.registry(&loaded)?;
            let default = default_model(&setup, &loaded, &registry, agent);
            Ok((registry, default))
        });
        let (registry, default) =
            registry.map_err(|error| rpc_error_from(&SessionHostError::failed(error)))?;
        let listed = if local { list_with_servers(&registry).await } else { registry.list(&BTreeMap::new()) };
        let mut models = Vec::new();
        for provider in listed.iter().filter(|provider| provider.is_usable()) {
            models.extend(provider.models.iter().map(|model| ModelInfo {
                id: format!("{}/{}", provider.id, model.id),
                name: model.name.clone(),
                provider: provider.name.clone(),
                context: (model.context > 0).then_some(model.context),
                output: (model.output > 0).then_some(model.output),
                local: provider.local,
                offline: provider.is_offline(),
            }));
        }
        Ok(ModelsResult { models, default })
    }

    pub(super) async fn agents(&self, params: LenientJson<AgentsParams>) -> Result<AgentsResult> {
        let setup = self.host().setup(&self.folder(params.0.folder)?);
        let agents = setup.load().and_then(|loaded| {
            Ok((AgentRegistry::new(&setup, &loaded)?, agents::default_agent(&setup, &loaded)))
        });
        let (agents, default) = agents.map_err(|error| rpc_error_from(&SessionHostError::failed(error)))?;
        let info = |agent: &copydesk_session::agent::Agent| AgentInfo {
            name: agent.name.clone(),
            description: agent.description.clone(),
            model: agent.model.clone(),
        };
        let mut agents: Vec<_> = agents.choices().map(info).collect();
        agents.sort_by_key(|agent| (agent.name != default, agent.name.clone()));
        Ok(AgentsResult { agents })
    }

    pub(super) async fn status(&self, _: LenientJson<Empty>) -> Result<StatusResult> {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Ok(StatusResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            pid: std::process::id(),
            started: self.host().started,
            clients: count(self.daemon().clients()),
            sessions: self.host().live_sessions(),
            documents: count(self.host().buffers.buffer_count()),
            tiers: self.host().tiers(),
            servers: self.host().servers.running(),
            missing: self.host().servers.missing(),
        })
    }

    pub(super) async fn servers_restart(
        &self,
        params: LenientJson<ServersRestartParams>,
    ) -> Result<ServersRestartResult> {
        let restarted = self.host().servers.pool().map_or(0, |pool| pool.restart(&params.0.name));
        Ok(ServersRestartResult { servers: u32::try_from(restarted).unwrap_or(u32::MAX) })
    }

    pub(super) async fn log_set(&self, params: LenientJson<LogSetParams>) -> Result<LogSetResult> {
        let LogSetParams { level, until } = params.0;
        let scope = match until {
            None | Some(LogLevelEnd::Exit) => LogLevelScope::Daemon,
            Some(LogLevelEnd::Detach) => LogLevelScope::Client(self.attached()?.id),
        };
        let level = self.log().set_level(level.as_deref(), scope);
        let level = level.map_err(|error| initialize::error(ErrorCode::InvalidParams, error.0, None))?;
        Ok(LogSetResult { level })
    }

    pub(super) async fn stop(&self, params: LenientJson<StopParams>) -> Result<StopResult> {
        let waiting = *self.host().running_turns().borrow();
        self.daemon().stop(params.0.when);
        Ok(StopResult { waiting_for: u32::try_from(waiting).unwrap_or(u32::MAX) })
    }
}
