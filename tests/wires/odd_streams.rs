//! Undocumented streams that real servers send: harmless, and read as they are meant.

use copydesk_model::{ModelEvent, ModelMessage, ModelRequest, StreamLimits, ToolSpec, WireProtocol};
use serde_json::{Value, json};

use super::harness::{CollectedStream, TestModelOptions, hello};
use super::requests::tool;
use crate::model_server::{ScriptedModelServer, ScriptedTurn};

fn stream(events: &[&str]) -> ScriptedTurn {
    let turn = events
        .iter()
        .fold(ScriptedTurn::new(), |turn, event| turn.raw(format!("data: {event}\n\n").into_bytes()));
    turn.end()
}

async fn read(wire: WireProtocol, events: &[&str]) -> CollectedStream {
    let server = ScriptedModelServer::start_with([stream(events)]);
    TestModelOptions::new(wire, &server).collect_answer(&hello()).await
}

#[track_caller]
fn check(answer: &CollectedStream, expected: &str) {
    assert_eq!(answer.transcript(), expected, "{:?}", answer.error);
}

#[tokio::test]
async fn a_reason_to_stop_that_is_empty_is_none() {
    let answer = read(
        WireProtocol::OpenaiChat,
        &[
            r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":""}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":""}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"null"}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]},"finish_reason":""}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":""}]}"#,
            r#"{"choices":[{"delta":null,"finish_reason":"tool_calls"}],"usage":null}"#,
            "[DONE]",
        ],
    );
    check(&answer.await, "text \"Hello\"\ncall a x \"{}\"\nfinished Calls\n");
}

/// Null, another type, a list of one: none of it is worth losing the answer.
#[tokio::test]
async fn fields_of_another_type_are_passed_over() {
    let chat = read(
        WireProtocol::OpenaiChat,
        &[
            "",
            "{}",
            r#"{"choices":null,"usage":{"cost":{"total_cost":1},"prompt_tokens":null},"error":null}"#,
            r#"{"choices":[{"delta":{"content":"ok","reasoning":{},"reasoning_details":{},"tool_calls":null,"refusal":[]}}],"error":""}"#,
            r#"{"choices":[{"delta":{"content":7,"tool_calls":[{"index":"1","id":5,"function":{"name":"x","arguments":null}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":"10","completion_tokens":2.0,"cached_tokens":4}}]}"#,
        ],
    )
    .await;
    check(&chat, "text \"ok\"\ncall 5 x \"{}\"\nfinished Calls\n");
    let Some(ModelEvent::Finished(finish)) = chat.events.last() else { panic!("{chat:?}") };
    assert_eq!((finish.usage.input, finish.usage.cache_read, finish.usage.output), (6, 4, 2));

    let anthropic = read(
        WireProtocol::Anthropic,
        &[
            "{}",
            r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":null}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":null,"signature":null}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":null}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","content_block":{"type":"text","text":"ok"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{}}}"#,
            r#"{"type":"content_block_stop"}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":null},"usage":{"input_tokens":0,"output_tokens":"3"}}"#,
            r#"{"type":"message_stop"}"#,
        ],
    )
    .await;
    check(&anthropic, "reasoning \"\"\ntext \"ok\"\nfinished End\n");
    let Some(ModelEvent::Finished(finish)) = anthropic.events.last() else { panic!("{anthropic:?}") };
    assert_eq!((finish.usage.input, finish.usage.output), (9, 3));

    let responses = read(
        WireProtocol::OpenaiResponses,
        &[
            "{}",
            r#"{"type":"response.output_item.added","item":{"type":"tool_search_call","arguments":{},"content":null}}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"delta":"not announced"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"text":"not announced"}],"phase":null}}"#,
            r#"{"type":"response.completed","response":{"usage":{"input_tokens":null,"output_tokens":1,"input_tokens_details":null}}}"#,
        ],
    );
    check(&responses.await, "text \"not announced\"\nfinished End\n");

    let gemini = read(
        WireProtocol::Gemini,
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"ok","thought":null}]},"finishReason":null}],"usageMetadata":{"promptTokenCount":null}}"#,
            r#"{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":"5"}}"#,
            "[DONE]",
        ],
    );
    check(&gemini.await, "text \"ok\"\nfinished End\n");
}

#[tokio::test]
async fn a_character_that_a_server_cut_in_two_does_not_cost_the_answer() {
    let answer = read(
        WireProtocol::OpenaiChat,
        &[
            r#"{"choices":[{"delta":{"content":"Hi \ud83d"}}]}"#,
            r#"{"choices":[{"delta":{"content":"\udc4b!"},"finish_reason":"stop"}]}"#,
        ],
    );
    check(&answer.await, "text \"Hi \u{fffd}\u{fffd}!\"\nfinished End\n");
}

/// The name after the id, a new id for every delta, an empty name in later deltas.
#[tokio::test]
async fn more_bent_calls_are_understood() {
    let calls = |calls: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":{calls}}}}}]}}"#);
    let done = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
    for pieces in [
        [
            r#"[{"index":0,"id":"a","function":{"name":null,"arguments":"{\"k\""}}]"#,
            r#"[{"index":0,"function":{"name":"x","arguments":":"}}]"#,
            r#"[{"index":0,"function":{"arguments":"1}"}}]"#,
        ],
        [
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":""}}]"#,
            r#"[{"index":0,"id":"b","function":{"arguments":"{\"k\":"}}]"#,
            r#"[{"index":0,"id":"c","function":{"name":"","arguments":"1}"}}]"#,
        ],
        [
            r#"[{"id":"a","function":{"name":"x","arguments":"{\"k\":"}}]"#,
            r#"[{"id":"","function":{"name":"","arguments":"1"}}]"#,
            r#"[{"function":{"name":"","arguments":"}"}}]"#,
        ],
    ] {
        let events: Vec<_> = pieces.iter().map(|piece| calls(piece)).collect();
        let events: Vec<_> = events.iter().map(String::as_str).chain([done]).collect();
        check(&read(WireProtocol::OpenaiChat, &events).await, "call a x \"{\\\"k\\\":1}\"\nfinished Calls\n");
    }
}

#[tokio::test]
async fn reasons_that_are_failures_are_tried_again() {
    for (reason, kind) in
        [("insufficient_system_resource", "Overloaded"), ("network_error", "Server"), ("error", "Server")]
    {
        let broken = format!(r#"{{"choices":[{{"delta":{{"content":"ha"}},"finish_reason":"{reason}"}}]}}"#);
        let server = ScriptedModelServer::start_with([stream(&[&broken]), ScriptedTurn::new().text("ok")]);
        let transcript = TestModelOptions::new(WireProtocol::OpenaiChat, &server)
            .collect_answer(&hello())
            .await
            .transcript();
        assert_eq!(transcript, format!("retry 1 {kind}\ntext \"ok\"\nfinished End\n"), "{reason}");
    }
    for event in
        [r#"{"object":"error","message":"Server is overloaded","code":503}"#, r#"{"error":"overloaded"}"#]
    {
        let server = ScriptedModelServer::start_with([stream(&[event]), ScriptedTurn::new().text("ok")]);
        let transcript = TestModelOptions::new(WireProtocol::OpenaiChat, &server)
            .collect_answer(&hello())
            .await
            .transcript();
        assert_eq!(transcript, "retry 1 Overloaded\ntext \"ok\"\nfinished End\n", "{event}");
    }
}

/// After the stop reason a connection that breaks, stalls or sends garbage loses nothing.
#[tokio::test]
async fn an_answer_at_its_end_is_not_asked_for_again() {
    let ends = [
        (WireProtocol::OpenaiChat, r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#),
        (
            WireProtocol::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}"#,
        ),
    ];
    for (wire, event) in ends {
        let turn = || ScriptedTurn::new().raw(format!("data: {event}\n\n").into_bytes());
        for broken in [turn().truncated(), turn().malformed(), turn().stall("open")] {
            let server = ScriptedModelServer::start_with([broken]);
            let peer = TestModelOptions {
                idle: Some(std::time::Duration::from_millis(50)),
                ..TestModelOptions::new(wire, &server)
            };
            check(&peer.collect_answer(&hello()).await, "text \"ok\"\nfinished End\n");
        }
    }
}

/// Endless empty parts.
#[tokio::test]
async fn parts_without_end_are_cut_short() {
    let many = |event: &dyn Fn(usize) -> String| {
        let events: Vec<_> = (0..2_000).map(event).collect();
        stream(&events.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let cases: [(WireProtocol, &dyn Fn(usize) -> String); 4] = [
        (WireProtocol::Anthropic, &|at| {
            json!({ "type": "content_block_start", "index": at, "content_block": { "type": "redacted_thinking", "data": "" } }).to_string()
        }),
        (WireProtocol::OpenaiChat, &|at| {
            json!({ "choices": [{ "delta": { "tool_calls": [{ "index": at, "id": at.to_string() }] } }] })
                .to_string()
        }),
        (WireProtocol::OpenaiResponses, &|at| {
            json!({ "type": "response.output_item.added", "output_index": at, "item": { "type": "message" } })
                .to_string()
        }),
        (WireProtocol::Gemini, &|_| {
            json!({ "candidates": [{ "content": { "parts": [{ "text": "", "thoughtSignature": "s" }, { "thought": true, "text": "", "thoughtSignature": "s" }] } }] }).to_string()
        }),
    ];
    for (wire, event) in cases {
        let server = ScriptedModelServer::start_with([many(event)]);
        let limits = StreamLimits { answer: 1024 * 1024, ..StreamLimits::default() };
        let error = TestModelOptions { limits, ..TestModelOptions::new(wire, &server) }
            .collect_answer(&hello())
            .await
            .error
            .unwrap();
        assert_eq!(error.kind, copydesk_model::ModelErrorKind::TooLarge, "{} {error}", wire.name());
    }
}

/// A null that the model means stays if the schema had no strict form.
#[tokio::test]
async fn nulls_are_taken_away_only_where_strict_mode_made_them() {
    let free = json!({ "type": "object", "properties": { "env": { "type": "object", "additionalProperties": true } } });
    let tools: Vec<ToolSpec> = vec![tool("free", free)];
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().call(
        "c",
        "free",
        json!({ "env": { "HOME": null } }),
    )]);
    let peer = TestModelOptions::new(WireProtocol::OpenaiResponses, &server).dialect("strict", true);
    let answer = peer.collect_answer(&ModelRequest { tools, ..hello() }).await;
    check(&answer, "call c free \"{\\\"env\\\":{\\\"HOME\\\":null}}\"\nfinished Calls\n");
}

/// Several encrypted blocks come under one index, one per call.
#[tokio::test]
async fn encrypted_blocks_stay_apart() {
    let block =
        |id: &str, data: &str| json!({ "type": "reasoning.encrypted", "index": 0, "id": id, "data": data });
    let chunk = |block: Value, end: Value| {
        json!({ "choices": [{ "delta": { "reasoning_details": [block], "content": "a" }, "finish_reason": end }] }).to_string()
    };
    let events = [chunk(block("a", "QQ=="), Value::Null), chunk(block("b", "Qg=="), json!("stop"))];
    let server = ScriptedModelServer::start_with([stream(&[&events[0], &events[1]])]);
    let peer = TestModelOptions::new(WireProtocol::OpenaiChat, &server)
        .dialect("reasoning_echo", "reasoning_details");
    let mut request = hello();
    request.messages.push(ModelMessage::Assistant(peer.collect_answer(&hello()).await.parts()));
    let sent: Value = serde_json::from_slice(&peer.model().unwrap().encode_body(&request).unwrap()).unwrap();
    assert_eq!(
        sent.pointer("/messages/1/reasoning_details"),
        Some(&json!([block("a", "QQ=="), block("b", "Qg==")]))
    );
}
