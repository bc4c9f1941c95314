//! The life of one server, in a task of its own: started, watched over, begun again after a pause, given up, ended.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::root::Root;
use super::slot::{Alive, Life, Order, Slot};
use crate::server::{Server, State};

/// How long a server has to say goodbye.
const GRACE: Duration = Duration::from_secs(2);
/// How long it is waited until a project is watched, before its server starts.
const WATCHING: Duration = Duration::from_secs(1);
/// A server that ran so long before it broke has broken for the first time.
const LONG: Duration = Duration::from_secs(600);

/// What ends one run of a server.
enum Over {
    /// `0` completes "it has ended: …".
    Broke(String),
    Ordered(Order),
    Closed,
}

pub(super) async fn live(
    shared: Weak<Shared>,
    slot: Arc<Slot>,
    mut orders: Receiver<Order>,
    closed: CancellationToken,
) {
    let mut failures = 0;
    loop {
        let began = Instant::now();
        let over = run(&shared, &slot, &mut orders, &closed).await;
        let Some(pool) = shared.upgrade() else { return };
        match over {
            Over::Closed => {
                set(&pool, &slot, Life::Ending);
                return;
            }
            Over::Ordered(Order::Restart | Order::Want) => failures = 0,
            Over::Ordered(Order::Stop) => {
                // Under the lock under which others need it, so that nobody is left with a server that is gone.
                let mut slots = pool.slots();
                let mut is_wanted = false;
                while let Ok(order) = orders.try_recv() {
                    is_wanted = matches!(order, Order::Want | Order::Restart);
                }
                if !is_wanted {
                    slots.remove(&slot.key());
                    drop(slots);
                    pool.changed();
                    return;
                }
                drop(slots);
                failures = 0;
            }
            Over::Ordered(Order::GiveUp(why)) => {
                set(&pool, &slot, Life::GivenUp { why });
                drop(pool);
                if !rest(None, &mut orders, &closed).await {
                    return leave(&shared, &slot);
                }
                failures = 0;
            }
            Over::Broke(why) => {
                failures = if began.elapsed() >= LONG { 1 } else { failures + 1 };
                let limits = pool.limits;
                let until = (failures < limits.failures).then(|| {
                    Instant::now() + limits.pause * 4_u32.saturating_pow(failures.saturating_sub(1))
                });
                let life = match until {
                    Some(until) => Life::Resting { why, until },
                    None => Life::GivenUp { why: format!("it broke {failures} times; the last time: {why}") },
                };
                set(&pool, &slot, life);
                drop(pool);
                if !rest(until, &mut orders, &closed).await {
                    return leave(&shared, &slot);
                }
            }
        }
        let Some(pool) = shared.upgrade() else { return };
        set(&pool, &slot, Life::Starting);
    }
}

/// Without a process, it only gives its place away.
fn leave(shared: &Weak<Shared>, slot: &Slot) {
    if let Some(pool) = shared.upgrade() {
        pool.slots().remove(&slot.key());
        pool.changed();
    }
}

fn set(pool: &Shared, slot: &Slot, life: Life) {
    slot.life.send_replace(life);
    pool.changed();
}

/// One run, from the start to its end. When it is over there is no process.
async fn run(
    shared: &Weak<Shared>,
    slot: &Arc<Slot>,
    orders: &mut Receiver<Order>,
    closed: &CancellationToken,
) -> Over {
    let Some(pool) = shared.upgrade() else { return Over::Closed };
    let (processes, places) = (pool.processes.clone(), Arc::clone(&pool.places));
    drop(pool);
    let _place = tokio::select! {
        biased;
        () = closed.cancelled() => return Over::Closed,
        over = ordered(orders) => return over,
        place = places.acquire_owned() => place,
    };
    let Some(root) = shared.upgrade().map(|pool| pool.root(&slot.launch.root)) else { return Over::Closed };
    // What is changed from now on it is told; what was changed before it reads.
    let _ = root.watched.settled(Instant::now() + WATCHING).await;
    let starting = Server::start(slot.launch.clone(), &processes);
    let server = tokio::select! {
        biased;
        () = closed.cancelled() => return Over::Closed,
        over = ordered(orders) => return over,
        started = starting => match started {
            Ok(server) => server,
            Err(error) => return Over::Broke(error.to_string()),
        },
    };
    let Some(pool) = shared.upgrade() else { return Over::Closed };
    let alive = Arc::new(Alive { server: Arc::clone(&server), root, since: Instant::now() });
    hold_again(&pool, slot, &alive);
    set(&pool, slot, Life::Running(Arc::clone(&alive)));
    drop(pool);
    let over = tokio::select! {
        biased;
        () = closed.cancelled() => Over::Closed,
        over = ordered(orders) => over,
        why = broken(shared, &server) => Over::Broke(why),
    };
    if !matches!(over, Over::Broke(_))
        && let Some(pool) = shared.upgrade()
    {
        set(&pool, slot, Life::Ending);
    }
    // One that broke is not asked for anything any more.
    let grace = if matches!(over, Over::Broke(_)) { Duration::ZERO } else { GRACE };
    server.end(grace).await;
    let held = slot.documents().paths();
    held.iter().for_each(|path| alive.root.watched.let_go(path));
    over
}

/// What it held when it ended, and what was to be held when it was not there yet.
fn hold_again(pool: &Shared, slot: &Slot, alive: &Arc<Alive>) {
    let held = slot.documents().paths();
    for path in held {
        alive.root.watched.hold(&path);
        slot.refresh(alive, &*pool.texts, &path);
    }
    slot.documents().turn();
}

/// An order that ends a run.
async fn ordered(orders: &mut Receiver<Order>) -> Over {
    loop {
        match orders.recv().await {
            Some(Order::Want) => {}
            Some(order) => return Over::Ordered(order),
            None => return Over::Closed,
        }
    }
}

/// Waits until a server has ended by itself or does not answer any more, and passes on what it is about meanwhile.
async fn broken(shared: &Weak<Shared>, server: &Server) -> String {
    let mut states = server.states();
    loop {
        match states.borrow_and_update().clone() {
            State::Ended { why } => return why,
            State::Hung { request } => return format!("it did not answer {request}"),
            State::Ready | State::Indexing { .. } => {}
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
async fn rest(until: Option<Instant>, orders: &mut Receiver<Order>, closed: &CancellationToken) -> bool {
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
                Some(Order::Restart) => return true,
                Some(Order::Stop) => return false,
                Some(_) => {}
                None => return false,
            },
            () = &mut time => return true,
        }
    }
}

impl Shared {
    /// The one that watches a root, for as long as a server or a session has it.
    pub(super) fn root(&self, path: &std::path::Path) -> Arc<Root> {
        let mut roots = self.roots.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        roots.retain(|_, root| root.strong_count() > 0);
        if let Some(root) = roots.get(path).and_then(Weak::upgrade) {
            return root;
        }
        let root = Arc::new(Root::begin(path, self.limits.folders));
        roots.insert(path.to_owned(), Arc::downgrade(&root));
        root
    }
}
