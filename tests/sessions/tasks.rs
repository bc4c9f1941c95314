//! Subagents in a run: what each model is told, who owns what, and what is left after a crash. In the run's own process and
//! through the daemon.

mod crash;
mod limits;
mod ownership;
mod results;

use serde_json::{Value, json};

use super::harness::{RunLocation, ScriptedEnvironment};
use crate::model_server::{RecordedRequest, ScriptedModelServer, ScriptedTurn};

const BOTH: [RunLocation; 2] = [RunLocation::OwnProcess, RunLocation::Daemon];

/// Whether a request belongs to the conversation that began with these words.
fn is_about(request: &RecordedRequest, words: &str) -> bool {
    request.body["messages"][0]["content"][0]["text"] == words
}

/// The model's turns in the session that began with these words.
pub(crate) fn script_session(
    server: &ScriptedModelServer,
    words: &'static str,
    turns: impl IntoIterator<Item = ScriptedTurn>,
) {
    for turn in turns {
        server.on_request(move |request| is_about(request, words), turn);
    }
}

/// The model's turn for any other request there, if there is one.
pub(crate) fn script_fallback(server: &ScriptedModelServer, words: &'static str, turn: ScriptedTurn) {
    server.on_each_request(move |request| is_about(request, words), turn);
}

/// The requests of the session that began with these words.
pub(crate) fn requests(server: &ScriptedModelServer, words: &str) -> Vec<Value> {
    server.requests().iter().filter(|request| is_about(request, words)).map(|one| one.body.clone()).collect()
}

pub(crate) fn arguments(agent: &str, prompt: &str) -> Value {
    json!({ "description": format!("About {prompt}"), "prompt": prompt, "subagent_type": agent })
}

pub(crate) fn task(call: &str, agent: &str, prompt: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "task", arguments(agent, prompt))
}

fn edit(call: &str, old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "edit", json!({ "filePath": "a.txt", "oldString": old, "newString": new }))
}

fn read(call: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "read", json!({ "filePath": "a.txt" }))
}

fn text_turn(text: &str) -> ScriptedTurn {
    ScriptedTurn::new().text(text)
}

fn scripted(config: Value) -> ScriptedEnvironment {
    let scripted = ScriptedEnvironment::with_config([], config);
    scripted.env.write("a.txt", "one\ntwo\nthree\n");
    scripted
}

/// The results of calls in the last message of a request, as text.
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

fn parts(scripted: &ScriptedEnvironment, session: &str) -> Vec<Value> {
    let archive = scripted.env.run(&["sessions", "export", session]).json();
    archive["parts"].as_array().unwrap().clone()
}
