//! The process of a server, from its start to its end, and whether it still answers.

use std::sync::{Arc, Weak};
use std::time::Duration;

use copydesk_workspace::process::{PipedProcess, ProcessExit, StderrTail};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::readiness::ReadinessStage;
use super::{LanguageServer, ServerInner};
use crate::time_limits::{HANG_TIMEOUT, INDEXING_HANG_TIMEOUT, SERVER_CHECK_INTERVAL};

/// Characters of what a server printed as errors that are told.
const LONGEST: usize = 600;
const MOST_LINES: usize = 6;

/// The process, as whoever speaks to the server holds it.
#[derive(Debug)]
pub(super) struct ServerProcess {
    pub(super) group: i32,
    /// Has it end, with so much grace.
    ending: mpsc::Sender<Duration>,
    gone: CancellationToken,
    /// With the last one who holds the server it is killed.
    dropped: CancellationToken,
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.dropped.cancel();
    }
}

impl ServerProcess {
    pub(super) fn begin(mut piped: PipedProcess, inner: Arc<ServerInner>) -> Self {
        let (ending, mut ends) = mpsc::channel(1);
        let (gone, dropped) = (CancellationToken::new(), CancellationToken::new());
        let life = Self { group: piped.id(), ending, gone: gone.clone(), dropped: dropped.clone() };
        tokio::spawn(async move {
            tokio::select! {
                exit = piped.wait() => {
                    let why = describe_exit(exit, &piped.stderr());
                    inner.change(|known| {
                        // More is known now than that it is silent.
                        if !known.is_stopped {
                            known.ended = Some(why);
                        }
                    });
                }
                Some(grace) = ends.recv() => piped.end(grace).await,
                () = dropped.cancelled() => {}
            }
            // Killed with all that it started.
            drop(piped);
            gone.cancel();
        });
        life
    }

    /// Waits for its own end, and brings it about where that does not come.
    pub(super) async fn stop(&self, grace: Duration) {
        if timeout(grace, self.gone.cancelled()).await.is_err() {
            let _ = self.ending.try_send(grace);
            self.gone.cancelled().await;
        }
    }
}

/// In words, with the last of what it said.
pub(super) fn describe_exit(exit: ProcessExit, errors: &StderrTail) -> String {
    let how = match exit {
        ProcessExit::Code(code) => format!("it exited with code {code}"),
        ProcessExit::Signal(signal) => format!("it was killed by signal {signal}"),
        ProcessExit::TimedOut | ProcessExit::Cancelled => "it was ended".to_owned(),
    };
    let text = errors.text();
    let mut lines: Vec<_> =
        text.lines().map(str::trim_end).filter(|line| !line.is_empty()).rev().take(MOST_LINES).collect();
    lines.reverse();
    let said = lines.join("\n");
    let skipped = said.chars().count().saturating_sub(LONGEST);
    let said: String = said.chars().skip(skipped).collect();
    if said.is_empty() { how } else { format!("{how}, and said: {said}") }
}

/// From when on a server hangs that was asked something at this moment.
fn hangs(asked: Instant, stage: &ReadinessStage) -> Instant {
    match stage {
        // What it was asked before it had read the project it answers after that.
        ReadinessStage::Ready { since } => asked.max(*since) + HANG_TIMEOUT,
        ReadinessStage::Starting { .. } => asked + HANG_TIMEOUT,
        ReadinessStage::Indexing { .. } => asked + INDEXING_HANG_TIMEOUT,
    }
}

/// Looks from time to time whether the server answers, for as long as anybody holds it.
pub(super) fn watch_for_hang(server: &Arc<LanguageServer>) {
    let server: Weak<LanguageServer> = Arc::downgrade(server);
    tokio::spawn(async move {
        let mut look = interval(SERVER_CHECK_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            let Some(server) = server.upgrade() else { return };
            let waiting = server.peer.oldest_unanswered();
            let stage = server.inner.lock().readiness.stage(Instant::now());
            let hung = waiting.filter(|waiting| hangs(waiting.since, &stage) <= Instant::now());
            let is_other = server.inner.lock().hung != hung.map(|waiting| waiting.method);
            if is_other {
                server.inner.change(|known| known.hung = hung.map(|waiting| waiting.method));
            }
        }
    });
}
