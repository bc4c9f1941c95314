//! Servers stop when they should.

use std::collections::HashSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use copydesk_workspace::search::{CaseSensitivity, GrepRequest, SearchView, grep};
use tokio_util::sync::CancellationToken;

use super::super::{PoolLimits, ServerPhase};
use super::{House, is_running, push, soon};
use crate::source::DiagnosticsSource as _;

#[tokio::test]
async fn an_idle_server_stops_and_starts_again_when_needed() {
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

/// An editor has attached that serves the same files.
#[tokio::test]
async fn a_redundant_server_stops_sooner() {
    let house = House::usual();
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    let source = house.pool.excluding(&[]);
    source.mark_redundant(std::slice::from_ref(&a.path));
    // A check keeps it all the same.
    house.check(&a).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(120)).await;
    assert_eq!(house.pool.status()[0].phase, ServerPhase::Ready);
    source.mark_redundant(std::slice::from_ref(&a.path));
    let started = tokio::time::Instant::now();
    house.until_none().await;
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[tokio::test]
async fn the_least_recently_used_server_makes_room() {
    let house = House::new(&[], push(), PoolLimits { servers: 1, ..PoolLimits::default() });
    let (one, other) = (house.saved("one/a.lua", "bad"), house.saved("other/a.lua", ""));
    assert_eq!(house.check(&one).await[0], "one/a.lua Proven this is bad");
    assert_eq!(house.check(&other).await[0], "other/a.lua Proven ");
    assert_eq!(house.count("exit"), 1, "it was asked to exit");
    let roots: Vec<_> = house.pool.status().into_iter().map(|running| running.root).collect();
    assert_eq!(roots, [house.root.join("other")]);
    let running = house.processes().into_iter().filter(|process| is_running(*process));
    assert_eq!(running.count(), 1);
}

/// Both have the same server stopped, and only one of them gets its permit.
#[tokio::test]
async fn every_waiting_server_gets_a_permit() {
    let house = House::new(&[], push(), PoolLimits { servers: 2, ..PoolLimits::default() });
    for name in ["one/a.lua", "two/a.lua"] {
        house.check(&house.saved(name, "")).await;
    }
    let (three, four) = (house.saved("three/a.lua", "bad"), house.saved("four/a.lua", "bad"));
    let (three, four) = tokio::join!(house.check(&three), house.check(&four));
    assert_eq!([&*three[0], &*four[0]], ["three/a.lua Proven this is bad", "four/a.lua Proven this is bad"]);
}

#[tokio::test]
async fn servers_restart_after_a_change_of_configuration() {
    let house = House::usual();
    let (one, other) = (house.saved("one/a.lua", "bad"), house.saved("other/a.lua", "bad"));
    house.check(&one).await;
    house.check(&other).await;
    house.pool.stop_below(&house.root.join("one"));
    let mut changes = house.pool.subscribe();
    while house.pool.status().len() > 1 {
        changes.changed().await.unwrap();
    }
    assert_eq!(house.pool.status()[0].root, house.root.join("other"), "that one is as it was");
    assert_eq!(house.check(&one).await[0], "one/a.lua Proven this is bad");
    assert_eq!(house.count("initialize"), 3);
}

#[tokio::test]
async fn a_failed_server_may_start_after_a_change_of_configuration() {
    let limits = PoolLimits { failures: 1, ..PoolLimits::default() };
    let house = House::new(&["--fail"], push(), limits);
    let a = house.saved("a.lua", "bad");
    house.pool.check(&[a], soon()).await;
    house.until(|running| matches!(running.phase, ServerPhase::GivenUp { .. })).await;
    house.pool.stop_below(&house.root);
    house.until_none().await;
}

#[tokio::test]
async fn shut_down_stops_all_servers_and_starts_none() {
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
async fn dropping_the_pool_stops_all_servers() {
    let house = House::new(&["--child"], push(), PoolLimits::default());
    house.check(&house.saved("a.lua", "bad")).await;
    let processes = house.processes();
    drop(house);
    while processes.iter().any(|process| is_running(*process)) {
        tokio::task::yield_now().await;
    }
}

/// Not a test: the process that a test below kills.
#[tokio::test]
#[ignore = "run by another test"]
async fn process_with_a_server() {
    let house = House::new(&["--child"], push(), PoolLimits::default());
    house.check(&house.saved("a.lua", "bad")).await;
    let processes: Vec<_> = house.processes().iter().map(ToString::to_string).collect();
    // The test harness has no other output.
    std::fs::write(std::env::var_os("COPYDESK_TEST_REPORT").unwrap(), processes.join(" ")).unwrap();
    std::future::pending::<()>().await;
}

/// Not a test, either: a process in which only the pool uses memory. It reports kilobytes before and after.
#[tokio::test]
#[ignore = "run by another test"]
async fn idle_process() {
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        // Anonymous memory only: the program's own pages are on the disk.
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    for number in 0..1000 {
        house.write(&format!("f{number}/a.txt"), "");
    }
    // A daemon has searched before: the search threads are not the pool's.
    let include = vec!["*.lua".to_owned()];
    let request = GrepRequest {
        root: house.root.clone(),
        regex: "bad".to_owned(),
        case: CaseSensitivity::Sensitive,
        include,
        hidden: false,
        limit: 100,
        excluded_paths: HashSet::new(),
        view: SearchView::default(),
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

/// Starts one of these processes, and returns the two numbers that it reports.
async fn start_process(name: &str) -> (Child, [i32; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("pool::tests::shutdown::{name}"), "--ignored"])
        .env("COPYDESK_TEST_REPORT", &report)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        assert_eq!(process.try_wait().unwrap(), None, "it ended before it had a server");
        let report = std::fs::read_to_string(&report).unwrap_or_default();
        let numbers: Vec<i32> = report.split_whitespace().map(|number| number.parse().unwrap()).collect();
        if let Ok(numbers) = numbers.try_into() {
            return (process, numbers);
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_idle_pool_takes_little_memory() {
    let (mut process, [before, after]) = start_process("idle_process").await;
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(after - before <= 5 * 1024, "{before} kB before, {after} kB after");
}

#[tokio::test]
async fn killing_the_process_kills_all_servers() {
    let (mut process, processes) = start_process("process_with_a_server").await;
    assert!(processes.iter().all(|process| is_running(*process)));
    process.kill().unwrap();
    process.wait().unwrap();
    while processes.iter().any(|process| is_running(*process)) {
        tokio::task::yield_now().await;
    }
}
