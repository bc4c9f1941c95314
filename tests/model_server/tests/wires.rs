//! The rendering of a turn on each wire. The files in `expected/` are whole streams of `full.json`.

use serde_json::{Value, json};

use super::super::{
    ReasoningField, ScriptedError, ScriptedErrorKind, ScriptedModelServer, ScriptedPiece, ScriptedStop,
    ScriptedTurn, ScriptedUsage, ScriptedWire,
};
use super::client::{Client, data, played};

fn full() -> ScriptedTurn {
    serde_json::from_str(include_str!("expected/full.json")).unwrap()
}

#[tokio::test]
async fn anthropic_streams_the_whole_turn() {
    assert_eq!(played(ScriptedWire::Anthropic, full()).await, include_str!("expected/anthropic.sse"));
}

#[tokio::test]
async fn chat_streams_the_whole_turn() {
    assert_eq!(played(ScriptedWire::Chat, full()).await, include_str!("expected/chat.sse"));
}

#[tokio::test]
async fn responses_streams_the_whole_turn() {
    assert_eq!(played(ScriptedWire::Responses, full()).await, include_str!("expected/responses.sse"));
}

#[tokio::test]
async fn gemini_streams_the_whole_turn() {
    assert_eq!(played(ScriptedWire::Gemini, full()).await, include_str!("expected/gemini.sse"));
}

#[tokio::test]
async fn gemini_ends_lines_with_crlf() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("a")]);
    let mut client = Client::ask(&server, ScriptedWire::Gemini).await;
    client.head().await.unwrap();
    let text = client.text().await.unwrap();
    assert_eq!(text.matches("\r\n\r\n").count(), 2, "{text}");
}

#[tokio::test]
async fn stop_reasons() {
    let stops = [
        ScriptedStop::End,
        ScriptedStop::Calls,
        ScriptedStop::Length,
        ScriptedStop::Refusal,
        ScriptedStop::Pause,
    ];
    let expected = [
        (ScriptedWire::Anthropic, ["end_turn", "tool_use", "max_tokens", "refusal", "pause_turn"]),
        (ScriptedWire::Chat, ["stop", "tool_calls", "length", "content_filter", "stop"]),
        (
            ScriptedWire::Responses,
            ["completed", "completed", "max_output_tokens", "content_filter", "completed"],
        ),
        (ScriptedWire::Gemini, ["STOP", "STOP", "MAX_TOKENS", "SAFETY", "STOP"]),
    ];
    for (wire, expected) in expected {
        let mut actual = Vec::new();
        for stop in stops {
            let events = data(&played(wire, ScriptedTurn::new().text("a").stop(stop)).await);
            actual.push(stop_of(wire, &events));
        }
        assert_eq!(actual, expected, "{wire:?}");
    }
}

fn stop_of(wire: ScriptedWire, events: &[Value]) -> String {
    let found = events.iter().rev().find_map(|event| match wire {
        ScriptedWire::Anthropic => event["delta"]["stop_reason"].as_str(),
        ScriptedWire::Chat => event["choices"][0]["finish_reason"].as_str(),
        ScriptedWire::Responses => event["response"]["incomplete_details"]["reason"]
            .as_str()
            .or(event["response"]["status"].as_str()),
        ScriptedWire::Gemini => event["candidates"][0]["finishReason"].as_str(),
    });
    found.expect("a stop").to_owned()
}

#[tokio::test]
async fn calls_stop_for_calls_unless_told() {
    let turn = ScriptedTurn::new().call("c", "list", json!({}));
    assert_eq!(
        stop_of(ScriptedWire::Anthropic, &data(&played(ScriptedWire::Anthropic, turn).await)),
        "tool_use"
    );
}

#[tokio::test]
async fn chat_reports_usage_only_when_asked_and_known() {
    let usage = ScriptedUsage { input: 1, output: 2, ..ScriptedUsage::default() };
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().usage(usage), ScriptedTurn::new()]);
    let mut client = Client::connect(&server).await;
    client.post(ScriptedWire::Chat, &json!({ "model": "m", "stream": true })).await;
    client.head().await.unwrap();
    assert!(!client.text().await.unwrap().contains("usage"));
    client.post(ScriptedWire::Chat, &super::client::request(ScriptedWire::Chat)).await;
    client.head().await.unwrap();
    assert!(!client.text().await.unwrap().contains("prompt_tokens"));
}

#[tokio::test]
async fn chat_names_its_reasoning_field_and_interleaves() {
    let turn =
        ScriptedTurn::new().reasoning("Hm").call("a", "x", json!([1, 2, 3])).call("b", "y", json!([4]));
    let turn = turn.chunk(3).interleave(true).reasoning_field(ReasoningField::Reasoning);
    let deltas: Vec<Value> = data(&played(ScriptedWire::Chat, turn).await)
        .iter()
        .map(|event| event["choices"][0]["delta"].clone())
        .collect();
    let start = |index, id, name| json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": "" } }] });
    let more = |index, text| json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] });
    let expected = [
        json!({ "role": "assistant", "content": "" }),
        json!({ "reasoning": "Hm" }),
        start(0, "a", "x"),
        start(1, "b", "y"),
        more(0, "[1,"),
        more(1, "[4]"),
        more(0, "2,3"),
        more(0, "]"),
        json!({}),
        Value::Null,
    ];
    assert_eq!(deltas, expected);
}

#[tokio::test]
async fn adjacent_texts_are_one_block_and_split_ones_two() {
    for (turn, blocks) in [
        (ScriptedTurn::new().text("a").ping().text("b"), 1),
        (ScriptedTurn::new().text("a").split().text("b"), 2),
        (ScriptedTurn::new().reasoning("a").reasoning("b").signed("s").reasoning("c").text("d"), 3),
        (ScriptedTurn::new().raw_call("c", "x", "{\"a\":").arguments("1}").raw_call("d", "x", ""), 2),
    ] {
        let text = played(ScriptedWire::Anthropic, turn).await;
        assert_eq!(text.matches("event: content_block_start").count(), blocks, "{text}");
        assert_eq!(text.matches("event: content_block_stop").count(), blocks, "{text}");
    }
}

#[tokio::test]
async fn gemini_signs_the_part_after_the_thought() {
    let turn = ScriptedTurn::new().reasoning("Hm").signed("s").text("Hello").redacted("r").chunk(20);
    let parts: Vec<Value> = data(&played(ScriptedWire::Gemini, turn).await)
        .iter()
        .map(|event| event["candidates"][0]["content"]["parts"][0].clone())
        .collect();
    let expected = [
        json!({ "text": "Hm", "thought": true }),
        json!({ "text": "Hello", "thoughtSignature": "s" }),
        json!({ "text": "", "thoughtSignature": "r" }),
    ];
    assert_eq!(parts, expected);
}

#[tokio::test]
async fn gemini_gives_up_a_call_that_is_not_json() {
    let events = data(&played(ScriptedWire::Gemini, ScriptedTurn::new().raw_call("c", "read", "{\"a")).await);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["candidates"][0]["finishReason"], "MALFORMED_FUNCTION_CALL");
}

#[tokio::test]
async fn errors_in_the_stream_have_the_shape_of_their_wire() {
    let fault = ScriptedError::new(ScriptedErrorKind::Overloaded, "Busy");
    let bare = ScriptedError { bare: true, ..fault.clone() };
    let openai = json!({ "error": { "message": "Busy", "type": "server_error", "param": null, "code": "server_is_overloaded" } });
    for (wire, fault, expected) in [
        (
            ScriptedWire::Anthropic,
            &fault,
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Busy" } }),
        ),
        (ScriptedWire::Chat, &fault, openai),
        (
            ScriptedWire::Responses,
            &bare,
            json!({ "type": "error", "sequence_number": 5, "code": "server_is_overloaded", "message": "Busy", "param": null }),
        ),
        (
            ScriptedWire::Gemini,
            &fault,
            json!({ "error": { "code": 503, "message": "Busy", "status": "UNAVAILABLE" } }),
        ),
    ] {
        let text =
            played(wire, ScriptedTurn::new().text("a").piece(ScriptedPiece::Error(fault.clone()))).await;
        assert_eq!(data(&text).last(), Some(&expected));
    }
    let text =
        played(ScriptedWire::Responses, ScriptedTurn::new().error(ScriptedErrorKind::Overloaded, "Busy"))
            .await;
    let failed = data(&text).pop().unwrap();
    assert_eq!(failed["type"], "response.failed");
    assert_eq!(failed["response"]["error"], json!({ "code": "server_is_overloaded", "message": "Busy" }));
}
