//! Looking after the servers: those that nobody asks end, and those that take too much memory.

use std::collections::HashMap;
use std::sync::Weak;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::slot::Order;
use super::{Shared, memory};

const LOOK: Duration = Duration::from_secs(5);

pub(super) async fn keep(shared: Weak<Shared>, closed: CancellationToken) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = closed.cancelled() => return,
            _ = look.tick() => {}
        }
        let Some(pool) = shared.upgrade() else { return };
        end_idle(&pool);
        let groups: Vec<i32> = pool.all().iter().filter_map(|slot| slot.alive()?.server.group()).collect();
        drop(pool);
        // It reads a few hundred small files.
        let taken = tokio::task::spawn_blocking(move || memory::of_groups(&groups)).await.unwrap_or_default();
        let Some(pool) = shared.upgrade() else { return };
        end_greedy(&pool, &taken);
    }
}

fn end_idle(pool: &Shared) {
    let now = Instant::now();
    for slot in pool.all() {
        if slot.alive().is_some() && now.duration_since(slot.used()) >= pool.limits.idle && slot.is_free() {
            slot.order(Order::Stop);
        }
    }
}

fn end_greedy(pool: &Shared, taken: &HashMap<i32, u64>) {
    for slot in pool.all() {
        let Some(alive) = slot.alive() else { continue };
        let taken = alive.server.group().and_then(|group| taken.get(&group).copied()).unwrap_or(0);
        if taken > pool.limits.memory {
            slot.order(Order::GiveUp(format!(
                "it took {} MB of memory, and may take {} MB",
                taken >> 20,
                pool.limits.memory >> 20
            )));
        }
    }
}
