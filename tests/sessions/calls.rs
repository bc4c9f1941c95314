//! The lifecycle of a call: what is repaired, what cannot be, and what the model and the user are told.

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::editors::scripted_daemon::ScriptedDaemon;
use crate::model_server::{ScriptedStop, ScriptedTurn};

/// The completed calls of a run with `--json`: name, arguments, whether they failed.
fn calls(events: &[Value]) -> Vec<(String, Value, bool)> {
    let ended = events.iter().filter(|event| event["part"]["content"]["output"].is_object());
    let call = |event: &Value| {
        let call = &event["part"]["content"];
        let arguments = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap_or(Value::Null);
        (call["name"].as_str().unwrap().to_owned(), arguments, call["output"]["isError"] == true)
    };
    ended.map(call).collect()
}

#[test]
fn a_call_with_noise_is_made_and_shown_as_it_was_understood() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new()
            .raw_call("c1", "functions.Read", "```json\n{'path': 'a.txt', limit: '1',}\n```")
            .raw_call("c2", "raed", r#"{"filePath":"a.txt""#),
        ScriptedTurn::new().text("Done."),
    ]);
    scripted.env.write("a.txt", "first\nsecond\n");
    let ran = scripted.run(&["--json", "Look"]);
    let ended = calls(&events(&ran));
    let first = ("read".to_owned(), json!({ "filePath": "a.txt", "limit": 1 }), false);
    let second = ("read".to_owned(), json!({ "filePath": "a.txt" }), false);
    assert!(ended.len() == 2 && ended.contains(&first) && ended.contains(&second), "{ended:?}");
    // The model sees it as it was understood, too.
    let said = scripted.request_body(1)["messages"][1]["content"].clone();
    assert_eq!((&said[0]["name"], &said[0]["input"]), (&json!("read"), &first.1), "{said:#}");
    assert_eq!((&said[1]["name"], &said[1]["input"]), (&json!("read"), &second.1), "{said:#}");
    let told = scripted.last_model_input(1);
    assert!(
        told.contains("1: first")
            && told.contains("(Repaired in this call: `path` was taken for `filePath`.)"),
        "{told}"
    );
    assert!(told.contains("the missing end was added; the tool `raed` was taken for `read`.)"), "{told}");
    let repaired = events(&ran).iter().any(|event| {
        event["part"]["content"]["output"]["metadata"]["repaired"].to_string().contains("single quotes")
    });
    assert!(repaired, "{ran:?}");
}

#[test]
fn what_cannot_be_understood_becomes_invalid() {
    let permission = json!({ "permission": { "bash": "deny" } });
    let scripted = ScriptedEnvironment::with_config(
        [
            ScriptedTurn::new()
                .call("c1", "summon.demon", json!({ "name": "x" }))
                .raw_call("c2", "write", r#"{"filePath":"a.txt","content":"half a te"#)
                .call("c3", "read", json!({ "lines": 5 }))
                .call("c4", "bash", json!({ "command": "touch ran" })),
            ScriptedTurn::new().text("Sorry."),
        ],
        permission,
    );
    let ran = scripted.run(&["--json", "--auto", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut names: Vec<_> =
        calls(&events(&ran)).into_iter().map(|(name, _, failed)| (name, failed)).collect();
    names.sort();
    let expected = [("bash", true), ("invalid", true), ("invalid", true), ("invalid", true)];
    assert_eq!(names, expected.map(|(name, failed)| (name.to_owned(), failed)));
    assert!(!scripted.env.exists("a.txt") && !scripted.env.exists("ran"));
    let told = scripted.last_model_input(1);
    for words in [
        "There is no tool `summon.demon`. There are: `edit`, `glob`,",
        "The arguments of `write` are no JSON object (EOF while parsing a string",
        "The arguments of `read` do not fit: missing field `filePath`. It takes: filePath (string),",
        // Known, but not for this agent: the error says so.
        "A rule forbids this: `bash` of `touch ran` is denied",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let sent = scripted.request_body(1);
    assert!(!sent["tools"].to_string().contains("\"invalid\""), "never offered");
    let said = &sent["messages"][1]["content"];
    assert_eq!(said[0]["input"], json!({ "tool": "summon.demon", "arguments": { "name": "x" } }), "{said:#}");
}

/// An answer that hit its limit is not repaired as one that forgot a bracket.
#[test]
fn what_was_cut_is_not_completed() {
    let cut = || ScriptedTurn::new().raw_call("c1", "write", r#"{"filePath":"a.txt","content":"one""#);
    let scripted = ScriptedEnvironment::new([
        cut().stop(ScriptedStop::Length),
        ScriptedTurn::new().text("Again."),
        cut(),
        ScriptedTurn::new().text("ok"),
    ]);
    scripted.run(&["--auto", "Go"]);
    assert!(!scripted.env.exists("a.txt"), "{}", scripted.last_model_input(1));
    scripted.run(&["--auto", "Go"]);
    assert_eq!(scripted.env.read("a.txt"), "one");
}

/// Four steps that read the same file.
fn circling() -> impl Iterator<Item = ScriptedTurn> {
    (0..4)
        .map(|number| ScriptedTurn::new().call(format!("c{number}"), "read", json!({ "filePath": "a.txt" })))
}

#[test]
fn a_call_that_leads_nowhere_is_asked_about_the_fourth_time() {
    let scripted = ScriptedEnvironment::new(circling().chain([ScriptedTurn::new().text("I stop.")]));
    scripted.env.write("a.txt", "text\n");
    let ran = scripted.run(&["--json", "Go"]);
    let asked: Vec<_> = events(&ran).into_iter().filter(|event| event["event"] == "asked").collect();
    assert_eq!(asked.len(), 1, "{ran:?}");
    assert_eq!(
        (&asked[0]["key"], &asked[0]["patterns"]),
        (&json!("doom_loop"), &json!(["read"])),
        "{asked:?}"
    );
    assert!(scripted.last_model_input(3).contains("1: text"), "the third is made");
    let told = scripted.last_model_input(4);
    assert!(
        told.contains("the same result three times in a row, and was not made again. Do something else."),
        "{told}"
    );
    assert!(told.contains("Nobody is there to approve this") && !told.contains("1: text"), "{told}");
}

#[test]
fn whoever_allows_everything_is_not_asked_about_circles() {
    for (config, args) in [
        (json!({}), &["--auto", "--json", "Go"][..]),
        (json!({ "permission": { "doom_loop": { "read": "allow" } } }), &["--json", "Go"]),
    ] {
        let scripted =
            ScriptedEnvironment::with_config(circling().chain([ScriptedTurn::new().text("ok")]), config);
        scripted.env.write("a.txt", "text\n");
        assert_eq!(scripted.run(args).code, Some(0));
        assert!(scripted.last_model_input(4).contains("1: text"), "{}", scripted.last_model_input(4));
    }
}

/// Earlier calls are in the store; a changed file gives another result.
#[test]
fn circles_are_seen_across_runs() {
    let read = || ScriptedTurn::new().call("c", "read", json!({ "filePath": "a.txt" }));
    let turns = (0..5).flat_map(|_| [read(), ScriptedTurn::new().text("ok")]);
    let scripted = ScriptedEnvironment::new(turns);
    scripted.env.write("a.txt", "text\n");
    scripted.run(&["Go"]);
    for _ in 0..2 {
        scripted.run(&["--continue", "Go"]);
    }
    scripted.run(&["--continue", "Go"]);
    assert!(scripted.last_model_input(7).contains("was not made again"), "{}", scripted.last_model_input(7));
    // Requested once more, it is still the same.
    scripted.run(&["--continue", "Go"]);
    assert!(scripted.last_model_input(9).contains("was not made again"), "{}", scripted.last_model_input(9));
}

#[test]
fn another_result_is_no_circle() {
    let read = |number: u32| {
        let change = json!({ "command": format!("echo {number} > a.txt; sleep 0") });
        [
            ScriptedTurn::new().call("c1", "bash", change),
            ScriptedTurn::new().call("c2", "read", json!({ "filePath": "a.txt" })).call(
                "c3",
                "list",
                json!({ "path": "x" }),
            ),
        ]
    };
    let scripted = ScriptedEnvironment::new((0..5).flat_map(read).chain([ScriptedTurn::new().text("ok")]));
    let ran = scripted.run(&["--json", "--auto", "Go"]);
    let keys: Vec<_> = events(&ran)
        .iter()
        .filter(|event| event["event"] == "asked")
        .map(|event| event["key"].clone())
        .collect();
    assert!(!keys.contains(&json!("doom_loop")), "{keys:?}");
}

/// Calls that end together are stored together; a completed one does not wait for a running one.
#[test]
fn a_call_that_is_done_is_told_while_another_goes_on() {
    let all = ScriptedTurn::new()
        .call("c1", "list", json!({}))
        .call("c2", "glob", json!({ "pattern": "*" }))
        .call("c3", "bash", json!({ "command": "read < open" }));
    let daemon = ScriptedDaemon::new([all, ScriptedTurn::new().text("Done.")]);
    let fifo = std::process::Command::new("mkfifo").arg(daemon.scripted.env.path("open")).status().unwrap();
    assert!(fifo.success());
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    for call in ["c1", "c2"] {
        client.take_message("the end of a call", |message| {
            let part = &message["params"]["event"]["part"];
            part["content"]["call"] == call && part["state"]["kind"] == "completed"
        });
    }
    daemon.scripted.env.write("open", "\n");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(daemon.last_model_input(1).contains("open"), "{}", daemon.last_model_input(1));
}
