//! What a model is told about problems in its edits: by a scripted language server, by grammars, after edits, commands and turns.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::cli::environment::{BINARY, USER_CONFIG};
use crate::model_server::ScriptedTurn;

/// The program is an example of this package, built with its tests.
fn program() -> String {
    let folder = Path::new(BINARY).parent().unwrap();
    folder.join("examples/language_server").to_string_lossy().into_owned()
}

/// An environment with a scripted server for `.toy` files.
fn served(turns: impl IntoIterator<Item = ScriptedTurn>, script: &Value) -> ScriptedEnvironment {
    served_within(3000, turns, script)
}

/// An edit waits so many milliseconds for diagnostics.
fn served_within(
    wait: u64,
    turns: impl IntoIterator<Item = ScriptedTurn>,
    script: &Value,
) -> ScriptedEnvironment {
    let folder = tempfile::tempdir().unwrap().keep();
    let path = folder.join("script.json");
    std::fs::write(&path, script.to_string()).unwrap();
    let lsp = json!({ "toy": { "command": [program(), path], "extensions": [".toy"] } });
    let config = json!({ "lsp": lsp, "permission": "allow", "diagnostics": { "wait": wait } });
    ScriptedEnvironment::with_config(turns, config)
}

fn rules() -> Value {
    json!([{ "find": "bad", "message": "this is bad", "severity": 1, "code": "T1" }])
}

fn edit(id: &str, old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(id, "edit", json!({ "filePath": "a.toy", "oldString": old, "newString": new }))
}

fn done() -> ScriptedTurn {
    ScriptedTurn::new().text("Done.")
}

/// `diagnostics` of the calls of this tool, as clients see them.
fn diagnostics(events: &[Value], tool: &str) -> Vec<Value> {
    let settled = events
        .iter()
        .filter(|event| event["event"] == "part" && event["part"]["state"]["kind"] == "completed");
    let calls = settled.map(|event| &event["part"]["content"]).filter(|content| content["name"] == tool);
    calls.map(|call| call["output"]["metadata"]["diagnostics"].clone()).collect()
}

#[test]
fn an_edit_is_told_what_the_server_says_of_exactly_that_text() {
    // The first edit starts the server, which may not have been asked before it.
    let turns =
        [edit("c0", "2", "two"), edit("c1", "two", "bad two\nthree"), edit("c2", "bad two", "two"), done()];
    let scripted = served(turns, &json!({ "pull": true, "push": "never", "rules": rules() }));
    scripted.env.write("a.toy", "bad one\n2\n");
    let ran = scripted.run(&["--json", "Edit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let first = scripted.last_model_input(2);
    assert!(first.contains("toy, proven for this text: 1 new error"), "{first}");
    assert!(first.contains("a.toy:2:1 error T1 this is bad"), "{first}");
    assert!(!first.contains("a.toy:1:1"), "the old one is not told again: {first}");
    assert!(first.contains("1 older error remains."), "{first}");
    let second = scripted.last_model_input(3);
    assert!(second.contains("toy, proven for this text: no new errors"), "{second}");
    assert!(second.contains("1 older error remains, 1 was fixed."), "{second}");
    let shown = diagnostics(&events(&ran), "edit");
    assert_eq!(shown[1]["new"][0]["line"], 2);
    assert_eq!(shown[1]["reports"][0]["proof"], "proven");
}

#[test]
fn a_server_that_reads_the_project_for_longer_than_an_edit_waits_is_told_later() {
    let log = tempfile::tempdir().unwrap().keep().join("log");
    let script = json!({ "pull": true, "push": "never", "rules": rules(), "indexesMs": 1500, "log": log });
    // After it was asked, its response has still to arrive.
    let asked =
        format!("until grep -q textDocument/diagnostic {}; do sleep 0.05; done; sleep 1", log.display());
    let wait = ScriptedTurn::new().call("c2", "bash", json!({ "command": asked, "description": "Wait" }));
    let scripted = served_within(100, [edit("c1", "two", "bad two"), wait, done()], &script);
    scripted.env.write("a.toy", "one\ntwo\n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    let first = scripted.last_model_input(1);
    assert!(first.contains("toy: not known for this text"), "{first}");
    assert!(!first.contains("this is bad"), "{first}");
    let later = scripted.last_model_input(2);
    assert!(later.contains("this is bad"), "{later}");
}

#[test]
fn servers_that_break_lose_no_edit_and_are_told_of() {
    for (script, said) in [
        (json!({ "exitsAtStart": 3, "complains": "no licence" }), "no licence"),
        (json!({ "neverAnswers": ["textDocument/diagnostic"], "pull": true, "push": "never" }), "not known"),
        // Restarted, it may be in time.
        (json!({ "crashesAfter": 1, "pull": true, "push": "never" }), "toy"),
        (json!({ "floods": true, "pull": true, "push": "never", "rules": rules() }), "this is bad"),
        (
            json!({ "garbage": "hello world\n", "pull": true, "push": "never", "rules": rules() }),
            "this is bad",
        ),
        (json!({ "pastTheEnd": true, "pull": true, "push": "never" }), "toy"),
        // A debug build may take a while with so many.
        (json!({ "more": 100_000, "pull": true, "push": "never", "rules": rules() }), "toy"),
        (json!({ "wrongVersions": true, "push": "versions", "rules": rules() }), "not known"),
    ] {
        let scripted = served([edit("c1", "two", "bad two"), done()], &script);
        scripted.env.write("a.toy", "one\ntwo\n");
        let ran = scripted.run(&["Edit"]);
        assert_eq!(ran.code, Some(0), "{script}: {}", ran.stderr);
        assert_eq!(scripted.env.read("a.toy"), "one\nbad two\n", "{script}");
        let told = scripted.last_model_input(1);
        assert!(told.contains(said), "{script}: {told}");
        assert!(told.len() < 16 * 1024, "{script}: {} bytes", told.len());
    }
}

#[test]
fn what_a_command_broke_is_told_with_the_command() {
    let read = ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.toy" }));
    let command = json!({ "command": "sed -i 's/two/bad two/' a.toy", "description": "Change it" });
    let scripted = served(
        [read, edit("c2", "one", "one one"), ScriptedTurn::new().call("c3", "bash", command), done()],
        &json!({ "pull": true, "push": "never", "rules": rules() }),
    );
    scripted.env.write("a.toy", "one\ntwo\n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    let told = scripted.last_model_input(3);
    assert!(told.contains("a.toy:2:1 error T1 this is bad"), "{told}");
}

/// The model may not see it, which does not mean that it is gone.
#[test]
fn a_file_that_may_not_be_read_is_not_told_as_gone() {
    let bash = |id: &str, command: &str| {
        ScriptedTurn::new().call(id, "bash", json!({ "command": command, "description": "Change it" }))
    };
    // A command that names the file would be denied.
    let secret = "sh hide.sh";
    let turns = [
        edit("c1", "one", "uno"),
        bash("c2", secret),
        bash("c3", &format!("{secret} two; echo bad > b.toy")),
        done(),
    ];
    let ScriptedEnvironment { env, server } =
        served(turns, &json!({ "pull": true, "push": "never", "rules": rules() }));
    let mut config: Value = serde_json::from_str(&env.read(USER_CONFIG)).unwrap();
    config["permission"] = json!({ "*": "allow", "read": { "*": "allow", "secret*": "deny" } });
    let scripted = ScriptedEnvironment { env: env.with_files(&[(USER_CONFIG, &config.to_string())]), server };
    scripted.env.write("a.toy", "one\n");
    scripted.env.write("secret.toy", "");
    scripted.env.write("hide.sh", "echo bad $1 > secret.toy\n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    assert!(!scripted.last_model_input(2).contains("changed files"), "{}", scripted.last_model_input(2));
    let told = scripted.last_model_input(3);
    assert!(told.contains("b.toy:1:1") && told.contains("1 more changed file was not looked at."), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn without_servers_a_grammar_finds_what_breaks_the_syntax() {
    let edit = json!({ "filePath": "a.py", "oldString": "return 1", "newString": "return (1" });
    let turns = [ScriptedTurn::new().call("c1", "edit", edit), done()];
    let scripted = ScriptedEnvironment::with_config(turns, json!({ "permission": "allow", "lsp": false }));
    scripted.env.write("a.py", "def f():\n    return 1\n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    let told = scripted.last_model_input(1);
    assert!(told.contains("tree-sitter, syntax only: 1 new error"), "{told}");
}

#[test]
fn whoever_wants_none_of_it_is_told_none() {
    let edit = json!({ "filePath": "a.py", "oldString": "return 1", "newString": "return (1" });
    let more = json!({ "permission": "allow", "diagnostics": { "enabled": false } });
    let scripted =
        ScriptedEnvironment::with_config([ScriptedTurn::new().call("c1", "edit", edit), done()], more);
    scripted.env.write("a.py", "def f():\n    return 1\n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    let told = scripted.last_model_input(1);
    assert!(!told.contains("tree-sitter"), "{told}");
}

#[test]
fn a_formatter_gives_what_is_written_its_form_before_it_is_reported() {
    let turns = [edit("c1", "two", "TWO"), done()];
    let formatter = json!({ "lower": { "command": ["tr", "A-Z", "a-z"], "extensions": [".toy"] } });
    let scripted =
        ScriptedEnvironment::with_config(turns, json!({ "permission": "allow", "formatter": formatter }));
    scripted.env.write("a.toy", "One\ntwo\n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    let told = scripted.last_model_input(1);
    assert_eq!(scripted.env.read("a.toy"), "one\ntwo\n");
    assert!(told.contains("The formatter changed the form of a.toy."), "{told}");
}

#[test]
fn a_language_server_gives_what_is_written_its_form_where_a_user_wants_that() {
    let script = json!({ "formats": true, "pull": true, "push": "never", "rules": rules() });
    for (formatter, expected) in [
        (json!({ "server": {} }), "one\nbad two\n"),
        (json!({ "server": { "extensions": [".other"] } }), "one \nbad two  \n"),
        // A configured command is used as it is.
        (
            json!({ "server": {}, "t": { "command": ["tr", "w", "W"], "extensions": [".toy"] } }),
            "one \nbad tWo  \n",
        ),
        (json!(true), "one \nbad two  \n"),
    ] {
        let scripted = served([edit("c1", "two", "bad two "), done()], &script);
        let ScriptedEnvironment { env, server } = scripted;
        let mut config: Value = serde_json::from_str(&env.read(USER_CONFIG)).unwrap();
        config["formatter"] = formatter.clone();
        let scripted =
            ScriptedEnvironment { env: env.with_files(&[(USER_CONFIG, &config.to_string())]), server };
        scripted.env.write("a.toy", "one \ntwo \n");
        assert_eq!(scripted.run(&["Edit"]).code, Some(0));
        assert_eq!(scripted.env.read("a.toy"), expected, "{formatter}");
        let told = scripted.last_model_input(1);
        // The report is about the current text.
        assert!(told.contains("a.toy:2:1 error T1 this is bad"), "{told}");
        let is_formed = expected == "one\nbad two\n";
        assert_eq!(
            told.contains("The formatter changed the form of a.toy."),
            is_formed || formatter["t"].is_object(),
            "{told}"
        );
    }
}

#[test]
fn a_language_server_gives_texts_their_form_also_where_nobody_asks_what_is_wrong() {
    let script = json!({ "formats": true, "pull": true, "push": "never", "rules": rules() });
    let ScriptedEnvironment { env, server } = served([edit("c1", "two", "bad two "), done()], &script);
    let mut config: Value = serde_json::from_str(&env.read(USER_CONFIG)).unwrap();
    config["formatter"] = json!({ "server": {} });
    config["diagnostics"] = json!({ "enabled": false });
    let scripted = ScriptedEnvironment { env: env.with_files(&[(USER_CONFIG, &config.to_string())]), server };
    scripted.env.write("a.toy", "one \ntwo \n");
    assert_eq!(scripted.run(&["Edit"]).code, Some(0));
    assert_eq!(scripted.env.read("a.toy"), "one\nbad two\n");
    assert!(!scripted.last_model_input(1).contains("this is bad"), "{}", scripted.last_model_input(1));
}

/// A killed copydesk takes its language servers along.
#[test]
fn no_server_outlives_a_daemon_that_is_killed() {
    let script = json!({ "stays": true, "pull": true, "push": "never", "rules": rules() });
    let wait = ScriptedTurn::new().call(
        "c2",
        "bash",
        json!({ "command": "touch up; sleep 60", "description": "Wait" }),
    );
    let scripted = served([edit("c1", "two", "three"), wait], &script);
    scripted.env.write("a.toy", "one\ntwo\n");
    let mut run = scripted.start(&["Edit"]);
    let up = scripted.env.path("up");
    while !up.exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended");
        std::thread::yield_now();
    }
    let servers = children_of(run.id());
    assert!(!servers.is_empty(), "a server runs");
    run.kill().unwrap();
    run.wait().unwrap();
    for server in servers {
        let gone = || !Path::new(&format!("/proc/{server}/cmdline")).exists() || is_dead(server);
        while !gone() {
            std::thread::yield_now();
        }
    }
}

fn is_dead(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']))
}

/// The language servers that this process started.
fn children_of(process: u32) -> Vec<u32> {
    let listed =
        Command::new("ps").args(["-o", "pid=,args=", "--ppid", &process.to_string()]).output().unwrap();
    let lines = String::from_utf8_lossy(&listed.stdout).into_owned();
    let servers = lines.lines().filter(|line| line.contains("language_server"));
    servers.filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}
