use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    process::{Command as StdCommand, Stdio},
    sync::{Arc, Mutex},
};

use tempfile::TempDir;
use tokio::sync::mpsc;

use super::{group::ProcessGroup, spawn::SpawnedShell, *};
use crate::time_limits::TERMINATE_GRACE;

mod leaving;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn environment() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), PATH.into()), ("GIVEN".into(), "yes".into())]
}

fn processes() -> Processes {
    Processes::new(environment())
}

fn command(script: &str) -> ShellCommand {
    let env = |name: &str| (name == "PATH").then(|| PATH.into());
    ShellCommand {
        script: script.to_owned(),
        shell: Shell::choose(Some("bash"), &env).unwrap(),
        cwd: "/".into(),
        env: Vec::new(),
        timeout: None,
        grace: TERMINATE_GRACE,
        limits: OutputLimits { head: 1000, tail: 1000, spill: None },
        sandbox: None,
    }
}

async fn run(command: ShellCommand) -> Result<FinishedCommand, ProcessError> {
    processes().run(command, CancellationToken::new(), |_| {}).await
}

/// The exit and the text.
async fn plain(script: &str) -> (ProcessExit, String) {
    let finished = run(command(script)).await.unwrap();
    assert_eq!((finished.leftover_group, finished.output.omitted_bytes), (None, 0));
    (finished.exit, finished.output.text())
}

/// Waits for an event that must come; if it does not, the test hangs.
async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

fn group(id: i32) -> ProcessGroup {
    ProcessGroup::of_leader(u32::try_from(id).unwrap()).unwrap()
}

fn gate(folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    assert!(StdCommand::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[tokio::test]
async fn a_command_ends_with_what_it_printed_and_how() {
    assert_eq!(plain("echo a; echo b >&2; echo c").await, (ProcessExit::Code(0), "a\nb\nc\n".into()));
    assert_eq!(plain("").await, (ProcessExit::Code(0), String::new()));
    assert_eq!(plain("exit 3").await, (ProcessExit::Code(3), String::new()));
    assert_eq!(plain("kill -9 $$").await, (ProcessExit::Signal(9), String::new()));
    assert_eq!(
        plain("cat; echo end").await,
        (ProcessExit::Code(0), "end\n".into()),
        "there is nothing to read"
    );
    assert_eq!(plain("-x 2>/dev/null || echo dash").await, (ProcessExit::Code(0), "dash\n".into()));
    assert_eq!(
        plain(r"printf '\377\000\303'; printf '\244'").await,
        (ProcessExit::Code(0), "\u{FFFD}\0ä".into())
    );
    assert_eq!(plain(r"printf 'x\303'").await, (ProcessExit::Code(0), "x\u{FFFD}".into()));
    let (exit, text) = plain("no-such-command-anywhere").await;
    assert!(exit == ProcessExit::Code(127) && text.contains("no-such-command-anywhere"), "{text}");
    let (_, session) = plain("set -- $(cat /proc/$$/stat); [ $6 = $$ ] && [ $5 = $$ ] && echo own").await;
    assert_eq!(session, "own\n");
}

#[tokio::test]
async fn a_command_has_the_environment_it_is_given_and_no_other() {
    let mut changed = command("env | grep -v '^\\(PWD\\|SHLVL\\|_\\|PATH\\)='; pwd");
    changed.env = vec![("GIVEN".into(), None), ("SET".into(), Some("a b".into()))];
    changed.cwd = "/usr".into();
    assert_eq!(run(changed).await.unwrap().output.text(), "SET=a b\n/usr\n");
}

#[tokio::test]
async fn what_is_started_later_begins_with_the_environment_of_then() {
    let processes = processes();
    processes.set_environment(vec![("PATH".into(), PATH.into()), ("LATER".into(), "yes".into())]);
    let told = command("env | grep -v '^\\(PWD\\|SHLVL\\|_\\|PATH\\)='");
    let finished = processes.run(told, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(finished.output.text(), "LATER=yes\n");
}

#[tokio::test]
async fn what_cannot_be_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let told = async |change: &dyn Fn(&mut ShellCommand)| {
        let mut command = command("true");
        change(&mut command);
        run(command).await.unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "")
    };
    let all = [
        told(&|command| command.cwd = folder.path().join("none")).await,
        told(&|command| command.cwd = file.clone()).await,
        told(&|command| command.script = "echo \0".into()).await,
        told(&|command| command.env = vec![("A".into(), Some("\0".into()))]).await,
        told(&|command| command.env = vec![("A\0".into(), None)]).await,
        told(&|command| command.env = vec![("A=B".into(), Some("x".into()))]).await,
        told(&|command| command.env = vec![("".into(), Some("x".into()))]).await,
        told(&|command| command.script = "#".repeat(3_000_000)).await,
    ];
    expect_test::expect![[r#"
        the folder `/none` to run in does not exist; check the path
        `/file` is not a folder that a command can run in
        the script contains a NUL byte, which no command can be given; leave it out
        the variable `A` contains a NUL byte, which no command can be given; leave it out
        the name of a variable contains a NUL byte, which no command can be given; leave it out
        `A=B` cannot be the name of a variable
        `` cannot be the name of a variable
        the script is too long to be run (3000000 bytes); write it to a file and run that"#]]
    .assert_eq(&all.join("\n"));
}

#[tokio::test]
async fn of_much_output_the_head_and_the_tail_are_held_and_all_is_spilt() {
    let folder = tempfile::tempdir().unwrap();
    let spilling = |name: &str, script: &str, limit| {
        let spill = Some(SpillTarget { path: folder.path().join(name), limit, when: SpillWhen::Truncated });
        ShellCommand { limits: OutputLimits { head: 10, tail: 8, spill }, ..command(script) }
    };
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();

    let long = "for i in {1..20000}; do echo line $i ä; done";
    let finished = run(spilling("all", long, u64::MAX)).await.unwrap();
    let whole: String = (1..=20000).map(|number| format!("line {number} ä\n")).collect();
    assert_eq!(read("all"), whole);
    let output = finished.output;
    assert_eq!(
        (output.head.as_str(), output.tail.as_str()),
        ("line 1 ä\n", "0000 ä\n"),
        "never half a character"
    );
    assert_eq!(output.omitted_bytes as usize, whole.len() - output.head.len() - output.tail.len());
    assert_eq!(output.spill, SpillOutcome::Complete(folder.path().join("all")));

    let finished = run(spilling("some", long, 1001)).await.unwrap();
    assert_eq!(finished.output.spill, SpillOutcome::Truncated(folder.path().join("some")));
    assert!(whole.starts_with(&read("some")) && [1000, 1001].contains(&read("some").len()));

    let finished = run(spilling("none", "echo 123456789; echo 1234567", 9)).await.unwrap();
    assert_eq!(
        (finished.output.text().as_str(), finished.output.spill),
        ("123456789\n1234567\n", SpillOutcome::None)
    );
    assert!(!folder.path().join("none").exists(), "what is held needs no file");
    let finished = run(spilling("no/where", long, 9)).await.unwrap();
    assert!(
        matches!(finished.output.spill, SpillOutcome::Failed(_)) && finished.exit == ProcessExit::Code(0)
    );
}

#[tokio::test]
async fn endless_output_is_cancelled_and_bounded() {
    let cancel = CancellationToken::new();
    let mut seen = 0;
    let live = |text: &str| {
        seen += text.len();
        if seen > 5_000_000 {
            cancel.cancel();
        }
    };
    let finished = processes().run(command("yes"), cancel.clone(), live).await.unwrap();
    let output = finished.output;
    assert_eq!((finished.exit, output.head.len(), output.tail.len()), (ProcessExit::Cancelled, 1000, 1000));
    assert_eq!(output.omitted_bytes as usize, seen - 2000);
}

#[tokio::test]
async fn a_cancelled_command_may_say_a_last_word() {
    let cancel = CancellationToken::new();
    let script = "trap 'echo bye; exit' TERM; echo ready; while :; do sleep 1000 & wait; done";
    let live = |text: &str| {
        if text.contains("ready") {
            cancel.cancel();
        }
    };
    let finished = processes().run(command(script), cancel.clone(), live).await.unwrap();
    assert_eq!((finished.exit, finished.leftover_group), (ProcessExit::Cancelled, None));
    assert!(finished.output.text().starts_with("ready\n") && finished.output.text().ends_with("bye\n"));
    let before = processes().run(command("echo no"), cancel, |_| {}).await.unwrap();
    assert_eq!(
        (before.exit, before.output.text().as_str()),
        (ProcessExit::Cancelled, ""),
        "it is not even started"
    );
}

#[tokio::test]
async fn what_does_not_listen_is_killed_with_all_it_started() {
    let script = "trap '' TERM; echo $$; sleep 1000 & (sleep 1000; sleep 1000) & sleep 1000";
    let deaf = ShellCommand { grace: Duration::from_millis(20), ..command(script) };
    let cancel = CancellationToken::new();
    let live = |_: &str| cancel.cancel();
    let finished = processes().run(deaf.clone(), cancel.clone(), live).await.unwrap();
    assert_eq!(finished.exit, ProcessExit::Cancelled);
    let number = finished.output.text().trim().parse().unwrap();
    until(|| !group(number).is_alive()).await;

    let late = ShellCommand { timeout: Some(Duration::from_millis(50)), ..deaf };
    let finished = processes().run(late, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!((finished.exit, finished.leftover_group), (ProcessExit::TimedOut, None));
}

#[tokio::test]
async fn what_is_left_in_the_background_lives_on_and_is_read() {
    let (folder, processes) = (tempfile::tempdir().unwrap(), processes());
    let gate = gate(&folder, "gate");
    let script = format!("(read x < {0}; echo late $x; read x < {0}) & echo now", gate.display());
    let finished = processes.run(command(&script), CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!((finished.exit, finished.output.text().as_str()), (ProcessExit::Code(0), "now\n"));
    let number = finished.leftover_group.unwrap();
    assert_eq!(
        processes.leftover_processes(),
        [LeftoverProcess { group: number, script, tail: String::new() }]
    );

    // Kept open, so that the second `read` waits forever.
    let mut opener = File::options().read(true).write(true).open(gate).unwrap();
    opener.write_all(b"word\n").unwrap();
    until(|| processes.leftover_processes()[0].tail == "late word\n").await;
    assert!(processes.stop_leftover(number, TERMINATE_GRACE).await);
    assert!(!group(number).is_alive() && processes.leftover_processes().is_empty());
    assert!(!processes.stop_leftover(number, TERMINATE_GRACE).await);
}

#[tokio::test]
async fn a_background_process_that_prints_without_end_hangs_nothing() {
    let processes = processes();
    for script in ["yes & echo started", "yes > /dev/null & echo started", "exec 3>&1; sleep 1000 >&3 & :"] {
        let finished = processes.run(command(script), CancellationToken::new(), |_| {}).await.unwrap();
        assert_eq!(finished.exit, ProcessExit::Code(0), "{script}");
        assert!(finished.leftover_group.is_some(), "{script}");
    }
    assert_eq!(processes.leftover_processes().len(), 3);
    processes.end(TERMINATE_GRACE).await;
    assert!(processes.leftover_processes().is_empty());
    let after = processes.run(command("true"), CancellationToken::new(), |_| {}).await;
    assert!(matches!(after, Err(ProcessError::Ended)));
}

#[tokio::test]
async fn the_session_takes_what_it_left_with_it() {
    let processes = processes();
    let finished = processes.run(command("sleep 1000 &"), CancellationToken::new(), |_| {}).await.unwrap();
    let left = group(finished.leftover_group.unwrap());
    drop(processes.clone());
    assert!(left.is_alive());
    drop(processes);
    until(|| !left.is_alive()).await;
}

#[tokio::test]
async fn a_dropped_future_leaves_nothing() {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let running = tokio::spawn(async move {
        let live = |text: &str| sender.send(text.to_owned()).unwrap();
        processes().run(command("echo $$; sleep 1000"), CancellationToken::new(), live).await
    });
    let number = receiver.recv().await.unwrap().trim().parse().unwrap();
    assert!(group(number).is_alive());
    running.abort();
    until(|| !group(number).is_alive()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_commands_run_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let gate = gate(&folder, "gate");
    // Open for reading and writing, so that neither side waits for the other to open it.
    let mut opener = File::options().read(true).write(true).open(&gate).unwrap();
    let (processes, started) = (processes(), Arc::new(Mutex::new(0)));
    let mut running = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (processes, started) = (processes.clone(), Arc::clone(&started));
        // None continues before all have begun.
        let script = format!("echo begin; read x < {}; echo {number}; exit {number}", gate.display());
        running.spawn(async move {
            let live = |text: &str| {
                if text.starts_with("begin") {
                    *started.lock().unwrap() += 1;
                }
            };
            processes.run(command(&script), CancellationToken::new(), live).await.unwrap()
        });
    }
    until(|| *started.lock().unwrap() == 100).await;
    opener.write_all(&[b'\n'; 100]).unwrap();
    let mut finished = running.join_all().await;
    finished.sort_by_key(|finished| {
        finished.output.text().trim_start_matches("begin\n").trim().parse::<i32>().unwrap()
    });
    for (number, finished) in (0..100).zip(finished) {
        assert_eq!(
            (finished.exit, finished.output.text()),
            (ProcessExit::Code(number), format!("begin\n{number}\n"))
        );
    }
}

#[tokio::test]
async fn a_command_has_nothing_to_read_and_a_group_of_its_own() {
    let processes = processes();
    let run =
        async |script: &str| processes.run(command(script), CancellationToken::new(), |_| {}).await.unwrap();
    let script = "cat; echo $GIVEN; set -- $(cat /proc/$$/stat); [ $5 = $$ ] && echo own; exit 3";
    let finished = run(script).await;
    assert_eq!((finished.exit, finished.output.text().as_str()), (ProcessExit::Code(3), "yes\nown\n"));
    let left = group(run("sleep 1000 &").await.leftover_group.unwrap());
    assert!(left.is_alive());
    processes.end(TERMINATE_GRACE).await;
    assert!(!left.is_alive());
}

/// Its starter is gone, so nothing releases it.
#[tokio::test]
async fn a_command_that_is_never_let_go_never_begins() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("touch {}", folder.path().join("begun").display());
    let SpawnedShell { mut child, gate: held, .. } = spawn::spawn(&command(&script), &[]).unwrap();
    drop(held);
    assert!(!child.wait().await.unwrap().success());
    assert!(!folder.path().join("begun").exists());
}

/// The test below runs this in a process that it kills.
#[tokio::test]
#[ignore = "is run by `nothing_survives_the_death_of_this_process`"]
async fn run_and_wait_to_be_killed() {
    let processes = processes();
    let left = processes
        .run(command("sleep 1000 &"), CancellationToken::new(), |_| {})
        .await
        .unwrap()
        .leftover_group;
    let command_line = ["sh", "-c", "trap '' TERM HUP PIPE; sleep 1000 & while :; do sleep 1000; done"];
    let program = ProgramSpec {
        command: command_line.map(OsString::from).into(),
        cwd: "/".into(),
        env: Vec::new(),
        sandbox: None,
    };
    let (piped, _pipes) = processes.pipe(&program).unwrap();
    let live = |text: &str| println!("\ngroups {} {} {}", left.unwrap(), piped.id(), text.trim());
    processes
        .run(command("trap '' TERM HUP; echo $$; sleep 1000"), CancellationToken::new(), live)
        .await
        .unwrap();
}

#[tokio::test]
async fn nothing_survives_the_death_of_this_process() {
    let mut child = StdCommand::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "process::tests::run_and_wait_to_be_killed"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| line.unwrap().strip_prefix("groups ").map(str::to_owned)).unwrap();
    let groups: Vec<_> = line.split(' ').map(|id| group(id.parse().unwrap())).collect();
    assert!(groups.len() == 3 && groups.iter().all(|group| group.is_alive()));
    child.kill().unwrap();
    child.wait().unwrap();
    until(|| !groups.iter().any(|group| group.is_alive())).await;
}

fn job(script: &str, folder: &TempDir, name: &str) -> ShellCommand {
    let spill = Some(SpillTarget { path: folder.path().join(name), limit: 1000, when: SpillWhen::FromStart });
    ShellCommand { limits: OutputLimits { head: 3, tail: 10, spill }, ..command(script) }
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_job_runs_beside_the_work_and_can_be_read_along() {
    let folder = TempDir::new().unwrap();
    let open = gate(&folder, "open");
    let processes = processes();
    let script = format!("echo one and two; read < {}; echo three; exit 4", open.display());
    let started = processes.start(job(&script, &folder, "out")).unwrap();
    assert_eq!((started.exit, started.file.clone()), (None, Some(folder.path().join("out"))));
    let file = folder.path().join("out");
    until(|| fs::read_to_string(&file).unwrap_or_default() == "one and two\n").await;
    assert_eq!(processes.take_ended_jobs(), []);
    fs::write(&open, "\n").unwrap();
    let ended = processes.wait_for_job(started.id, LONG).await.unwrap();
    assert_eq!(ended.exit, Some(ProcessExit::Code(4)));
    assert_eq!(fs::read_to_string(&file).unwrap(), "one and two\nthree\n");
    assert_eq!(processes.take_ended_jobs(), [], "whoever waited knows");
    assert_eq!(processes.wait_for_job(1, LONG).await, None, "none of ours");
}

#[tokio::test]
async fn the_end_of_a_job_is_told_once() {
    let folder = TempDir::new().unwrap();
    let processes = processes();
    let started = processes.start(job("true", &folder, "out")).unwrap();
    until(|| processes.jobs().iter().all(|job| job.exit.is_some())).await;
    let ended = processes.take_ended_jobs();
    assert_eq!(
        ended.iter().map(|job| (job.id, job.exit)).collect::<Vec<_>>(),
        [(started.id, Some(ProcessExit::Code(0)))]
    );
    assert_eq!(processes.take_ended_jobs(), []);
    processes.mark_jobs_unreported(&ended);
    assert_eq!(processes.take_ended_jobs(), ended);
}

#[tokio::test]
async fn jobs_are_stopped_counted_and_ended_with_the_rest() {
    let folder = TempDir::new().unwrap();
    let processes = processes();
    let start = |number: usize| processes.start(job("sleep 600", &folder, &number.to_string()));
    let jobs: Vec<_> = (0..MAX_JOBS).map(|number| start(number).unwrap()).collect();
    assert!(matches!(start(100), Err(ProcessError::TooManyJobs)));
    processes.stop_job(jobs[0].id);
    assert_eq!(processes.wait_for_job(jobs[0].id, LONG).await.unwrap().exit, Some(ProcessExit::Cancelled));
    assert!(start(101).is_ok(), "there is room again");
    let groups: Vec<_> =
        processes.jobs().iter().filter(|job| job.exit.is_none()).map(|job| group(job.id)).collect();
    assert_eq!(groups.len(), MAX_JOBS);
    drop(processes);
    until(|| groups.iter().all(|group| !group.is_alive())).await;
}
