//! What a person is told of the pool.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::slot::Life;
use super::{Shared, memory};
use crate::server::State;

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    pub name: String,
    pub root: PathBuf,
    /// The number of its process, while there is one.
    pub process: Option<i32>,
    pub phase: Phase,
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
pub enum Phase {
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
pub struct Missing {
    pub name: String,
    pub language: String,
    /// What a person does to have it.
    pub hint: String,
}

pub(super) fn status(pool: &Shared) -> Vec<Running> {
    let slots = pool.all();
    let groups: Vec<i32> = slots.iter().filter_map(|slot| slot.alive()?.server.group()).collect();
    let memory = memory::of_groups(&groups);
    let told = slots.iter().map(|slot| {
        let alive = slot.alive();
        let process = alive.as_ref().and_then(|alive| alive.server.group());
        Running {
            name: slot.launch.name.clone(),
            root: slot.launch.root.clone(),
            process,
            phase: phase(slot.life()),
            documents: slot.documents().count(),
            memory: process.and_then(|process| memory.get(&process).copied()),
            seconds: alive.as_ref().map(|alive| alive.since.elapsed().as_secs()),
            problem: alive.and_then(|alive| alive.root.watched.problem()),
        }
    });
    told.collect()
}

fn phase(life: Life) -> Phase {
    match life {
        Life::Starting => Phase::Starting,
        Life::Running(alive) => match alive.server.state() {
            State::Ready => Phase::Ready,
            State::Indexing { message, percent } => Phase::Indexing { message, percent },
            State::Hung { request } => {
                Phase::Resting { why: format!("it did not answer {request}"), seconds: 0 }
            }
            State::Ended { why } => Phase::Resting { why, seconds: 0 },
        },
        Life::Resting { why, until } => {
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            Phase::Resting { why, seconds: (left + Duration::from_millis(999)).as_secs() }
        }
        Life::GivenUp { why } => Phase::GivenUp { why },
        Life::Ending => Phase::Ending,
    }
}
