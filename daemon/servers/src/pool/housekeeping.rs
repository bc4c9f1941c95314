//! Stops unused servers and those that use too much memory, and restarts those whose sandbox is stale.

use std::collections::HashMap;
use std::sync::Weak;

use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::slot::{SlotCommand, SlotState};
use super::{PoolInner, memory};
use crate::time_limits::SERVER_CHECK_INTERVAL;

pub(super) async fn run_housekeeping(shared: Weak<PoolInner>, closed: CancellationToken) {
    let mut look = interval(SERVER_CHECK_INTERVAL);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = closed.cancelled() => return,
            _ = look.tick() => {}
        }
        let Some(pool) = shared.upgrade() else { return };
        stop_idle(&pool);
        restart_stale(&pool);
        make_room(&pool);
        let groups: Vec<i32> =
            pool.all_slots().iter().filter_map(|slot| slot.running()?.server.process_group()).collect();
        drop(pool);
        // This reads a few hundred small files.
        let memory_used =
            tokio::task::spawn_blocking(move || memory::memory_by_group(&groups)).await.unwrap_or_default();
        let Some(pool) = shared.upgrade() else { return };
        stop_over_limit(&pool, &memory_used);
    }
}

fn stop_idle(pool: &PoolInner) {
    let now = Instant::now();
    for slot in pool.all_slots() {
        let idle = if slot.is_redundant() { pool.limits.idle_redundant } else { pool.limits.idle };
        if slot.running().is_some() && now.duration_since(slot.last_used()) >= idle && slot.is_idle() {
            slot.send_command(SlotCommand::Stop);
        }
    }
}

/// `cargo clean` removes what a server builds in.
fn restart_stale(pool: &PoolInner) {
    for slot in pool.all_slots() {
        if slot.running().is_some_and(|alive| alive.server.has_stale_sandbox()) {
            slot.send_command(SlotCommand::Restart);
        }
    }
}

/// A server that needs a permit while none is free has another one stopped. Two may choose the same one, or one that is
/// just being used. So as long as any waits, the least recently used servers are stopped, one for each.
fn make_room(pool: &PoolInner) {
    if pool.server_permits.available_permits() > 0 {
        return;
    }
    let slots = pool.all_slots();
    let (mut running, mut ending, mut starting) = (Vec::new(), 0_usize, 0_usize);
    for slot in slots {
        match slot.state() {
            SlotState::Running(_) => running.push(slot),
            SlotState::Stopping => ending += 1,
            SlotState::Starting => starting += 1,
            SlotState::Backoff { .. } | SlotState::Failed { .. } => {}
        }
    }
    // Starting servers that do not wait hold the remaining permits.
    let waiting = (starting + running.len() + ending).saturating_sub(pool.limits.servers);
    running.sort_by_key(|slot| slot.last_used());
    let idle = running.into_iter().filter(|slot| slot.is_idle());
    idle.take(waiting.saturating_sub(ending)).for_each(|slot| _ = slot.send_command(SlotCommand::Stop));
}

fn stop_over_limit(pool: &PoolInner, memory_used: &HashMap<i32, u64>) {
    for slot in pool.all_slots() {
        let Some(alive) = slot.running() else { continue };
        let memory_used =
            alive.server.process_group().and_then(|group| memory_used.get(&group).copied()).unwrap_or(0);
        if memory_used > pool.limits.memory {
            slot.send_command(SlotCommand::GiveUp(format!(
                "it used {} MB of memory; the limit is {} MB",
                memory_used >> 20,
                pool.limits.memory >> 20
            )));
        }
    }
}
