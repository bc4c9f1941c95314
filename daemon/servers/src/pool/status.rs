//! What a person is told of the pool.

use std::path::PathBuf;

use serde::Serialize;

use super::slot::SlotState;
use super::{PoolInner, memory};
use crate::server::LanguageServerState;

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    pub name: String,
    pub root: PathBuf,
    /// The number of its process, while there is one.
    pub process: Option<i32>,
    pub phase: ServerPhase,
    pub documents: usize,
    /// In bytes, with all that it started.
    pub memory: Option<u64>,
    /// How long it runs, in seconds.
    pub seconds: Option<u64>,
    /// What it misses, though it runs.
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
    /// It broke, and is started again.
    Resting {
        why: String,
        seconds: u64,
    },
    /// It is not started again until somebody says so.
    GivenUp {
        why: String,
    },
    Ending,
}

/// A server that was wanted and is not installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UninstalledServer {
    pub name: String,
    pub language: String,
    /// What a person does to have it.
    pub hint: String,
}

pub(super) fn server_statuses(pool: &PoolInner) -> Vec<ServerStatus> {
    let slots = pool.all();
    let groups: Vec<i32> = slots.iter().filter_map(|slot| slot.running()?.server.process_group()).collect();
    let memory = memory::memory_by_group(&groups);
    let told = slots.iter().map(|slot| {
        let alive = slot.running();
        let process = alive.as_ref().and_then(|alive| alive.server.process_group());
        ServerStatus {
            name: slot.launch.name.clone(),
            root: slot.launch.root.clone(),
            process,
            phase: phase(slot.state()),
            documents: slot.documents().count(),
            memory: process.and_then(|process| memory.get(&process).copied()),
            seconds: alive.as_ref().map(|alive| alive.since.elapsed().as_secs()),
            problem: alive.and_then(|alive| alive.root.watcher.problem()),
        }
    });
    told.collect()
}

fn phase(life: SlotState) -> ServerPhase {
    match life {
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
