//! The running process groups of a session, so that each is ended once.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::{ProcessError, group::ProcessGroup, guard::ProcessGuard, output::OutputTail};

/// A process that a command left running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftoverProcess {
    pub group: i32,
    /// The script that started it.
    pub script: String,
    /// The tail of its output since.
    pub tail: String,
}

#[derive(Debug, Default)]
pub(super) struct GroupRegistry {
    state: Mutex<GroupRegistryState>,
    /// Cancelled when no one reads the output any more.
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct GroupRegistryState {
    groups: BTreeMap<ProcessGroup, GroupEntry>,
    guard: Option<ProcessGuard>,
    closed: bool,
}

#[derive(Debug)]
enum GroupEntry {
    /// A caller waits for it.
    Running,
    Background {
        script: String,
        tail: Arc<Mutex<OutputTail>>,
    },
}

impl GroupRegistry {
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub(super) fn add(&self, group: ProcessGroup) -> Result<(), ProcessError> {
        let mut state = self.lock();
        if state.closed {
            return Err(ProcessError::Ended);
        }
        state.groups.insert(group, GroupEntry::Running);
        Ok(state.tell_guard()?)
    }

    /// Marks the group as background. Its output goes into the returned tail.
    pub(super) fn move_to_background(&self, group: ProcessGroup, script: String) -> Arc<Mutex<OutputTail>> {
        let tail = Arc::default();
        if let Some(entry) = self.lock().groups.get_mut(&group) {
            *entry = GroupEntry::Background { script, tail: Arc::clone(&tail) };
        }
        tail
    }

    /// The group is gone. The system may reuse its number, so the registry drops it.
    pub(super) fn forget(&self, group: ProcessGroup) {
        let mut state = self.lock();
        if state.groups.remove(&group).is_some() {
            // If this fails, the guard at worst kills a group that is gone.
            let _ = state.tell_guard();
        }
    }

    pub(super) fn leftover_processes(&self) -> Vec<LeftoverProcess> {
        let state = self.lock();
        let left = state.groups.iter().filter_map(|(group, entry)| match entry {
            GroupEntry::Background { script, tail } if group.is_alive() => {
                let tail = tail.lock().unwrap_or_else(PoisonError::into_inner).text();
                Some(LeftoverProcess { group: group.id(), script: script.clone(), tail })
            }
            _ => None,
        });
        left.collect()
    }

    pub(super) fn find(&self, id: i32) -> Option<ProcessGroup> {
        self.lock().groups.keys().find(|group| group.id() == id && group.is_alive()).copied()
    }

    /// Rejects new groups, and returns those that run.
    pub(super) fn close(&self) -> Vec<ProcessGroup> {
        self.closed.cancel();
        let mut state = self.lock();
        state.closed = true;
        state.groups.keys().copied().collect()
    }

    pub(super) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, GroupRegistryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GroupRegistryState {
    fn tell_guard(&mut self) -> io::Result<()> {
        if let Some(guard) = &mut self.guard
            && guard.send_groups(self.groups.keys().copied()).is_ok()
        {
            return Ok(());
        }
        // No guard runs yet, or another process killed it.
        tracing::debug!(replaced = self.guard.is_some(), "process guard started");
        let guard = self.guard.insert(ProcessGuard::start()?);
        guard.send_groups(self.groups.keys().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_guard_that_was_killed_is_replaced() {
        let registry = GroupRegistry::default();
        // No system gives out numbers as high as these.
        let groups = [i32::MAX, i32::MAX - 1].map(|id| ProcessGroup::of_leader(id.unsigned_abs()).unwrap());
        registry.add(groups[0]).unwrap();
        let mut guard = registry.lock().guard.take().unwrap();
        guard.kill().await;
        // A process that another test starts holds the pipe open until it runs its program.
        while guard.send_groups(groups.into_iter()).is_ok() {
            tokio::task::yield_now().await;
        }
        registry.lock().guard = Some(guard);
        registry.add(groups[1]).unwrap();
        let mut guard = registry.lock().guard.take().unwrap();
        assert!(guard.send_groups(groups.into_iter()).is_ok());
    }
}
