//! Recent changes on the disk, for callers that ask what changed since a checkpoint. Bounded: a caller that asks too
//! rarely misses the oldest.

use std::collections::VecDeque;
use std::path::PathBuf;

const MAX_CHANGES: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct RecentDiskChanges {
    changed: VecDeque<(u64, PathBuf)>,
    clock: u64,
}

impl RecentDiskChanges {
    pub(super) fn add(&mut self, paths: impl Iterator<Item = PathBuf>) {
        for path in paths {
            self.clock += 1;
            self.changed.push_back((self.clock, path));
        }
        let surplus = self.changed.len().saturating_sub(MAX_CHANGES);
        self.changed.drain(..surplus);
    }

    pub(super) fn checkpoint(&self) -> u64 {
        self.clock
    }

    /// The files that changed after a checkpoint, each once.
    pub(super) fn paths_since(&self, checkpoint: u64) -> Vec<PathBuf> {
        let later = self.changed.iter().filter(|(tick, _)| *tick > checkpoint);
        let mut paths: Vec<_> = later.map(|(_, path)| path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_since_the_checkpoint_are_returned() {
        let mut recent = RecentDiskChanges::default();
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        recent.add(paths(&["b", "a", "b"]).into_iter());
        assert_eq!(recent.paths_since(0), paths(&["a", "b"]));
        let now = recent.checkpoint();
        assert_eq!(recent.paths_since(now), paths(&[]));
        recent.add(paths(&["c"]).into_iter());
        assert_eq!(recent.paths_since(now), paths(&["c"]));
        recent.add((0..2 * MAX_CHANGES).map(|number| PathBuf::from(number.to_string())));
        assert_eq!(recent.paths_since(now).len(), MAX_CHANGES);
    }
}
