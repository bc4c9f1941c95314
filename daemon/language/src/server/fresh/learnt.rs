//! How long a server takes, learnt from what it did.

use std::collections::VecDeque;
use std::time::Duration;

/// So many of the last are remembered.
const MOST: usize = 32;
/// What took longer was not waited for, and says nothing of how long one should.
const LONGEST: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(in super::super) struct Learnt {
    /// From a change to the publish that it caused.
    delays: VecDeque<Duration>,
}

impl Learnt {
    pub(in super::super) fn took(&mut self, delay: Duration) {
        if delay > LONGEST {
            return;
        }
        if self.delays.len() >= MOST {
            self.delays.pop_front();
        }
        self.delays.push_back(delay);
    }

    /// The longest of the last, if any.
    pub(in super::super) fn longest(&self) -> Option<Duration> {
        self.delays.iter().max().copied()
    }

    /// How long it may be silent before it says what a change changed: half as long again as it ever took, and not less
    /// than what is known of it.
    pub(in super::super) fn silence(&self, known: Duration) -> Duration {
        self.longest().map_or(known, |longest| known.max(longest.mul_f32(1.5)))
    }
}
