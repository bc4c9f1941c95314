//! Servers that break, each in its way.

use std::time::Duration;

use super::super::{PoolLimits, ServerPhase};
use super::{House, is_running, push, soon};
use crate::source::DiagnosticsSource as _;

fn quick() -> PoolLimits {
    PoolLimits { restart_delay: Duration::from_millis(1), ..PoolLimits::default() }
}

#[tokio::test]
async fn one_that_does_not_start_is_told_in_its_own_words_and_given_up() {
    let house = House::new(&["--fail"], push(), PoolLimits { failures: 3, ..quick() });
    let a = house.saved("a.lua", "bad");
    let first = house.pool.check(std::slice::from_ref(&a), soon()).await;
    let words = house.words(&first);
    assert!(words[0].starts_with("a.lua unknown it broke"), "{words:?}");
    let given_up = house.until(|running| matches!(running.phase, ServerPhase::GivenUp { .. })).await;
    let ServerPhase::GivenUp { why } = given_up.phase else { unreachable!() };
    assert!(why.starts_with("it broke 3 times") && why.contains("the toy has no wheels"), "{why}");
    assert_eq!(house.count("fail"), 3);
    let then = house.pool.check(&[a], soon()).await;
    assert!(house.words(&then)[0].starts_with("a.lua unknown it was given up: it broke 3 times"));
    assert_eq!(house.pool.restart("toy"), 1);
    assert_eq!(house.pool.restart("other"), 0);
    house.until(|running| running.phase == ServerPhase::Starting).await;
}

#[tokio::test]
async fn one_that_crashes_in_an_edit_is_begun_again_with_what_it_held() {
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
async fn one_that_falls_silent_is_ended_and_begun_again() {
    let house = House::new(&["--pull"], push(), quick());
    let a = house.saved("a.lua", "bad");
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
    let silent = house.processes();
    tokio::time::pause();
    let hang = house.unsaved("a.lua", "HANG");
    let until = tokio::time::Instant::now() + Duration::from_secs(3);
    let reports = house.pool.check(&[hang], until).await;
    assert_eq!(house.words(&reports), ["a.lua unknown it did not answer in time"]);
    assert!(until.elapsed() < Duration::from_millis(10), "the budget is kept");
    house.until(|running| matches!(running.phase, ServerPhase::Resting { .. })).await;
    tokio::time::resume();
    house.until(|running| running.phase == ServerPhase::Ready).await;
    assert!(silent.iter().all(|process| !is_running(*process)));
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
}

#[tokio::test]
async fn one_that_takes_too_much_memory_is_given_up_until_somebody_wants_it() {
    let house = House::new(&[], push(), PoolLimits { memory: 60 << 20, ..quick() });
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    house.check(&house.unsaved("a.lua", "EAT")).await;
    tokio::time::pause();
    let greedy = house.until(|running| matches!(running.phase, ServerPhase::GivenUp { .. })).await;
    tokio::time::resume();
    let ServerPhase::GivenUp { why } = greedy.phase else { unreachable!() };
    assert!(why.starts_with("it took 1") && why.ends_with("may take 60 MB"), "{why}");
    assert!(house.processes().into_iter().all(|process| !is_running(process)));
    house.pool.restart("toy");
    house.until(|running| running.phase == ServerPhase::Ready).await;
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
}
