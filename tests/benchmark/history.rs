//! Builds the request for a conversation of 200 turns from scratch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use copydesk_model::{
    AssistantPart, ModelMessage, ModelRequest, ReasoningPart, TextPart, ToolCallPart, ToolResultPart,
    ToolSpec, UserPart, WireProtocol,
};
use serde_json::json;

use super::stream::model_at;
use super::table::BenchmarkTable;

const TURNS: usize = 200;
const RUNS: usize = 51;
const BUDGET: Duration = Duration::from_millis(5);

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let request = conversation();
    for wire in WireProtocol::ALL {
        let name = format!("request of {TURNS} turns {}", wire.name());
        if !table.includes_row(&name) {
            continue;
        }
        let model = model_at(wire, "http://127.0.0.1:9/v1".to_owned());
        let mut size = 0;
        let samples = (0..RUNS).map(|_| {
            let start = Instant::now();
            size = model.encode_body(&request).unwrap().len();
            start.elapsed()
        });
        let samples = samples.collect();
        table.row(&name, samples, Some(BUDGET), format!("{} kB", size / 1000));
    }
}

/// Each turn: a prompt, reasoning, text, two calls, and their results (a file of 4 kB and a short list).
fn conversation() -> ModelRequest {
    let file = "    let value = compute(&input, \"options\")?; // and so on\n".repeat(70);
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "Does one thing well. ".repeat(20),
        parameters: Arc::new(json!({ "type": "object", "properties": {
            "filePath": { "type": "string", "description": "The file to use." },
            "limit": { "type": "integer", "description": "How many lines." } }, "required": ["filePath"] })),
    };
    let mut messages = Vec::new();
    for turn in 0..TURNS {
        let call = |which: usize| format!("call_{turn}_{which}");
        let part = |which: usize, name: &str| {
            let arguments = format!("{{\"filePath\":\"src/part{turn}.rs\",\"limit\":{which}}}");
            AssistantPart::Call(ToolCallPart { id: call(which), name: name.into(), arguments, echo: None })
        };
        messages.push(ModelMessage::User(vec![UserPart::Text(format!(
            "Now look at part {turn} and tell me about it."
        ))]));
        messages.push(ModelMessage::Assistant(vec![
            AssistantPart::Reasoning(ReasoningPart {
                text: "I should read the file first. ".repeat(8),
                echo: None,
            }),
            AssistantPart::Text(TextPart {
                text: "I read the file and list its neighbours.".into(),
                echo: None,
            }),
            part(1, "read"),
            part(2, "list"),
        ]));
        let result = |which: usize, name: &str, output: String| ToolResultPart {
            id: call(which),
            name: name.into(),
            output,
            ..ToolResultPart::default()
        };
        messages.push(ModelMessage::Results(vec![
            result(1, "read", file.clone()),
            result(2, "list", "a.rs\nb.rs\nc.rs\n".into()),
        ]));
    }
    let tools = (0..30).map(|number| tool(&format!("tool{number}"))).collect();
    ModelRequest {
        system: vec!["You are a careful desk. ".repeat(400)],
        messages,
        tools,
        ..ModelRequest::default()
    }
}
