//! The lifecycle task of one server: start, watch, restart after a delay, give up, stop.

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

/// Why a run of a server ended.
enum ServerRunEnd {
    /// The text completes "it has ended: …".
    Crashed(String),
    Commanded(SlotCommand),
    Closed,
}

pub(super) async fn run_lifecycle(
    shared: Weak<PoolInner>,
    slot: Arc<ServerSlot>,
    mut commands: Receiver<SlotCommand>,
    closed: CancellationToken,
) {
    let mut failures = 0;
    loop {
        let began = Instant::now();
        let end = run(&shared, &slot, &mut commands, &closed).await;
        let Some(pool) = shared.upgrade() else { return };
        match end {
            ServerRunEnd::Closed => {
                set_state(&pool, &slot, SlotState::Stopping);
                return;
            }
            ServerRunEnd::Commanded(SlotCommand::Restart | SlotCommand::Keep) => {
                tracing::info!(ms = began.elapsed().as_millis(), "server is restarted");
                failures = 0;
            }
            ServerRunEnd::Commanded(SlotCommand::Stop) => {
                // Under the lock of `get_or_start`, so that no caller is left with a server that is gone.
                let mut slots = pool.slots();
                let mut is_wanted = false;
                while let Ok(command) = commands.try_recv() {
                    is_wanted = matches!(command, SlotCommand::Keep | SlotCommand::Restart);
                }
                if !is_wanted {
                    tracing::info!(ms = began.elapsed().as_millis(), "server stopped: idle");
                    slots.remove(&slot.key());
                    drop(slots);
                    pool.notify_changed();
                    return;
                }
                drop(slots);
                failures = 0;
            }
            ServerRunEnd::Commanded(SlotCommand::GiveUp(why)) => {
                tracing::warn!(why, "server exceeds a limit");
                set_state(&pool, &slot, SlotState::Failed { why });
                drop(pool);
                if !wait_for_restart(None, &mut commands, &closed).await {
                    return remove_slot(&shared, &slot);
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
                let state = match until {
                    Some(until) => SlotState::Backoff { why, until },
                    None => SlotState::Failed {
                        why: format!("it crashed {failures} times; the last time: {why}"),
                    },
                };
                set_state(&pool, &slot, state);
                drop(pool);
                if !wait_for_restart(until, &mut commands, &closed).await {
                    return remove_slot(&shared, &slot);
                }
            }
        }
        let Some(pool) = shared.upgrade() else { return };
        set_state(&pool, &slot, SlotState::Starting);
    }
}

/// Removes a slot that has no process.
fn remove_slot(shared: &Weak<PoolInner>, slot: &ServerSlot) {
    if let Some(pool) = shared.upgrade() {
        pool.slots().remove(&slot.key());
        pool.notify_changed();
    }
}

fn set_state(pool: &PoolInner, slot: &ServerSlot, state: SlotState) {
    // Logged without the reasons: a server's last output may quote the files that it read.
    match &state {
        SlotState::Starting => {}
        SlotState::Running(alive) => tracing::info!(group = alive.server.process_group(), "server started"),
        SlotState::Backoff { until, .. } => {
            let delay_ms = until.saturating_duration_since(Instant::now()).as_millis();
            tracing::warn!(delay_ms, "server is restarted after a pause");
        }
        SlotState::Failed { .. } => tracing::warn!("server is given up"),
        SlotState::Stopping => tracing::info!("server is stopping"),
    }
    slot.state.send_replace(state);
    pool.notify_changed();
}

/// One run of the server. When it returns there is no process.
async fn run(
    shared: &Weak<PoolInner>,
    slot: &Arc<ServerSlot>,
    commands: &mut Receiver<SlotCommand>,
    closed: &CancellationToken,
) -> ServerRunEnd {
    let Some(pool) = shared.upgrade() else { return ServerRunEnd::Closed };
    let (processes, server_permits) = (pool.processes.clone(), Arc::clone(&pool.server_permits));
    drop(pool);
    let _permit = tokio::select! {
        biased;
        () = closed.cancelled() => return ServerRunEnd::Closed,
        end = receive_command(commands) => return end,
        permit = server_permits.acquire_owned() => permit,
    };
    let Some(root) = shared.upgrade().map(|pool| pool.watch_root(&slot.launch.root)) else {
        return ServerRunEnd::Closed;
    };
    // The server reads earlier changes itself. Later ones are sent to it.
    let _ = root.watcher.take_changes(Instant::now() + WATCH_TIMEOUT).await;
    tracing::info!("server is starting");
    let starting = LanguageServer::start(slot.launch.clone(), &processes);
    let server = tokio::select! {
        biased;
        () = closed.cancelled() => return ServerRunEnd::Closed,
        end = receive_command(commands) => return end,
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
    reopen_documents(&pool, slot, &alive);
    set_state(&pool, slot, SlotState::Running(Arc::clone(&alive)));
    drop(pool);
    let end = tokio::select! {
        biased;
        () = closed.cancelled() => ServerRunEnd::Closed,
        end = receive_command(commands) => end,
        why = wait_for_crash(shared, &server) => ServerRunEnd::Crashed(why),
    };
    if !matches!(end, ServerRunEnd::Crashed(_))
        && let Some(pool) = shared.upgrade()
    {
        set_state(&pool, slot, SlotState::Stopping);
    }
    // A crashed server gets no `shutdown` request.
    let grace = if matches!(end, ServerRunEnd::Crashed(_)) { Duration::ZERO } else { SHUTDOWN_GRACE };
    server.shut_down(grace).await;
    let open = slot.documents().paths();
    open.iter().for_each(|path| alive.root.watcher.untrack(path));
    end
}

fn start_error_name(error: &ServerStartError) -> &'static str {
    match error {
        ServerStartError::Process(_) => "no process",
        ServerStartError::Sandbox(_) => "no sandbox",
        ServerStartError::Ended { .. } => "it exited",
        ServerStartError::InitializeFailed(_) => "initialize failed",
        ServerStartError::InitializeTimedOut(_) => "initialize timed out",
    }
}

/// Opens the documents of the previous run, and those that were checked before it started.
fn reopen_documents(pool: &PoolInner, slot: &ServerSlot, alive: &Arc<RunningServer>) {
    let open = slot.documents().paths();
    for path in open {
        alive.root.watcher.track(&path);
        slot.refresh(alive, &*pool.texts, &path);
    }
    slot.documents().bump_generation();
}

/// Waits for a command that ends a run.
async fn receive_command(commands: &mut Receiver<SlotCommand>) -> ServerRunEnd {
    loop {
        match commands.recv().await {
            Some(SlotCommand::Keep) => {}
            Some(command) => return ServerRunEnd::Commanded(command),
            None => return ServerRunEnd::Closed,
        }
    }
}

/// Waits until a server has exited by itself or does not answer, and passes on its state meanwhile.
async fn wait_for_crash(shared: &Weak<PoolInner>, server: &LanguageServer) -> String {
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
            pool.notify_changed();
        }
        if states.changed().await.is_err() {
            return "it is gone".to_owned();
        }
    }
}

/// Waits until `until`, or for a command. Returns whether to restart.
async fn wait_for_restart(
    until: Option<Instant>,
    commands: &mut Receiver<SlotCommand>,
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
            command = commands.recv() => match command {
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
    /// The watcher of a root. It lives as long as a server or a session uses it.
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
