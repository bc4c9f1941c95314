//! The process of a server, and the check whether it still answers.

use std::sync::{Arc, Weak};
use std::time::Duration;

use copydesk_workspace::process::{PipedProcess, ProcessExit, StderrTail};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::readiness::ReadinessStage;
use super::{LanguageServer, ServerInner};
use crate::time_limits::{HANG_TIMEOUT, INDEXING_HANG_TIMEOUT, SERVER_CHECK_INTERVAL};

/// Caps on the part of stderr that reports show.
const MAX_STDERR_CHARS: usize = 600;
const MAX_STDERR_LINES: usize = 6;

/// The handle of a process.
#[derive(Debug)]
pub(super) struct ServerProcess {
    pub(super) group: i32,
    /// Ends the process, with this grace.
    stop: mpsc::Sender<Duration>,
    exited: CancellationToken,
    /// Kills the process when the server is dropped.
    dropped: CancellationToken,
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.dropped.cancel();
    }
}

impl ServerProcess {
    pub(super) fn begin(mut piped: PipedProcess, inner: Arc<ServerInner>) -> Self {
        let (stop, mut stops) = mpsc::channel(1);
        let (exited, dropped) = (CancellationToken::new(), CancellationToken::new());
        let process = Self { group: piped.id(), stop, exited: exited.clone(), dropped: dropped.clone() };
        tokio::spawn(async move {
            tokio::select! {
                exit = piped.wait() => {
                    let why = describe_exit(exit, &piped.stderr());
                    inner.change(|record| {
                        // The exit status says more than the closed output.
                        if !record.is_stopped {
                            record.ended = Some(why);
                        }
                    });
                }
                Some(grace) = stops.recv() => piped.end(grace).await,
                () = dropped.cancelled() => {}
            }
            // Kills it with everything that it started.
            drop(piped);
            exited.cancel();
        });
        process
    }

    /// Waits for the process to exit, and ends it after `grace`.
    pub(super) async fn stop(&self, grace: Duration) {
        if timeout(grace, self.exited.cancelled()).await.is_err() {
            let _ = self.stop.try_send(grace);
            self.exited.cancelled().await;
        }
    }
}

/// Describes an exit, with the tail of stderr.
pub(super) fn describe_exit(exit: ProcessExit, stderr: &StderrTail) -> String {
    let how = match exit {
        ProcessExit::Code(code) => format!("it exited with code {code}"),
        ProcessExit::Signal(signal) => format!("it was killed by signal {signal}"),
        ProcessExit::TimedOut | ProcessExit::Cancelled => "it was ended".to_owned(),
    };
    let text = stderr.text();
    let mut lines: Vec<_> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .rev()
        .take(MAX_STDERR_LINES)
        .collect();
    lines.reverse();
    let output = lines.join("\n");
    let skipped = output.chars().count().saturating_sub(MAX_STDERR_CHARS);
    let output: String = output.chars().skip(skipped).collect();
    if output.is_empty() { how } else { format!("{how}, and said: {output}") }
}

/// When a server hangs that was sent a request at `asked`.
fn hang_deadline(asked: Instant, stage: &ReadinessStage) -> Instant {
    match stage {
        // A request from before it had read the project is answered only after that.
        ReadinessStage::Ready { since } => asked.max(*since) + HANG_TIMEOUT,
        ReadinessStage::Starting { .. } => asked + HANG_TIMEOUT,
        ReadinessStage::Indexing { .. } => asked + INDEXING_HANG_TIMEOUT,
    }
}

/// Checks at intervals whether the server answers, until it is dropped.
pub(super) fn watch_for_hang(server: &Arc<LanguageServer>) {
    let server: Weak<LanguageServer> = Arc::downgrade(server);
    tokio::spawn(async move {
        let mut checks = interval(SERVER_CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            checks.tick().await;
            let Some(server) = server.upgrade() else { return };
            let waiting = server.peer.oldest_unanswered();
            let stage = server.inner.lock().readiness.stage(Instant::now());
            let hung = waiting.filter(|waiting| hang_deadline(waiting.since, &stage) <= Instant::now());
            let has_changed = server.inner.lock().hung != hung.map(|waiting| waiting.method);
            if has_changed {
                server.inner.change(|record| record.hung = hung.map(|waiting| waiting.method));
            }
        }
    });
}
