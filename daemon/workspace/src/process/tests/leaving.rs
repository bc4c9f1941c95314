//! Processes that leave their group end with their command, their session or the daemon all the same.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Command as StdCommand, Stdio},
};

use tokio_util::sync::CancellationToken;

use super::{command, processes, until};
use crate::{process::Processes, time_limits::TERMINATE_GRACE};

/// Leaves its group in each way, with and without its environment, and prints the process.
const LEAVING: &str = "for leave in 'setsid sh' 'setsid -f sh' 'env -i setsid -f sh'; do \
                       $leave -c 'echo $$; exec sleep 1000' & done; \
                       (setsid sh -c '(sh -c \"echo \\$\\$; exec sleep 1000\" &) &' &) &";

/// Processes that left their group, once they run.
async fn leave(processes: &Processes, after: &str) -> Vec<i32> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let script = format!("{{ {LEAVING} }} > {}; {after}", out.display());
    let (cancel, processes) = (CancellationToken::new(), processes.clone());
    let stop = cancel.clone();
    let running = tokio::spawn(async move { processes.run(command(&script), cancel, |_| {}).await.unwrap() });
    let printed = || fs::read_to_string(&out).unwrap_or_default();
    until(|| printed().lines().count() == 4).await;
    let ids: Vec<i32> = printed().lines().map(|line| line.parse().unwrap()).collect();
    until(|| ids.iter().all(|id| is_asleep(*id))).await;
    if after != "true" {
        stop.cancel();
    }
    running.await.unwrap();
    ids
}

fn is_asleep(id: i32) -> bool {
    fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name == "sleep\n")
        && fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn what_left_its_group_ends_when_its_command_is_stopped() {
    let left = leave(&processes(), "sleep 1000").await;
    assert!(!left.iter().any(|id| is_asleep(*id)));
}

#[tokio::test]
async fn what_left_its_group_ends_with_the_session() {
    let processes = processes();
    let left = leave(&processes, "true").await;
    assert!(left.iter().all(|id| is_asleep(*id)), "the command is done, and they go on");
    processes.end(TERMINATE_GRACE).await;
    assert!(!left.iter().any(|id| is_asleep(*id)));
    let dropped = super::processes();
    let left = leave(&dropped, "true").await;
    drop(dropped);
    until(|| !left.iter().any(|id| is_asleep(*id))).await;
}

/// The test below runs this in a process that it kills.
#[tokio::test]
#[ignore = "is run by `what_left_its_group_ends_when_this_process_is_killed`"]
async fn leave_and_wait_to_be_killed() {
    let processes = processes();
    let left: Vec<_> = leave(&processes, "true").await.iter().map(i32::to_string).collect();
    println!("\nleft {}", left.join(" "));
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn what_left_its_group_ends_when_this_process_is_killed() {
    let mut child = StdCommand::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "process::tests::leaving::leave_and_wait_to_be_killed"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| line.unwrap().strip_prefix("left ").map(str::to_owned)).unwrap();
    let left: Vec<i32> = line.split(' ').map(|id| id.parse().unwrap()).collect();
    assert!(left.len() == 4 && left.iter().all(|id| is_asleep(*id)));
    child.kill().unwrap();
    child.wait().unwrap();
    until(|| !left.iter().any(|id| is_asleep(*id))).await;
}
