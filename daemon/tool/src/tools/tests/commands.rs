//! `bash`.

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, check, check_on, fixture, fixture_with_asker};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;

#[tokio::test]
async fn what_was_printed_and_how_it_ended_is_told() {
    let calls = [
        ("bash", json!({ "command": "echo one; echo two >&2; echo zwölf" })),
        ("bash", json!({ "command": "true", "description": "Do nothing", "timeout": null, "workdir": null })),
        ("bash", json!({ "command": "git no-such-command 2>/dev/null; exit 3" })),
        ("bash", json!({ "command": "kill -9 $$" })),
        (
            "bash",
            json!({ "command": "pwd; cat; echo $FROM_DAEMON $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $NO_COLOR $TERM $HOME" }),
        ),
        ("bash", json!({ "command": "pwd > here", "workdir": "src", "timeout": "5000" })),
        ("bash", json!({ "command": "ls -a" })),
    ];
    check(&[("src/a", "")], &calls, expect![[r#"
        bash
        ? bash: echo one, echo two, echo zwölf (always: echo *)
        one
        two
        zwölf

        (exit code 0 after N s)
        bash
        ? bash: true (always: true *)
        (no output)

        (exit code 0 after N s)
        bash
        ? bash: git no-such-command, exit 3 (always: nothing)
        (no output)

        (exit code 3 after N s)
        bash
        ? bash: kill -9 $$ (always: nothing)
        (no output)

        (ended by signal 9 after N s)
        bash
        ? bash: pwd, cat, echo $FROM_DAEMON $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $NO_COLOR $TERM TMP/home (always: nothing)
        TMP/work
        yes cat cat 0 1 dumb

        (exit code 0 after N s)
        bash
        ? bash: pwd > here (always: nothing)
        (no output)

        (exit code 0 after N s)
        bash
        ? bash: ls -a (always: ls *)
        .
        ..
        src

        (exit code 0 after N s)
        = src/here: "TMP/work/src\n"
    "#]]).await;
}

#[tokio::test]
async fn what_cannot_be_run_is_explained() {
    let calls = [
        ("bash", json!({ "command": " \n" })),
        ("bash", json!({ "command": "a\0b" })),
        ("bash", json!({ "command": "ls", "workdir": "nowhere" })),
        ("bash", json!({ "command": "ls", "workdir": "a" })),
        ("bash", json!({ "command": "ls", "timeout": -1 })),
        ("bash", json!({ "command": ["ls"] })),
        ("bash", json!({})),
    ];
    check(&[("a", "")], &calls, expect![[r#"
        bash
        ! Arguments
        The command is empty. Give the command to run.
        bash
        ? bash: a\0b (always: nothing)
        ! Target
        The script contains a NUL byte, which no command can be given; leave it out.
        bash
        ? bash: ls (always: ls *)
        ! Target
        The folder `TMP/work/nowhere` to run in does not exist; check the path.
        bash
        ? bash: ls (always: ls *)
        ! Target
        `TMP/work/a` is not a folder that a command can run in.
        bash
        ! Arguments
        The arguments of `bash` do not fit: `timeout`: invalid value: integer `-1`, expected a whole number of at least 0. It takes: command (string), timeout (integer, optional), workdir (string, optional), description (string, optional), background (boolean, optional), unsandboxed (string, optional). Make the call again.
        bash
        ! Arguments
        The arguments of `bash` do not fit: `command`: invalid type: sequence, expected a string. It takes: command (string), timeout (integer, optional), workdir (string, optional), description (string, optional), background (boolean, optional), unsandboxed (string, optional). Make the call again.
        bash
        ! Arguments
        The arguments of `bash` do not fit: missing field `command`. It takes: command (string), timeout (integer, optional), workdir (string, optional), description (string, optional), background (boolean, optional), unsandboxed (string, optional). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn the_user_is_asked_with_the_command() {
    let no = fixture_with_asker(&[], |ask| {
        if ask.key == "bash" { Err(PermissionDenial::ByUser { reason: None }) } else { Ok(()) }
    });
    check_on(
        &no,
        &[
            ("bash", json!({ "command": "git push origin", "description": "Push it" })),
            ("bash", json!({ "command": "touch a && touch b" })),
        ],
        expect![[r#"
            bash
            ? bash: git push origin (always: git push *)
            ! Denied
            The user said no. Do not try the same again; ask what they want instead.
            bash
            ? bash: touch a, touch b (always: touch *)
            ! Denied
            The user said no. Do not try the same again; ask what they want instead.
        "#]],
    )
    .await;
    no.call("bash", json!({ "command": "git push\n", "description": "Push it", "workdir": "." })).await;
    let ask = no.asked().pop().unwrap();
    assert_eq!(ask.title, "Push it");
    assert_eq!(
        ask.metadata.to_value(),
        json!({ "command": "git push", "workdir": ".", "description": "Push it" })
    );

    let outside = fixture_with_asker(&[("../beside/x", "")], |ask| {
        if ask.key == "external_directory" {
            Err(PermissionDenial::ByRule { why: "no".into() })
        } else {
            Ok(())
        }
    });
    check_on(
        &outside,
        &[("bash", json!({ "command": "touch y", "workdir": "../beside" }))],
        expect![[r#"
        bash
        ? external_directory: TMP/beside/* (always: TMP/beside/*)
        ! Denied
        A rule forbids this: no. Find another way, or say what you would need.
    "#]],
    )
    .await;
    assert!(!outside.path("../beside/y").exists());
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let fixture = fixture(&[]);
    let command = "sleep 1000 & echo $! > pid; echo begun; wait";
    let text = fixture.tell("bash", json!({ "command": command, "timeout": 2000 })).await;
    expect![[r#"
        ? bash: sleep 1000, echo $! > pid, echo begun, wait (always: nothing)
        ! Timeout
        The command was ended at its timeout, after N s. Give it a longer `timeout`, or run it in the background. It had printed:
        begun
    "#]].assert_eq(&text);
    let pid = fixture.bytes("pid");
    // A dead child may still be listed if no parent has reaped it.
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    assert!(status.is_empty() || status.contains("State:\tZ"), "the child still runs: {status}");
}

#[tokio::test]
async fn a_cancelled_command_is_ended() {
    let mut fixture = fixture(&[]);
    let (registry, context) = (fixture.registry(), fixture.context());
    let arguments = json!({ "command": "echo begun; sleep 1000" }).to_string();
    let call = tokio::spawn(async move { registry.run_raw_call("bash", &arguments, context).await });
    // It runs: now it may be cancelled.
    assert_eq!(fixture.shown.recv().await.unwrap().metadata.to_value(), json!({ "output": "begun\n" }));
    fixture.cancel.cancel();
    let outcome = call.await.unwrap();
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Cancelled));
    assert_eq!(
        fixture.plain(&outcome.output),
        "The user cancelled the command after N s; it was ended. It had printed:\nbegun\n"
    );
}

#[tokio::test]
async fn what_runs_on_in_the_background_does_not_hold_the_call() {
    let fixture = fixture(&[]);
    let outcome =
        fixture.call("bash", json!({ "command": "sleep 1000 & echo $! > pid; echo started" })).await;
    assert_eq!(outcome.error_kind, None);
    assert!(outcome.output.starts_with("started\n\n(exit code 0 after "), "{}", outcome.output);
    assert!(
        outcome.output.contains("; it left something running in the background, which `kill -- -"),
        "{}",
        outcome.output
    );
    let pid = fixture.bytes("pid");
    let outcome = fixture.call("bash", json!({ "command": format!("kill {pid}") })).await;
    assert!(outcome.output.contains("exit code 0"), "it still ran: {}", outcome.output);
}

#[tokio::test]
async fn of_a_huge_output_the_end_is_told_and_the_whole_is_kept() {
    let mut fixture = fixture(&[]);
    let outcome = fixture.call("bash", json!({ "command": "seq 1 1000000; echo ä" })).await;
    assert_eq!(outcome.error_kind, None);
    assert!(outcome.output.len() <= 50 * 1024);
    let (head, rest) = outcome.output.split_once("\n\n").unwrap();
    let path = head.split(" is in ").nth(1).and_then(|rest| rest.split(": search").next()).unwrap();
    let left_out: usize = head.split(' ').nth(2).unwrap().parse().unwrap();
    let whole = std::fs::read_to_string(path).unwrap();
    assert!(whole.starts_with("1\n2\n") && whole.ends_with("\n1000000\nä\n"));
    let tail = rest.split("\n\n(exit code 0").next().unwrap();
    assert_eq!(whole[left_out..].trim_end(), tail, "what is left out and what is told make the whole");
    let mut last = None;
    while let Ok(shown) = fixture.shown.try_recv() {
        assert!(shown.metadata.to_value()["output"].as_str().unwrap().len() <= 8 * 1024);
        last = Some(shown);
    }
    assert!(last.is_some());
}

#[tokio::test]
async fn many_short_lines_are_cut_by_the_registry_and_one_endless_line_is_too() {
    let fixture = fixture(&[]);
    let outcome = fixture.call("bash", json!({ "command": "yes | head -n 5000" })).await;
    assert!(
        outcome.output.starts_with("[3002 lines (6004 bytes) are left out. The whole is in "),
        "{}",
        &outcome.output[..200]
    );
    assert!(outcome.output.trim_end().ends_with(" s)"));
    let outcome =
        fixture.call("bash", json!({ "command": "head -c 300000 /dev/zero | tr '\\0' x; exit 2" })).await;
    assert!(outcome.output.starts_with("[The first 2"), "{}", &outcome.output[..200]);
    assert!(outcome.output.contains("xxx\n\n(exit code 2 after "));
    let outcome =
        fixture.call("bash", json!({ "command": "yes | head -n 5000; sleep 1000", "timeout": 2000 })).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Timeout));
    assert!(outcome.output.contains("It had printed (the end of it):\ny\n"), "{}", &outcome.output[..200]);
    assert!(!outcome.output.contains("left out"));
}

/// The number of the job that a call has started.
fn number(outcome: &crate::outcome::CallOutcome) -> i64 {
    outcome.metadata.to_value()["job"].as_i64().unwrap_or_else(|| panic!("{outcome:?}"))
}

#[tokio::test]
async fn a_command_runs_on_in_the_background() {
    let fixture = fixture(&[]);
    assert_eq!(fixture.call("job", json!({})).await.output, "No jobs were started.");
    let fifo = std::process::Command::new("mkfifo").arg(fixture.path("open")).status().unwrap();
    assert!(fifo.success());
    let script = "echo one; read < open; echo two; exit 3";
    let started = fixture.call("bash", json!({ "command": script, "background": true })).await;
    let asked: Vec<_> = fixture.asked().into_iter().map(|ask| (ask.key, ask.title)).collect();
    assert_eq!(asked, [("bash".to_owned(), format!("{script} (in the background)"))], "as for any command");
    let id = number(&started);
    let file = started.metadata.to_value()["file"].as_str().unwrap().to_owned();
    let expected = format!(
        "It runs in the background as job {id}. All that it prints goes to {file}: read or search it. `job` gives what is new, waits for the end, or stops it; you are told when it has ended."
    );
    assert_eq!(started.output, expected);
    while std::fs::read_to_string(&file).unwrap_or_default() != "one\n" {
        tokio::task::yield_now().await;
    }
    let look = async |arguments: Value| {
        let output = fixture.call("job", arguments).await.output.replace(&id.to_string(), "N");
        let time = output.find(" for ").map_or(output.len(), |at| at + 5);
        fixture.plain(&output[..time])
    };
    assert_eq!(look(json!({ "id": id })).await, "one\n\n(job N: running for ");
    assert_eq!(look(json!({ "id": id })).await, "(nothing new)\n\n(job N: running for ");
    assert!(look(json!({})).await.starts_with("job N (running for "));
    std::fs::write(fixture.path("open"), "\n").unwrap();
    assert_eq!(
        look(json!({ "id": id.to_string(), "wait": 60_000 })).await,
        "two\n\n(job N: exit code 3 after N s)"
    );
    assert_eq!(
        look(json!({ "id": 1 })).await.lines().next(),
        Some("There is no job 1. job N (exit code 3 after N s): echo one; read < open; echo two; exit 3")
    );
    assert!(fixture.asked().is_empty(), "looking is free");
}

#[tokio::test]
async fn a_job_is_stopped_and_its_long_output_is_cut() {
    let fixture = fixture(&[]);
    let script = "seq 100000; touch done; sleep 600";
    let id = number(&fixture.call("bash", json!({ "command": script, "background": true })).await);
    while !fixture.path("done").exists() {
        tokio::task::yield_now().await;
    }
    let stopped = fixture.call("job", json!({ "id": id, "stop": true })).await;
    assert!(
        stopped.output.ends_with(" s)") && stopped.output.contains("100000\n\n(job "),
        "{}",
        stopped.output
    );
    assert!(stopped.output.starts_with("[The beginning is left out. The whole is in "), "{}", stopped.output);
    assert!(stopped.output.contains("stopped after") && stopped.output.len() < 51_200);
}

#[tokio::test]
async fn a_job_may_have_a_timeout_and_there_are_only_so_many() {
    let fixture = fixture(&[]);
    let start = async |script: &str, timeout: u64| {
        fixture.call("bash", json!({ "command": script, "background": true, "timeout": timeout })).await
    };
    let timed = number(&start("sleep 600", 1).await);
    let ended = fixture.call("job", json!({ "id": timed, "wait": 60_000 })).await;
    assert!(ended.output.contains("ended at its timeout"), "{}", ended.output);
    for _ in 0..8 {
        assert_eq!(start("sleep 600", 0).await.error_kind, None);
    }
    let refused = start("sleep 600", 0).await;
    assert_eq!(
        refused.output,
        "8 jobs run in the background already, which is the most; wait for one, or stop one."
    );
}

#[tokio::test]
async fn what_was_seen_of_a_job_stays_seen_when_another_agent_goes_on() {
    let mut fixture = fixture(&[]);
    let id = number(&fixture.call("bash", json!({ "command": "echo one", "background": true })).await);
    let look =
        async |fixture: &ToolFixture| fixture.call("job", json!({ "id": id, "wait": 60_000 })).await.output;
    let seen = look(&fixture).await;
    assert!(seen.starts_with("one\n"), "{seen}");
    fixture.rebuild_tools();
    let seen = look(&fixture).await;
    assert!(seen.starts_with("(nothing new)\n"), "{seen}");
}
