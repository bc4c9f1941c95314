//! CPU time of this thread.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct CpuClock {
    cpu: Option<u64>,
    wall: Instant,
}

impl CpuClock {
    pub(crate) fn start() -> Self {
        Self { cpu: on_cpu(), wall: Instant::now() }
    }

    /// Wall-clock time, which is never less, on systems other than Linux.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.cpu, on_cpu()) {
            (Some(before), Some(now)) => Duration::from_nanos(now.saturating_sub(before)),
            _ => self.wall.elapsed(),
        }
    }
}

fn on_cpu() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
