//! That servers end.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::{Limits, Phase};
use super::{House, is_running, push};

#[tokio::test]
async fn one_that_nobody_asks_ends_and_begins_again_when_it_is_needed() {
    let house = House::usual();
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(590)).await;
    assert_eq!(house.pool.status()[0].phase, Phase::Ready);
    house.until_none().await;
    tokio::time::resume();
    assert!(house.processes().into_iter().all(|process| !is_running(process)));
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
}

#[tokio::test]
async fn the_one_that_was_used_least_makes_room() {
    let house = House::new(&[], push(), Limits { servers: 1, ..Limits::default() });
    let (one, other) = (house.saved("one/a.lua", "bad"), house.saved("other/a.lua", ""));
    assert_eq!(house.check(&one).await[0], "one/a.lua Proven this is bad");
    assert_eq!(house.check(&other).await[0], "other/a.lua Proven ");
    assert_eq!(house.count("exit"), 1, "it was asked to end");
    let roots: Vec<_> = house.pool.status().into_iter().map(|running| running.root).collect();
    assert_eq!(roots, [house.root.join("other")]);
    let running = house.processes().into_iter().filter(|process| is_running(*process));
    assert_eq!(running.count(), 1);
}

#[tokio::test]
async fn none_is_left_when_the_pool_ends_and_none_begins() {
    let house = House::new(&["--child", "--stubborn"], push(), Limits::default());
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    let processes = house.processes();
    assert!(processes.len() == 2 && processes.iter().all(|process| is_running(*process)));
    house.pool.end().await;
    assert!(processes.iter().all(|process| !is_running(*process)));
    assert!(house.check(&a).await[0].starts_with("a.lua unknown the desk is closing"));
}

#[tokio::test]
async fn none_is_left_when_the_pool_is_dropped() {
    let house = House::new(&["--child"], push(), Limits::default());
    house.check(&house.saved("a.lua", "bad")).await;
    let processes = house.processes();
    drop(house);
    while processes.iter().any(|process| is_running(*process)) {
        tokio::task::yield_now().await;
    }
}

/// Not a test: what the one below kills.
#[tokio::test]
#[ignore = "run by another test"]
async fn somebody_with_a_server() {
    let house = House::new(&["--child"], push(), Limits::default());
    house.check(&house.saved("a.lua", "bad")).await;
    let processes: Vec<_> = house.processes().iter().map(ToString::to_string).collect();
    // The only way out of the harness.
    std::fs::write(std::env::var_os("COPYDESK_TEST_REPORT").unwrap(), processes.join(" ")).unwrap();
    std::future::pending().await
}

#[tokio::test]
async fn none_is_left_when_the_desk_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut desk = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "pool::tests::ending::somebody_with_a_server", "--ignored"])
        .env("COPYDESK_TEST_REPORT", &report)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let processes = loop {
        assert_eq!(desk.try_wait().unwrap(), None, "it ended before it had a server");
        let report = std::fs::read_to_string(&report).unwrap_or_default();
        let processes: Vec<i32> = report.split_whitespace().map(|number| number.parse().unwrap()).collect();
        if processes.len() == 2 {
            break processes;
        }
        tokio::task::yield_now().await;
    };
    assert!(processes.iter().all(|process| is_running(*process)));
    desk.kill().unwrap();
    desk.wait().unwrap();
    while processes.iter().any(|process| is_running(*process)) {
        tokio::task::yield_now().await;
    }
}
