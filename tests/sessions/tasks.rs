//! Agents that work for agents, from a run: what each model is told, what belongs to whom, and what is left when it all breaks
//! off. Here and through the daemon.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::harness::{Scripted, Where, events};
use crate::model_server::{Failure, ModelServer, Recorded, Turn, Usage};

const BOTH: [Where; 2] = [Where::Here, Where::Daemon];

/// Whether a request belongs to the conversation that began with these words.
fn is_about(request: &Recorded, words: &str) -> bool {
    request.body["messages"][0]["content"][0]["text"] == words
}

/// What the model says in the session that began with these words, step by step.
pub(crate) fn plays(server: &ModelServer, words: &'static str, turns: impl IntoIterator<Item = Turn>) {
    for turn in turns {
        server.when(move |request| is_about(request, words), turn);
    }
}

/// The requests of the session that began with these words.
pub(crate) fn requests(server: &ModelServer, words: &str) -> Vec<Value> {
    server.requests().iter().filter(|request| is_about(request, words)).map(|one| one.body.clone()).collect()
}

pub(crate) fn arguments(agent: &str, prompt: &str) -> Value {
    json!({ "description": format!("About {prompt}"), "prompt": prompt, "subagent_type": agent })
}

pub(crate) fn task(call: &str, agent: &str, prompt: &str) -> Turn {
    Turn::new().call(call, "task", arguments(agent, prompt))
}

fn edit(call: &str, old: &str, new: &str) -> Turn {
    Turn::new().call(call, "edit", json!({ "filePath": "a.txt", "oldString": old, "newString": new }))
}

fn read(call: &str) -> Turn {
    Turn::new().call(call, "read", json!({ "filePath": "a.txt" }))
}

fn says(text: &str) -> Turn {
    Turn::new().text(text)
}

fn scripted(config: Value) -> Scripted {
    let scripted = Scripted::with([], config);
    scripted.desk.write("a.txt", "one\ntwo\nthree\n");
    scripted
}

/// The results of the calls that the last message of a request has, as text.
pub(crate) fn results(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap();
    let content = messages.iter().flat_map(|message| message["content"].as_array().unwrap());
    let results = content.filter(|item| item["type"] == "tool_result");
    results.map(|item| item["content"][0]["text"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn task_id(result: &str) -> String {
    let line = result.lines().find_map(|line| line.strip_prefix("task_id: "));
    line.unwrap_or_else(|| panic!("no task: {result}")).to_owned()
}

fn tools(request: &Value) -> Vec<&str> {
    request["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn parts(scripted: &Scripted, session: &str) -> Vec<Value> {
    let archive = scripted.desk.run(&["sessions", "export", session]).json();
    archive["parts"].as_array().unwrap().clone()
}

#[test]
fn the_agents_last_words_are_the_output_of_the_call() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.up(place);
        let used = |input, output| Usage { input, output, ..Usage::default() };
        plays(
            &scripted.server,
            "Go",
            [task("c1", "Explore", "Look").usage(used(100, 10)), says("So it is.").usage(used(50, 5))],
        );
        let child = [
            read("r1").usage(used(1000, 100)),
            says("First.").call("r2", "glob", json!({ "pattern": "*" })),
            says("It has three lines."),
        ];
        plays(&scripted.server, "Look", child);
        let ran = scripted.run(&["Go"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let own = requests(&scripted.server, "Go");
        let results = results(&own[1]);
        let id = task_id(&results[0]);
        assert_eq!(results, [format!("task_id: {id}\nstate: completed\n\nIt has three lines.")]);
        // What is offered: agents in a stable order, and to the agent itself what its rules leave.
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
        // The person sees it in one line, with what it has used.
        assert!(
            ran.stdout.contains("✓ task explore: About Look  2 calls, 1000 tokens in, 102 out, $0.0020"),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("1150 tokens in, 117 out, $0.0023"), "{ran:?}");
        // One session is listed; the other is found by its id, and knows where it belongs.
        let listed = scripted.desk.run(&["sessions", "list", "--json"]).json();
        assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
        let archive = scripted.desk.run(&["sessions", "export", &id]).json();
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
        let _up = scripted.up(place);
        let both = Turn::new().call("c1", "task", arguments("explore", "Left")).call(
            "c2",
            "task",
            arguments("general", "Right"),
        );
        plays(&scripted.server, "Go", [both, says("Done.")]);
        plays(&scripted.server, "Left", [says("").gate("left").text("On the left.")]);
        plays(&scripted.server, "Right", [says("").gate("right").text("On the right.")]);
        let run = scripted.start(&["--json", "Go"]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            scripted.server.reached("left").await;
            scripted.server.reached("right").await;
        });
        scripted.server.open("right");
        scripted.server.open("left");
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
fn what_an_agent_did_is_taken_back_with_the_turn_that_called_it() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.up(place);
        let first = edit("c0", "one", "1").call("c1", "task", arguments("general", "Change"));
        plays(&scripted.server, "Go", [first, says("Done.")]);
        plays(
            &scripted.server,
            "Change",
            [read("r1"), edit("e1", "two", "2"), edit("e2", "three", "3"), says("Changed.")],
        );
        assert_eq!(scripted.run(&["--auto", "Go"]).code, Some(0));
        assert_eq!(scripted.desk.read("a.txt"), "1\n2\n3\n");
        let session =
            scripted.desk.run(&["sessions", "list", "--json"]).json()[0]["id"].as_str().unwrap().to_owned();
        let call =
            parts(&scripted, &session).into_iter().find(|part| part["content"]["call"] == "c1").unwrap();
        let files = &call["content"]["output"]["metadata"]["files"];
        let (name, sums) =
            (files[0]["filepath"].as_str().unwrap(), (&files[0]["additions"], &files[0]["deletions"]));
        assert!(name.ends_with("/a.txt") && sums == (&json!(2), &json!(2)), "{files}");
        let undo = |args: &[&str]| {
            let ran = scripted.desk.run(&[&["undo"], args].concat());
            assert_eq!(ran.code, Some(0), "{place:?}: {ran:?}");
            scripted.desk.read("a.txt")
        };
        assert_eq!(undo(&["--call", call["id"].as_str().unwrap()]), "1\ntwo\nthree\n");
        assert_eq!(undo(&["--redo"]), "1\n2\n3\n");
        assert_eq!(undo(&[]), "one\ntwo\nthree\n");
        // It goes with the session that it belongs to.
        let below = task_id(&results(&requests(&scripted.server, "Go")[1]).remove(1));
        assert_eq!(scripted.desk.run(&["sessions", "delete", &session]).code, Some(0));
        let gone = scripted.desk.run(&["sessions", "export", &below]);
        assert_eq!(gone.code, Some(1), "{gone:?}");
    }
}

/// Eight agents edit one file at the same time: an edit that is reported as made is there.
#[test]
fn of_edits_at_the_same_time_none_is_lost_unsaid() {
    const WORDS: [&str; 8] = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
    for place in BOTH {
        let scripted = scripted(json!({ "permission": { "edit": "allow" } }));
        let _up = scripted.up(place);
        let lines: String = WORDS.iter().map(|word| format!("{word} old\n")).collect();
        scripted.desk.write("a.txt", &lines);
        let mut all = Turn::new();
        for word in WORDS {
            all = all.call(word, "task", arguments("general", word));
            let (old, new) = (format!("{word} old"), format!("{word} new"));
            plays(&scripted.server, word, [read("r"), edit("e", &old, &new), says("Done.")]);
        }
        plays(&scripted.server, "Go", [all, says("Done.")]);
        assert_eq!(scripted.run(&["Go"]).code, Some(0));
        let text = scripted.desk.read("a.txt");
        let made = |word: &&str| {
            let result = results(&requests(&scripted.server, word)[2]).pop().unwrap();
            let is_made = result.contains("Edited a.txt");
            assert_eq!(text.contains(&format!("{word} new\n")), is_made, "{word}: {result}\n{text}");
            is_made
        };
        let made = WORDS.iter().filter(|word| made(word)).count();
        assert!(made > 0 && text.lines().count() == WORDS.len(), "{text}");
        assert_eq!(scripted.desk.run(&["undo"]).code, Some(0));
        assert_eq!(scripted.desk.read("a.txt"), lines);
    }
}

#[test]
fn what_an_agent_leaves_running_ends_with_its_task() {
    for place in BOTH {
        let scripted = scripted(json!({ "permission": { "bash": "allow" } }));
        let _up = scripted.up(place);
        let run = |call: &str, command: &str| Turn::new().call(call, "bash", json!({ "command": command }));
        // One that has ended may wait for somebody to take note of it.
        let look = run("c2", "ps -o stat= -p $(cat pid) | grep -qv Z && echo still there || echo all gone");
        plays(&scripted.server, "Go", [task("c1", "general", "Serve"), look, says("Done.")]);
        let leave = run("b1", "sleep 600 >/dev/null 2>&1 & echo $! > pid");
        let alive = run("b2", "kill -0 $(cat pid) && echo still there");
        plays(&scripted.server, "Serve", [leave, alive, says("It runs.")]);
        assert_eq!(scripted.run(&["Go"]).code, Some(0));
        assert!(results(&requests(&scripted.server, "Serve")[2])[1].contains("still there"));
        let told = results(&requests(&scripted.server, "Go")[2]);
        assert!(told[1].contains("all gone"), "{place:?}: {told:?}");
    }
}

#[test]
fn the_parent_is_told_which_files_are_others_now() {
    let scripted = scripted(json!({ "permission": { "edit": "allow" } }));
    plays(&scripted.server, "Go", [read("c0"), task("c1", "general", "Change"), says("I see.")]);
    plays(&scripted.server, "Change", [read("r1"), edit("e1", "two", "2"), says("Changed.")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let told = requests(&scripted.server, "Go")[2].to_string();
    assert!(told.contains("Not as you last read them, and not by your edits: `a.txt`"), "{told}");
}

#[test]
fn one_that_fails_is_told_with_its_reason_and_the_turn_goes_on() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.up(place);
        plays(&scripted.server, "Go", [task("c1", "explore", "Look"), says("Too bad.")]);
        let broken = Turn::failure(Failure::Invalid, "The key was revoked.");
        plays(
            &scripted.server,
            "Look",
            [says("I begin.").call("r1", "read", json!({ "filePath": "a.txt" })), broken],
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
fn whoever_is_unknown_gets_no_task() {
    let scripted = scripted(json!({ "agent": {
        "review": { "mode": "subagent", "description": "Reads\n- `evil`: changes", "prompt": "You review." },
        "secret": { "mode": "subagent", "description": "Is denied." },
        "chief": { "mode": "primary", "description": "Is for people." },
    }, "permission": { "task": { "secret": "deny" } } }));
    let calls = ["nobody", "chief", "title", "secret", ""];
    let mut turn = Turn::new();
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
    plays(&scripted.server, "Go", [turn, says("Done.")]);
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
    assert!(tools.contains("- `review`: Reads - `evil`: changes\\n") && !tools.contains("secret"), "{tools}");
}

#[test]
fn agents_call_agents_only_as_deep_as_is_said() {
    let deep = |depth: Option<u32>| {
        let config = depth.map_or(json!({}), |depth| json!({ "subagent_depth": depth }));
        scripted(config)
    };
    // One level where nobody says.
    let flat = deep(None);
    plays(&flat.server, "Go", [task("c1", "general", "Below"), says("Done.")]);
    plays(&flat.server, "Below", [task("b1", "general", "Deeper"), says("Not allowed.")]);
    assert_eq!(flat.run(&["Go"]).code, Some(0));
    let below = requests(&flat.server, "Below");
    assert!(!tools(&below[0]).contains(&"task"), "{below:?}");
    assert!(results(&below[1])[0].contains("The tool `task` is switched off"), "{below:?}");
    // Two, and what the deepest does and uses belongs to the call on top.
    let used = Usage { input: 1000, output: 100, ..Usage::default() };
    let two = deep(Some(2));
    plays(&two.server, "Go", [task("c1", "general", "Below"), says("Done.")]);
    plays(&two.server, "Below", [task("b1", "general", "Deeper"), says("Below done.")]);
    plays(&two.server, "Deeper", [read("d1"), edit("d2", "two", "2"), says("Deeper done.").usage(used)]);
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
    assert_eq!(two.desk.run(&["undo"]).code, Some(0));
    assert_eq!(two.desk.read("a.txt"), "one\ntwo\nthree\n");
    // None.
    let none = deep(Some(0));
    none.server.play(says("Alone."));
    assert_eq!(none.run(&["Go"]).code, Some(0));
    assert!(!tools(&none.sent(0)).contains(&"task"));
}

#[test]
fn a_task_is_taken_up_again_with_all_that_its_agent_knows() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.up(place);
        plays(&scripted.server, "Go", [task("c1", "explore", "Look"), says("Done.")]);
        plays(&scripted.server, "Look", [read("r1"), says("Three lines.")]);
        assert_eq!(scripted.run(&["Go"]).code, Some(0));
        let id = task_id(&results(&requests(&scripted.server, "Go")[1])[0]);
        let again = json!({ "description": "More", "prompt": "And words?", "subagent_type": "explore", "task_id": id });
        // Twice at once it cannot be worked on.
        let both = Turn::new().call("c2", "task", again.clone()).call("c3", "task", again);
        plays(&scripted.server, "Go", [both, says("Done again.")]);
        plays(&scripted.server, "Look", [says("Three words.")]);
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
fn what_is_denied_above_is_denied_below_and_nobody_there_is_nobody_anywhere() {
    let scripted = scripted(json!({
        "permission": { "read": { "secret*": "deny" } },
        "agent": {
            "build": { "permission": { "bash": "deny" } },
            "general": { "permission": { "bash": "allow", "read": "allow", "question": "allow" } },
        },
    }));
    scripted.desk.write("secret.txt", "hush");
    plays(&scripted.server, "Go", [task("c1", "general", "Try"), says("Done.")]);
    let tries = Turn::new()
        .call("t1", "bash", json!({ "command": "touch ran" }))
        .call("t2", "read", json!({ "filePath": "secret.txt" }))
        .call("t3", "edit", json!({ "filePath": "a.txt", "oldString": "two", "newString": "2" }));
    plays(&scripted.server, "Try", [read("t0"), tries, says("I could not.")]);
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let below = requests(&scripted.server, "Try");
    assert!(!tools(&below[0]).contains(&"bash"), "what could only be denied is not offered");
    let results = results(&below[2]).split_off(1);
    assert!(results[0].contains("forbids this") && !scripted.desk.exists("ran"), "{results:?}");
    assert!(results[1].contains("forbids this") && !results[1].contains("hush"), "{results:?}");
    assert!(results[2].contains("Nobody is there to approve this"), "{results:?}");
    assert!(ran.stdout.contains("? general: Edit a.txt (+1 -1)"), "{ran:?}");
    assert_eq!(scripted.desk.read("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn an_agent_has_its_own_model_or_that_of_the_session() {
    let scripted = scripted(json!({ "agent": { "quick": { "mode": "subagent", "model": "script/m-2" } } }));
    let both = Turn::new().call("c1", "task", arguments("quick", "Quick")).call(
        "c2",
        "task",
        arguments("general", "Usual"),
    );
    plays(&scripted.server, "Go", [both, says("Done.")]);
    plays(&scripted.server, "Quick", [says("Here.")]);
    plays(&scripted.server, "Usual", [says("Here.")]);
    assert_eq!(scripted.run(&["--model", "script/m-3", "Go"]).code, Some(0));
    let model = |words| requests(&scripted.server, words)[0]["model"].clone();
    assert_eq!((model("Go"), model("Quick"), model("Usual")), (json!("m-3"), json!("m-2"), json!("m-3")));
}

/// Killed at every event while an agent works: both sessions have what was complete, and both go on.
#[test]
fn nothing_complete_is_lost_when_it_dies_while_an_agent_works() {
    let play = || {
        let scripted = scripted(json!({}));
        let go = |number: usize| {
            move |request: &Recorded| {
                is_about(request, "Go") && request.body["messages"].as_array().unwrap().len() == number
            }
        };
        scripted.server.whenever(go(1), task("c1", "general", "Look"));
        let is_resumed = |request: &Recorded| request.body["messages"].to_string().contains("Take it up");
        scripted
            .server
            .whenever(move |request| is_about(request, "Go") && !is_resumed(request), says("Going on."));
        let look = |number: usize| {
            move |request: &Recorded| {
                is_about(request, "Look") && request.body["messages"].as_array().unwrap().len() == number
            }
        };
        scripted.server.whenever(look(1), says("I look.").call("r1", "read", json!({ "filePath": "a.txt" })));
        scripted.server.whenever(look(3), edit("e1", "two", "2"));
        scripted.server.whenever(|request| is_about(request, "Look"), says("Below done."));
        // It may have died before the agent heard anything.
        scripted.server.whenever(|request| is_about(request, "Go on"), says("Below done."));
        scripted
    };
    let killed_after = |scripted: &Scripted, count: usize| -> Vec<Value> {
        let mut child = scripted.start(&["--json", "--auto", "Go"]);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let events = lines.take(count).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        events
    };
    let all = killed_after(&play(), usize::MAX);
    let is_call = |event: &Value| {
        event["part"]["content"]["kind"] == "call" && event["part"]["state"]["kind"] == "pending"
    };
    let first = all.iter().position(is_call).unwrap() + 1;
    let last = all.iter().rposition(|event| event["event"] == "progress").unwrap() + 1;
    assert!(last > first + 4, "{all:#?}");
    for count in first..=last {
        let scripted = play();
        let events = killed_after(&scripted, count);
        let session = events[0]["session"]["id"].as_str().unwrap();
        let calls = |parts: &[Value]| {
            parts
                .iter()
                .find(|part| part["content"]["call"] == "c1")
                .map(|part| part["id"].as_str().unwrap().to_owned())
        };
        let id = calls(&parts(&scripted, session)).unwrap();
        let ran = scripted.run(&["--continue", "Go on"]);
        assert_eq!(ran.code, Some(0), "after {count} events: {ran:?}");
        let last = requests(&scripted.server, "Go").pop().unwrap();
        let result = results(&last).remove(0);
        // Its end may have come between the last event that was read and the kill.
        if result.contains("interrupted") {
            assert!(
                result.contains(&format!("pass `task_id` {id} to go on")),
                "after {count} events: {result}"
            );
        } else {
            assert!(
                result.contains(&format!("task_id: {id}\nstate: completed")),
                "after {count} events: {result}"
            );
        }
        // What the agent had shown as done is there, and what it did to files can be taken back.
        let has_begun = scripted.desk.run(&["sessions", "export", &id]).code == Some(0);
        let shown = events.iter().rev().find(|event| event["event"] == "progress");
        assert!(has_begun || shown.is_none(), "after {count} events");
        if shown.is_some_and(|shown| shown["metadata"]["calls"] == 2) {
            let kept = parts(&scripted, &id);
            let done = |kind: &str| {
                kept.iter()
                    .any(|part| part["content"]["kind"] == kind && part["state"]["state"] == "completed")
            };
            assert!(done("text") && done("call"), "after {count} events: {kept:#?}");
        }
        if scripted.desk.read("a.txt") != "one\ntwo\nthree\n" {
            assert_eq!(scripted.desk.run(&["undo"]).code, Some(0), "after {count} events");
            assert_eq!(scripted.desk.read("a.txt"), "one\ntwo\nthree\n");
        }
        // The agent goes on, every call has its result, and nothing is under way that nobody runs.
        if has_begun {
            let again =
                json!({ "description": "On", "prompt": "Go on", "subagent_type": "general", "task_id": id });
            plays(&scripted.server, "Go", [Turn::new().call("c2", "task", again), says("Taken up.")]);
            let ran = scripted.run(&["--auto", "--continue", "Take it up"]);
            assert_eq!(ran.code, Some(0), "after {count} events: {ran:?}");
            let result = results(&requests(&scripted.server, "Go").pop().unwrap()).pop().unwrap();
            assert!(result.contains("state: completed\n\nBelow done."), "after {count} events: {result}");
            let mut below = requests(&scripted.server, "Look");
            below.extend(requests(&scripted.server, "Go on"));
            let last = below.pop().unwrap().to_string();
            let count_of = |kind: &str| last.matches(kind).count();
            assert_eq!(count_of("\"tool_use\""), count_of("\"tool_result\""), "after {count} events: {last}");
            let open =
                |part: &&Value| ["pending", "running"].contains(&part["state"]["state"].as_str().unwrap());
            assert_eq!(parts(&scripted, &id).iter().filter(open).count(), 0, "after {count} events");
        }
    }
}
