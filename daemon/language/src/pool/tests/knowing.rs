//! What is known before a change, and what comes late.

use std::time::Duration;

use tokio::time::Instant;

use super::super::{Limits, Phase};
use super::{House, push, soon};
use crate::quirks::{Quirks, ReadyBy};
use crate::source::Source as _;

#[tokio::test]
async fn what_was_said_is_known_until_something_changes() {
    let house = House::new(&["--pull"], push(), Limits::default());
    let (a, b) = (house.saved("a.lua", "bad"), house.saved("b.lua", "need a.x"));
    assert_eq!(house.pool.known(std::slice::from_ref(&a)), [], "nobody was asked, and nobody is started");
    assert!(house.pool.status().is_empty());
    house.check(&a).await;
    let all = [a.clone(), b.clone()];
    assert_eq!(
        house.words(&house.pool.known(&all)),
        ["a.lua Proven this is bad", "b.lua Proven a gives no x"]
    );
    assert_eq!(house.pool.known(&[house.unsaved("a.lua", "other")]), []);
    house.check(&house.unsaved("b.lua", "bad")).await;
    assert_eq!(house.pool.known(&[b]), [], "it is another now");
    assert_eq!(house.pool.known(std::slice::from_ref(&a)).len(), 1, "it was asked about along with b");
    let baseline = house.pool.besides(&[]).baseline(std::slice::from_ref(&a), soon()).await;
    assert_eq!(house.words(&baseline)[0], "a.lua Proven this is bad");
    assert_eq!(house.words(&house.pool.known(&[a])), ["a.lua Proven this is bad"]);
}

fn gated() -> Quirks {
    Quirks { ready: ReadyBy::ServerStatus, ..push() }
}

#[tokio::test]
async fn one_that_reads_its_project_says_so_at_once_and_the_answer_later() {
    let house = House::new(&["--pull"], gated(), Limits::default());
    let (a, b) = (house.saved("a.lua", "bad"), house.saved("b.lua", "bad"));
    house.pool.warm(&a.path);
    house.until(|running| matches!(running.phase, Phase::Indexing { .. })).await;
    let subjects = [a.clone(), b.clone()];
    tokio::time::pause();
    let before = Instant::now();
    let reports = house.pool.check(&subjects, before + Duration::from_secs(3)).await;
    assert!(before.elapsed() < Duration::from_secs(3));
    tokio::time::resume();
    for words in house.words(&reports) {
        assert!(words.contains("unknown it is still reading the project"), "{words}");
    }
    let late = tokio::spawn(house.pool.besides(&[]).late(subjects.to_vec()));
    // Somebody changes one of them before the server is ready.
    house.write("b.lua", "");
    house.open_gate();
    assert_eq!(house.words(&late.await.unwrap()), ["a.lua Proven this is bad"]);
}

#[tokio::test]
async fn a_file_that_was_read_is_open_when_it_is_changed() {
    let house = House::new(&["--pull"], push(), Limits::default());
    let a = house.saved("a.lua", "bad");
    house.pool.warm(&a.path);
    house.until(|running| running.phase == Phase::Ready).await;
    let reports = house.pool.check(&[a], soon()).await;
    assert_eq!(house.words(&reports), ["a.lua Proven this is bad"]);
    assert_eq!(house.count("textDocument/didOpen a.lua"), 1);
}
