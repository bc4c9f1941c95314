//! The state of the pool's language servers, in the protocol's types.

use copydesk_protocol::daemon::{MissingServer, ServerInfo, ServerState};
use copydesk_servers::pool::{ServerPhase, ServerPool, ServerStatus};

use super::LanguageServices;

impl LanguageServices {
    /// The servers that have started and not ended.
    pub fn running(&self) -> Vec<ServerInfo> {
        let running = self.pool().map(ServerPool::status).unwrap_or_default();
        running.into_iter().map(info).collect()
    }

    /// Servers that a file needed but that are not installed.
    pub fn missing(&self) -> Vec<MissingServer> {
        let missing = self.pool().map(ServerPool::uninstalled_servers).unwrap_or_default();
        let missing = missing.into_iter();
        missing
            .map(|missing| MissingServer {
                name: missing.name,
                language: missing.language,
                hint: missing.hint,
            })
            .collect()
    }
}

fn info(running: ServerStatus) -> ServerInfo {
    let (state, message, percent) = match running.phase {
        ServerPhase::Starting => (ServerState::Starting, None, None),
        ServerPhase::Indexing { message, percent } => (ServerState::Indexing, message, percent),
        ServerPhase::Ready => (ServerState::Ready, running.problem, None),
        ServerPhase::Resting { why, .. } => (ServerState::Resting, Some(why), None),
        ServerPhase::GivenUp { why } => (ServerState::GivenUp, Some(why), None),
        ServerPhase::Ending => (ServerState::Ending, None, None),
    };
    ServerInfo {
        name: running.name,
        root: running.root.to_string_lossy().into_owned(),
        state,
        message,
        percent,
        documents: u32::try_from(running.documents).unwrap_or(u32::MAX),
        memory: running.memory,
        pid: running.process,
        sandboxed: running.sandboxed,
    }
}
