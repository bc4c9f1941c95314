//! That servers end.

use std::collections::HashSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use copydesk_workspace::search::{BufferOverlay, CaseSensitivity, GrepRequest, grep};
use tokio_util::sync::CancellationToken;

use super::super::{PoolLimits, ServerPhase};
use super::{House, is_running, push, soon};
use crate::source::DiagnosticsSource as _;

#[tokio::test]
async fn one_that_nobody_asks_ends_and_begins_again_when_it_is_needed() {
    let house = House::usual();
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(590)).await;
    assert_eq!(house.pool.status()[0].phase, ServerPhase::Ready);
    house.until_none().await;
    tokio::time::resume();
    assert!(house.processes().into_iter().all(|process| !is_running(process)));
    assert_eq!(house.check(&a).await[0], "a.lua Proven this is bad");
}

/// An editor has come that serves the same.
#[tokio::test]
async fn one_whose_files_somebody_else_answers_for_ends_sooner() {
    let house = House::usual();
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    let besides = house.pool.excluding(&[]);
    besides.mark_redundant(std::slice::from_ref(&a.path));
    // Whoever asks it all the same keeps it.
    house.check(&a).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(120)).await;
    assert_eq!(house.pool.status()[0].phase, ServerPhase::Ready);
    besides.mark_redundant(std::slice::from_ref(&a.path));
    let begun = tokio::time::Instant::now();
    house.until_none().await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_one_that_was_used_least_makes_room() {
    let house = House::new(&[], push(), PoolLimits { servers: 1, ..PoolLimits::default() });
    let (one, other) = (house.saved("one/a.lua", "bad"), house.saved("other/a.lua", ""));
    assert_eq!(house.check(&one).await[0], "one/a.lua Proven this is bad");
    assert_eq!(house.check(&other).await[0], "other/a.lua Proven ");
    assert_eq!(house.count("exit"), 1, "it was asked to end");
    let roots: Vec<_> = house.pool.status().into_iter().map(|running| running.root).collect();
    assert_eq!(roots, [house.root.join("other")]);
    let running = house.processes().into_iter().filter(|process| is_running(*process));
    assert_eq!(running.count(), 1);
}

/// Both have the same one end, and only one of them gets its place.
#[tokio::test]
async fn whoever_waits_for_a_place_gets_one() {
    let house = House::new(&[], push(), PoolLimits { servers: 2, ..PoolLimits::default() });
    for name in ["one/a.lua", "two/a.lua"] {
        house.check(&house.saved(name, "")).await;
    }
    let (three, four) = (house.saved("three/a.lua", "bad"), house.saved("four/a.lua", "bad"));
    let (three, four) = tokio::join!(house.check(&three), house.check(&four));
    assert_eq!([&*three[0], &*four[0]], ["three/a.lua Proven this is bad", "four/a.lua Proven this is bad"]);
}

#[tokio::test]
async fn what_is_configured_otherwise_ends_and_begins_anew() {
    let house = House::usual();
    let (one, other) = (house.saved("one/a.lua", "bad"), house.saved("other/a.lua", "bad"));
    house.check(&one).await;
    house.check(&other).await;
    house.pool.stop_below(&house.root.join("one"));
    let mut news = house.pool.subscribe();
    while house.pool.status().len() > 1 {
        news.changed().await.unwrap();
    }
    assert_eq!(house.pool.status()[0].root, house.root.join("other"), "that one is as it was");
    assert_eq!(house.check(&one).await[0], "one/a.lua Proven this is bad");
    assert_eq!(house.count("initialize"), 3);
}

#[tokio::test]
async fn one_that_was_given_up_may_begin_anew_when_it_is_configured_otherwise() {
    let limits = PoolLimits { failures: 1, ..PoolLimits::default() };
    let house = House::new(&["--fail"], push(), limits);
    let a = house.saved("a.lua", "bad");
    house.pool.check(&[a], soon()).await;
    house.until(|running| matches!(running.phase, ServerPhase::GivenUp { .. })).await;
    house.pool.stop_below(&house.root);
    house.until_none().await;
}

#[tokio::test]
async fn none_is_left_when_the_pool_ends_and_none_begins() {
    let house = House::new(&["--child", "--stubborn"], push(), PoolLimits::default());
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    let processes = house.processes();
    assert!(processes.len() == 2 && processes.iter().all(|process| is_running(*process)));
    house.pool.shut_down().await;
    assert!(processes.iter().all(|process| !is_running(*process)));
    assert!(house.check(&a).await[0].starts_with("a.lua unknown the daemon is shutting down"));
}

#[tokio::test]
async fn none_is_left_when_the_pool_is_dropped() {
    let house = House::new(&["--child"], push(), PoolLimits::default());
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
    let house = House::new(&["--child"], push(), PoolLimits::default());
    house.check(&house.saved("a.lua", "bad")).await;
    let processes: Vec<_> = house.processes().iter().map(ToString::to_string).collect();
    // The only way out of the harness.
    std::fs::write(std::env::var_os("COPYDESK_TEST_REPORT").unwrap(), processes.join(" ")).unwrap();
    std::future::pending::<()>().await;
}

/// Not a test, either: a process of which only the pool takes memory. It reports kilobytes before and after.
#[tokio::test]
#[ignore = "run by another test"]
async fn somebody_idle() {
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        // Its own: the program itself lies on the disk.
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    for number in 0..1000 {
        house.write(&format!("f{number}/a.txt"), "");
    }
    // A daemon has searched before: its threads are not the pool's.
    let include = vec!["*.lua".to_owned()];
    let request = GrepRequest {
        root: house.root.clone(),
        regex: "bad".to_owned(),
        case: CaseSensitivity::Sensitive,
        include,
        hidden: false,
        limit: 100,
        excluded_paths: HashSet::new(),
        overlay: BufferOverlay::default(),
    };
    grep(request, CancellationToken::new()).await.unwrap();
    let before = resident();
    let subject = |number| house.saved(&format!("a{number}.lua"), &"bad\n".repeat(20));
    let subjects: Vec<_> = (0..20).map(subject).collect();
    house.check(&subjects[0]).await;
    house.pool.check(&subjects, soon()).await;
    assert_eq!(house.pool.status()[0].documents, 20);
    let report = format!("{before} {}", resident());
    std::fs::write(std::env::var_os("COPYDESK_TEST_REPORT").unwrap(), report).unwrap();
    std::future::pending::<()>().await;
}

/// Starts one of those, and gives the two numbers that it reports.
async fn somebody(name: &str) -> (Child, [i32; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut workspace = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("pool::tests::shutdown::{name}"), "--ignored"])
        .env("COPYDESK_TEST_REPORT", &report)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        assert_eq!(workspace.try_wait().unwrap(), None, "it ended before it had a server");
        let report = std::fs::read_to_string(&report).unwrap_or_default();
        let numbers: Vec<i32> = report.split_whitespace().map(|number| number.parse().unwrap()).collect();
        if let Ok(numbers) = numbers.try_into() {
            return (workspace, numbers);
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_idle_pool_takes_little_memory() {
    let (mut workspace, [before, after]) = somebody("somebody_idle").await;
    workspace.kill().unwrap();
    workspace.wait().unwrap();
    assert!(after - before <= 5 * 1024, "{before} kB before, {after} kB after");
}

#[tokio::test]
async fn none_is_left_when_the_daemon_is_killed() {
    let (mut workspace, processes) = somebody("somebody_with_a_server").await;
    assert!(processes.iter().all(|process| is_running(*process)));
    workspace.kill().unwrap();
    workspace.wait().unwrap();
    while processes.iter().any(|process| is_running(*process)) {
        tokio::task::yield_now().await;
    }
}
