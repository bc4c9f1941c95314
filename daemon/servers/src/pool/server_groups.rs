//! From a file to the servers that serve it, begun where they are not there yet.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use tracing::Instrument as _;

use super::slot::{ServerSlot, SlotCommand, SlotKey, SlotState};
use super::status::UninstalledServer;
use super::{PoolInner, ServerPool, housekeeping, lifecycle};
use crate::program_search::ProgramLookup;
use crate::server::ServerLaunch;
use crate::server_selection::SelectedServer;
use crate::source::CheckedDocument;

/// Missing servers that are remembered.
const MOST_MISSING: usize = 64;

/// For each server that runs so many may be wanted, broken ones among them.
const WAITING: usize = 4;

/// What one server is asked about.
pub(super) struct ServerGroup {
    pub(super) server: GroupServer,
    /// With the language that the server is told.
    pub(super) subjects: Vec<(CheckedDocument, String)>,
}

pub(super) enum GroupServer {
    Available(Arc<ServerSlot>),
    /// It cannot be started: its name, and why.
    Unavailable(String, String),
}

impl PoolInner {
    /// Everything that serves these, except what the names or languages in `served` say is served already.
    pub(super) fn group_by_server(
        self: &Arc<Self>,
        subjects: &[CheckedDocument],
        served: &[String],
    ) -> Vec<ServerGroup> {
        let mut groups: BTreeMap<SlotKey, ServerGroup> = BTreeMap::new();
        for subject in subjects {
            let first_line = subject.text.lines().next().unwrap_or_default();
            for chosen in self.choose.servers_for(&subject.path, first_line) {
                let is_served = |word: &String| *word == chosen.name || *word == chosen.language;
                if served.iter().any(is_served) {
                    continue;
                }
                let command = match &chosen.program {
                    ProgramLookup::Found { command, .. } => command.clone(),
                    ProgramLookup::Missing { hint } => {
                        self.miss(&chosen, hint);
                        continue;
                    }
                };
                let key = (chosen.name.clone(), chosen.root.clone());
                let language = chosen.language.clone();
                let group = groups.entry(key).or_insert_with(|| ServerGroup {
                    server: match self.need(&chosen, command) {
                        Ok(slot) => GroupServer::Available(slot),
                        Err(why) => GroupServer::Unavailable(chosen.name.clone(), why),
                    },
                    subjects: Vec::new(),
                });
                group.subjects.push((subject.clone(), language));
            }
        }
        groups.into_values().collect()
    }

    fn miss(&self, chosen: &SelectedServer, hint: &str) {
        let mut missing = self.missing();
        if missing.len() < MOST_MISSING && !missing.contains_key(&chosen.name) {
            let language = chosen.language.clone();
            missing.insert(
                chosen.name.clone(),
                UninstalledServer { name: chosen.name.clone(), language, hint: hint.to_owned() },
            );
        }
    }

    /// The one place where a server begins, under the lock of all of them: never twice.
    fn need(
        self: &Arc<Self>,
        chosen: &SelectedServer,
        command: Vec<OsString>,
    ) -> Result<Arc<ServerSlot>, String> {
        if self.closed.is_cancelled() {
            return Err("the daemon is shutting down".to_owned());
        }
        let launch = launch(chosen, command);
        let mut slots = self.slots();
        let key = (chosen.name.clone(), chosen.root.clone());
        if let Some(slot) = slots.get(&key) {
            slot.mark_used();
            if matches!(slot.state(), SlotState::Stopping) {
                // What is configured otherwise now begins when this one is gone.
                if !is_the_same(&slot.launch, &launch) {
                    return Err("it is restarting with its new configuration".to_owned());
                }
                slot.send_command(SlotCommand::Keep);
            }
            return Ok(Arc::clone(slot));
        }
        if slots.len() >= self.limits.servers.saturating_mul(WAITING) {
            return Err(format!("{} language servers are wanted at the same time", slots.len()));
        }
        if self.places.available_permits() == 0 {
            let idle = slots.values().filter(|slot| slot.running().is_some() && slot.is_free());
            // The new one begins when the process of the old one is gone.
            idle.min_by_key(|slot| slot.last_used()).map(|oldest| oldest.send_command(SlotCommand::Stop));
        }
        let (slot, orders) = ServerSlot::new(launch, &chosen.language, self.limits.documents);
        slots.insert(key, Arc::clone(&slot));
        drop(slots);
        self.missing().remove(&chosen.name);
        if self.tasks.is_empty() {
            self.tasks.spawn(housekeeping::run_housekeeping(Arc::downgrade(self), self.closed.clone()));
        }
        // On its own: the session that needs it first is not the only one.
        let span = tracing::error_span!(parent: None, "server", name = chosen.name, root = %slot.launch.root.display());
        let life =
            lifecycle::run_lifecycle(Arc::downgrade(self), Arc::clone(&slot), orders, self.closed.clone());
        self.tasks.spawn(life.instrument(span));
        self.changed();
        Ok(slot)
    }
}

fn launch(chosen: &SelectedServer, command: Vec<OsString>) -> ServerLaunch {
    ServerLaunch {
        name: chosen.name.clone(),
        command,
        environment: chosen.environment.clone(),
        root: chosen.root.clone(),
        folders: Vec::new(),
        initialization: chosen.initialization.clone(),
        settings: chosen.settings.clone(),
        quirks: chosen.quirks.clone(),
    }
}

fn is_the_same(one: &ServerLaunch, other: &ServerLaunch) -> bool {
    let parts = |launch: &ServerLaunch| {
        (
            launch.command.clone(),
            launch.environment.clone(),
            launch.initialization.clone(),
            launch.settings.clone(),
        )
    };
    parts(one) == parts(other)
}

impl ServerPool {
    /// The configuration for what lies below this folder is another one: its servers end, and begin as they are configured now when
    /// they are needed. Whoever was given up has another chance.
    pub fn stop_below(&self, folder: &Path) {
        for slot in self.shared.all().iter().filter(|slot| slot.launch.root.starts_with(folder)) {
            slot.send_command(SlotCommand::Stop);
        }
    }
}
