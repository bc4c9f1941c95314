//! Groups files by the servers that serve them, and starts servers that are not there yet.

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

/// The cap on remembered missing servers.
const MAX_MISSING_SERVERS: usize = 64;

/// Up to this many times the limit of running servers may be needed at once, including failed ones.
const WAITING: usize = 4;

/// The documents that one server checks.
pub(super) struct ServerGroup {
    pub(super) server: GroupServer,
    /// With their language ids.
    pub(super) subjects: Vec<(CheckedDocument, String)>,
}

pub(super) enum GroupServer {
    Available(Arc<ServerSlot>),
    /// It cannot start: its name, and why.
    Unavailable(String, String),
}

impl PoolInner {
    /// The servers of these files, except those whose name or language is in `served`.
    pub(super) fn group_by_server(
        self: &Arc<Self>,
        subjects: &[CheckedDocument],
        served: &[String],
    ) -> Vec<ServerGroup> {
        let mut groups: BTreeMap<SlotKey, ServerGroup> = BTreeMap::new();
        for subject in subjects {
            let first_line = subject.text.lines().next().unwrap_or_default();
            for chosen in self.chooser.servers_for(&subject.path, first_line) {
                let is_served = |word: &String| *word == chosen.name || *word == chosen.language;
                if served.iter().any(is_served) {
                    continue;
                }
                let command = match &chosen.program {
                    ProgramLookup::Found { command, .. } => command.clone(),
                    ProgramLookup::Missing { hint } => {
                        self.note_missing(&chosen, hint);
                        continue;
                    }
                };
                let key = (chosen.name.clone(), chosen.root.clone());
                let language = chosen.language.clone();
                let group = groups.entry(key).or_insert_with(|| ServerGroup {
                    server: match self.get_or_start(&chosen, command) {
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

    /// The servers of these files that were started before.
    pub(super) fn existing_slots<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> Vec<Arc<ServerSlot>> {
        let mut found: BTreeMap<SlotKey, Arc<ServerSlot>> = BTreeMap::new();
        // Without slots there is nothing to choose from.
        for path in paths.filter(|_| !self.slots().is_empty()) {
            for chosen in self.chooser.servers_for(path, "") {
                let key = (chosen.name, chosen.root);
                let slot = self.slots().get(&key).cloned();
                found.extend(slot.map(|slot| (key, slot)));
            }
        }
        found.into_values().collect()
    }

    fn note_missing(&self, chosen: &SelectedServer, hint: &str) {
        let mut missing = self.missing();
        if missing.len() < MAX_MISSING_SERVERS && !missing.contains_key(&chosen.name) {
            let language = chosen.language.clone();
            missing.insert(
                chosen.name.clone(),
                UninstalledServer { name: chosen.name.clone(), language, hint: hint.to_owned() },
            );
        }
    }

    /// The only place that starts servers. It holds the lock of all slots, so no server starts twice.
    fn get_or_start(
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
                // A server with a new configuration starts when this one is gone.
                if !is_same_launch(&slot.launch, &launch) {
                    return Err("it is restarting with its new configuration".to_owned());
                }
                slot.send_command(SlotCommand::Keep);
            }
            return Ok(Arc::clone(slot));
        }
        if slots.len() >= self.limits.servers.saturating_mul(WAITING) {
            return Err(format!("too many language servers are needed at once: {}", slots.len()));
        }
        if self.server_permits.available_permits() == 0 {
            let idle = slots.values().filter(|slot| slot.running().is_some() && slot.is_idle());
            // The new one starts when the old process is gone.
            idle.min_by_key(|slot| slot.last_used()).map(|oldest| oldest.send_command(SlotCommand::Stop));
        }
        let (slot, commands) = ServerSlot::new(launch, &chosen.language, self.limits.documents);
        slots.insert(key, Arc::clone(&slot));
        drop(slots);
        self.missing().remove(&chosen.name);
        if self.tasks.is_empty() {
            self.tasks.spawn(housekeeping::run_housekeeping(Arc::downgrade(self), self.closed.clone()));
        }
        // Without a parent span: the session that needs it first is not the only one.
        let span = tracing::error_span!(parent: None, "server", name = chosen.name, root = %slot.launch.root.display());
        let lifecycle =
            lifecycle::run_lifecycle(Arc::downgrade(self), Arc::clone(&slot), commands, self.closed.clone());
        self.tasks.spawn(lifecycle.instrument(span));
        self.notify_changed();
        Ok(slot)
    }
}

fn launch(chosen: &SelectedServer, command: Vec<OsString>) -> ServerLaunch {
    ServerLaunch {
        name: chosen.name.clone(),
        command,
        environment: chosen.environment.clone(),
        sandbox: chosen.sandbox.clone(),
        root: chosen.root.clone(),
        folders: Vec::new(),
        initialization: chosen.initialization.clone(),
        settings: chosen.settings.clone(),
        quirks: chosen.quirks.clone(),
    }
}

fn is_same_launch(one: &ServerLaunch, other: &ServerLaunch) -> bool {
    let parts = |launch: &ServerLaunch| {
        (
            launch.command.clone(),
            launch.environment.clone(),
            launch.sandbox.clone(),
            launch.initialization.clone(),
            launch.settings.clone(),
        )
    };
    parts(one) == parts(other)
}

impl ServerPool {
    /// The configuration of this folder changed: its servers stop, and start with the new configuration when they are
    /// needed. Failed servers get another chance.
    pub fn stop_below(&self, folder: &Path) {
        for slot in self.shared.all_slots().iter().filter(|slot| slot.launch.root.starts_with(folder)) {
            slot.send_command(SlotCommand::Stop);
        }
    }
}
