//! The result of a task for the model: the subagent's final answer, or why there is none.

use serde_json::{Value, json};

use super::{
    BOTH, arguments, parts, read, requests, results, script_session, scripted, task, task_id, text_turn,
    tools,
};
use crate::model_server::{ScriptedErrorKind, ScriptedTurn, ScriptedUsage};

#[test]
fn the_agents_last_words_are_the_output_of_the_call() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.start_daemon(place);
        let used = |input, output| ScriptedUsage { input, output, ..ScriptedUsage::default() };
        script_session(
            &scripted.server,
            "Go",
            [task("c1", "Explore", "Look").usage(used(100, 10)), text_turn("So it is.").usage(used(50, 5))],
        );
        let child = [
            read("r1").usage(used(1000, 100)),
            text_turn("First.").call("r2", "glob", json!({ "pattern": "*" })),
            text_turn("It has three lines."),
        ];
        script_session(&scripted.server, "Look", child);
        let ran = scripted.run(&["Go"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let own = requests(&scripted.server, "Go");
        let results = results(&own[1]);
        let id = task_id(&results[0]);
        assert_eq!(results, [format!("task_id: {id}\nstate: completed\n\nIt has three lines.")]);
        // The offer: agents in a stable order, and to the subagent itself what its rules leave.
        let tool = own[0]["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "task").unwrap();
        let prompt = tool["description"].as_str().unwrap();
        assert!(
            prompt.contains("The agents:\n- `explore`: Finds out") && prompt.contains("\n- `general`: "),
            "{prompt}"
        );
        assert!(!prompt.contains("`build`") && !prompt.contains("`title`"), "{prompt}");
        let below = requests(&scripted.server, "Look");
        let offered = tools(&below[0]);
        assert!(
            offered.contains(&"read") && !["bash", "edit", "task"].iter().any(|name| offered.contains(name)),
            "{offered:?}"
        );
        assert!(below[0]["system"].to_string().contains("you change nothing"), "{below:?}");
        // The user sees it in one line, with its usage.
        assert!(
            ran.stdout.contains("✓ task explore: About Look  2 calls, 1000 tokens in, 102 out, $0.0020"),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("1150 tokens in, 117 out, $0.0023"), "{ran:?}");
        // One session is listed; the other is found by its id, and knows its parent.
        let listed = scripted.env.run(&["sessions", "list", "--json"]).json();
        assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
        let archive = scripted.env.run(&["sessions", "export", &id]).json();
        assert_eq!(
            (&archive["session"]["parent"], &archive["session"]["agent"]),
            (&listed[0]["id"], &json!("explore"))
        );
        assert_eq!(archive["session"]["title"], "About Look");
    }
}

#[test]
fn several_work_at_the_same_time() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.start_daemon(place);
        let both = ScriptedTurn::new().call("c1", "task", arguments("explore", "Left")).call(
            "c2",
            "task",
            arguments("general", "Right"),
        );
        script_session(&scripted.server, "Go", [both, text_turn("Done.")]);
        script_session(&scripted.server, "Left", [text_turn("").gate("left").text("On the left.")]);
        script_session(&scripted.server, "Right", [text_turn("").gate("right").text("On the right.")]);
        let run = scripted.start(&["--json", "Go"]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            scripted.server.wait_for_gate("left").await;
            scripted.server.wait_for_gate("right").await;
        });
        scripted.server.open_gate("right");
        scripted.server.open_gate("left");
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let results = results(&requests(&scripted.server, "Go")[1]);
        assert!(
            results[0].ends_with("\n\nOn the left.") && results[1].ends_with("\n\nOn the right."),
            "{results:?}"
        );
        assert_ne!(task_id(&results[0]), task_id(&results[1]));
        let progress = String::from_utf8(output.stdout).unwrap();
        let shown = |line: &str| serde_json::from_str::<Value>(line).unwrap()["metadata"].clone();
        let shown: Vec<_> =
            progress.lines().filter(|line| line.contains("\"progress\"")).map(shown).collect();
        for (agent, id) in [("explore", &results[0]), ("general", &results[1])] {
            let about = shown.iter().find(|shown| shown["agent"] == agent).unwrap();
            assert_eq!((&about["session"], &about["calls"]), (&json!(task_id(id)), &json!(0)), "{about}");
        }
    }
}

#[test]
fn one_that_fails_is_told_with_its_reason_and_the_turn_goes_on() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.start_daemon(place);
        script_session(&scripted.server, "Go", [task("c1", "explore", "Look"), text_turn("Too bad.")]);
        let broken = ScriptedTurn::failure(ScriptedErrorKind::Invalid, "The key was revoked.");
        script_session(
            &scripted.server,
            "Look",
            [text_turn("I begin.").call("r1", "read", json!({ "filePath": "a.txt" })), broken],
        );
        let ran = scripted.run(&["Go"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let request = &requests(&scripted.server, "Go")[1];
        let result = results(request).remove(0);
        assert!(
            result.starts_with("explore: About Look: it failed: ") && result.contains("The key was revoked."),
            "{result}"
        );
        assert!(
            result.contains("\nstate: failed\n") && result.ends_with("Its last words:\nI begin."),
            "{result}"
        );
        assert_eq!(request["messages"][2]["content"][0]["is_error"], true);
        assert!(ran.stdout.contains("✗ task explore: About Look: it failed: "), "{ran:?}");
    }
}

#[test]
fn a_task_is_taken_up_again_with_all_that_its_agent_knows() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.start_daemon(place);
        script_session(&scripted.server, "Go", [task("c1", "explore", "Look"), text_turn("Done.")]);
        script_session(&scripted.server, "Look", [read("r1"), text_turn("Three lines.")]);
        assert_eq!(scripted.run(&["Go"]).code, Some(0));
        let id = task_id(&results(&requests(&scripted.server, "Go")[1])[0]);
        let again = json!({ "description": "More", "prompt": "And words?", "subagent_type": "explore", "task_id": id });
        // It cannot be resumed twice at once.
        let both = ScriptedTurn::new().call("c2", "task", again.clone()).call("c3", "task", again);
        script_session(&scripted.server, "Go", [both, text_turn("Done again.")]);
        script_session(&scripted.server, "Look", [text_turn("Three words.")]);
        let ran = scripted.run(&["--continue", "Once more"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let mut results = results(requests(&scripted.server, "Go").last().unwrap()).split_off(1);
        results.sort();
        let busy = format!("Another call works on the task `{id}`. Wait for its end.");
        assert_eq!(results, [busy, format!("task_id: {id}\nstate: completed\n\nThree words.")]);
        let last = requests(&scripted.server, "Look").last().unwrap()["messages"].to_string();
        assert!(last.contains("Three lines.") && last.contains("And words?"), "{last}");
        let turns: Vec<_> = parts(&scripted, &id).iter().map(|part| part["turn"].as_u64().unwrap()).collect();
        assert_eq!((turns.first(), turns.last()), (Some(&1), Some(&2)));
    }
}

#[test]
fn an_agent_has_its_own_model_or_that_of_the_session() {
    let scripted = scripted(json!({ "agent": { "quick": { "mode": "subagent", "model": "script/m-2" } } }));
    let both = ScriptedTurn::new().call("c1", "task", arguments("quick", "Quick")).call(
        "c2",
        "task",
        arguments("general", "Usual"),
    );
    script_session(&scripted.server, "Go", [both, text_turn("Done.")]);
    script_session(&scripted.server, "Quick", [text_turn("Here.")]);
    script_session(&scripted.server, "Usual", [text_turn("Here.")]);
    assert_eq!(scripted.run(&["--model", "script/m-3", "Go"]).code, Some(0));
    let model = |words| requests(&scripted.server, words)[0]["model"].clone();
    assert_eq!((model("Go"), model("Quick"), model("Usual")), (json!("m-3"), json!("m-2"), json!("m-3")));
}
