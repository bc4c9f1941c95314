//! To-do lists, questions and plans without a terminal.

use serde_json::{Value, json};

use super::harness::{RunLocation, ScriptedEnvironment, events, strip_durations};
use crate::model_server::ScriptedTurn;

fn todo(content: &str, status: &str) -> Value {
    json!({ "content": content, "status": status, "priority": "medium" })
}

#[test]
fn a_list_outlives_the_run_that_wrote_it() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let todos = json!({ "todos": [todo("Look", "completed"), todo("Mend", "pending")] });
        let scripted = ScriptedEnvironment::new([
            ScriptedTurn::new().call("c1", "todowrite", todos),
            ScriptedTurn::new().text("Half."),
            ScriptedTurn::new().call("c2", "todoread", json!({})),
            ScriptedTurn::new().text("Still half."),
        ]);
        let up = scripted.start_daemon(place);
        let ran = scripted.run(&["Go"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            strip_durations(&ran.stdout).contains("✓ todowrite 1/2 done\n  [x] Look\n  [ ] Mend\n"),
            "{ran:?}"
        );
        // As after a crash: another process works on the session.
        drop(up);
        let _up = scripted.start_daemon(place);
        let ran = scripted.run(&["--continue", "What is left?"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(strip_durations(&ran.stdout).contains("✓ todoread 1/2 done\n"), "{ran:?}");
        assert!(
            scripted.last_model_input(3).contains("1/2 done\n[x] Look\n[ ] Mend"),
            "{}",
            scripted.last_model_input(3)
        );
    }
}

/// Of several calls in one step the last wins, and a read returns what was written before.
#[test]
fn calls_about_the_list_come_one_after_the_other() {
    let write = |turn: ScriptedTurn, call: &str, content: &str| {
        turn.call(call, "todowrite", json!({ "todos": [todo(content, "pending")] }))
    };
    let turn =
        write(write(ScriptedTurn::new(), "c1", "first"), "c2", "second").call("c3", "todoread", json!({}));
    let scripted = ScriptedEnvironment::new([write(turn, "c4", "third"), ScriptedTurn::new().text("ok")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let results = scripted.request_body(1)["messages"][2]["content"].clone();
    assert_eq!(results[2]["content"][0]["text"], "0/1 done\n[ ] second", "{results:#}");
}

fn question() -> ScriptedTurn {
    let options = json!([{ "label": "SQLite", "description": "one file" }, { "label": "Postgres" }]);
    let question = json!({ "question": "Which database?", "header": "Database", "options": options });
    ScriptedTurn::new().call("c1", "question", json!({ "questions": [question] }))
}

#[test]
fn where_nobody_is_there_the_model_is_told_so_and_goes_on() {
    for (place, args) in [
        (RunLocation::OwnProcess, &["Go"][..]),
        (RunLocation::OwnProcess, &["--auto", "Go"]),
        (RunLocation::OwnProcess, &["--json", "Go"]),
        (RunLocation::Daemon, &["Go"]),
        (RunLocation::Daemon, &["--json", "Go"]),
    ] {
        let scripted = ScriptedEnvironment::new([question(), ScriptedTurn::new().text("I take SQLite.")]);
        let _up = scripted.start_daemon(place);
        let ran = scripted.run(args);
        assert_eq!(ran.code, Some(0), "{args:?} {ran:?}");
        let told = "There is no answer: Nobody is there who could answer. Decide yourself, and say what you assumed.";
        assert!(scripted.last_model_input(1).contains(told), "{}", scripted.last_model_input(1));
        if args[0] == "--json" {
            let events = events(&ran);
            let asked = events.iter().find(|event| event["event"] == "questioned").unwrap();
            assert_eq!(asked["questions"][0]["options"][1], json!({ "label": "Postgres" }), "{asked}");
            assert!(
                events
                    .iter()
                    .any(|event| *event == json!({ "event": "answered", "question": asked["question"] }))
            );
        } else {
            let shown = "? Which database?\n  1  SQLite  one file\n  2  Postgres\n\
                         ✗ question no answer: Nobody is there who could answer.";
            assert!(ran.stdout.contains(shown), "{ran:?}");
        }
    }
}

#[test]
fn a_rule_may_forbid_questions() {
    let scripted = ScriptedEnvironment::with_config(
        [question(), ScriptedTurn::new().text("ok")],
        json!({ "permission": { "question": "deny" } }),
    );
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    assert!(!scripted.request_body(0)["tools"].to_string().contains("\"question\""));
    assert!(scripted.last_model_input(1).contains("A rule forbids this"), "{}", scripted.last_model_input(1));
}

fn tools(scripted: &ScriptedEnvironment, request: usize) -> Vec<String> {
    let sent = scripted.request_body(request);
    let tools = sent["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The file, with its name, that the model was told to write the plan to.
fn plan_file(scripted: &ScriptedEnvironment, request: usize) -> String {
    let system = scripted.request_body(request)["system"].to_string();
    let start = system.find(".copydesk/plans/").unwrap_or_else(|| panic!("{system}"));
    system[start..].split_once("-NAME.md").unwrap().0.to_owned() + "-mend.md"
}

/// A planning session and the path of its plan, which no script can know before.
fn planning(config: Value) -> (ScriptedEnvironment, String) {
    let scripted = ScriptedEnvironment::with_config([ScriptedTurn::new().text("What is it about?")], config);
    assert_eq!(scripted.run(&["--agent", "plan", "Plan"]).code, Some(0));
    let plan = plan_file(&scripted, 0);
    (scripted, plan)
}

fn play(scripted: &ScriptedEnvironment, turns: impl IntoIterator<Item = ScriptedTurn>) {
    turns.into_iter().for_each(|turn| scripted.server.queue_turn(turn));
}

#[test]
fn plan_mode_writes_the_plan_and_nothing_else() {
    let write = |turn: ScriptedTurn, call: &str, path: &str| {
        turn.call(call, "write", json!({ "filePath": path, "content": "# Mend it\n" }))
    };
    let allowed = json!({ "permission": { "bash": "allow", "edit": "allow" } });
    for config in [json!({}), json!({ "permission": "allow" }), allowed] {
        let (scripted, plan) = planning(config);
        // Another session's, one of the project's, and its own.
        let turn = write(ScriptedTurn::new(), "c1", ".copydesk/plans/19990101-000000-x.md");
        let turn = write(write(turn, "c2", "src/main.rs"), "c3", &plan);
        play(
            &scripted,
            [turn.call("c4", "bash", json!({ "command": "touch ran" })), ScriptedTurn::new().text("ok")],
        );
        let ran = scripted.run(&["--continue", "Go"]);
        assert_eq!(ran.code, Some(1), "nobody could be asked about the command: {ran:?}");
        let results =
            scripted.request_body(2)["messages"].as_array().unwrap().iter().rev().find_map(|message| {
                message["content"].as_array().filter(|items| items[0]["type"] == "tool_result").cloned()
            });
        let failed: Vec<_> = results.unwrap().iter().map(|result| result["is_error"] == true).collect();
        assert_eq!(failed, [true, true, false, true], "{}", scripted.last_model_input(2));
        assert!(
            scripted.last_model_input(2).contains("Nobody is there to approve this"),
            "the command is asked for"
        );
        assert_eq!(scripted.env.read(&plan), "# Mend it\n");
        assert!(!scripted.env.exists("src/main.rs") && !scripted.env.exists("ran"));
    }
}

#[test]
fn an_approved_plan_is_carried_out_by_the_agent_that_builds() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        // The planning agent has its own model; the other one has not.
        // It has two steps, and the next agent has its own.
        let (scripted, plan) =
            planning(json!({ "agent": { "plan": { "model": "script/m-2", "steps": 2 } } }));
        let _up = scripted.start_daemon(place);
        let write =
            ScriptedTurn::new().call("c1", "write", json!({ "filePath": plan, "content": "# Mend it\n" }));
        let turns = [
            write,
            ScriptedTurn::new().call("c2", "plan_exit", json!({})),
            ScriptedTurn::new().call("c3", "write", json!({ "filePath": "a.txt", "content": "mended\n" })),
            ScriptedTurn::new().text("Done."),
        ];
        play(&scripted, turns);
        scripted.env.write(".copydesk/skills/bad/SKILL.md", "---\nname: bad\nnonsense\n---\n");
        let ran = scripted.run(&["--continue", "--auto", "Go"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        // Problems with skills are reported when the session is opened, not again when another agent takes over.
        let told = ran.stderr.matches("`nonsense` is no `key: value`").count();
        assert_eq!(told, 1, "{ran:?}");
        assert_eq!(scripted.env.read("a.txt"), "mended\n", "{ran:?}");
        assert!(
            ran.stdout.contains("? Carry out the plan in") && ran.stdout.contains("\n  # Mend it\n"),
            "{ran:?}"
        );
        let (before, after) = (tools(&scripted, 2), tools(&scripted, 3));
        let has = |tools: &[String], name: &str| tools.contains(&name.to_owned());
        assert!(has(&before, "plan_exit") && !has(&before, "plan_enter"), "{before:?}");
        assert!(has(&after, "plan_enter") && !has(&after, "plan_exit"), "{after:?}");
        let system = |number: usize| scripted.request_body(number)["system"].to_string();
        assert!(system(2).contains("Here you plan") && !system(3).contains("Here you plan"));
        assert!(
            scripted.last_model_input(3).contains("The user approved the plan"),
            "{}",
            scripted.last_model_input(3)
        );
        let models: Vec<_> = (1..4).map(|number| scripted.request_body(number)["model"].clone()).collect();
        assert_eq!(models, ["m-2", "m-2", "m-1"]);
        let list = scripted.env.run(&["sessions", "list", "--json"]).json();
        assert_eq!((&list[0]["agent"], &list[0]["model"]), (&json!("build"), &json!("script/m-1")));
    }
}

#[test]
fn without_anybody_a_plan_stays_a_plan() {
    let (scripted, plan) = planning(json!({ "permission": "allow" }));
    let write =
        ScriptedTurn::new().call("c1", "write", json!({ "filePath": plan, "content": "# Mend it\n" }));
    play(
        &scripted,
        [
            write,
            ScriptedTurn::new().call("c2", "plan_exit", json!({})),
            ScriptedTurn::new().text("It waits."),
        ],
    );
    let ran = scripted.run(&["--continue", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        scripted.last_model_input(3).contains("You are still planning"),
        "{}",
        scripted.last_model_input(3)
    );
    assert_eq!(scripted.env.run(&["sessions", "list", "--json"]).json()[0]["agent"], "plan");
}
