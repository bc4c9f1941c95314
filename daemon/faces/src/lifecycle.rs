//! The daemon's life: it listens, serves whoever comes, and ends when it is told to or when nobody needs it.
//!
//! What is served is the host's business; here is only when. Clients and turns are counted in channels that tell of a
//! change; only the socket is looked at now and then.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use copydesk_protocol::desk::StopWhen;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use copydesk_rpc::transport::{Connection, Listener};

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
pub trait Host: Send + Sync {
    /// Talks with one client until it goes, or until `life.ending()`: then what is still to be told is told.
    fn serve(&self, connection: Connection, life: Life) -> BoxFuture<()>;

    /// How many turns run.
    fn turns(&self) -> watch::Receiver<usize>;

    /// Ends what is at work, down to the last process; clients are served until that is done.
    fn end(&self) -> BoxFuture<()>;
}

/// What the host knows of the daemon's life. A clone is the same life.
#[derive(Debug, Clone)]
pub struct Life {
    clients: watch::Sender<usize>,
    stop: watch::Sender<Option<StopWhen>>,
    ending: CancellationToken,
}

impl Life {
    fn new() -> Self {
        Self {
            clients: watch::Sender::new(0),
            stop: watch::Sender::new(None),
            ending: CancellationToken::new(),
        }
    }

    pub fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Asks for the end. What was asked first is not softened: `now` stays `now`.
    pub fn stop(&self, when: StopWhen) {
        self.stop.send_if_modified(|stop| match (*stop, when) {
            (Some(StopWhen::Now), _) | (Some(StopWhen::Idle), StopWhen::Idle) => false,
            _ => {
                *stop = Some(when);
                true
            }
        });
    }

    /// Cancelled when the end has come and nothing is at work any more: connections are to be closed.
    pub fn ending(&self) -> &CancellationToken {
        &self.ending
    }
}

/// A client is counted as long as this lives, however its service ends.
struct Attached(watch::Sender<usize>);

impl Attached {
    fn new(clients: &watch::Sender<usize>) -> Self {
        clients.send_modify(|count| *count += 1);
        Self(clients.clone())
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// Serves until the end. `idle`: so long without a client and without a turn is the end too. `ready` is called when
/// clients and signals are listened to.
pub async fn run(
    host: Arc<dyn Host>,
    listener: Listener,
    idle: Duration,
    ready: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let signals = Signals::new()?;
    ready()?;
    let life = Life::new();
    let mut services = JoinSet::new();
    {
        let mut end = std::pin::pin!(end(&life, host.turns(), idle, signals, &listener));
        loop {
            tokio::select! {
                why = &mut end => {
                    tracing::info!(why, "ending");
                    break;
                }
                accepted = listener.accept() => match accepted {
                    Ok(connection) => {
                        let attached = Attached::new(&life.clients);
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
    if tokio::time::timeout(LAST_WORK, host.end()).await.is_err() {
        tracing::warn!("some of what ran could not be ended in time");
    }
    life.ending.cancel();
    let all_done = async { while services.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all_done).await.is_err() {
        tracing::warn!(left = services.len(), "clients were left waiting");
    }
    Ok(())
}

/// From here on they do not end the process by themselves.
struct Signals([Signal; 3]);

impl Signals {
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
async fn end(
    life: &Life,
    turns: watch::Receiver<usize>,
    idle: Duration,
    signals: Signals,
    listener: &Listener,
) -> &'static str {
    tokio::select! {
        () = out_of_reach(life.clients.subscribe(), idle, listener) => "its socket is gone, and nobody can come",
        () = signals.any() => "a signal",
        () = stopped(life.stop.subscribe(), turns.clone()) => "asked to stop",
        () = unused(life.clients.subscribe(), turns, idle) => "nobody has needed it for a while",
    }
}

async fn stopped(mut stop: watch::Receiver<Option<StopWhen>>, mut turns: watch::Receiver<usize>) {
    // None of the senders can be gone: the life and the host outlive this.
    let _ = stop.wait_for(Option::is_some).await;
    tokio::select! {
        _ = stop.wait_for(|stop| *stop == Some(StopWhen::Now)) => {}
        _ = turns.wait_for(|turns| *turns == 0) => {}
    }
}

/// A turn may wait for somebody's word; where nobody can come to give it, it would wait for ever.
async fn out_of_reach(mut clients: watch::Receiver<usize>, idle: Duration, listener: &Listener) {
    loop {
        let _ = clients.wait_for(|clients| *clients == 0).await;
        tokio::select! {
            _ = clients.changed() => {}
            () = tokio::time::sleep(idle) => {
                if !listener.can_be_found() {
                    return;
                }
            }
        }
    }
}

async fn unused(mut clients: watch::Receiver<usize>, mut turns: watch::Receiver<usize>, idle: Duration) {
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
