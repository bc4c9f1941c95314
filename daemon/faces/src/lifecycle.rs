//! The daemon's life: it listens, serves whoever comes, and ends when it is told to or when nobody needs it.
//!
//! What is served is the host's business; here is only when. Clients and turns are counted in channels that tell of a
//! change; only the socket is looked at now and then.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use copydesk_protocol::daemon::StopTiming;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use copydesk_rpc::transport::{DaemonListener, SocketConnection};

#[cfg(test)]
mod tests;

/// Clients that are told of the end get so long to finish what they were being told.
const GRACE: Duration = Duration::from_secs(2);

/// A command that does not listen is killed after its grace; only what hangs in the system takes as long as this.
const LAST_WORK: Duration = Duration::from_secs(20);

/// After a failed accept (no descriptors left) the next one waits.
const PAUSE: Duration = Duration::from_millis(100);

pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What the daemon is there for.
pub trait DaemonService: Send + Sync {
    /// Talks with one client until it goes, or until `life.ending()`: then what is still to be told is told.
    fn serve(&self, connection: SocketConnection, life: DaemonHandle) -> BoxFuture<()>;

    /// How many turns run.
    fn running_turns(&self) -> watch::Receiver<usize>;

    /// Ends what is at work, down to the last process; clients are served until that is done.
    fn shut_down(&self) -> BoxFuture<()>;
}

/// What the host knows of the daemon's life. A clone is the same life.
#[derive(Debug, Clone)]
pub struct DaemonHandle {
    clients: watch::Sender<usize>,
    stop: watch::Sender<Option<StopTiming>>,
    shutdown: CancellationToken,
}

impl DaemonHandle {
    /// A life of its own. Of a host inside another process nobody asks the end.
    pub fn new() -> Self {
        Self {
            clients: watch::Sender::new(0),
            stop: watch::Sender::new(None),
            shutdown: CancellationToken::new(),
        }
    }

    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Asks for the end. What was asked first is not softened: `now` stays `now`.
    pub fn stop(&self, when: StopTiming) {
        self.stop.send_if_modified(|stop| match (*stop, when) {
            (Some(StopTiming::Now), _) | (Some(StopTiming::Idle), StopTiming::Idle) => false,
            _ => {
                *stop = Some(when);
                true
            }
        });
    }

    /// Cancelled when the end has come and nothing is at work any more: connections are to be closed.
    pub fn shutdown_token(&self) -> &CancellationToken {
        &self.shutdown
    }
}

/// A client is counted as long as this lives, however its service ends.
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

/// Serves until the end. `idle`: so long without a client and without a turn is the end too. `ready` is called when
/// clients and signals are listened to.
pub async fn run(
    host: Arc<dyn DaemonService>,
    listener: DaemonListener,
    idle: Duration,
    ready: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let signals = StopSignals::new()?;
    ready()?;
    let life = DaemonHandle::new();
    let mut services = JoinSet::new();
    {
        let mut end = std::pin::pin!(wait_for_end(&life, host.running_turns(), idle, signals, &listener));
        loop {
            tokio::select! {
                why = &mut end => {
                    tracing::info!(why, "ending");
                    break;
                }
                accepted = listener.accept() => match accepted {
                    Ok(connection) => {
                        let attached = ClientCountGuard::new(&life.clients);
                        let service = host.serve(connection, life.clone());
                        services.spawn(async move {
                            service.await;
                            drop(attached);
                        });
                    }
                    Err(error) => {
                        tracing::error!(%error, "a client could not be accepted");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
                Some(_) = services.join_next() => {}
            }
        }
    }
    // Whoever comes now finds nobody, and starts the next daemon.
    drop(listener);
    if tokio::time::timeout(LAST_WORK, host.shut_down()).await.is_err() {
        tracing::warn!("some of what ran could not be ended in time");
    }
    life.shutdown.cancel();
    let all_done = async { while services.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all_done).await.is_err() {
        tracing::warn!(left = services.len(), "clients were left waiting");
    }
    Ok(())
}

/// From here on they do not end the process by themselves.
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
    life: &DaemonHandle,
    turns: watch::Receiver<usize>,
    idle: Duration,
    signals: StopSignals,
    listener: &DaemonListener,
) -> &'static str {
    tokio::select! {
        () = wait_until_unreachable(life.clients.subscribe(), idle, listener) => "its socket is gone, and nobody can come",
        () = signals.any() => "a signal",
        () = wait_for_stop_request(life.stop.subscribe(), turns.clone()) => "asked to stop",
        () = wait_until_unused(life.clients.subscribe(), turns, idle) => "nobody has needed it for a while",
    }
}

async fn wait_for_stop_request(
    mut stop: watch::Receiver<Option<StopTiming>>,
    mut turns: watch::Receiver<usize>,
) {
    // None of the senders can be gone: the life and the host outlive this.
    let _ = stop.wait_for(Option::is_some).await;
    tokio::select! {
        _ = stop.wait_for(|stop| *stop == Some(StopTiming::Now)) => {}
        _ = turns.wait_for(|turns| *turns == 0) => {}
    }
}

/// A turn may wait for somebody's word; where nobody can come to give it, it would wait for ever.
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
