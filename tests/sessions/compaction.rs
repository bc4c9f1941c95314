//! Conversations that fill the model's context: what takes the place of the older part, and what stays.

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::model_server::{ScriptedErrorKind, ScriptedStop, ScriptedTurn, ScriptedUsage};

/// In tokens. The files take a fifth each.
const WINDOW: u64 = 40_000;
const SUMMARY: &str = "Goal: read both files.\nFiles: a.txt has lines about apples.";

fn environment(turns: impl IntoIterator<Item = ScriptedTurn>, more: &Value) -> ScriptedEnvironment {
    let scripted = ScriptedEnvironment::with_config(turns, more.clone());
    let path = crate::cli::environment::USER_CONFIG;
    let mut config: Value = serde_json::from_str(&scripted.env.read(path)).unwrap();
    config["provider"]["script"]["models"]["m-1"] =
        json!({ "limit": { "context": WINDOW, "output": 4_000 } });
    config["provider"]["script"]["models"]["small"] = json!({ "limit": { "context": 100_000 } });
    scripted.env.write(path, config.to_string());
    for (name, fruit) in [("a.txt", "apples"), ("b.txt", "pears")] {
        scripted.env.write(name, format!("a line about {fruit} that is read\n").repeat(900));
    }
    scripted
}

/// A step that reads a file, in a request that has so many tokens.
fn read(file: &str, tokens: u64) -> ScriptedTurn {
    let usage = ScriptedUsage { input: tokens, output: 50, ..ScriptedUsage::default() };
    ScriptedTurn::new()
        .text(format!("I read {file}."))
        .call("c1", "read", json!({ "filePath": file }))
        .usage(usage)
}

fn text(text: &str) -> ScriptedTurn {
    ScriptedTurn::new().text(text)
}

fn compactions(events: &[Value]) -> Vec<Value> {
    let of_part = |event: &Value| event["part"]["content"].clone();
    let is_done = |event: &&Value| event["part"]["state"]["kind"] == "completed";
    let found =
        events.iter().filter(|event| event["part"]["content"]["kind"] == "compaction").filter(is_done);
    found.map(of_part).collect()
}

/// In the middle of a turn: the second result would not fit.
#[test]
fn a_summary_takes_the_place_of_the_older_part() {
    let turns = [read("a.txt", 8_000), read("b.txt", 28_500), text(SUMMARY), text("Done.")];
    let scripted = environment(turns, &json!({}));
    let prompt = format!("Never touch b.txt. {}Read both.", "If you please, ".repeat(1_500));
    let ran = scripted.run(&["--json", &prompt]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let [first, asked, after] = [0, 2, 3].map(|number| scripted.request_body(number));
    // The beginning is the same, so that the provider's cache is read.
    assert_eq!((&asked["system"], &asked["tools"]), (&first["system"], &first["tools"]));
    assert_eq!(asked["tool_choice"]["type"], "none");
    assert!(scripted.last_message(2).contains("Answer with the summary alone"), "{asked}");
    let messages = after["messages"].to_string();
    let kept =
        ["Never touch b.txt.", "Read both.", "apples.", "The older part of this", "I read b.txt.", "pears"];
    for said in kept {
        assert!(messages.contains(said), "{said}: {messages}");
    }
    assert!(!messages.contains("I read a.txt.") && !messages.contains("a line about apples"), "{messages}");
    let cut = messages.matches("bytes are left out here").count();
    assert_eq!(cut, 2, "the prompt, and the last result: {messages}");
    let told = compactions(&events(&ran));
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["reason"], &told[0]["model"]), (&json!("full"), &json!("script/m-1")));
    assert!(told[0]["tokensAfter"].as_u64() < told[0]["tokensBefore"].as_u64(), "{told:?}");
}

#[test]
fn a_summary_that_is_none_does_not_count() {
    let call = || ScriptedTurn::new().call("s1", "read", json!({ "filePath": "a.txt" }));
    let long = "word ".repeat(20_000);
    let summaries = [
        (text(" "), "was empty"),
        (call(), "called a tool"),
        (text(&long), "was too long"),
        (text(SUMMARY).stop(ScriptedStop::Length), "was cut off"),
        (ScriptedTurn::new().error(ScriptedErrorKind::Invalid, "no"), "no"),
    ];
    for (summary, why) in summaries {
        let turns = [read("a.txt", 8_000), read("b.txt", 28_500), summary, text("Done.")];
        let scripted = environment(turns, &json!({}));
        let ran = scripted.run(&["--json", "Read both"]);
        assert_eq!(ran.code, Some(0), "{why}: {ran:?}");
        let told = compactions(&events(&ran));
        assert_eq!((told.len(), told[0].get("model")), (1, None), "{told:?}");
        assert!(told[0]["failure"].as_str().unwrap().contains(why), "{why}: {told:?}");
        let messages = scripted.request_body(3)["messages"].to_string();
        assert!(messages.contains("Read, not changed:\\n- a.txt"), "{messages}");
    }
}

/// The window is smaller than the configuration says. The refused step is asked again with a shorter conversation.
#[test]
fn what_a_provider_refuses_is_made_shorter_once() {
    let too_long = || ScriptedTurn::failure(ScriptedErrorKind::ContextTooLong, "prompt is too long");
    let turns = [read("a.txt", 8_000), read("b.txt", 9_000), too_long(), text("Done.")];
    let scripted = environment(turns, &json!({}));
    let ran = scripted.run(&["--json", "Read both"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(compactions(&events(&ran))[0]["reason"], "refused");
    let refused = scripted.request_body(2)["messages"].to_string();
    let after = scripted.request_body(3)["messages"].to_string();
    assert!(after.len() < refused.len(), "{after}");
    // Of what made it too long, the model reads the beginning and the end.
    assert!(after.contains("about pears") && after.contains("bytes are left out here"), "{after}");
    // Refused again: the turn ends, with what to do.
    let turns = [read("a.txt", 8_000), read("b.txt", 9_000), too_long(), too_long(), text("Back.")];
    let scripted = environment(turns, &json!({}));
    let ran = scripted.run(&["Read both"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("choose a model with a larger context"), "{ran:?}");
    // The session is not lost.
    assert_eq!(scripted.run(&["--continue", "And now?"]).code, Some(0));
}

/// There is nothing to sum up, but the outputs of the first step fill the context.
#[test]
fn outputs_of_one_step_are_cut_if_they_fill_the_context() {
    let step = ScriptedTurn::new()
        .call("c1", "read", json!({ "filePath": "a.txt" }))
        .call("c2", "read", json!({ "filePath": "b.txt" }))
        .call("c3", "read", json!({ "filePath": "a.txt", "offset": 2 }));
    let usage = ScriptedUsage { input: 15_000, output: 50, ..ScriptedUsage::default() };
    let scripted = environment([step.usage(usage), text("Done.")], &json!({}));
    let ran = scripted.run(&["--json", "Read both"]);
    assert_eq!((ran.code, compactions(&events(&ran)).len()), (Some(0), 1), "{ran:?}");
    let messages = scripted.request_body(1)["messages"].to_string();
    assert_eq!(messages.matches("bytes are left out here").count(), 3, "{messages}");
    assert!(messages.contains("about apples") && messages.contains("about pears"), "{messages}");
}

#[test]
fn a_user_compacts_with_words_of_their_own() {
    let turns = [read("a.txt", 100), text("Read."), text("Well."), text(SUMMARY), text("Yes.")];
    let scripted = environment(turns, &json!({}));
    let nothing = scripted.run(&["/compact"]);
    assert!(nothing.code == Some(1) && nothing.stderr.contains("nothing to make shorter"), "{nothing:?}");
    for prompt in ["Read it", "Well?"] {
        assert_eq!(scripted.run(&["--continue", prompt]).code, Some(0));
    }
    let ran = scripted.run(&["--continue", "/compact keep the names"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("summed up by script/m-1"), "{ran:?}");
    assert!(scripted.last_message(3).contains("The user says about the summary: keep the names"));
    assert_eq!(scripted.run(&["--continue", "Still there?"]).code, Some(0));
    let messages = scripted.request_body(4)["messages"].to_string();
    let prompts = ["Read it", "Goal: read both files.", "Still there?"];
    let places: Vec<_> = prompts.iter().map(|said| messages.find(said)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{messages}");
    assert!(!messages.contains("/compact") && !messages.contains("a line about apples"), "{messages}");
}

#[test]
fn what_the_program_knows_survives() {
    let todos = json!({ "todos": [{ "content": "Read b.txt too", "status": "pending" }] });
    let plan = ScriptedTurn::new().call("t1", "todowrite", todos);
    let job = json!({ "command": "sleep 1000", "description": "wait", "background": true });
    let wait = ScriptedTurn::new().call("j1", "bash", job);
    let edit = json!({ "filePath": "a.txt", "oldString": "a line about apples that is read\na line about apples that is read\na", "newString": "one\ntwo\na" });
    let edit = ScriptedTurn::new().call("e1", "edit", edit);
    let turns = [plan, wait, read("a.txt", 8_000), edit, read("b.txt", 28_500), text(SUMMARY), text("Done.")];
    let more = json!({ "permission": { "bash": "allow", "edit": "allow" } });
    let scripted = environment(turns, &more);
    scripted.env.write("a.txt", format!("first\n{}", "a line about apples\n".repeat(300)));
    let ran = scripted.run(&["--json", "Go"]);
    assert_eq!(compactions(&events(&ran)).len(), 1, "{ran:?}");
    let messages = scripted.request_body(6)["messages"].to_string();
    for said in ["[ ] Read b.txt too", "runs: sleep 1000"] {
        assert!(messages.contains(said), "{said}: {messages}");
    }
}

#[test]
fn nothing_is_compacted_if_the_user_does_not_want_it() {
    let turns = [read("a.txt", 8_000), read("b.txt", 28_500), text("Done.")];
    let scripted = environment(turns, &json!({ "compaction": { "auto": false } }));
    assert_eq!(scripted.run(&["Read both"]).code, Some(0));
}

/// `compaction.model` writes the summary, for `/compact` and before the limit. A model that fails is no reason to lose anything.
#[test]
fn another_model_sums_up_if_the_user_chose_one() {
    let turns = [read("a.txt", 8_000), read("b.txt", 28_500), text(SUMMARY), text("Done.")];
    let scripted = environment(turns, &json!({ "compaction": { "model": "script/small" } }));
    let ran = scripted.run(&["--json", "Read both"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(scripted.request_body(2)["model"], "small");
    assert_eq!(scripted.request_body(3)["model"], "m-1");
    assert_eq!(compactions(&events(&ran))[0]["model"], "script/small");
    let failure = ScriptedTurn::failure(ScriptedErrorKind::Invalid, "no such model");
    let turns = [read("a.txt", 100), text("Read."), text("Well."), failure];
    let scripted = environment(turns, &json!({ "compaction": { "model": "script/small" } }));
    assert_eq!(scripted.run(&["Read it"]).code, Some(0));
    assert_eq!(scripted.run(&["--continue", "Well?"]).code, Some(0));
    let ran = scripted.run(&["--continue", "--json", "/compact"]);
    let told = compactions(&events(&ran));
    assert_eq!((ran.code, told[0].get("model")), (Some(0), None), "{told:?}");
}

/// After a switch to a smaller model the one before sums up: only that has room for the conversation.
#[test]
fn a_switch_to_a_smaller_model_compacts_first() {
    let turns = [read("a.txt", 8_000), read("b.txt", 20_000), text("Read."), text(SUMMARY), text("Done.")];
    let scripted = environment(turns, &json!({ "compaction": { "prune": false } }));
    assert_eq!(scripted.run(&["Read both"]).code, Some(0));
    let path = crate::cli::environment::USER_CONFIG;
    let mut config: Value = serde_json::from_str(&scripted.env.read(path)).unwrap();
    config["provider"]["script"]["models"]["tiny"] =
        json!({ "limit": { "context": 16_000, "output": 2_000 } });
    scripted.env.write(path, config.to_string());
    let ran = scripted.run(&["--continue", "--model", "script/tiny", "--json", "And now?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        (&scripted.request_body(3)["model"], &scripted.request_body(4)["model"]),
        (&json!("m-1"), &json!("tiny"))
    );
    assert_eq!(compactions(&events(&ran))[0]["model"], "script/m-1");
}

/// The limit that the provider states counts from then on: the next turn is made shorter before it is refused.
#[test]
fn a_limit_that_a_provider_states_is_learned() {
    let refusal = "prompt is too long: 15000 tokens > 14000 maximum";
    let turns = [
        read("a.txt", 8_000),
        ScriptedTurn::failure(ScriptedErrorKind::ContextTooLong, refusal),
        text("Read."),
        read("b.txt", 8_000),
        text("Done."),
    ];
    let scripted = environment(turns, &json!({}));
    assert_eq!(scripted.run(&["Read a"]).code, Some(0));
    let ran = scripted.run(&["--continue", "--json", "Read b"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = compactions(&events(&ran));
    assert_eq!((told.len(), &told[0]["reason"]), (1, &json!("full")), "{told:?}");
}
