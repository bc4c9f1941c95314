//! The daemon's lifecycle: it listens, serves clients, and ends when asked to or when unused.
//!
//! The service decides what clients get; this module decides only when the daemon ends. Client and turn counts
//! are watch channels; only the socket is polled.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use copydesk_protocol::daemon::StopTiming;
use copydesk_rpc::transport::{DaemonListener, SocketConnection};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::time_limits::{ACCEPT_RETRY_PAUSE, CLIENTS_SHUTDOWN_TIMEOUT, WORK_SHUTDOWN_TIMEOUT};

#[cfg(test)]
mod tests;

pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What the daemon needs of its one service: how a connection is served, and how the host behind it works and ends. A second
/// face would share the host, so `running_turns` and `shut_down` would have to move to a trait of the host.
pub trait DaemonService: Send + Sync {
    /// Serves one client until it disconnects, or until [`DaemonHandle::shutdown_token`] is cancelled: then it
    /// sends what is still queued.
    fn serve(&self, connection: SocketConnection, daemon: DaemonHandle) -> BoxFuture<()>;

    fn running_turns(&self) -> watch::Receiver<usize>;

    /// Ends all work, down to the last process. Clients are served until then.
    fn shut_down(&self) -> BoxFuture<()>;
}

/// A service's view of the daemon. Clones share one state.
#[derive(Debug, Clone)]
pub struct DaemonHandle {
    clients: watch::Sender<usize>,
    stop: watch::Sender<Option<StopTiming>>,
    shutdown: CancellationToken,
}

/// The handle of a daemon without clients. A host inside another process never gets a request to stop.
impl Default for DaemonHandle {
    fn default() -> Self {
        Self {
            clients: watch::Sender::new(0),
            stop: watch::Sender::new(None),
            shutdown: CancellationToken::new(),
        }
    }
}

impl DaemonHandle {
    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Requests the end. A request is never weakened: `now` stays `now`.
    pub fn stop(&self, when: StopTiming) {
        self.stop.send_if_modified(|stop| match (*stop, when) {
            (Some(StopTiming::Now), _) | (Some(StopTiming::Idle), StopTiming::Idle) => false,
            _ => {
                *stop = Some(when);
                true
            }
        });
    }

    /// Cancelled when all work has ended: the service then closes its connections.
    pub fn shutdown_token(&self) -> &CancellationToken {
        &self.shutdown
    }
}

/// Counts a client while it lives, however its service ends.
struct ClientCountGuard(watch::Sender<usize>);

impl ClientCountGuard {
    fn new(clients: &watch::Sender<usize>) -> Self {
        clients.send_modify(|count| *count += 1);
        Self(clients.clone())
    }
}

impl Drop for ClientCountGuard {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// Serves until the end. The daemon also ends after `idle` without a client and a turn. `ready` is called once
/// the daemon accepts clients and handles signals.
pub async fn run(
    service: Arc<dyn DaemonService>,
    listener: DaemonListener,
    idle: Duration,
    ready: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let signals = StopSignals::new()?;
    ready()?;
    let daemon = DaemonHandle::default();
    let mut connections = JoinSet::new();
    {
        let mut end =
            std::pin::pin!(wait_for_end(&daemon, service.running_turns(), idle, signals, &listener));
        loop {
            tokio::select! {
                reason = &mut end => {
                    tracing::info!(reason, "ending");
                    break;
                }
                accepted = listener.accept() => match accepted {
                    Ok(connection) => {
                        let counted = ClientCountGuard::new(&daemon.clients);
                        let connection = service.serve(connection, daemon.clone());
                        connections.spawn(async move {
                            connection.await;
                            drop(counted);
                        });
                    }
                    Err(error) => {
                        tracing::error!(%error, "could not accept a client");
                        tokio::time::sleep(ACCEPT_RETRY_PAUSE).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }
    // A client that connects now finds no socket, and starts the next daemon.
    drop(listener);
    if tokio::time::timeout(WORK_SHUTDOWN_TIMEOUT, service.shut_down()).await.is_err() {
        tracing::warn!("some work did not end in time");
    }
    daemon.shutdown.cancel();
    let all_done = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(CLIENTS_SHUTDOWN_TIMEOUT, all_done).await.is_err() {
        tracing::warn!(left = connections.len(), "some clients did not receive all messages in time");
    }
    Ok(())
}

/// While it exists, these signals do not end the process by themselves.
struct StopSignals([Signal; 3]);

impl StopSignals {
    fn new() -> io::Result<Self> {
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
        let [terminate, interrupt, hangup] = kinds.map(signal);
        Ok(Self([terminate?, interrupt?, hangup?]))
    }

    async fn any(self) {
        let [mut terminate, mut interrupt, mut hangup] = self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Waits for the first reason to end.
async fn wait_for_end(
    daemon: &DaemonHandle,
    turns: watch::Receiver<usize>,
    idle: Duration,
    signals: StopSignals,
    listener: &DaemonListener,
) -> &'static str {
    tokio::select! {
        () = wait_until_unreachable(daemon.clients.subscribe(), idle, listener) => "its socket is gone, so no client can connect",
        () = signals.any() => "a signal",
        () = wait_for_stop_request(daemon.stop.subscribe(), turns.clone()) => "asked to stop",
        () = wait_until_unused(daemon.clients.subscribe(), turns, idle) => "unused for a while",
    }
}

async fn wait_for_stop_request(
    mut stop: watch::Receiver<Option<StopTiming>>,
    mut turns: watch::Receiver<usize>,
) {
    // The senders outlive this: the daemon and the service hold them.
    let _ = stop.wait_for(Option::is_some).await;
    tokio::select! {
        _ = stop.wait_for(|stop| *stop == Some(StopTiming::Now)) => {}
        _ = turns.wait_for(|turns| *turns == 0) => {}
    }
}

/// A turn may wait for a user's answer. Without a socket no client can give it, so the turn would wait forever.
async fn wait_until_unreachable(
    mut clients: watch::Receiver<usize>,
    idle: Duration,
    listener: &DaemonListener,
) {
    loop {
        let _ = clients.wait_for(|clients| *clients == 0).await;
        tokio::select! {
            _ = clients.changed() => {}
            () = tokio::time::sleep(idle) => {
                if !listener.is_reachable() {
                    return;
                }
            }
        }
    }
}

async fn wait_until_unused(
    mut clients: watch::Receiver<usize>,
    mut turns: watch::Receiver<usize>,
    idle: Duration,
) {
    loop {
        let _ = clients.wait_for(|clients| *clients == 0).await;
        let _ = turns.wait_for(|turns| *turns == 0).await;
        if *clients.borrow_and_update() > 0 {
            continue;
        }
        tokio::select! {
            _ = clients.changed() => {}
            _ = turns.changed() => {}
            () = tokio::time::sleep(idle) => return,
        }
    }
}
