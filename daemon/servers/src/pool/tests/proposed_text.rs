//! Checks of proposed texts.

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
        let source = house.pool.excluding(&[]);
        let proposed = [house.unsaved("a.lua", "bad")];
        let words = house.words(&source.check_proposed(&proposed, soon()).await);
        assert_eq!(words[0], "a.lua Proven this is bad");
        assert!(words[1].starts_with("b.lua ") && words[1].ends_with(" a gives no x"), "{words:?}");
        let words = house.words(&house.pool.check(&[a], soon()).await);
        assert_eq!(words[0], "a.lua Proven ");
        assert!(words[1..].iter().all(|other| !other.contains("gives no")), "{words:?}");
    }
}

#[tokio::test]
async fn concurrent_checks_do_not_see_a_proposed_text() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let source = house.pool.excluding(&[]);
    let (proposed, real) = ([house.unsaved("a.lua", "bad")], [a]);
    for _ in 0..20 {
        let (proposal, check) =
            tokio::join!(source.check_proposed(&proposed, soon()), house.pool.check(&real, soon()));
        assert_eq!(house.words(&proposal)[0], "a.lua Proven this is bad");
        assert_eq!(house.words(&check)[0], "a.lua Proven ");
    }
}

#[tokio::test]
async fn a_dropped_check_restores_the_true_text() {
    let house = House::new(&[], push(), PoolLimits::default());
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let source = house.pool.excluding(&[]);
    let proposed = [house.unsaved("a.lua", "bad"), house.unsaved("new.lua", "bad")];
    let checking = source.check_proposed(&proposed, soon());
    tokio::select! {
        biased;
        _ = checking => {}
        () = std::future::ready(()) => {}
    }
    let until = Instant::now() + Duration::from_secs(60);
    let words = house.words(&house.pool.check(&[a], until).await);
    assert_eq!(words, ["a.lua Proven "]);
}

#[tokio::test]
async fn no_server_starts_for_a_proposed_text() {
    let house = House::usual();
    let source = house.pool.excluding(&[]);
    let proposed = [house.unsaved("a.lua", "bad")];
    assert_eq!(house.words(&source.check_proposed(&proposed, soon()).await), Vec::<String>::new());
    assert!(house.pool.status().is_empty());
}
