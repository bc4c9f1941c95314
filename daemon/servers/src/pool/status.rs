//! The status of the pool, for the user.

use std::path::PathBuf;

use serde::Serialize;

use super::slot::SlotState;
use super::{PoolInner, memory};
use crate::server::LanguageServerState;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    pub name: String,
    pub root: PathBuf,
    /// Its process id, while it runs.
    pub process: Option<i32>,
    /// Whether it runs in the sandbox, while it runs; `None` if that is off.
    pub sandboxed: Option<bool>,
    pub phase: ServerPhase,
    pub documents: usize,
    /// In bytes, including its child processes.
    pub memory: Option<u64>,
    /// Its uptime in seconds.
    pub seconds: Option<u64>,
    /// A limitation while it runs, such as changes that it cannot see.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum ServerPhase {
    Starting,
    Indexing {
        message: Option<String>,
        percent: Option<u32>,
    },
    Ready,
    /// It crashed, and restarts.
    Resting {
        why: String,
        seconds: u64,
    },
    /// It does not restart until the user asks for it.
    GivenUp {
        why: String,
    },
    Ending,
}

/// A server that was needed and is not installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UninstalledServer {
    pub name: String,
    pub language: String,
    /// How to install it.
    pub hint: String,
}

pub(super) fn server_statuses(pool: &PoolInner) -> Vec<ServerStatus> {
    let slots = pool.all_slots();
    let groups: Vec<i32> = slots.iter().filter_map(|slot| slot.running()?.server.process_group()).collect();
    let memory = memory::memory_by_group(&groups);
    let statuses = slots.iter().map(|slot| {
        let alive = slot.running();
        let process = alive.as_ref().and_then(|alive| alive.server.process_group());
        ServerStatus {
            name: slot.launch.name.clone(),
            root: slot.launch.root.clone(),
            process,
            sandboxed: alive.as_ref().and_then(|alive| alive.server.is_sandboxed()),
            phase: phase(slot.state()),
            documents: slot.documents().count(),
            memory: process.and_then(|process| memory.get(&process).copied()),
            seconds: alive.as_ref().map(|alive| alive.since.elapsed().as_secs()),
            problem: alive.and_then(|alive| alive.root.watcher.problem()),
        }
    });
    statuses.collect()
}

fn phase(state: SlotState) -> ServerPhase {
    match state {
        SlotState::Starting => ServerPhase::Starting,
        SlotState::Running(alive) => match alive.server.state() {
            LanguageServerState::Ready => ServerPhase::Ready,
            LanguageServerState::Indexing { message, percent } => ServerPhase::Indexing { message, percent },
            LanguageServerState::Hung { request } => {
                ServerPhase::Resting { why: format!("it did not answer {request}"), seconds: 0 }
            }
            LanguageServerState::Ended { why } => ServerPhase::Resting { why, seconds: 0 },
        },
        SlotState::Backoff { why, until } => {
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            ServerPhase::Resting { why, seconds: left.as_secs() + u64::from(left.subsec_millis() > 0) }
        }
        SlotState::Failed { why } => ServerPhase::GivenUp { why },
        SlotState::Stopping => ServerPhase::Ending,
    }
}
