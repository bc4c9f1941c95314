//! Daemons that end, that have another version, or that have another environment.

use serde_json::json;

use crate::cli::environment::TestEnvironment;
use crate::daemon::fake_daemon::FakeDaemon;
use crate::daemon::stdio_editor::ForegroundDaemon;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

#[test]
fn the_daemon_does_the_work_unless_it_must_not() {
    let mark = || ScriptedTurn::new().call("c1", "bash", json!({ "command": "echo $MARK" }));
    let turns = [mark(), ScriptedTurn::new().text("ok"), mark(), ScriptedTurn::new().text("ok")];
    let mut scripted = ScriptedEnvironment::new(turns);
    scripted.env = scripted.env.env("MARK", "the daemon's");
    let _up = scripted.start_daemon(RunLocation::Daemon);
    scripted.env = scripted.env.env("MARK", "the shell's");
    assert_eq!(scripted.run(&["--auto", "Go"]).code, Some(0));
    assert!(scripted.last_message(1).contains("the daemon's"), "{}", scripted.last_message(1));
    assert_eq!(scripted.run(&["--auto", "--no-daemon", "Go"]).code, Some(0));
    assert!(scripted.last_message(3).contains("the shell's"), "{}", scripted.last_message(3));
}

#[test]
fn none_is_started() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    assert_eq!(scripted.env.run(&["status"]).code, Some(1));
}

#[tokio::test]
async fn a_daemon_that_dies_is_told_and_the_session_goes_on() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("Once upon a").gate("here"),
        ScriptedTurn::new().text("time."),
    ]);
    let mut up = scripted.start_daemon(RunLocation::Daemon).unwrap();
    let run = scripted.start(&["Tell me"]);
    scripted.server.wait_for_gate("here").await;
    up.kill();
    scripted.server.wait_for_hangup("here").await;
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: the connection to the daemon was lost"), "{said}");
    // Its lock is free, and its unfinished work is known.
    let ran = scripted.run(&["--continue", "And?"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("time.\n", Some(0)), "{ran:?}");
}

/// The daemon drops events of a client that does not read. The end is not lost: the client loads it.
#[tokio::test]
async fn a_run_that_was_stopped_while_a_long_answer_came_shows_all_of_it() {
    let words: Vec<_> = (0..20_000).map(|number| format!("w{number} ")).collect();
    let told = format!("Once. {}", words.concat());
    let begun = ScriptedTurn::new().text("Once. ").gate("here");
    let turn = words.into_iter().fold(begun, ScriptedTurn::text);
    let scripted = ScriptedEnvironment::new([turn]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let run = scripted.start(&["Tell me"]);
    scripted.server.wait_for_gate("here").await;
    let signal = |name: &str| {
        let pid = run.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    signal("-STOP");
    scripted.server.open_gate("here");
    while scripted.env.run(&["sessions", "search", "w19999"]).code != Some(0) {}
    signal("-CONT");
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.trim_end(), told.trim_end());
}

#[test]
fn a_daemon_of_another_protocol_or_an_older_one_is_done_without() {
    let refusal = json!({ "code": -31005, "message": "The Copydesk daemon speaks protocol 0." });
    for older in [false, true] {
        let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
        let by_hand = FakeDaemon::listen(&scripted.env);
        let run = scripted.start(&["Go"]);
        let mut attached = by_hand.accept();
        if older {
            attached.answer_initialize("0.0.1");
        } else {
            let greeting = attached.expect_method("initialize");
            attached.send(&json!({ "jsonrpc": "2.0", "id": greeting["id"], "error": refusal }));
        }
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()),
            ("ok\n", Some(0))
        );
        let why = if older { "the daemon is version 0.0.1" } else { "speaks protocol 0" };
        assert!(said.contains(why) && said.contains("Continuing without the daemon"), "{said}");
    }
}

#[test]
fn a_key_that_only_the_shell_has_is_told() {
    let mut scripted =
        ScriptedEnvironment::with_config([], json!({ "enabled_providers": ["script", "groq"] }));
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let ran = scripted.run(&["--model", "groq/some-model", "Go"]);
    assert!(ran.code == Some(1) && !ran.stderr.contains("is usable in this shell"), "{ran:?}");
    scripted.env = scripted.env.env("GROQ_API_KEY", "gsk_1234567890");
    let ran = scripted.run(&["--model", "groq/some-model", "Go"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said =
        "groq/some-model is usable in this shell: the daemon keeps the environment that it was started with";
    assert!(ran.stderr.contains(said), "{ran:?}");
    assert!(ran.stderr.contains("--no-daemon") && ran.stderr.contains("copydesk stop"), "{ran:?}");
}

#[test]
fn a_model_that_nobody_chose_and_that_is_another_here_is_told() {
    let env = TestEnvironment::new().with_providers(&["offline", "groq"]).with_files(&[("a.txt", "text\n")]);
    let daemon = ForegroundDaemon::start(&env, &[]);
    let same = env.run(&["run", "show a.txt"]);
    assert!(same.code == Some(0) && !same.stderr.contains("the model is"), "{same:?}");
    let env = env.env("GROQ_API_KEY", "gsk_1234567890");
    let other = env.run(&["run", "show a.txt"]);
    assert_eq!(other.code, Some(0), "{other:?}");
    assert!(other.stderr.contains("the model is offline/offline, not groq/"), "{other:?}");
    assert!(env.run(&["stop"]).code == Some(0) && daemon.wait_for_exit(&env).success());
}
