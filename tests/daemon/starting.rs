//! How a daemon begins: one for all, found or started, whatever an earlier one left behind.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use expect_test::expect;

use super::editor::{Daemon, Editor, LOG, SOCKET, desk, kill};
use crate::cli::desk::BINARY;

#[test]
fn editors_that_start_at_once_share_one_daemon() {
    let desk = desk();
    let mut editors: Vec<_> = (0..6).map(|_| Editor::start(&desk)).collect();
    let pids: Vec<_> = editors
        .iter_mut()
        .map(|editor| editor.greet()["result"]["capabilities"]["experimental"]["copydesk"]["pid"].clone())
        .collect();
    assert!(pids.iter().all(|pid| pid.is_number() && *pid == pids[0]), "{pids:?}");
    let status = desk.run(&["status", "--json"]).json();
    // The command itself is attached too.
    assert_eq!((&status["running"], &status["pid"], &status["clients"]), (&true.into(), &pids[0], &7.into()));
    editors.into_iter().for_each(|editor| assert_eq!(editor.leave().code(), Some(1)));
    assert_eq!(desk.run(&["stop"]).stdout, "The daemon has ended.\n");
    assert!(!desk.exists(SOCKET));
}

#[test]
fn an_editor_that_says_goodbye_leaves_with_0_and_the_daemon_lives() {
    let desk = desk();
    let (mut editor, pid) = Editor::greeted(&desk);
    assert!(editor.ask("shutdown", serde_json::Value::Null)["result"].is_null());
    editor.tell("exit", serde_json::Value::Null);
    assert_eq!(editor.leave().code(), Some(0));
    let (killed, same) = Editor::greeted(&desk);
    assert_eq!(pid, same);
    killed.kill();
    assert_eq!(Editor::greeted(&desk).1, pid);
    desk.run(&["stop", "--now"]);
}

#[test]
fn what_a_killed_daemon_left_is_in_nobodys_way() {
    let desk = desk();
    let mut daemon = Daemon::start(&desk, &[]);
    kill(daemon.child.id().into(), "-KILL");
    daemon.child.wait().unwrap();
    assert!(desk.exists(SOCKET));
    desk.run(&["status"]).shows(&expect![[r#"
        The daemon is not running. An editor starts it when it needs it, or you do: `copydesk daemon`.
        exit code 1
    "#]]);
    let (editor, pid) = Editor::greeted(&desk);
    assert_ne!(pid, u64::from(daemon.child.id()));
    editor.leave();
    desk.run(&["stop"]);
}

#[test]
fn a_second_daemon_steps_back() {
    let desk = desk();
    let daemon = Daemon::start(&desk, &[]);
    desk.run(&["daemon"]).shows(&expect![[r#"
        ! error: another daemon is running, or about to
        exit code 1
    "#]]);
    let status = desk.run(&["status"]);
    assert_eq!(status.stdout.lines().count(), 2, "{status:?}");
    let (version, pid) = (env!("CARGO_PKG_VERSION"), daemon.child.id());
    let expected = format!("The daemon is running: version {version}, process {pid}.\n");
    assert!(status.stdout.starts_with(&expected), "{status:?}");
    desk.run(&["stop"]);
    assert!(daemon.ends(&desk).success());
}

#[test]
fn folders_that_others_may_enter_are_refused_with_words() {
    let desk = desk().with(&[("~/.run/copydesk/file", "")]);
    let folder = desk.path("~/.run/copydesk");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    for args in [&["daemon"][..], &["status"], &["stop"]] {
        desk.run(args).shows(&expect![[r#"
            ! error: ~/.run/copydesk: others may enter this folder (its mode is 755); run `chmod 700 ~/.run/copydesk`
            exit code 1
        "#]]);
    }
    let mut editor = Editor::start(&desk);
    let refusal = editor.greet();
    assert_eq!(refusal["error"]["code"], -32803);
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("others may enter this folder"), "{message}");
    // Mended, it works without starting the editor again.
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    while editor.greet()["error"].is_object() {}
    editor.leave();
    desk.run(&["stop"]);
}

#[test]
fn a_daemon_that_cannot_start_says_why_in_the_editor() {
    // The log's folder cannot be made.
    let desk = desk().with(&[("~/.local/state", "a file")]);
    let refusal = Editor::start(&desk).greet();
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("desk.log"), "{message}");
}

#[test]
fn no_daemon_is_nothing_to_stop() {
    let desk = desk();
    desk.run(&["stop"]).shows(&expect![[r#"
        The daemon is not running.
    "#]]);
    let status = desk.run(&["status", "--json"]);
    assert_eq!((status.stdout.as_str(), status.code), ("{\n  \"running\": false\n}\n", Some(1)));
}

#[test]
fn the_log_is_private_and_holds_no_bodies() {
    let desk = desk().env("COPYDESK_LOG", "trace");
    let (mut editor, _) = Editor::greeted(&desk);
    let secret = "sk-very-secret-key";
    editor.ask("copydesk/no/such", serde_json::json!({ "key": secret }));
    editor.write(format!("Content-Length: 20\r\n\r\n{{{secret} ").as_bytes());
    editor.next();
    editor.leave();
    desk.run(&["stop"]);
    let log = desk.read(LOG);
    assert!(log.contains("listening") && log.contains("ending"), "{log}");
    assert!(!log.contains(secret), "{log}");
    assert_eq!(desk.mode(LOG), 0o600);
}

#[test]
fn the_daemon_outlives_whatever_group_its_editor_was_in() {
    let desk = desk();
    let (editor, pid) = Editor::greeted(&desk);
    let session = |pid: &str| {
        let asked = Command::new("ps").args(["-o", "sid=", "-p", pid]).output().unwrap();
        String::from_utf8(asked.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(session(&pid.to_string()), pid.to_string(), "{BINARY} leads a session of its own");
    editor.leave();
    desk.run(&["stop"]);
}
