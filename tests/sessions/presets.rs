//! What runs unasked under each preset, in a whole session. Without `--auto`, nobody answers an ask.

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::editors::scripted_daemon::ScriptedDaemon;
use crate::model_server::ScriptedTurn;

const COMMANDS: [&str; 5] =
    ["ls", "touch made", "cat .env", "cat a.txt | grep -c o", "curl http://127.0.0.1:1/"];

/// A turn that runs the commands one after the other, and edits a file.
fn turns() -> Vec<ScriptedTurn> {
    let bash = |(number, command): (usize, &&str)| {
        ScriptedTurn::new().call(format!("c{number}"), "bash", json!({ "command": command }))
    };
    let mut turns: Vec<_> = COMMANDS.iter().enumerate().map(bash).collect();
    let read = json!({ "filePath": "a.txt" });
    let edit = json!({ "filePath": "a.txt", "oldString": "one", "newString": "1" });
    turns.push(ScriptedTurn::new().call("r", "read", read));
    turns.push(ScriptedTurn::new().call("e", "edit", edit));
    turns.push(ScriptedTurn::new().text("Done."));
    turns
}

/// The calls that ran, by their command, or by the tool's name.
fn ran(config: Value, args: &[&str]) -> Vec<String> {
    let scripted = ScriptedEnvironment::with_config(turns(), config);
    scripted.env.write("a.txt", "one\n");
    scripted.env.write(".env", "KEY=1\n");
    let events = events(&scripted.run(args));
    let ended = events.iter().filter(|event| event["part"]["content"]["output"].is_object());
    let ended = ended.filter(|event| event["part"]["content"]["output"]["isError"] != true);
    let name = |event: &Value| {
        let call = &event["part"]["content"];
        let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
        arguments["command"].as_str().or(call["name"].as_str()).unwrap().to_owned()
    };
    let mut names: Vec<String> = ended.map(name).collect();
    names.dedup();
    names
}

#[test]
fn each_preset_runs_what_it_says() {
    let reads = ["ls", "cat a.txt | grep -c o", "read"];
    let trusting = ["ls", "touch made", "cat a.txt | grep -c o", "read", "edit"];
    let cases: [(&str, Value, &[&str], &[&str]); 6] = [
        ("by default", json!({}), &[], &reads),
        ("careful", json!({}), &["--preset", "careful"], &["read"]),
        ("trusting", json!({}), &["--preset", "trusting"], &trusting),
        ("configured", json!({ "preset": "trusting" }), &[], &trusting),
        ("the choice comes first", json!({ "preset": "trusting" }), &["--preset", "normal"], &reads),
        (
            "rules come before it",
            json!({ "permission": { "bash": { "*": "ask" } } }),
            &["--preset", "trusting"],
            &["read", "edit"],
        ),
    ];
    for (name, config, args, expected) in cases {
        let args: Vec<_> = ["--json"].iter().chain(args).copied().chain(["Go"]).collect();
        assert_eq!(ran(config, &args), expected, "{name}");
    }
}

#[test]
fn an_untrusted_project_only_makes_it_stricter() {
    for (project, expected) in
        [("trusting", &["ls", "cat a.txt | grep -c o", "read"][..]), ("careful", &["read"])]
    {
        let scripted = ScriptedEnvironment::new(turns());
        scripted.env.write("a.txt", "one\n");
        scripted.env.write(".env", "KEY=1\n");
        scripted.env.write("copydesk.jsonc", json!({ "preset": project }).to_string());
        let events = events(&scripted.run(&["--json", "Go"]));
        let is_done = |event: &&Value| {
            let output = &event["part"]["content"]["output"];
            output.is_object() && output["isError"] != true
        };
        assert_eq!(events.iter().filter(is_done).count(), expected.len(), "{project}");
    }
}

#[test]
fn a_preset_is_switched_in_the_middle_of_a_turn() {
    let bash = |id: &str, command: &str| ScriptedTurn::new().call(id, "bash", json!({ "command": command }));
    let turns = [
        bash("c1", "touch one"),
        bash("c2", "touch two"),
        bash("c3", "ls"),
        ScriptedTurn::new().text("Done."),
    ];
    let daemon = ScriptedDaemon::with_config(turns, json!({}));
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let ask = client.wait_for_method("copydesk/permission/ask");
    assert_eq!(ask["params"]["why"], r#"`"bash": { "*": "ask" }` (built in)"#);
    let set = json!({ "session": session, "preset": "trusting" });
    let changed = client.request_ok("copydesk/session/setPreset", set);
    assert_eq!(changed["session"]["preset"], "trusting");
    assert_eq!(
        client.wait_for_turn_end(&session),
        "done",
        "the one that waited runs, and the next is not asked about"
    );
    assert!(daemon.scripted.env.exists("one") && daemon.scripted.env.exists("two"));
    let back = client.request_ok("copydesk/session/setPreset", json!({ "session": session }));
    assert!(back["session"]["preset"].is_null(), "{back}");
}
