//! The running process groups of a session, so that each is ended once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::{
    ProcessError,
    group::ProcessGroup,
    guard::DAEMON_GUARD,
    mark::{ProcessMark, SessionMarks},
    output::OutputTail,
};

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
    marks: SessionMarks,
    /// Cancelled when no one reads the output any more.
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct GroupRegistryState {
    groups: BTreeMap<ProcessGroup, GroupEntry>,
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

    /// The mark of the next command.
    pub(super) fn next_mark(&self) -> ProcessMark {
        self.marks.next()
    }

    /// The marks of everything that this session started.
    pub(super) fn all_marks(&self) -> ProcessMark {
        self.marks.all()
    }

    pub(super) fn add(&self, group: ProcessGroup) -> Result<(), ProcessError> {
        let mut state = self.lock();
        if state.closed {
            return Err(ProcessError::Ended);
        }
        state.groups.insert(group, GroupEntry::Running);
        Ok(DAEMON_GUARD.add(group)?)
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
        if self.lock().groups.remove(&group).is_some() {
            DAEMON_GUARD.forget(group);
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
