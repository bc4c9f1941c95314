//! How long a server takes, learnt from what it did.

use std::collections::VecDeque;
use std::time::Duration;

use crate::time_limits::{MAX_RECORDED_DELAY, MAX_RECORDED_GAP};

/// So many of the last are remembered.
const MOST: usize = 32;

#[derive(Debug, Default)]
pub(in super::super) struct PublishTimings {
    /// From a change to the publish that it caused.
    delays: VecDeque<Duration>,
    /// From an opening to the publish that it caused, while the project was still being read: more than it takes.
    opening: Option<Duration>,
    /// From one publish to the next without a change in between.
    gaps: VecDeque<Duration>,
}

impl PublishTimings {
    pub(in super::super) fn record_delay(&mut self, delay: Duration) {
        // One that is slow is not to be taken for one of which nothing is known.
        push(&mut self.delays, delay.min(MAX_RECORDED_DELAY));
    }

    pub(in super::super) fn record_opening(&mut self, delay: Duration) {
        self.opening = self.opening.max(Some(delay.min(MAX_RECORDED_DELAY)));
    }

    pub(in super::super) fn record_gap(&mut self, gap: Duration) {
        if gap <= MAX_RECORDED_GAP {
            push(&mut self.gaps, gap);
        }
    }

    /// The longest of the last, if any.
    pub(in super::super) fn longest_delay(&self) -> Option<Duration> {
        self.delays.iter().max().copied()
    }

    /// How long it may be silent before it says what a change changed: half as long again as it ever took, and not less
    /// than what is known of it. None where it has shown nothing yet: in a project that is not known it may take any time.
    pub(in super::super) fn silence_limit(&self, known: Duration) -> Option<Duration> {
        self.longest_delay().or(self.opening).map(|longest| known.max(longest * 3 / 2))
    }

    /// How long after a publish another one for the same text may follow.
    pub(in super::super) fn gap_limit(&self) -> Duration {
        self.gaps.iter().max().map_or(Duration::ZERO, |gap| *gap * 3 / 2)
    }
}

fn push(times: &mut VecDeque<Duration>, time: Duration) {
    if times.len() >= MOST {
        times.pop_front();
    }
    times.push_back(time);
}
