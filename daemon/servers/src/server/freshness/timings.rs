//! How long a server takes to publish, learnt from its publishes.

use std::collections::VecDeque;
use std::time::Duration;

use crate::time_limits::{MAX_RECORDED_DELAY, MAX_RECORDED_GAP};

/// How many of the last times are kept.
const MAX_SAMPLES: usize = 32;

#[derive(Debug, Default)]
pub(in super::super) struct PublishTimings {
    /// From a change to its publish.
    delays: VecDeque<Duration>,
    /// From a didOpen to its publish while the server still read the project: an upper bound.
    opening: Option<Duration>,
    /// From one publish to the next, without a change in between.
    gaps: VecDeque<Duration>,
}

impl PublishTimings {
    pub(in super::super) fn record_delay(&mut self, delay: Duration) {
        // A slow server must not look like one without any recorded time.
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

    pub(in super::super) fn longest_delay(&self) -> Option<Duration> {
        self.delays.iter().max().copied()
    }

    /// How long the server may be silent before it publishes the effect of a change: 1.5 times its longest recorded
    /// delay, and at least `configured`. `None` if nothing is recorded yet: in an unknown project a server may take any
    /// time.
    pub(in super::super) fn publish_delay_limit(&self, configured: Duration) -> Option<Duration> {
        self.longest_delay().or(self.opening).map(|longest| configured.max(longest * 3 / 2))
    }

    /// How long after a publish another one for the same text may follow: 1.5 times the longest recorded gap.
    pub(in super::super) fn gap_limit(&self) -> Duration {
        self.gaps.iter().max().map_or(Duration::ZERO, |gap| *gap * 3 / 2)
    }
}

fn push(times: &mut VecDeque<Duration>, time: Duration) {
    if times.len() >= MAX_SAMPLES {
        times.pop_front();
    }
    times.push_back(time);
}
