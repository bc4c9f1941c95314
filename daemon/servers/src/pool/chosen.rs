//! From a file to the servers that serve it, begun where they are not there yet.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::slot::{Key, Life, Order, Slot};
use super::status::Missing;
use super::{Pool, Shared, house, life};
use crate::choose::Chosen;
use crate::find::Program;
use crate::server::Launch;
use crate::source::Subject;

/// Missing servers that are remembered.
const MOST_MISSING: usize = 64;

/// For each server that runs so many may be wanted, broken ones among them.
const WAITING: usize = 4;

/// What one server is asked about.
pub(super) struct Group {
    pub(super) server: Server,
    /// With the language that the server is told.
    pub(super) subjects: Vec<(Subject, String)>,
}

pub(super) enum Server {
    There(Arc<Slot>),
    /// It cannot be started: its name, and why.
    Not(String, String),
}

impl Shared {
    /// Everything that serves these, except what the names or languages in `served` say is served already.
    pub(super) fn groups(self: &Arc<Self>, subjects: &[Subject], served: &[String]) -> Vec<Group> {
        let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
        for subject in subjects {
            let first_line = subject.text.lines().next().unwrap_or_default();
            for chosen in self.choose.servers_for(&subject.path, first_line) {
                let is_served = |word: &String| *word == chosen.name || *word == chosen.language;
                if served.iter().any(is_served) {
                    continue;
                }
                let command = match &chosen.program {
                    Program::Found { command, .. } => command.clone(),
                    Program::Missing { hint } => {
                        self.miss(&chosen, hint);
                        continue;
                    }
                };
                let key = (chosen.name.clone(), chosen.root.clone());
                let language = chosen.language.clone();
                let group = groups.entry(key).or_insert_with(|| Group {
                    server: match self.need(&chosen, command) {
                        Ok(slot) => Server::There(slot),
                        Err(why) => Server::Not(chosen.name.clone(), why),
                    },
                    subjects: Vec::new(),
                });
                group.subjects.push((subject.clone(), language));
            }
        }
        groups.into_values().collect()
    }

    fn miss(&self, chosen: &Chosen, hint: &str) {
        let mut missing = self.missing();
        if missing.len() < MOST_MISSING && !missing.contains_key(&chosen.name) {
            let language = chosen.language.clone();
            missing.insert(
                chosen.name.clone(),
                Missing { name: chosen.name.clone(), language, hint: hint.to_owned() },
            );
        }
    }

    /// The one place where a server begins, under the lock of all of them: never twice.
    fn need(self: &Arc<Self>, chosen: &Chosen, command: Vec<OsString>) -> Result<Arc<Slot>, String> {
        if self.closed.is_cancelled() {
            return Err("the desk is closing".to_owned());
        }
        let launch = launch(chosen, command);
        let mut slots = self.slots();
        let key = (chosen.name.clone(), chosen.root.clone());
        if let Some(slot) = slots.get(&key) {
            slot.touch();
            if matches!(slot.life(), Life::Ending) {
                // What is configured otherwise now begins when this one is gone.
                if !is_the_same(&slot.launch, &launch) {
                    return Err("it is started anew, as it is configured now".to_owned());
                }
                slot.order(Order::Want);
            }
            return Ok(Arc::clone(slot));
        }
        if slots.len() >= self.limits.servers.saturating_mul(WAITING) {
            return Err(format!("{} language servers are wanted at the same time", slots.len()));
        }
        if self.places.available_permits() == 0 {
            let idle = slots.values().filter(|slot| slot.alive().is_some() && slot.is_free());
            // The new one begins when the process of the old one is gone.
            idle.min_by_key(|slot| slot.last_used()).map(|oldest| oldest.order(Order::Stop));
        }
        let (slot, orders) = Slot::new(launch, &chosen.language, self.limits.documents);
        slots.insert(key, Arc::clone(&slot));
        drop(slots);
        self.missing().remove(&chosen.name);
        if self.tasks.is_empty() {
            self.tasks.spawn(house::keep(Arc::downgrade(self), self.closed.clone()));
        }
        self.tasks.spawn(life::live(Arc::downgrade(self), Arc::clone(&slot), orders, self.closed.clone()));
        self.changed();
        Ok(slot)
    }
}

fn launch(chosen: &Chosen, command: Vec<OsString>) -> Launch {
    Launch {
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

fn is_the_same(one: &Launch, other: &Launch) -> bool {
    let parts = |launch: &Launch| {
        (
            launch.command.clone(),
            launch.environment.clone(),
            launch.initialization.clone(),
            launch.settings.clone(),
        )
    };
    parts(one) == parts(other)
}

impl Pool {
    /// The configuration for what lies below this folder is another one: its servers end, and begin as they are configured now when
    /// they are needed. Whoever was given up has another chance.
    pub fn renew(&self, folder: &Path) {
        for slot in self.shared.all().iter().filter(|slot| slot.launch.root.starts_with(folder)) {
            slot.order(Order::Stop);
        }
    }
}
