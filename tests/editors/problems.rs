//! Editors with language servers of their own, beside the daemon's: which server is asked, which is started, and who gets the
//! result.

use std::net::Shutdown;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::encoding::EditorEncoding;
use super::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;

/// The daemon's own server serves `.toy` files, as the script says; it is an example of this package.
fn with_language_server(turns: impl IntoIterator<Item = ScriptedTurn>, script: &Value) -> ScriptedDaemon {
    with(turns, script, json!({ "permission": "allow" }))
}

fn with(turns: impl IntoIterator<Item = ScriptedTurn>, script: &Value, mut config: Value) -> ScriptedDaemon {
    let program = Path::new(BINARY).parent().unwrap().join("examples/language_server");
    let path = tempfile::tempdir().unwrap().keep().join("script.json");
    std::fs::write(&path, script.to_string()).unwrap();
    config["lsp"] = json!({ "toy": { "command": [program, path], "extensions": [".toy"] } });
    ScriptedDaemon::with_config(turns, config)
}

fn quiet() -> Value {
    json!({ "pull": true, "push": "never" })
}

fn editor_with_server(daemon: &ScriptedDaemon, name: &str) -> ScriptedEditor {
    let mut client = daemon.client(name);
    client.start_server(".toy");
    client
}

fn bash(call: &str, command: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "bash", json!({ "command": command, "description": "Change files" }))
}

/// The daemon's own servers.
fn servers(client: &mut ScriptedEditor) -> Vec<Value> {
    client.request_ok("copydesk/status", json!({}))["servers"].as_array().cloned().unwrap_or_default()
}

#[test]
fn what_a_command_does_to_files_that_nobody_has_seen_is_told() {
    let turns = [bash("c1", "echo 'bad one' > b.toy; echo 'bad two' > new.toy"), text_turn("Done.")];
    let daemon = with_language_server(turns, &quiet());
    daemon.scripted.env.write("b.toy", "one\n");
    let mut client = editor_with_server(&daemon, "editor");
    let session = client.new_session();
    client.run_turn(&session, "Run it");
    let told = daemon.last_model_input(1);
    assert!(told.contains("The command changed files."), "{told}");
    for file in ["b.toy:1:1", "new.toy:1:1"] {
        assert!(told.contains(&format!("{file} error this is bad")), "{file}: {told}");
    }
    assert_eq!(servers(&mut client), Vec::<Value>::new());
}

/// Diagnostics are filtered by the current rules, not by those at the start of the session.
#[test]
fn what_a_user_lets_the_model_read_it_is_told_of() {
    let turns = [read("c1", "secret.toy"), bash("c2", "echo bad > secret.toy"), text_turn("Done.")];
    let permission = json!({ "*": "allow", "read": { "*": "allow", "secret*": "ask" } });
    let daemon = with(turns, &quiet(), json!({ "permission": permission }));
    daemon.scripted.env.write("secret.toy", "one\n");
    let mut client = editor_with_server(&daemon, "editor");
    let session = client.new_session();
    client.prompt(&session, "Read it");
    let ask = client.wait_for_method("copydesk/permission/ask");
    client.answer(&ask, json!({ "reply": "always" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(
        daemon.last_model_input(2).contains("secret.toy:1:1 error this is bad"),
        "{}",
        daemon.last_model_input(2)
    );
}

/// A client that answers asks by itself, such as `copydesk run --auto`, does not wait for what only a user would read.
#[test]
fn an_edit_is_checked_before_the_ask_only_if_somebody_looks_at_it() {
    for unattended in [false, true] {
        // Reading the file starts its server; a proposal starts none.
        let edited = json!({ "filePath": "a.toy", "oldString": "two", "newString": "bad two" });
        let edited = ScriptedTurn::new().gate("ready").call("c2", "edit", edited);
        let turns = [read("c1", "a.toy"), edited, text_turn("Done.")];
        let mut script = quiet();
        script["rules"] = json!([{ "find": "bad", "message": "this is bad" }]);
        let daemon = with(turns, &script, json!({ "permission": { "*": "allow", "edit": "ask" } }));
        daemon.scripted.env.write("a.toy", "one\ntwo\n");
        let mut client = daemon.client("editor");
        let session = client.new_session();
        let prompt = json!({ "session": session, "text": "Edit it", "unattended": unattended });
        client.request_ok("copydesk/turn/start", prompt);
        daemon.wait_for_gate("ready");
        while servers(&mut client).first().is_none_or(|server| server["state"] != "ready") {}
        daemon.open_gate("ready");
        let ask = client.wait_for_method("copydesk/permission/ask");
        let asked = ask["params"]["metadata"].to_string();
        assert_eq!(asked.contains("this is bad"), !unattended, "{asked}");
        client.answer(&ask, json!({ "reply": "once" }));
        assert_eq!(client.wait_for_turn_end(&session), "done");
        let told = daemon.last_model_input(2);
        assert!(told.contains("a.toy:2:1 error this is bad"), "{told}");
    }
}

/// The prompt comes from a client without servers, such as `copydesk run`.
#[test]
fn an_editor_that_serves_the_folder_is_asked_whoever_prompts() {
    let turns =
        [edit("c1", "a.toy", "two", "bad two"), edit("c2", "b.toy", "two", "bad two"), text_turn("Done.")];
    let daemon = with_language_server(turns, &quiet());
    daemon.scripted.env.write("a.toy", "one\ntwo\n");
    daemon.scripted.env.write("b.toy", "one\ntwo\n");
    let mut editor = editor_with_server(&daemon, "editor");
    editor.open(&daemon.uri("a.toy"), "typed\none\ntwo\n");
    let stream = editor.stream();
    let playing = std::thread::spawn(move || editor.read_to_the_end());
    let mut terminal = daemon.client("terminal");
    let session = terminal.new_session();
    terminal.run_turn(&session, "Edit them");
    let started = servers(&mut terminal);
    stream.shutdown(Shutdown::Both).unwrap();
    playing.join().unwrap();
    assert!(
        daemon.last_model_input(1).contains("editor's language servers, proven for this text: 1 new error"),
        "{}",
        daemon.last_model_input(1)
    );
    assert!(
        daemon.last_model_input(1).contains("a.toy:3:1 error this is bad"),
        "{}",
        daemon.last_model_input(1)
    );
    assert!(
        daemon.last_model_input(2).contains("b.toy:2:1 error this is bad"),
        "{}",
        daemon.last_model_input(2)
    );
    assert_eq!(started, Vec::<Value>::new(), "no second server was started");
}

/// Its servers know its buffers, and cannot be given another text.
#[test]
fn no_server_is_started_to_give_a_form_to_what_an_editor_serves() {
    let config = json!({ "permission": "allow", "formatter": { "server": {} } });
    let turns = [edit("c1", "a.toy", "two", "three "), text_turn("Done.")];
    let daemon = with(turns, &json!({ "formats": true }), config);
    daemon.scripted.env.write("a.toy", "one \ntwo\n");
    let mut client = editor_with_server(&daemon, "editor");
    let session = client.new_session();
    client.run_turn(&session, "Edit it");
    assert_eq!(daemon.scripted.env.read("a.toy"), "one \nthree \n");
    assert_eq!(servers(&mut client), Vec::<Value>::new());
}

/// An editor without servers still has unsaved texts.
#[test]
fn what_an_editor_has_not_saved_is_told_to_the_daemons_servers() {
    let log = tempfile::tempdir().unwrap().keep().join("log");
    let turns = [edit("c1", "b.toy", "two", "three"), text_turn("Done.")];
    let daemon = with_language_server(turns, &json!({ "pull": true, "push": "never", "log": log }));
    for name in ["a.toy", "b.toy", "same.toy"] {
        daemon.scripted.env.write(name, "two\n");
    }
    let mut client = daemon.client("editor");
    for (name, text) in [("a.toy", "typed\n"), ("new.toy", "not on the disk\n"), ("same.toy", "two\n")] {
        client.open(&daemon.uri(name), text);
    }
    let session = client.new_session();
    client.run_turn(&session, "Edit it");
    let heard = std::fs::read_to_string(log).unwrap();
    let heard = heard.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let opened: Vec<_> = heard.filter(|message| message["method"] == "textDocument/didOpen").collect();
    let text_of = |name: &str| {
        let mut opened = opened.iter().map(|message| &message["params"]["textDocument"]);
        opened.find(|opened| opened["uri"] == daemon.uri(name)).map(|opened| opened["text"].clone())
    };
    assert_eq!(text_of("a.toy"), Some(json!("typed\n")), "{opened:#?}");
    assert_eq!(text_of("new.toy"), Some(json!("not on the disk\n")), "{opened:#?}");
    assert_eq!(text_of("same.toy"), None);
}

#[test]
fn only_editors_in_that_project_are_told_what_its_servers_are_busy_with() {
    let daemon = with_language_server(
        [edit("c1", "a.toy", "two", "three"), text_turn("Done.")],
        &json!({ "pull": true, "push": "never", "indexesMs": 300 }),
    );
    daemon.scripted.env.write("a.toy", "one\ntwo\n");
    daemon.scripted.env.write("../elsewhere/b", "");
    let mut far =
        ScriptedEditor::in_folder(&daemon.scripted.env, "far", EditorEncoding::Utf16, "../elsewhere");
    let mut near = daemon.client("near");
    let session = near.new_session();
    near.run_turn(&session, "Edit it");
    near.take_message("the end of the progress", |message| {
        message["method"] == "$/progress" && message["params"]["value"]["kind"] == "end"
    });
    // Messages to it arrive before this response.
    far.request_ok("copydesk/status", json!({}));
    assert!(!far.has_message(|message| message["method"] == "window/workDoneProgress/create"));
}

#[test]
fn a_call_says_how_far_the_editors_server_is_that_it_waits_for() {
    let call = json!({ "operation": "findReferences", "filePath": "a.toy", "symbol": "one" });
    let turns = [ScriptedTurn::new().call("c1", "lsp", call)];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "permission": "allow" }));
    daemon.scripted.env.write("a.toy", "one\ntwo\n");
    let mut client = daemon.client("editor");
    client.applies_edits = true;
    client.start_server(".toy");
    let value = json!({ "kind": "begin", "title": "Indexing", "percentage": 43 });
    let params = json!({ "token": "t", "value": value });
    client
        .notify("copydesk/server/received", json!({ "server": 1, "method": "$/progress", "params": params }));
    let session = client.new_session();
    client.prompt(&session, "Who uses it?");
    let waits = |message: &Value| message.to_string().contains("bad finder reads the project (43 %)");
    client.take_message("what the call waits for", waits);
    client.request_ok("copydesk/turn/cancel", json!({ "session": session }));
    client.wait_for_turn_end(&session);
}

/// Servers that ignore signals, with a child that ignores them, too.
const STUBBORN: &str = "trap '' TERM HUP INT; (while :; do sleep 1000; done) & exec \"$0\" \"$@\"";

#[test]
fn no_server_outlives_a_daemon_that_is_killed() {
    let turns =
        [edit("c1", "a.toy", "two", "three"), edit("c2", "b.tin", "two", "three"), text_turn("Done.")];
    let program = Path::new(BINARY).parent().unwrap().join("examples/language_server");
    let path = tempfile::tempdir().unwrap().keep().join("script.json");
    std::fs::write(&path, json!({ "stays": true, "pull": true, "push": "never" }).to_string()).unwrap();
    let server =
        |ending: &str| json!({ "command": ["sh", "-c", STUBBORN, program, path], "extensions": [ending] });
    let lsp = json!({ "toy": server(".toy"), "tin": server(".tin") });
    let mut daemon = ScriptedDaemon::with_config(turns, json!({ "lsp": lsp, "permission": "allow" }));
    for file in ["a.toy", "b.tin"] {
        daemon.scripted.env.write(file, "one\ntwo\n");
    }
    let mut client = daemon.client("editor");
    let session = client.new_session();
    client.run_turn(&session, "Edit them");
    let groups: Vec<_> = servers(&mut client).iter().map(|server| server["pid"].to_string()).collect();
    assert_eq!(groups.len(), 2, "{groups:?}");
    let before = running_processes(&groups);
    // Each with its shell, and that shell's `sleep`.
    assert_eq!(before.lines().count(), 6, "{before}");
    println!("before kill -9 of the daemon, which is {}:\n{before}", daemon.pid());
    daemon.crash();
    while !running_processes(&groups).is_empty() {
        std::thread::yield_now();
    }
    println!("after it:\n{}", running_processes(&groups));
}

/// The live processes of these groups.
fn running_processes(groups: &[String]) -> String {
    let list = Command::new("ps").args(["-eo", "pid=,ppid=,pgid=,stat=,args="]).output().unwrap();
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let is_of_group = |line: &&str| {
        let words: Vec<_> = line.split_whitespace().collect();
        groups.iter().any(|group| group == words[2]) && !words[3].starts_with('Z')
    };
    list.lines().filter(is_of_group).map(|line| format!("{line}\n")).collect()
}
