use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::super::Processes;
use super::*;
use crate::time_limits::TERMINATE_GRACE;

fn processes() -> Processes {
    Processes::new(vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())])
}

fn program(command: &[&str]) -> ProgramSpec {
    let command = command.iter().map(OsString::from).collect();
    ProgramSpec { command, cwd: "/".into(), env: Vec::new(), sandbox: None }
}

fn group(id: i32) -> ProcessGroup {
    ProcessGroup::of_leader(id.unsigned_abs()).unwrap()
}

/// Waits for an event that must come; if it does not, the test hangs.
async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

async fn line(pipe: &mut (impl tokio::io::AsyncBufRead + Unpin)) -> String {
    let mut text = String::new();
    pipe.read_line(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn it_reads_all_that_is_written_and_nothing_else_and_its_arguments_are_not_read_by_a_shell() {
    let processes = processes();
    let script = "printf '%s\\n' \"$1\"; cat; echo \"last words\" >&2; exit 3";
    let (mut piped, ProcessPipes { mut input, output }) =
        processes.pipe(&program(&["sh", "-c", script, "-", "a $HOME 'b' \\ *"])).unwrap();
    let mut output = BufReader::new(output);
    assert_eq!(line(&mut output).await, "a $HOME 'b' \\ *\n");
    input.write_all(b"first\n").await.unwrap();
    assert_eq!(line(&mut output).await, "first\n");
    drop(input);
    assert_eq!(piped.wait().await, ProcessExit::Code(3));
    assert_eq!(line(&mut output).await, "", "the end");
    assert_eq!(piped.stderr().text(), "last words\n");
    let group = group(piped.id());
    drop(piped);
    assert!(!group.is_alive());
}

#[tokio::test]
async fn what_cannot_be_run_says_so() {
    let processes = processes();
    let refused = |program: ProgramSpec| processes.pipe(&program).unwrap_err().to_string();
    assert_eq!(refused(program(&[])), "there is no program to run: its command is empty");
    assert_eq!(refused(program(&[""])), "there is no program to run: its command is empty");
    assert!(refused(program(&["a\0"])).contains("NUL"));
    assert!(refused(ProgramSpec { cwd: "/no/such".into(), ..program(&["true"]) }).contains("does not exist"));
    let (mut piped, _pipes) = processes.pipe(&program(&["no-such-program"])).unwrap();
    assert_eq!(piped.wait().await, ProcessExit::Code(127));
    assert!(piped.stderr().text().contains("no-such-program"), "{}", piped.stderr().text());
}

#[tokio::test]
async fn it_is_asked_to_end_and_killed_where_it_does_not_listen() {
    let processes = processes();
    let polite = "trap 'echo bye >&2; exit 0' TERM; echo ready; while :; do sleep 1000 & wait; done";
    let (mut piped, pipes) = processes.pipe(&program(&["sh", "-c", polite])).unwrap();
    assert_eq!(line(&mut BufReader::new(pipes.output)).await, "ready\n");
    piped.end(TERMINATE_GRACE).await;
    assert!(!group(piped.id()).is_alive());
    assert_eq!((piped.wait().await, piped.stderr().text().as_str()), (ProcessExit::Code(0), "bye\n"));

    let deaf = "trap '' TERM; echo ready; sleep 1000 & sleep 1000";
    let (mut piped, pipes) = processes.pipe(&program(&["sh", "-c", deaf])).unwrap();
    assert_eq!(line(&mut BufReader::new(pipes.output)).await, "ready\n");
    piped.end(Duration::from_millis(20)).await;
    assert!(!group(piped.id()).is_alive());
    assert_eq!(piped.wait().await, ProcessExit::Signal(9));
}

#[tokio::test]
async fn whoever_lets_go_of_it_or_of_the_session_leaves_nothing() {
    let processes = processes();
    let (piped, _pipes) = processes.pipe(&program(&["sleep", "1000"])).unwrap();
    let first = group(piped.id());
    assert!(first.is_alive());
    drop(piped);
    until(|| !first.is_alive()).await;

    let (piped, _pipes) = processes.pipe(&program(&["sleep", "1000"])).unwrap();
    let second = group(piped.id());
    processes.end(TERMINATE_GRACE).await;
    assert!(!second.is_alive());
    assert!(matches!(processes.pipe(&program(&["true"])), Err(ProcessError::Ended)));
}

#[tokio::test]
async fn errors_without_end_are_read_on_and_only_the_last_are_held() {
    let processes = processes();
    let script = "i=0; while [ $i -lt 20000 ]; do echo error $i >&2; i=$((i + 1)); done; echo done; cat";
    let (piped, pipes) = processes.pipe(&program(&["sh", "-c", script])).unwrap();
    assert_eq!(line(&mut BufReader::new(pipes.output)).await, "done\n", "it was never held up");
    until(|| piped.stderr().text().ends_with("error 19999\n")).await;
    assert!(piped.stderr().text().len() <= MAX_STDERR_BYTES);
}
