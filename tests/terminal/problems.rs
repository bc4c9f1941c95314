//! Diagnostics of a change on a terminal: before it is decided, and below the call that made it.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use vt100::Color;

use super::approval::{PROMPT, edit, scripted_with_config};
use super::screen::TestTerminal;
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

/// The command of a language server that follows the script, which is put into a folder.
pub(crate) fn server(folder: &Path, script: &Value) -> Value {
    let program = Path::new(BINARY).with_file_name("examples").join("language_server");
    assert!(program.is_file(), "`cargo build -p copydesk --example language_server` makes {program:?}");
    let path = folder.join("script.json");
    std::fs::write(&path, script.to_string()).unwrap();
    json!([program, path])
}

/// An environment with a server that reports every line with `bad` in it. The model reads, waits until the server has the text,
/// and edits.
fn served(permission: &str) -> (ScriptedEnvironment, TempDir) {
    let rule = json!({ "find": "bad", "message": "this is not good", "severity": 1, "code": "B1" });
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let command = server(folder.path(), &json!({ "rules": [rule], "pull": true, "log": log }));
    let wait = format!("until grep -q didOpen {}; do :; done 2> /dev/null", log.display());
    let turns = [
        ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.txt" })),
        ScriptedTurn::new().call("c2", "bash", json!({ "command": wait, "description": "Wait" })),
        edit("c3", "one", "one\nbad"),
        ScriptedTurn::new().text("Done."),
    ];
    let lsp = json!({ "scripted": { "command": command, "extensions": [".txt"] } });
    (
        scripted_with_config(
            turns,
            json!({ "permission": { "*": "allow", "edit": permission }, "lsp": lsp }),
        ),
        folder,
    )
}

/// The rows of a screen with problems.
fn problem_rows(terminal: &TestTerminal) -> Vec<String> {
    let is_of = |row: &String| row.contains("a.txt:") || row.contains("scripted") || row.contains("not good");
    terminal.rows().into_iter().filter(is_of).collect()
}

#[test]
fn what_would_be_wrong_is_seen_before_it_is_decided() {
    let (scripted, _script) = served("ask");
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    let would = ["  a.txt:3:1 error B1 this is not good", "  ✗ scripted, proven: 1 new if this is made"];
    let told_before = problem_rows(&terminal);
    assert!(told_before.ends_with(&would.map(str::to_owned)), "{told_before:#?}");
    let row = terminal.rows().iter().position(|row| row.contains("error B1")).unwrap();
    let colour = |column| terminal.screen().cell(u16::try_from(row).unwrap(), column).unwrap().fgcolor();
    assert_eq!((colour(2), colour(12)), (Color::Default, Color::Idx(1)));
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let did = ["  a.txt:3:1 error B1 this is not good", "  ✗ scripted, proven: 1 new"];
    let told = problem_rows(&terminal);
    assert!(told.windows(2).any(|two| two == did), "{told:#?}");
}

#[test]
fn a_narrow_terminal_shows_all_of_it() {
    let (scripted, _script) = served("allow");
    let mut terminal = TestTerminal::start_sized(&scripted.env, &["run", "Go"], 40, 32);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let rows = ["  a.txt:3:1", "    error B1 this is not good", "  ✗ scripted, proven: 1 new"];
    let told = problem_rows(&terminal);
    assert!(told.windows(3).any(|three| three == rows), "{told:#?}");
}

#[test]
fn without_colours_the_words_say_it_all() {
    let (mut scripted, _script) = served("allow");
    scripted.env = scripted.env.env("NO_COLOR", "1");
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(!terminal.raw().contains("\u{1b}[31m"), "{}", terminal.raw());
    let told = problem_rows(&terminal);
    assert!(told.contains(&"  a.txt:3:1 error B1 this is not good".to_owned()), "{told:#?}");
}

/// The daemon's own servers, as the user manages them.
#[test]
fn the_servers_of_the_daemon_are_listed_and_started_anew() {
    let (scripted, _script) = served("allow");
    let _daemon = scripted.start_daemon(RunLocation::Daemon);
    let ran = scripted.run(&["Go"]);
    assert!(ran.stdout.contains("✗ scripted, proven: 1 new"), "{}", ran.stdout);
    let listed = scripted.env.run(&["status"]).stdout;
    let line = listed.lines().find(|line| line.starts_with("  scripted  ready, 1 document, "));
    assert!(line.is_some(), "{listed}");
    let before = &scripted.env.run(&["status", "--json"]).json()["servers"][0];
    assert_eq!(
        (&before["name"], &before["state"], &before["documents"]),
        (&json!("scripted"), &json!("ready"), &json!(1))
    );
    assert_eq!(scripted.env.run(&["restart", "scripted"]).stdout, "Restarted scripted.\n");
    let none = scripted.env.run(&["restart", "other"]);
    let said = "The daemon has no language server `other`; there are: scripted.\n";
    assert_eq!((none.stdout.as_str(), none.code), (said, Some(1)));
    // Another process, as soon as it is up.
    let after = || scripted.env.run(&["status", "--json"]).json()["servers"][0]["pid"].clone();
    assert!((0..1000).any(|_| after().is_i64() && after() != before["pid"]));
}
