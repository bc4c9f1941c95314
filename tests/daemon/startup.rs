//! How a daemon starts: one per user, found or started, whatever an earlier one left behind.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use expect_test::expect;

use super::stdio_editor::{ForegroundDaemon, LOG, SOCKET, StdioEditor, daemon_environment, kill};
use crate::cli::environment::BINARY;

#[test]
fn editors_that_start_at_once_share_one_daemon() {
    let env = daemon_environment();
    let mut editors: Vec<_> = (0..6).map(|_| StdioEditor::start(&env)).collect();
    let pids: Vec<_> = editors
        .iter_mut()
        .map(|editor| {
            editor.initialize()["result"]["capabilities"]["experimental"]["copydesk"]["pid"].clone()
        })
        .collect();
    assert!(pids.iter().all(|pid| pid.is_number() && *pid == pids[0]), "{pids:?}");
    let status = env.run(&["status", "--json"]).json();
    // The command itself is attached, too.
    assert_eq!((&status["running"], &status["pid"], &status["clients"]), (&true.into(), &pids[0], &7.into()));
    editors.into_iter().for_each(|editor| assert_eq!(editor.leave().code(), Some(1)));
    assert_eq!(env.run(&["stop"]).stdout, "The daemon has stopped.\n");
    assert!(!env.exists(SOCKET));
}

#[test]
fn an_editor_that_says_goodbye_leaves_with_0_and_the_daemon_lives() {
    let env = daemon_environment();
    let (mut editor, pid) = StdioEditor::start_initialized(&env);
    assert!(editor.request("shutdown", serde_json::Value::Null)["result"].is_null());
    editor.notify("exit", serde_json::Value::Null);
    assert_eq!(editor.leave().code(), Some(0));
    let (killed, same) = StdioEditor::start_initialized(&env);
    assert_eq!(pid, same);
    killed.kill();
    assert_eq!(StdioEditor::start_initialized(&env).1, pid);
    env.run(&["stop", "--now"]);
}

#[test]
fn what_a_killed_daemon_left_is_in_nobodys_way() {
    let env = daemon_environment();
    let mut daemon = ForegroundDaemon::start(&env, &[]);
    kill(daemon.child.id().into(), "-KILL");
    daemon.child.wait().unwrap();
    assert!(env.exists(SOCKET));
    env.run(&["status"]).assert_output(&expect![[r#"
        The daemon is not running. An editor starts it when needed; `copydesk daemon` starts it by hand.
        exit code 1
    "#]]);
    let (editor, pid) = StdioEditor::start_initialized(&env);
    assert_ne!(pid, u64::from(daemon.child.id()));
    editor.leave();
    env.run(&["stop"]);
}

#[test]
fn a_second_daemon_steps_back() {
    let env = daemon_environment();
    let daemon = ForegroundDaemon::start(&env, &[]);
    env.run(&["daemon"]).assert_output(&expect![[r#"
        ! error: another daemon is running or starting
        exit code 1
    "#]]);
    let status = env.run(&["status"]);
    assert_eq!(status.stdout.lines().count(), 2, "{status:?}");
    let (version, pid) = (env!("CARGO_PKG_VERSION"), daemon.child.id());
    let expected = format!("The daemon is running: version {version}, process {pid}.\n");
    assert!(status.stdout.starts_with(&expected), "{status:?}");
    env.run(&["stop"]);
    assert!(daemon.wait_for_exit(&env).success());
}

#[test]
fn folders_that_others_may_enter_are_refused_with_words() {
    let env = daemon_environment().with_files(&[("~/.run/copydesk/file", "")]);
    let folder = env.path("~/.run/copydesk");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    for args in [&["daemon"][..], &["status"], &["stop"]] {
        env.run(args).assert_output(&expect![[r#"
            ! error: ~/.run/copydesk: others may enter this folder (its mode is 755); run `chmod 700 ~/.run/copydesk`
            exit code 1
        "#]]);
    }
    let mut editor = StdioEditor::start(&env);
    let refusal = editor.initialize();
    assert_eq!(refusal["error"]["code"], -32803);
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("others may enter this folder"), "{message}");
    // Once repaired, it works without restarting the editor.
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    while editor.initialize()["error"].is_object() {}
    editor.leave();
    env.run(&["stop"]);
}

#[test]
fn a_daemon_that_cannot_start_says_why_in_the_editor() {
    // The log's folder cannot be created.
    let env = daemon_environment().with_files(&[("~/.local/state", "a file")]);
    let refusal = StdioEditor::start(&env).initialize();
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("daemon.log"), "{message}");
}

#[test]
fn no_daemon_is_nothing_to_stop() {
    let env = daemon_environment();
    env.run(&["stop"]).assert_output(&expect![[r#"
        The daemon is not running.
    "#]]);
    let status = env.run(&["status", "--json"]);
    assert_eq!((status.stdout.as_str(), status.code), ("{\n  \"running\": false\n}\n", Some(1)));
}

#[test]
fn the_log_is_private_and_holds_no_bodies() {
    let env = daemon_environment().env("COPYDESK_LOG", "trace");
    let (mut editor, _) = StdioEditor::start_initialized(&env);
    let secret = "sk-very-secret-key";
    editor.request("copydesk/no/such", serde_json::json!({ "key": secret }));
    editor.write(format!("Content-Length: 20\r\n\r\n{{{secret} ").as_bytes());
    editor.next();
    editor.leave();
    env.run(&["stop"]);
    let log = env.read(LOG);
    assert!(log.contains("listening") && log.contains("ending"), "{log}");
    assert!(!log.contains(secret), "{log}");
    assert_eq!(env.mode(LOG), 0o600);
}

#[test]
fn the_daemon_outlives_whatever_group_its_editor_was_in() {
    let env = daemon_environment();
    let (editor, pid) = StdioEditor::start_initialized(&env);
    let session = |pid: &str| {
        let asked = Command::new("ps").args(["-o", "sid=", "-p", pid]).output().unwrap();
        String::from_utf8(asked.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(session(&pid.to_string()), pid.to_string(), "{BINARY} leads a session of its own");
    editor.leave();
    env.run(&["stop"]);
}
