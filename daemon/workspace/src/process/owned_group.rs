//! A process group with an owner.

use std::sync::Arc;

use super::{ProcessesState, group::ProcessGroup};

/// Kills the group on drop, unless it was released.
#[derive(Debug)]
pub(super) struct OwnedGroup {
    pub(super) shared: Arc<ProcessesState>,
    pub(super) group: ProcessGroup,
    pub(super) kills_on_drop: bool,
    /// The leader has ended by itself. What left the group then ends with the session.
    pub(super) has_ended: bool,
}

impl Drop for OwnedGroup {
    fn drop(&mut self) {
        if self.kills_on_drop {
            if self.has_ended {
                self.group.kill_group();
            } else {
                self.group.kill();
            }
            self.shared.registry.forget(self.group);
        }
    }
}
