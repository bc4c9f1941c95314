//! From a prompt to the final answer: what the model is sent, what is done, what the user sees.

use serde_json::json;

use super::harness::{ScriptedEnvironment, events};
use crate::model_server::{ScriptedTurn, ScriptedUsage};

#[test]
fn a_prompt_is_answered() {
    let turn = ScriptedTurn::new().reasoning("Hm.").signed("s").text("Hello.").usage(ScriptedUsage {
        input: 10,
        output: 5,
        ..ScriptedUsage::default()
    });
    let scripted = ScriptedEnvironment::new([turn]);
    let ran = scripted.run(&["Say", "hello"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("Hm.\nHello.\n", Some(0)), "{ran:?}");
    assert!(ran.stderr.contains("10 tokens in, 5 out, $0.0001"), "{ran:?}");
    let sent = scripted.request_body(0);
    assert_eq!(
        sent["messages"],
        json!([{ "role": "user", "content": [{ "type": "text", "text": "Say hello", "cache_control": { "type": "ephemeral" } }] }])
    );
    let system = sent["system"].to_string();
    assert!(system.contains("Copydesk") && system.contains("Workspace: "), "{system}");
    let tools: Vec<_> =
        sent["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    // The tools of the default agent, sorted by name. A new tool belongs here.
    let offered = "bash edit glob grep job list lsp multiedit plan_enter question read refactor task todoread todowrite webfetch write";
    assert_eq!(tools, offered.split(' ').collect::<Vec<_>>());
}

#[test]
fn the_prompt_may_come_through_standard_input() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok"), ScriptedTurn::new().text("ok")]);
    assert_eq!(scripted.env.run_with(&["run"], "from the pipe").code, Some(0));
    assert_eq!(scripted.env.run_with(&["run", "Explain:"], "an error").code, Some(0));
    assert!(scripted.last_message(0).contains("from the pipe"));
    assert!(scripted.last_message(1).contains("Explain:\\n\\nan error"), "{}", scripted.last_message(1));
    let empty = scripted.env.run_with(&["run"], " \n");
    assert!(empty.code == Some(2) && empty.stderr.contains("the prompt is empty"), "{empty:?}");
}

#[test]
fn files_are_read_and_the_model_is_told() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("I look.").call("c1", "read", json!({ "filePath": "a.txt" })).call(
            "c2",
            "Read",
            json!({ "filePath": "missing" }),
        ),
        ScriptedTurn::new().text("Done."),
    ]);
    scripted.env.write("a.txt", "first\nsecond\n");
    let ran = scripted.run(&["Look"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let results = scripted.request_body(1)["messages"][2]["content"].clone();
    assert_eq!((&results[0]["tool_use_id"], &results[1]["tool_use_id"]), (&json!("c1"), &json!("c2")));
    assert!(
        results[0]["content"][0]["text"].as_str().unwrap().contains("1: first\n2: second"),
        "{results:#}"
    );
    assert_eq!(results[1]["is_error"], true);
    assert!(ran.stdout.contains("✓ read") && ran.stdout.contains("✗ read"), "{ran:?}");
}

/// Whether or not a model ends its last line itself.
#[test]
fn one_empty_line_is_between_words_and_calls() {
    for (words, end) in [("I look.\n", "Done.\n"), ("I look.", "Done.")] {
        let list = ScriptedTurn::new().text(words).call("c1", "list", json!({}));
        let ran = ScriptedEnvironment::new([list, ScriptedTurn::new().text(end)]).run(&["Look"]);
        assert!(
            ran.stdout.starts_with("I look.\n\n✓ list") && ran.stdout.ends_with("\n\nDone.\n"),
            "{ran:?}"
        );
    }
}

#[test]
fn an_edit_is_made_only_when_somebody_approves() {
    let edit = || {
        ScriptedTurn::new().call(
            "c1",
            "edit",
            json!({ "filePath": "a.txt", "oldString": "old", "newString": "new" }),
        )
    };
    let scripted = ScriptedEnvironment::new([
        edit(),
        ScriptedTurn::new().text("I see."),
        edit(),
        ScriptedTurn::new().text("Done."),
    ]);
    scripted.env.write("a.txt", "old\n");
    let ran = scripted.run(&["Change it"]);
    assert_eq!((scripted.env.read("a.txt").as_str(), ran.code), ("old\n", Some(1)), "{ran:?}");
    let told = scripted.last_message(1);
    assert!(told.contains("Nobody is there to approve this") && !told.contains("said no"), "{told}");
    assert!(ran.stdout.contains("✗ edit Edit a.txt (+1 -1): nobody could be asked\n"), "{ran:?}");
    assert!(
        ran.stderr.contains("because nobody could approve it") && ran.stderr.contains("`--auto`"),
        "{ran:?}"
    );
    let ran = scripted.run(&["--auto", "Change it"]);
    assert_eq!((scripted.env.read("a.txt").as_str(), ran.code), ("new\n", Some(0)), "{ran:?}");
    assert!(ran.stdout.contains("-old") && ran.stdout.contains("+new"), "{ran:?}");
}

#[test]
fn rules_of_the_configuration_hold() {
    let permission =
        json!({ "permission": { "edit": "allow", "bash": "deny", "read": { "secret*": "deny" } } });
    let scripted = ScriptedEnvironment::with_config(
        [
            ScriptedTurn::new()
                .call("c1", "write", json!({ "filePath": "new.txt", "content": "made\n" }))
                .call("c2", "bash", json!({ "command": "touch ran" }))
                .call("c3", "read", json!({ "filePath": "secret.txt" })),
            ScriptedTurn::new().text("Done."),
        ],
        permission,
    );
    scripted.env.write("secret.txt", "hush");
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    assert_eq!(scripted.env.read("new.txt"), "made\n");
    assert!(!scripted.env.exists("ran"));
    let tools = scripted.request_body(0)["tools"].to_string();
    assert!(!tools.contains("\"bash\""), "what could only be denied is not offered");
    let results = scripted.request_body(1)["messages"][2].to_string();
    assert!(!results.contains("hush") && results.contains("forbids this"), "{results}");
}

/// Two edits of one file in one step, and a command that sees them.
#[test]
fn calls_that_touch_the_same_file_keep_their_order() {
    let edit = |old: &str, new: &str| json!({ "filePath": "a.txt", "oldString": old, "newString": new });
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new()
            .call("c1", "edit", edit("one", "two"))
            .call("c2", "edit", edit("two", "three"))
            .call("c3", "bash", json!({ "command": "cat a.txt" })),
        ScriptedTurn::new().text("Done."),
    ]);
    scripted.env.write("a.txt", "one\n");
    let ran = scripted.run(&["--auto", "Count"]);
    assert_eq!((scripted.env.read("a.txt").as_str(), ran.code), ("three\n", Some(0)), "{ran:?}");
    let results = scripted.request_body(1)["messages"][2]["content"].clone();
    assert!(results[2].to_string().contains("three"), "{results:#}");
}

#[test]
fn every_event_is_a_line_of_json() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("I run it.").call("c1", "bash", json!({ "command": "echo out; exit 3" })),
        ScriptedTurn::new().text("It failed."),
    ]);
    let ran = scripted.run(&["--json", "--auto", "Run it"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let events = events(&ran);
    let kinds: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], kinds[1]), ("session", "turnStarted"));
    assert_eq!(
        events.last().unwrap(),
        &json!({ "event": "turnEnded", "turn": 1, "end": { "kind": "done" } })
    );
    assert!(kinds.contains(&"asked") && kinds.contains(&"settled") && kinds.contains(&"delta"), "{kinds:?}");
    let states: Vec<_> = events
        .iter()
        .filter(|event| event["part"]["content"]["kind"] == "call")
        .map(|event| event["part"]["state"]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["running", "pending", "running", "completed"], "as it is written, then as it is run");
    assert!(scripted.last_message(1).contains("exit code 3"), "{}", scripted.last_message(1));
}

#[test]
fn what_the_project_says_reaches_the_model() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    scripted.env.write("AGENTS.md", "Always be kind.");
    scripted.env.write("CLAUDE.md", "Not read beside the other.");
    scripted.run(&["Hello"]);
    let system = scripted.request_body(0)["system"].to_string();
    assert!(system.contains("Always be kind.") && !system.contains("Not read"), "{system}");
}

#[test]
fn a_plan_changes_nothing() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().call("c1", "edit", json!({ "filePath": "a", "oldString": "", "newString": "x" })),
        ScriptedTurn::new().text("ok"),
        ScriptedTurn::new().text("ok"),
    ]);
    let ran = scripted.run(&["--agent", "plan", "--auto", "Plan"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!scripted.env.exists("a"));
    assert!(
        scripted.last_model_input(1).contains("A rule forbids this: `edit` of `a`"),
        "{}",
        scripted.last_model_input(1)
    );
    scripted.run(&["--agent", "explore", "Look"]);
    let names = scripted.request_body(2)["tools"].to_string();
    assert!(
        !names.contains("\"edit\"") && !names.contains("\"bash\"") && names.contains("\"read\""),
        "{names}"
    );
    let ran = scripted.run(&["--agent", "nobody", "Plan"]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("there is no agent `nobody`; there are: build, plan"),
        "{ran:?}"
    );
}

#[test]
fn instructions_beside_a_file_are_told_once_when_it_is_read() {
    let read = |call: &str| ScriptedTurn::new().call(call, "read", json!({ "filePath": "deep/down/a.txt" }));
    let scripted = ScriptedEnvironment::new([read("c1"), read("c2"), ScriptedTurn::new().text("ok")]);
    scripted.env.write("AGENTS.md", "At the top.");
    scripted.env.write("deep/AGENTS.md", "Deep down.");
    scripted.env.write("deep/down/a.txt", "text\n");
    assert_eq!(scripted.run(&["Look"]).code, Some(0));
    assert!(!scripted.request_body(0).to_string().contains("Deep down."));
    assert_eq!(scripted.request_body(2).to_string().matches("Deep down.").count(), 1);
    assert_eq!(scripted.request_body(2).to_string().matches("At the top.").count(), 1);
}

/// The turn does not wait for a title; one that arrives is stored.
#[tokio::test]
async fn a_quick_model_gives_the_title() {
    let scripted = ScriptedEnvironment::with_config(
        [ScriptedTurn::new().gate("turn").text("ok")],
        json!({ "small_model": "script/small" }),
    );
    scripted.server.on_request(
        |request| request.body["model"] == "small",
        ScriptedTurn::new().text("\"A fine title\"\n"),
    );
    let child = scripted.start(&["--json", "Please do something long and winding"]);
    scripted.server.wait_for_gate("turn").await;
    scripted.server.request_arrived(2).await;
    let titles = || {
        let list = scripted.env.run(&["sessions", "list", "--json"]).json();
        list[0]["title"].as_str().unwrap().to_owned()
    };
    while titles() != "A fine title" {
        tokio::task::yield_now().await;
    }
    scripted.server.open_gate("turn");
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(titles(), "A fine title");
}

#[test]
fn agents_come_from_files_and_from_the_configuration() {
    let config = json!({ "agent": { "careful": { "permission": { "bash": "deny" } } } });
    let scripted = ScriptedEnvironment::with_config(
        [ScriptedTurn::new().text("ok"), ScriptedTurn::new().text("ok")],
        config,
    );
    scripted
        .env
        .write(".claude/agents/reviewer.md", "---\ndescription: Reviews.\nmodel: opus\n---\nYou review.");
    scripted.env.write(".copydesk/agents/careful.md", "You are careful.");
    assert_eq!(scripted.run(&["--agent", "reviewer", "Go"]).code, Some(0));
    assert_eq!(scripted.request_body(0)["system"][0]["text"], "You review.");
    assert_eq!(scripted.run(&["--agent", "careful", "Go"]).code, Some(0));
    assert_eq!(scripted.request_body(1)["system"][0]["text"], "You are careful.");
    assert!(!scripted.request_body(1)["tools"].to_string().contains("\"bash\""));
}
