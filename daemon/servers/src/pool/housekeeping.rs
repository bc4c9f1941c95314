//! Looking after the servers: those that nobody asks end, and those that take too much memory.

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
        end_idle(&pool);
        make_room(&pool);
        let groups: Vec<i32> =
            pool.all().iter().filter_map(|slot| slot.running()?.server.process_group()).collect();
        drop(pool);
        // It reads a few hundred small files.
        let taken =
            tokio::task::spawn_blocking(move || memory::memory_by_group(&groups)).await.unwrap_or_default();
        let Some(pool) = shared.upgrade() else { return };
        end_greedy(&pool, &taken);
    }
}

fn end_idle(pool: &PoolInner) {
    let now = Instant::now();
    for slot in pool.all() {
        let idle = if slot.is_redundant() { pool.limits.idle_redundant } else { pool.limits.idle };
        if slot.running().is_some() && now.duration_since(slot.last_used()) >= idle && slot.is_free() {
            slot.send_command(SlotCommand::Stop);
        }
    }
}

/// Whoever wants a server while all places are taken has another one end, which two may want of the same one, or in vain where it is
/// asked something just then. So as long as somebody waits, those that were used least end, one for each.
fn make_room(pool: &PoolInner) {
    if pool.places.available_permits() > 0 {
        return;
    }
    let slots = pool.all();
    let (mut placed, mut ending, mut starting) = (Vec::new(), 0_usize, 0_usize);
    for slot in slots {
        match slot.state() {
            SlotState::Running(_) => placed.push(slot),
            SlotState::Stopping => ending += 1,
            SlotState::Starting => starting += 1,
            SlotState::Backoff { .. } | SlotState::Failed { .. } => {}
        }
    }
    // Those that start and do not wait have the places that are left.
    let waiting = (starting + placed.len() + ending).saturating_sub(pool.limits.servers);
    placed.sort_by_key(|slot| slot.last_used());
    let free = placed.into_iter().filter(|slot| slot.is_free());
    free.take(waiting.saturating_sub(ending)).for_each(|slot| _ = slot.send_command(SlotCommand::Stop));
}

fn end_greedy(pool: &PoolInner, taken: &HashMap<i32, u64>) {
    for slot in pool.all() {
        let Some(alive) = slot.running() else { continue };
        let taken = alive.server.process_group().and_then(|group| taken.get(&group).copied()).unwrap_or(0);
        if taken > pool.limits.memory {
            slot.send_command(SlotCommand::GiveUp(format!(
                "it took {} MB of memory, and may take {} MB",
                taken >> 20,
                pool.limits.memory >> 20
            )));
        }
    }
}
