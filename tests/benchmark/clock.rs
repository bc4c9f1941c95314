//! Time on the processor, of this thread alone.

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

    /// Where the system does not tell (all but Linux), the time on the wall, which is never less.
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
