//! Which groups of a session run now, so that each of them is ended once, by whoever comes first.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::{ProcessError, group::Group, guard::Guard, output::Tail};

/// Something that a command left running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The process group.
    pub group: i32,
    /// The script that started it.
    pub script: String,
    /// The last of what it has printed since.
    pub tail: String,
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    state: Mutex<State>,
    /// When nobody is interested in what is printed any more.
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    groups: BTreeMap<Group, Entry>,
    guard: Option<Guard>,
    closed: bool,
}

#[derive(Debug)]
enum Entry {
    /// Somebody waits for it.
    Running,
    Left {
        script: String,
        tail: Arc<Mutex<Tail>>,
    },
}

impl Registry {
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub(super) fn add(&self, group: Group) -> Result<(), ProcessError> {
        let mut state = self.lock();
        if state.closed {
            return Err(ProcessError::Ended);
        }
        state.groups.insert(group, Entry::Running);
        Ok(state.tell_guard()?)
    }

    /// From now on it runs in the background, and prints into the tail that is given back.
    pub(super) fn leave(&self, group: Group, script: String) -> Arc<Mutex<Tail>> {
        let tail = Arc::default();
        if let Some(entry) = self.lock().groups.get_mut(&group) {
            *entry = Entry::Left { script, tail: Arc::clone(&tail) };
        }
        tail
    }

    /// It is gone. Its number may be another's from now on, and is not used again.
    pub(super) fn forget(&self, group: Group) {
        let mut state = self.lock();
        if state.groups.remove(&group).is_some() {
            // A guard that cannot be told kills a group that is gone, at worst.
            let _ = state.tell_guard();
        }
    }

    pub(super) fn left(&self) -> Vec<Left> {
        let state = self.lock();
        let left = state.groups.iter().filter_map(|(group, entry)| match entry {
            Entry::Left { script, tail } if group.is_alive() => {
                let tail = tail.lock().unwrap_or_else(PoisonError::into_inner).text();
                Some(Left { group: group.id(), script: script.clone(), tail })
            }
            _ => None,
        });
        left.collect()
    }

    pub(super) fn find(&self, id: i32) -> Option<Group> {
        self.lock().groups.keys().find(|group| group.id() == id && group.is_alive()).copied()
    }

    /// Lets nothing start any more, and gives what runs.
    pub(super) fn close(&self) -> Vec<Group> {
        self.closed.cancel();
        let mut state = self.lock();
        state.closed = true;
        state.groups.keys().copied().collect()
    }

    pub(super) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tell_guard(&mut self) -> io::Result<()> {
        if let Some(guard) = &mut self.guard
            && guard.tell(self.groups.keys().copied()).is_ok()
        {
            return Ok(());
        }
        // There is none yet, or somebody killed it.
        let guard = self.guard.insert(Guard::start()?);
        guard.tell(self.groups.keys().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_guard_that_was_killed_is_replaced() {
        let registry = Registry::default();
        // No system gives out numbers as high as these.
        let groups = [i32::MAX, i32::MAX - 1].map(|id| Group::of_leader(id.unsigned_abs()).unwrap());
        registry.add(groups[0]).unwrap();
        let mut guard = registry.lock().guard.take().unwrap();
        guard.kill().await;
        assert!(guard.tell(groups.into_iter()).is_err(), "nobody listens");
        registry.lock().guard = Some(guard);
        registry.add(groups[1]).unwrap();
        let mut guard = registry.lock().guard.take().unwrap();
        assert!(guard.tell(groups.into_iter()).is_ok());
    }
}
