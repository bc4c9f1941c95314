//! Servers that fail in different ways.

use std::time::Duration;

use super::super::{PoolLimits, ServerPhase};
use super::{House, is_running, push, soon};
use crate::source::DiagnosticsSource as _;

fn quick() -> PoolLimits {
    PoolLimits { restart_delay: Duration::from_millis(1), ..PoolLimits::default() }
}

#[tokio::test]
async fn a_server_that_does_not_start_is_reported() {
    let house = House::new(
        &["--fail"],
        push(),
        PoolLimits { restart_delay: Duration::from_secs(3600), ..PoolLimits::default() },
    );
    let a = house.saved("a.lua", "bad");
    house.pool.check(std::slice::from_ref(&a), soon()).await;
    house.until(|running| matches!(running.phase, ServerPhase::Resting { .. })).await;
    let words = house.words(&house.pool.check(&[a], soon()).await);
    assert!(words[0].starts_with("a.lua unknown it crashed"), "{words:?}");
}

#[tokio::test]
async fn a_server_that_never_starts_is_given_up() {
    let house = House::new(&["--fail"], push(), PoolLimits { failures: 3, ..quick() });
    let a = house.saved("a.lua", "bad");
    house.pool.check(std::slice::from_ref(&a), soon()).await;
    let given_up = house.until(|running| matches!(running.phase, ServerPhase::GivenUp { .. })).await;
    let ServerPhase::GivenUp { why } = given_up.phase else { unreachable!() };
    assert!(why.starts_with("it crashed 3 times") && why.contains("the toy has no wheels"), "{why}");
    assert_eq!(house.count("fail"), 3);
    let then = house.pool.check(&[a], soon()).await;
    assert!(house.words(&then)[0].starts_with("a.lua unknown it was given up: it crashed 3 times"));
    assert_eq!(house.pool.restart("toy"), 1);
    assert_eq!(house.pool.restart("other"), 0);
    house.until(|running| running.phase == ServerPhase::Starting).await;
}

#[tokio::test]
async fn a_server_that_crashes_in_an_edit_restarts_with_its_documents() {
    let house = House::new(&[], push(), quick());
    let (a, b) = (house.saved("a.lua", "bad"), house.saved("b.lua", "bad"));
    house.check(&a).await;
    house.check(&b).await;
    let crash = house.unsaved("a.lua", "CRASH");
    let reports = house.pool.check(&[crash], soon()).await;
    let words = house.words(&reports);
    assert!(words[0].starts_with("a.lua unknown it") && words.len() == 1, "{words:?}");
    house.until(|running| running.phase == ServerPhase::Ready && running.documents == 2).await;
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
    assert_eq!((house.count("initialize"), house.count("textDocument/didOpen b.lua")), (2, 2));
}

#[tokio::test]
async fn a_silent_server_is_restarted() {
    let house = House::new(&["--pull"], push(), quick());
    let a = house.saved("a.lua", "bad");
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
    let silent = house.processes();
    tokio::time::pause();
    let hang = house.unsaved("a.lua", "HANG");
    let until = tokio::time::Instant::now() + Duration::from_secs(3);
    let reports = house.pool.check(&[hang], until).await;
    assert_eq!(house.words(&reports), ["a.lua unknown it did not answer in time"]);
    assert!(until.elapsed() < Duration::from_millis(10), "the deadline is kept");
    house.until(|running| matches!(running.phase, ServerPhase::Resting { .. })).await;
    tokio::time::resume();
    house.until(|running| running.phase == ServerPhase::Ready).await;
    assert!(silent.iter().all(|process| !is_running(*process)));
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
}

#[tokio::test]
async fn a_server_over_its_memory_limit_is_given_up_until_a_restart() {
    let house = House::new(&[], push(), PoolLimits { memory: 60 << 20, ..quick() });
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    house.check(&house.unsaved("a.lua", "EAT")).await;
    tokio::time::pause();
    let given_up = house.until(|running| matches!(running.phase, ServerPhase::GivenUp { .. })).await;
    tokio::time::resume();
    let ServerPhase::GivenUp { why } = given_up.phase else { unreachable!() };
    assert!(why.starts_with("it used 1") && why.ends_with("the limit is 60 MB"), "{why}");
    assert!(house.processes().into_iter().all(|process| !is_running(process)));
    house.pool.restart("toy");
    house.until(|running| running.phase == ServerPhase::Ready).await;
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
}
