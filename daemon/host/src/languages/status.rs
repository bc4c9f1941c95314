//! How the language servers of the pool are, as the protocol says it.

use copydesk_protocol::desk::{MissingServer, ServerInfo, ServerState};
use copydesk_servers::pool::{Phase, Pool, Running};

use super::Servers;

impl Servers {
    /// Those that were started and not ended since.
    pub fn running(&self) -> Vec<ServerInfo> {
        let running = self.pool().map(Pool::status).unwrap_or_default();
        running.into_iter().map(info).collect()
    }

    /// Those that were wanted and are not installed.
    pub fn missing(&self) -> Vec<MissingServer> {
        let missing = self.pool().map(Pool::missing).unwrap_or_default();
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

fn info(running: Running) -> ServerInfo {
    let (state, message, percent) = match running.phase {
        Phase::Starting => (ServerState::Starting, None, None),
        Phase::Indexing { message, percent } => (ServerState::Indexing, message, percent),
        Phase::Ready => (ServerState::Ready, running.problem, None),
        Phase::Resting { why, .. } => (ServerState::Resting, Some(why), None),
        Phase::GivenUp { why } => (ServerState::GivenUp, Some(why), None),
        Phase::Ending => (ServerState::Ending, None, None),
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
    }
}
