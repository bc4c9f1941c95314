//! Proposed texts.

use std::time::Duration;

use tokio::time::Instant;

use super::super::PoolLimits;
use super::{House, push, soon};
use crate::source::DiagnosticsSource as _;

#[tokio::test]
async fn a_proposed_text_is_checked_and_never_becomes_the_document() {
    for arguments in [&["--pull"][..], &[]] {
        let house = House::new(arguments, push(), PoolLimits::default());
        house.write("b.lua", "need a.x");
        let a = house.saved("a.lua", "give x");
        assert_eq!(house.check(&a).await, ["a.lua Proven ", "b.lua Proven "]);
        let besides = house.pool.excluding(&[]);
        let proposed = [house.unsaved("a.lua", "bad")];
        let words = house.words(&besides.check_proposed(&proposed, soon()).await);
        assert_eq!(words[0], "a.lua Proven this is bad");
        assert!(words[1].starts_with("b.lua ") && words[1].ends_with(" a gives no x"), "{words:?}");
        let words = house.words(&house.pool.check(&[a], soon()).await);
        assert_eq!(words[0], "a.lua Proven ");
        assert!(words[1..].iter().all(|other| !other.contains("gives no")), "{words:?}");
    }
}

#[tokio::test]
async fn nobody_is_told_of_a_proposed_text_whoever_asks_meanwhile() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let besides = house.pool.excluding(&[]);
    let (proposed, real) = ([house.unsaved("a.lua", "bad")], [a]);
    for _ in 0..20 {
        let (shadow, check) =
            tokio::join!(besides.check_proposed(&proposed, soon()), house.pool.check(&real, soon()));
        assert_eq!(house.words(&shadow)[0], "a.lua Proven this is bad");
        assert_eq!(house.words(&check)[0], "a.lua Proven ");
    }
}

#[tokio::test]
async fn whoever_goes_away_leaves_the_true_text() {
    let house = House::new(&[], push(), PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let besides = house.pool.excluding(&[]);
    let proposed = [house.unsaved("a.lua", "bad"), house.unsaved("new.lua", "bad")];
    let trying = besides.check_proposed(&proposed, soon());
    tokio::select! {
        biased;
        _ = trying => {}
        () = std::future::ready(()) => {}
    }
    let until = Instant::now() + Duration::from_secs(60);
    let words = house.words(&house.pool.check(&[a], until).await);
    assert_eq!(words, ["a.lua Proven "]);
}

#[tokio::test]
async fn nobody_is_started_for_a_proposed_text() {
    let house = House::usual();
    let besides = house.pool.excluding(&[]);
    let proposed = [house.unsaved("a.lua", "bad")];
    assert_eq!(house.words(&besides.check_proposed(&proposed, soon()).await), Vec::<String>::new());
    assert!(house.pool.status().is_empty());
}
