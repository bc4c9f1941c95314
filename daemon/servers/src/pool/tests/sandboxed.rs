//! Servers in the sandbox, where bubblewrap works.

use std::ffi::OsString;
use std::fs;

use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::{
    CommandSandbox, ProgramSandbox, SandboxMode, SandboxPlaces, SandboxSettings,
};

use super::super::ServerPhase;
use super::{House, soon};
use crate::source::DiagnosticsSource as _;

impl House {
    /// Its servers run in the sandbox from now on, and write their log all the same. False if there is none here.
    async fn put_into_sandbox(&self) -> bool {
        let write = vec![self.root.parent().unwrap().to_owned()];
        let settings = SandboxSettings { mode: SandboxMode::Require, write, ..SandboxSettings::default() };
        let places = SandboxPlaces {
            home: "/nonexistent/home".into(),
            search_path: OsString::from("/usr/bin:/bin"),
            ..SandboxPlaces::default()
        };
        let sandbox = CommandSandbox::new(settings, places);
        let checked = sandbox.check(&self.root, &Processes::new(Vec::new())).await;
        *self.sandbox.lock().unwrap() = ProgramSandbox::new(sandbox, self.root.clone());
        if let Err(error) = &checked {
            eprintln!("skipped: {error}");
        }
        checked.is_ok()
    }
}

#[tokio::test]
async fn a_server_in_the_sandbox_serves_as_any_other() {
    let house = House::usual();
    if !house.put_into_sandbox().await {
        return;
    }
    let a = house.saved("a.lua", "bad");
    assert_eq!(house.check(&a).await, ["a.lua Proven this is bad"]);
    let status = house.pool.status().remove(0);
    assert_eq!((status.sandboxed, status.phase), (Some(true), ServerPhase::Ready));
    assert!(status.memory.unwrap() > 0);
    // It has a process of its own there.
    assert!(house.processes().iter().all(|id| *id < 10), "{:?}", house.processes());
    house.pool.shut_down().await;
    assert_eq!(house.count("exit"), 1);
}

#[tokio::test]
async fn a_server_restarts_when_its_build_folder_is_replaced() {
    let house = House::usual();
    house.write("Cargo.toml", "");
    if !house.put_into_sandbox().await {
        return;
    }
    let a = house.saved("a.lua", "bad");
    house.check(&a).await;
    let before = house.pool.status().remove(0).process;
    fs::remove_dir(house.root.join("target")).unwrap();
    house.until(|running| running.phase == ServerPhase::Ready && running.process != before).await;
    assert!(house.root.join("target").is_dir());
    assert_eq!(house.check(&a).await, ["a.lua Proven this is bad"]);
}

#[tokio::test]
async fn a_server_that_cannot_be_sandboxed_does_not_start() {
    let house = House::usual();
    if !house.put_into_sandbox().await {
        return;
    }
    let places = SandboxPlaces { home: house.root.join("home"), ..SandboxPlaces::default() };
    let settings = SandboxSettings { mode: SandboxMode::Auto, ..SandboxSettings::default() };
    let sandbox = CommandSandbox::new(settings, places);
    *house.sandbox.lock().unwrap() = ProgramSandbox::new(sandbox, house.root.clone());
    let a = house.saved("a.lua", "bad");
    house.pool.check(std::slice::from_ref(&a), soon()).await;
    let resting = house.until(|running| matches!(running.phase, ServerPhase::Resting { .. })).await;
    let ServerPhase::Resting { why, .. } = resting.phase else { unreachable!() };
    assert!(why.contains("it cannot run in the sandbox: the workspace"), "{why}");
    assert_eq!(house.count("initialize"), 0);
}
