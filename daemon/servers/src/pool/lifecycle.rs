//! The life of one server, in a task of its own: started, watched over, begun again after a pause, given up, ended.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::PoolInner;
use super::slot::{RunningServer, ServerSlot, SlotCommand, SlotState};
use super::watched_root::WatchedRoot;
use crate::server::{LanguageServer, LanguageServerState, ServerStartError};
use crate::time_limits::{SHUTDOWN_GRACE, STEADY_UPTIME, WATCH_TIMEOUT};

/// What ends one run of a server.
enum ServerRunEnd {
    /// `0` completes "it has ended: …".
    Crashed(String),
    Commanded(SlotCommand),
    Closed,
}

pub(super) async fn run_lifecycle(
    shared: Weak<PoolInner>,
    slot: Arc<ServerSlot>,
    mut orders: Receiver<SlotCommand>,
    closed: CancellationToken,
) {
    let mut failures = 0;
    loop {
        let began = Instant::now();
        let over = run(&shared, &slot, &mut orders, &closed).await;
        let Some(pool) = shared.upgrade() else { return };
        match over {
            ServerRunEnd::Closed => {
                set(&pool, &slot, SlotState::Stopping);
                return;
            }
            ServerRunEnd::Commanded(SlotCommand::Restart | SlotCommand::Keep) => {
                tracing::info!(ms = began.elapsed().as_millis(), "server is restarted");
                failures = 0;
            }
            ServerRunEnd::Commanded(SlotCommand::Stop) => {
                // Under the lock under which others need it, so that nobody is left with a server that is gone.
                let mut slots = pool.slots();
                let mut is_wanted = false;
                while let Ok(order) = orders.try_recv() {
                    is_wanted = matches!(order, SlotCommand::Keep | SlotCommand::Restart);
                }
                if !is_wanted {
                    tracing::info!(ms = began.elapsed().as_millis(), "server stopped: nobody needs it");
                    slots.remove(&slot.key());
                    drop(slots);
                    pool.changed();
                    return;
                }
                drop(slots);
                failures = 0;
            }
            ServerRunEnd::Commanded(SlotCommand::GiveUp(why)) => {
                tracing::warn!(why, "server exceeds a limit");
                set(&pool, &slot, SlotState::Failed { why });
                drop(pool);
                if !rest(None, &mut orders, &closed).await {
                    return leave(&shared, &slot);
                }
                failures = 0;
            }
            ServerRunEnd::Crashed(why) => {
                failures = if began.elapsed() >= STEADY_UPTIME { 1 } else { failures + 1 };
                tracing::warn!(failures, ms = began.elapsed().as_millis(), "server crashed");
                let limits = pool.limits;
                let until = (failures < limits.failures).then(|| {
                    Instant::now() + limits.restart_delay * 4_u32.saturating_pow(failures.saturating_sub(1))
                });
                let life = match until {
                    Some(until) => SlotState::Backoff { why, until },
                    None => {
                        SlotState::Failed { why: format!("it broke {failures} times; the last time: {why}") }
                    }
                };
                set(&pool, &slot, life);
                drop(pool);
                if !rest(until, &mut orders, &closed).await {
                    return leave(&shared, &slot);
                }
            }
        }
        let Some(pool) = shared.upgrade() else { return };
        set(&pool, &slot, SlotState::Starting);
    }
}

/// Without a process, it only gives its place away.
fn leave(shared: &Weak<PoolInner>, slot: &ServerSlot) {
    if let Some(pool) = shared.upgrade() {
        pool.slots().remove(&slot.key());
        pool.changed();
    }
}

fn set(pool: &PoolInner, slot: &ServerSlot, life: SlotState) {
    // Without the reasons: the last words of a server may quote the files that it read.
    match &life {
        SlotState::Starting => {}
        SlotState::Running(alive) => tracing::info!(group = alive.server.process_group(), "server started"),
        SlotState::Backoff { until, .. } => {
            let delay_ms = until.saturating_duration_since(Instant::now()).as_millis();
            tracing::warn!(delay_ms, "server is restarted after a pause");
        }
        SlotState::Failed { .. } => tracing::warn!("server is given up"),
        SlotState::Stopping => tracing::info!("server is stopping"),
    }
    slot.state.send_replace(life);
    pool.changed();
}

/// One run, from the start to its end. When it is over there is no process.
async fn run(
    shared: &Weak<PoolInner>,
    slot: &Arc<ServerSlot>,
    orders: &mut Receiver<SlotCommand>,
    closed: &CancellationToken,
) -> ServerRunEnd {
    let Some(pool) = shared.upgrade() else { return ServerRunEnd::Closed };
    let (processes, places) = (pool.processes.clone(), Arc::clone(&pool.places));
    drop(pool);
    let _place = tokio::select! {
        biased;
        () = closed.cancelled() => return ServerRunEnd::Closed,
        over = ordered(orders) => return over,
        place = places.acquire_owned() => place,
    };
    let Some(root) = shared.upgrade().map(|pool| pool.watch_root(&slot.launch.root)) else {
        return ServerRunEnd::Closed;
    };
    // What is changed from now on it is told; what was changed before it reads.
    let _ = root.watcher.take_changes(Instant::now() + WATCH_TIMEOUT).await;
    tracing::info!("server is starting");
    let starting = LanguageServer::start(slot.launch.clone(), &processes);
    let server = tokio::select! {
        biased;
        () = closed.cancelled() => return ServerRunEnd::Closed,
        over = ordered(orders) => return over,
        started = starting => match started {
            Ok(server) => server,
            Err(error) => {
                tracing::warn!(cause = start_error_name(&error), "server did not start");
                return ServerRunEnd::Crashed(error.to_string());
            }
        },
    };
    let Some(pool) = shared.upgrade() else { return ServerRunEnd::Closed };
    let alive = Arc::new(RunningServer { server: Arc::clone(&server), root, since: Instant::now() });
    hold_again(&pool, slot, &alive);
    set(&pool, slot, SlotState::Running(Arc::clone(&alive)));
    drop(pool);
    let over = tokio::select! {
        biased;
        () = closed.cancelled() => ServerRunEnd::Closed,
        over = ordered(orders) => over,
        why = broken(shared, &server) => ServerRunEnd::Crashed(why),
    };
    if !matches!(over, ServerRunEnd::Crashed(_))
        && let Some(pool) = shared.upgrade()
    {
        set(&pool, slot, SlotState::Stopping);
    }
    // One that broke is not asked for anything any more.
    let grace = if matches!(over, ServerRunEnd::Crashed(_)) { Duration::ZERO } else { SHUTDOWN_GRACE };
    server.shut_down(grace).await;
    let held = slot.documents().paths();
    held.iter().for_each(|path| alive.root.watcher.untrack(path));
    over
}

fn start_error_name(error: &ServerStartError) -> &'static str {
    match error {
        ServerStartError::Process(_) => "no process",
        ServerStartError::Ended { .. } => "it exited",
        ServerStartError::InitializeFailed(_) => "initialize failed",
        ServerStartError::InitializeTimedOut(_) => "initialize timed out",
    }
}

/// What it held when it ended, and what was to be held when it was not there yet.
fn hold_again(pool: &PoolInner, slot: &ServerSlot, alive: &Arc<RunningServer>) {
    let held = slot.documents().paths();
    for path in held {
        alive.root.watcher.track(&path);
        slot.refresh(alive, &*pool.texts, &path);
    }
    slot.documents().bump_generation();
}

/// An order that ends a run.
async fn ordered(orders: &mut Receiver<SlotCommand>) -> ServerRunEnd {
    loop {
        match orders.recv().await {
            Some(SlotCommand::Keep) => {}
            Some(order) => return ServerRunEnd::Commanded(order),
            None => return ServerRunEnd::Closed,
        }
    }
}

/// Waits until a server has ended by itself or does not answer any more, and passes on what it is about meanwhile.
async fn broken(shared: &Weak<PoolInner>, server: &LanguageServer) -> String {
    let mut states = server.subscribe_state();
    let (started, mut was_ready) = (Instant::now(), false);
    loop {
        let is_ready = match states.borrow_and_update().clone() {
            LanguageServerState::Ended { why } => return why,
            LanguageServerState::Hung { request } => {
                tracing::warn!(request, "server does not answer");
                return format!("it did not answer {request}");
            }
            LanguageServerState::Ready => true,
            LanguageServerState::Indexing { .. } => false,
        };
        if is_ready != was_ready {
            let ms = started.elapsed().as_millis();
            tracing::info!(ms, "{}", if is_ready { "server is ready" } else { "server is indexing again" });
            was_ready = is_ready;
        }
        if let Some(pool) = shared.upgrade() {
            pool.changed();
        }
        if states.changed().await.is_err() {
            return "it is gone".to_owned();
        }
    }
}

/// Waits for the time, if there is one, or for somebody who wants it again. Tells whether to go on.
async fn rest(
    until: Option<Instant>,
    orders: &mut Receiver<SlotCommand>,
    closed: &CancellationToken,
) -> bool {
    let time = async {
        match until {
            Some(until) => sleep_until(until).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(time);
    loop {
        tokio::select! {
            biased;
            () = closed.cancelled() => return false,
            order = orders.recv() => match order {
                Some(SlotCommand::Restart) => return true,
                Some(SlotCommand::Stop) => return false,
                Some(_) => {}
                None => return false,
            },
            () = &mut time => return true,
        }
    }
}

impl PoolInner {
    /// The one that watches a root, for as long as a server or a session has it.
    pub(super) fn watch_root(&self, path: &std::path::Path) -> Arc<WatchedRoot> {
        let mut roots = self.roots.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        roots.retain(|_, root| root.strong_count() > 0);
        if let Some(root) = roots.get(path).and_then(Weak::upgrade) {
            return root;
        }
        let root = Arc::new(WatchedRoot::begin(path, self.limits.folders));
        roots.insert(path.to_owned(), Arc::downgrade(&root));
        root
    }
}
