//! Old outputs of calls, which the model reads no more when that pays.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::model_server::ScriptedTurn;

/// In tokens. Each file takes a fifth.
const WINDOW: u64 = 40_000;

fn text(text: &str) -> ScriptedTurn {
    ScriptedTurn::new().text(text)
}

/// `answers` follow what is read in the first turn.
fn environment(answers: &[&str], more: &Value) -> ScriptedEnvironment {
    let read = |file| ScriptedTurn::new().call("c1", "read", json!({ "filePath": file }));
    let command =
        ScriptedTurn::new().call("c2", "bash", json!({ "command": "seq 1 900", "description": "count" }));
    let steps = [command, read("a.txt"), read("b.txt")];
    let turns = steps.into_iter().chain(answers.iter().map(|answer| text(answer)));
    let mut config = json!({ "permission": { "bash": "allow" } });
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    let scripted = ScriptedEnvironment::with_config(turns, config);
    let path = crate::cli::environment::USER_CONFIG;
    let mut config: Value = serde_json::from_str(&scripted.env.read(path)).unwrap();
    config["provider"]["script"]["models"]["m-1"] =
        json!({ "limit": { "context": WINDOW, "output": 4_000 } });
    scripted.env.write(path, config.to_string());
    for (name, fruit) in [("a.txt", "apples"), ("b.txt", "pears")] {
        scripted.env.write(name, format!("a line about {fruit} that is read\n").repeat(900));
    }
    scripted
}

/// Without the marks, which stand elsewhere in every request.
fn messages(scripted: &ScriptedEnvironment, number: usize) -> Vec<Value> {
    fn remove_marks(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("cache_control");
                fields.values_mut().for_each(remove_marks);
            }
            Value::Array(items) => items.iter_mut().for_each(remove_marks),
            _ => {}
        }
    }
    let mut body = scripted.request_body(number);
    remove_marks(&mut body["messages"]);
    body["messages"].as_array().unwrap().clone()
}

#[test]
fn old_outputs_are_left_out_and_can_be_read_again() {
    let scripted = environment(&["Read.", "Two.", "Three.", "Four."], &json!({}));
    assert_eq!(scripted.run(&["Read both"]).code, Some(0));
    // The turn before is one of the last.
    assert_eq!(scripted.run(&["--continue", "Two?"]).code, Some(0));
    let whole = json!(messages(&scripted, 4)).to_string();
    assert!(whole.contains("about apples") && whole.contains("\\n899\\n"), "{whole}");
    let ran = scripted.run(&["--continue", "--json", "Three?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let pruned = messages(&scripted, 5);
    let text = json!(pruned).to_string();
    assert!(!text.contains("a line about") && !text.contains("\\n899\\n"), "{text}");
    assert!(text.contains("Read `a.txt` again if you need it") && text.contains("Read both"), "{text}");
    // The output of a command cannot be made again: a file has it.
    let file = text.split("The whole output is in `").nth(1).unwrap().split('`').next().unwrap();
    assert!(fs::read_to_string(Path::new(file)).unwrap().contains("\n899\n"), "{file}");
    let told: Vec<_> = events(&ran)
        .into_iter()
        .map(|event| event["part"]["content"].clone())
        .filter(|content| content["kind"] == "pruning")
        .collect();
    assert_eq!((told.len(), &told[0]["outputs"]), (1, &json!(3)), "{told:?}");
    assert!(told[0]["tokensAfter"].as_u64() < told[0]["tokensBefore"].as_u64(), "{told:?}");
    // The next request begins with the same bytes, in another process, too.
    assert_eq!(scripted.run(&["--continue", "Four?"]).code, Some(0));
    let next = messages(&scripted, 6);
    assert_eq!(next[..pruned.len()], pruned);
    // For the user everything is there.
    let shown = scripted.env.run(&["sessions", "export", &session_id(&scripted)]).stdout;
    assert!(shown.contains("a line about apples"), "{shown}");
    let shown = scripted.env.run(&["sessions", "show", &session_id(&scripted)]).stdout;
    let context = shown.lines().find(|line| line.contains("Context: ")).unwrap_or_default();
    assert!(context.contains("of 40000 tokens") && context.contains("system prompt "), "{shown}");
}

fn session_id(scripted: &ScriptedEnvironment) -> String {
    let listed = scripted.env.run(&["sessions", "list", "--json"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_is_left_out_if_the_user_does_not_want_it() {
    let scripted = environment(&["Read.", "Two.", "Three."], &json!({ "compaction": { "prune": false } }));
    assert_eq!(scripted.run(&["Read both"]).code, Some(0));
    for prompt in ["Two?", "Three?"] {
        assert_eq!(scripted.run(&["--continue", prompt]).code, Some(0));
    }
    assert!(json!(messages(&scripted, 5)).to_string().contains("a line about apples"));
}
