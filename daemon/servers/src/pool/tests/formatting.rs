//! Texts that are given their form.

use std::time::Duration;

use tokio::time::Instant;

use super::super::{PoolLimits, ServerPhase};
use super::{House, push, soon};
use crate::format::DocumentFormatter as _;
use crate::quirks::{Quirks, ReadinessSignal};
use crate::source::DiagnosticsSource as _;

/// What became of a text, and how long that took. The clock goes on by itself where everybody waits for it.
async fn formed(house: &House, name: &str) -> (Result<Option<String>, String>, Duration) {
    let (besides, path) = (house.pool.excluding(&[]), house.root.join(name));
    tokio::time::pause();
    let before = Instant::now();
    let formed = besides.format_text(&path, "new", before + Duration::from_secs(3)).await;
    let took = before.elapsed();
    tokio::time::resume();
    (formed.map_err(|error| error.why), took)
}

#[tokio::test]
// The test is about others that wait for this guard.
#[allow(clippy::await_holding_invalid_type)]
async fn whoever_asks_is_not_held_up_by_a_text_that_wants_its_form() {
    let house = House::new(&["--pull", "--form"], push(), PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let besides = house.pool.excluding(&[]);
    assert!(matches!(besides.format_text(&a.path, "new", soon()).await, Ok(Some(text)) if text == "new"));
    let slot = house.pool.shared.all().pop().unwrap();
    let first = slot.lock.read().await;
    let (formed, second) = tokio::join!(formed(&house, "a.lua"), async {
        // It waits by now.
        tokio::task::yield_now().await;
        slot.lock.try_read()
    });
    assert!(second.is_ok(), "another asks meanwhile");
    assert_eq!(formed.0, Err("it is busy with other texts".to_owned()));
    assert!(formed.1 < Duration::from_millis(500), "{:?}", formed.1);
    drop(first);
}

#[tokio::test]
async fn one_that_has_long_been_reading_its_project_is_not_waited_for() {
    let quirks = Quirks { ready: ReadinessSignal::ServerStatus, ..push() };
    let house = House::new(&["--pull", "--form"], quirks, PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.pool.check(std::slice::from_ref(&a), soon()).await;
    house.until(|running| matches!(running.phase, ServerPhase::Indexing { .. })).await;
    let reading = Err("it is still reading the project".to_owned());
    let (first, _) = formed(&house, "a.lua").await;
    assert_eq!(first, reading);
    assert_eq!(formed(&house, "a.lua").await, (reading, Duration::ZERO), "it was waited for");
}
