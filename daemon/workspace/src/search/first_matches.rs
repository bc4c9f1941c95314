//! Collects the first matches in path order from several threads that find them in any order.
//!
//! Once it has more than the limit, nothing that sorts behind the last match can be among the first: such
//! matches are dropped, and the files and folders behind it need no search. So a search for something common
//! ends early and still gives the same answer every time. Paths sort by component, so that a folder's content
//! stays together.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

#[derive(Debug)]
pub(super) struct FirstMatches<T> {
    limit: usize,
    /// Whether `held` is full; spares the lock in the many searches that never fill it.
    full: AtomicBool,
    held: Mutex<MatchesByPath<T>>,
}

#[derive(Debug)]
struct MatchesByPath<T> {
    by_path: BTreeMap<PathBuf, Vec<T>>,
    count: usize,
}

impl<T> FirstMatches<T> {
    pub(super) fn new(limit: usize) -> Self {
        let held = MatchesByPath { by_path: BTreeMap::new(), count: 0 };
        Self { limit, full: AtomicBool::new(false), held: Mutex::new(held) }
    }

    /// Whether a match at this path, or in this folder, could still be among the first.
    pub(super) fn may_include(&self, path: &Path) -> bool {
        if !self.full.load(Ordering::Relaxed) {
            return true;
        }
        let held = self.lock();
        let last = held.by_path.last_key_value();
        last.is_none_or(|(last, _)| path <= last.as_path())
    }

    pub(super) fn add(&self, path: PathBuf, matches: Vec<T>) {
        if matches.is_empty() {
            return;
        }
        let mut held = self.lock();
        held.count += matches.len();
        let before = held.by_path.insert(path, matches);
        held.count -= before.map_or(0, |before| before.len());
        // Keep one more than the limit, to know that there are more.
        while let Some(last) = held.by_path.last_entry() {
            let without = last.get().len();
            if held.count - without <= self.limit {
                break;
            }
            held.count -= without;
            held.by_path.pop_last();
        }
        self.full.store(held.count > self.limit, Ordering::Relaxed);
    }

    /// The first matches, at most the limit, and whether there are more.
    pub(super) fn finish(self) -> (Vec<(PathBuf, T)>, bool) {
        let held = self.held.into_inner().unwrap_or_else(PoisonError::into_inner);
        let more = held.count > self.limit;
        let all = held
            .by_path
            .into_iter()
            .flat_map(|(path, matches)| matches.into_iter().map(move |found| (path.clone(), found)));
        (all.take(self.limit).collect(), more)
    }

    fn lock(&self) -> MutexGuard<'_, MatchesByPath<T>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_of_finding_does_not_matter(
            files in proptest::collection::btree_map("[a-c](/[a-c]|[.]b){0,2}", 1..4usize, 0..12),
            limit in 0..12usize,
            seed in any::<proptest::sample::Index>(),
        ) {
            let mut order: Vec<_> = files.iter().collect();
            let turn = seed.index(order.len().max(1)).min(order.len());
            order.rotate_left(turn);
            let first = FirstMatches::new(limit);
            for (path, count) in order {
                let path = PathBuf::from(path);
                if first.may_include(&path) {
                    first.add(path, (0..*count).collect());
                }
            }
            let mut expected: Vec<(PathBuf, usize)> = Vec::new();
            for (path, count) in &files {
                expected.extend((0..*count).map(|number| (PathBuf::from(path), number)));
            }
            expected.sort();
            let more = expected.len() > limit;
            expected.truncate(limit);
            prop_assert_eq!(first.finish(), (expected, more));
        }
    }

    #[test]
    fn a_folder_is_wanted_as_long_as_something_in_it_may_be() {
        let first = FirstMatches::new(1);
        first.add("b/b".into(), vec![()]);
        assert!(first.may_include(Path::new("z")), "it is not full yet");
        first.add("b/c".into(), vec![()]);
        let wanted: Vec<_> =
            ["a", "b", "b/a", "b/c", "b/d", "b.c", "c"].map(|path| first.may_include(Path::new(path))).into();
        assert_eq!(wanted, [true, true, true, true, false, false, false]);
    }
}
