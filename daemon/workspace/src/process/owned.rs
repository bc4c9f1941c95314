//! A group that somebody holds: whoever drops it wants no more of what runs in it.

use std::sync::Arc;

use super::{Shared, group::Group};

/// Kills the group unless it was let go.
#[derive(Debug)]
pub(super) struct Owned {
    pub(super) shared: Arc<Shared>,
    pub(super) group: Group,
    pub(super) is_held: bool,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.is_held {
            self.group.kill();
            self.shared.registry.forget(self.group);
        }
    }
}
