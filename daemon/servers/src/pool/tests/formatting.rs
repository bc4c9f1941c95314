//! Formatting by a language server.

use std::time::Duration;

use tokio::time::Instant;

use super::super::{PoolLimits, ServerPhase};
use super::{House, push, soon};
use crate::format::DocumentFormatter as _;
use crate::quirks::{Quirks, ReadinessSignal};
use crate::source::DiagnosticsSource as _;

/// The formatted text, and how long it took. The paused clock advances when all tasks wait for it.
async fn format(house: &House, name: &str) -> (Result<Option<String>, String>, Duration) {
    let (source, path) = (house.pool.excluding(&[]), house.root.join(name));
    tokio::time::pause();
    let before = Instant::now();
    let formatted = source.format_text(&path, "new", before + Duration::from_secs(3)).await;
    let took = before.elapsed();
    tokio::time::resume();
    (formatted.map_err(|error| error.why), took)
}

#[tokio::test]
// The test is about waiting for this guard.
#[allow(clippy::await_holding_invalid_type)]
async fn formatting_does_not_delay_checks() {
    let house = House::new(&["--pull", "--form"], push(), PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let source = house.pool.excluding(&[]);
    assert!(matches!(source.format_text(&a.path, "new", soon()).await, Ok(Some(text)) if text == "new"));
    let slot = house.pool.shared.all_slots().pop().unwrap();
    let first = slot.lock.read().await;
    let (formatted, second) = tokio::join!(format(&house, "a.lua"), async {
        // It waits by now.
        tokio::task::yield_now().await;
        slot.lock.try_read()
    });
    assert!(second.is_ok(), "another asks meanwhile");
    assert_eq!(formatted.0, Err("it is busy with other texts".to_owned()));
    assert!(formatted.1 < Duration::from_millis(500), "{:?}", formatted.1);
    drop(first);
}

#[tokio::test]
async fn a_server_that_has_long_been_indexing_is_not_awaited() {
    let quirks = Quirks { ready: ReadinessSignal::ServerStatus, ..push() };
    let house = House::new(&["--pull", "--form"], quirks, PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.pool.check(std::slice::from_ref(&a), Instant::now()).await;
    house.until(|running| matches!(running.phase, ServerPhase::Indexing { .. })).await;
    let reading = Err("it is still reading the project".to_owned());
    let (first, _) = format(&house, "a.lua").await;
    assert_eq!(first, reading);
    assert_eq!(format(&house, "a.lua").await, (reading, Duration::ZERO), "the wait is over");
}
