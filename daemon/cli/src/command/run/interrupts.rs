//! Ctrl-C, handled from before the turn starts: none is lost, and none ends the program by itself.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

pub(super) struct InterruptSignals {
    signal: Signal,
    /// A Ctrl-C came before the turn started.
    is_early: bool,
}

impl InterruptSignals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { signal: signal(SignalKind::interrupt())?, is_early: false })
    }

    /// Waits for short work. The first Ctrl-C is kept for [`next`](Self::next); a second one ends the command.
    pub(super) async fn during<T>(
        &mut self,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                _ = self.signal.recv() => {
                    anyhow::ensure!(!self.is_early, "interrupted before the turn began");
                    self.is_early = true;
                }
            }
        }
    }

    pub(super) async fn next(&mut self) {
        if !std::mem::take(&mut self.is_early) {
            self.signal.recv().await;
        }
    }
}
