//! Which agents get no task, and what a subagent may not do.

use serde_json::{Value, json};

use super::{
    arguments, edit, is_about, read, requests, results, script_fallback, script_session, scripted, task,
    text_turn, tools,
};
use crate::model_server::{RecordedRequest, ScriptedTurn, ScriptedUsage};
use crate::sessions::harness::events;

#[test]
fn whoever_is_unknown_gets_no_task() {
    let scripted = scripted(json!({ "agent": {
        "review": { "mode": "subagent", "description": "Reads\n- `evil`: changes", "prompt": "You review." },
        "secret": { "mode": "subagent", "description": "Is denied." },
        "chief": { "mode": "primary", "description": "Is for people." },
    }, "permission": { "task": { "secret": "deny" } } }));
    let calls = ["nobody", "chief", "title", "secret", ""];
    let mut turn = ScriptedTurn::new();
    for (number, agent) in calls.iter().enumerate() {
        turn = turn.call(format!("c{number}"), "task", arguments(agent, "Look"));
    }
    let turn = turn
        .call("c5", "task", json!({ "description": "x", "prompt": " \n", "subagent_type": "review" }))
        .call("c6", "task", json!({ "description": "x", "subagent_type": "review" }))
        .call(
            "c7",
            "task",
            json!({ "description": "x", "prompt": "Look", "subagent_type": "review", "task_id": "01k9" }),
        );
    script_session(&scripted.server, "Go", [turn, text_turn("Done.")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let requests = requests(&scripted.server, "Go");
    let results = results(&requests[1]);
    for (agent, result) in calls.iter().zip(&results) {
        let expected = format!(
            "There is no agent `{agent}` that can be given a task. There are: `explore`, `general`, `review`."
        );
        assert_eq!(*result, expected);
    }
    assert!(results[5].starts_with("`prompt` is empty."), "{results:?}");
    assert!(results[6].contains("`prompt`"), "{results:?}");
    assert_eq!(results[7], "This session has no task `01k9`. Leave `task_id` out to begin a new one.");
    let tools = requests[0]["tools"].to_string();
    assert!(
        tools.contains("- `review`: Reads - `evil`: changes\\n") && !tools.contains("`secret`"),
        "{tools}"
    );
}

#[test]
fn tools_that_are_switched_off_above_are_off_below() {
    let scripted = scripted(json!({ "agent": {
        "build": { "tools": { "bash": false } },
        "general": { "tools": { "bash": true, "batch": true } },
    } }));
    let run = ScriptedTurn::new().call("b1", "bash", json!({ "command": "touch ran" }));
    script_session(&scripted.server, "Go", [task("c1", "general", "Below"), text_turn("Done.")]);
    script_session(&scripted.server, "Below", [run, text_turn("Not there.")]);
    assert_eq!(scripted.run(&["--auto", "Go"]).code, Some(0));
    let below = requests(&scripted.server, "Below");
    let tools = tools(&below[0]);
    assert!(!tools.contains(&"bash") && !tools.contains(&"job"), "{tools:?}");
    assert!(tools.contains(&"batch"), "nobody has switched it off: {tools:?}");
    assert!(results(&below[1])[0].contains("The tool `bash` is switched off"), "{below:?}");
    assert!(!scripted.env.exists("ran"));
}

#[test]
fn outputs_of_a_task_lie_with_those_of_the_session_it_works_for() {
    let scripted = scripted(json!({ "permission": { "bash": "allow" } }));
    let long = ScriptedTurn::new().call("b1", "bash", json!({ "command": "seq 10000" }));
    script_session(&scripted.server, "Go", [task("c1", "general", "Below"), text_turn("Done.")]);
    script_session(&scripted.server, "Below", [long, text_turn("Counted.")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let list = scripted.env.run(&["sessions", "list", "--json"]).json();
    let told = results(&requests(&scripted.server, "Below")[1]).remove(0);
    let folder = format!("/output/{}/", list[0]["id"].as_str().unwrap());
    assert!(told.contains(&folder), "{folder}: {told}");
}

#[test]
fn agents_call_agents_only_as_deep_as_is_said() {
    let deep = |depth: Option<u32>| {
        let config = depth.map_or(json!({}), |depth| json!({ "subagent_depth": depth }));
        scripted(config)
    };
    // One level by default.
    let flat = deep(None);
    script_session(&flat.server, "Go", [task("c1", "general", "Below"), text_turn("Done.")]);
    script_session(&flat.server, "Below", [task("b1", "general", "Deeper"), text_turn("Not allowed.")]);
    assert_eq!(flat.run(&["Go"]).code, Some(0));
    let below = requests(&flat.server, "Below");
    assert!(!tools(&below[0]).contains(&"task"), "{below:?}");
    assert!(results(&below[1])[0].contains("The tool `task` is switched off"), "{below:?}");
    // Two levels: the edits and usage of the deepest belong to the top call.
    let used = ScriptedUsage { input: 1000, output: 100, ..ScriptedUsage::default() };
    let two = deep(Some(2));
    script_session(&two.server, "Go", [task("c1", "general", "Below"), text_turn("Done.")]);
    script_session(&two.server, "Below", [task("b1", "general", "Deeper"), text_turn("Below done.")]);
    script_session(
        &two.server,
        "Deeper",
        [read("d1"), edit("d2", "two", "2"), text_turn("Deeper done.").usage(used)],
    );
    let ran = two.run(&["--auto", "--json", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let events = events(&ran);
    let asked = events.iter().find(|event| event["event"] == "asked").unwrap();
    assert_eq!(asked["title"], "general: general: Edit a.txt (+1 -1)");
    let call = events.iter().rfind(|event| event["part"]["content"]["call"] == "c1").unwrap();
    let metadata = &call["part"]["content"]["output"]["metadata"];
    assert_eq!(metadata["usage"]["input"], 1000, "{metadata}");
    assert!(metadata["cost"].as_f64().unwrap() >= 0.002, "{metadata}");
    assert!(!tools(&requests(&two.server, "Deeper")[0]).contains(&"task"));
    assert_eq!(two.env.run(&["undo"]).code, Some(0));
    assert_eq!(two.env.read("a.txt"), "one\ntwo\nthree\n");
    // None.
    let none = deep(Some(0));
    none.server.queue_turn(text_turn("Alone."));
    assert_eq!(none.run(&["Go"]).code, Some(0));
    assert!(!tools(&none.request_body(0)).contains(&"task"));
}

#[test]
fn what_is_denied_above_is_denied_below_and_nobody_there_is_nobody_anywhere() {
    let scripted = scripted(json!({
        "permission": { "read": { "secret*": "deny" } },
        "agent": {
            "build": { "permission": { "bash": "deny" } },
            "general": { "permission": { "bash": "allow", "read": "allow", "question": "allow" } },
        },
    }));
    scripted.env.write("secret.txt", "hush");
    script_session(&scripted.server, "Go", [task("c1", "general", "Try"), text_turn("Done.")]);
    let tries = ScriptedTurn::new()
        .call("t1", "bash", json!({ "command": "touch ran" }))
        .call("t2", "read", json!({ "filePath": "secret.txt" }))
        .call("t3", "edit", json!({ "filePath": "a.txt", "oldString": "two", "newString": "2" }));
    script_session(&scripted.server, "Try", [read("t0"), tries, text_turn("I could not.")]);
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let below = requests(&scripted.server, "Try");
    assert!(!tools(&below[0]).contains(&"bash"), "what could only be denied is not offered");
    let results = results(&below[2]).split_off(1);
    assert!(results[0].contains("forbids this") && !scripted.env.exists("ran"), "{results:?}");
    assert!(results[1].contains("forbids this") && !results[1].contains("hush"), "{results:?}");
    assert!(results[2].contains("Nobody is there to approve this"), "{results:?}");
    assert!(ran.stdout.contains("? general: Edit a.txt (+1 -1)"), "{ran:?}");
    assert_eq!(scripted.env.read("a.txt"), "one\ntwo\nthree\n");
}

/// The planning agent may let others look, but not work.
#[test]
fn who_plans_calls_explore_alone() {
    let run = |config: Value| {
        let scripted = scripted(config);
        let both = task("c1", "explore", "Look").call("c2", "task", arguments("general", "Do"));
        script_session(&scripted.server, "Go", [both, text_turn("Planned.")]);
        let told = |word: &'static str| {
            move |request: &RecordedRequest| {
                is_about(request, "Look") && request.body["messages"].to_string().contains(word)
            }
        };
        scripted.server.on_each_request(told("e1"), text_turn("Three lines."));
        scripted.server.on_each_request(told("r1"), edit("e1", "two", "2"));
        script_fallback(&scripted.server, "Look", read("r1"));
        script_fallback(&scripted.server, "Do", text_turn("Done."));
        let ran = scripted.run(&["--agent", "plan", "Go"]);
        assert_eq!(ran.code, Some(i32::from(ran.stderr.contains("nobody could approve"))), "{ran:?}");
        assert_eq!(scripted.env.read("a.txt"), "one\ntwo\nthree\n");
        assert!(requests(&scripted.server, "Do").is_empty());
        let own = requests(&scripted.server, "Go");
        (tools(&own[0]).contains(&"task"), results(&own[1]), requests(&scripted.server, "Look").len())
    };
    for config in [json!({}), json!({ "permission": "allow" })] {
        let (is_offered, told, steps) = run(config);
        assert!(is_offered && told[0].ends_with("\n\nThree lines.") && steps == 3, "{told:?}");
        assert!(told[1].contains("general") && !told[1].contains("state: "), "{told:?}");
    }
    // The user's rules for tasks apply.
    for rule in [json!("deny"), json!({ "explore": "deny" })] {
        let (is_offered, _, steps) = run(json!({ "permission": { "task": rule } }));
        assert!(!is_offered && steps == 0);
    }
    let (is_offered, told, steps) = run(json!({ "permission": { "task": "ask" } }));
    assert!(is_offered && told[0].contains("Nobody is there to approve this") && steps == 0, "{told:?}");
    let (is_offered, _, steps) = run(json!({ "agent": { "plan": { "permission": { "task": "deny" } } } }));
    assert!(!is_offered && steps == 0);
}
