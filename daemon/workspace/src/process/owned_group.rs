//! A process group with an owner.

use std::sync::Arc;

use super::{ProcessesState, group::ProcessGroup};

/// Kills the group on drop, unless it was released.
#[derive(Debug)]
pub(super) struct OwnedGroup {
    pub(super) shared: Arc<ProcessesState>,
    pub(super) group: ProcessGroup,
    pub(super) kills_on_drop: bool,
}

impl Drop for OwnedGroup {
    fn drop(&mut self) {
        if self.kills_on_drop {
            self.group.kill();
            self.shared.registry.forget(self.group);
        }
    }
}
