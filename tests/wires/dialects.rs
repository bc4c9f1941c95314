//! Servers that are compatible, each in its own way: the differences are data, and each entry of the data has an effect.

use copydesk_model::catalogue::ReasoningControl;
use copydesk_model::settings::{ModelSettings, ReasoningSetting};
use copydesk_model::{
    AssistantPart, ModelEvent, ModelMessage, ModelRequest, ReasoningEffort, ToolResultPart, UserPart,
    WireProtocol,
};
use serde_json::{Value, json};

use super::harness::{TestModelOptions, hello};
use super::requests::tool;
use crate::model_server::{ScriptedModelServer, ScriptedTurn};

fn body(peer: &TestModelOptions, request: &ModelRequest) -> Value {
    serde_json::from_slice(&peer.model().unwrap().encode_body(request).unwrap()).unwrap()
}

fn chat() -> TestModelOptions {
    TestModelOptions::with_base_url(WireProtocol::OpenaiChat, "http://x.test".into())
}

fn call(id: &str) -> AssistantPart {
    AssistantPart::Call(copydesk_model::ToolCallPart {
        id: id.into(),
        name: "read".into(),
        arguments: "{}".into(),
        echo: None,
    })
}

fn with_result(id: &str) -> ModelRequest {
    let mut request = hello();
    let result = ToolResultPart {
        id: id.into(),
        name: "read".into(),
        output: "text".into(),
        ..ToolResultPart::default()
    };
    request.messages.extend([
        ModelMessage::Assistant(vec![call(id)]),
        ModelMessage::Results(vec![result]),
        ModelMessage::User(vec![UserPart::Text("More".into())]),
    ]);
    request
}

#[test]
fn the_field_that_limits_the_answer() {
    let request = ModelRequest { max_output: Some(99), ..hello() };
    assert_eq!(body(&chat(), &request)["max_tokens"], 99);
    let other = body(&chat().dialect("token_limit", "max_completion_tokens"), &request);
    assert_eq!((&other["max_completion_tokens"], &other["max_tokens"]), (&json!(99), &Value::Null));
}

#[test]
fn how_effort_is_asked_for() {
    let request = ModelRequest { effort: Some(ReasoningEffort::High), ..hello() };
    let off = ModelRequest { effort: Some(ReasoningEffort::Off), ..hello() };
    let field = |word: &str, request: &ModelRequest| body(&chat().dialect("effort", word), request);
    assert_eq!(field("reasoning_effort", &request)["reasoning_effort"], "high");
    assert_eq!(field("reasoning.effort", &request)["reasoning"], json!({ "effort": "high" }));
    assert_eq!(field("thinking", &request)["thinking"], json!({ "type": "enabled" }));
    assert_eq!(field("thinking", &off)["thinking"], json!({ "type": "disabled" }));
    assert_eq!(field("enable_thinking", &off)["enable_thinking"], false);
    let none = field("none", &request);
    assert!(
        none.get("reasoning_effort").is_none()
            && none.get("reasoning").is_none()
            && none.get("thinking").is_none()
    );
}

#[test]
fn a_model_that_does_not_reason_is_not_asked_to() {
    for wire in WireProtocol::ALL {
        let mut peer = TestModelOptions::with_base_url(wire, "http://x.test".into());
        peer.model.reasoning = Some(ReasoningSetting::Disabled);
        let body = body(&peer, &ModelRequest { effort: Some(ReasoningEffort::High), ..hello() }).to_string();
        for word in ["reasoning", "thinking", "effort"] {
            assert!(!body.contains(word), "{}: {body}", wire.name());
        }
    }
}

#[test]
fn a_budget_of_thought_fits_into_the_answer() {
    let mut peer = TestModelOptions::with_base_url(WireProtocol::Anthropic, "http://x.test".into());
    peer.model.reasoning = Some(ReasoningSetting::Control(ReasoningControl::Budget));
    let thinking = |max_output| {
        body(
            &peer,
            &ModelRequest {
                effort: Some(ReasoningEffort::Max),
                max_output: Some(max_output),
                temperature: Some(0.3),
                ..hello()
            },
        )
    };
    assert_eq!(thinking(20_000)["thinking"], json!({ "type": "enabled", "budget_tokens": 18_976 }));
    assert_eq!(thinking(20_000).get("temperature"), None);
    assert_eq!(thinking(1_500).get("thinking"), None);
    assert_eq!(thinking(1_500)["temperature"], 0.3);
}

#[test]
fn ids_of_calls_in_the_form_a_server_takes() {
    let sent = body(&chat().dialect("call_id", "alnum9"), &with_result("toolu_01:ABC-def"));
    let id = sent.pointer("/messages/1/tool_calls/0/id").unwrap().as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(sent.pointer("/messages/2/tool_call_id").unwrap(), id);
    let kept = body(&chat().dialect("call_id", "alnum9"), &with_result("abcDEF123"));
    assert_eq!(kept.pointer("/messages/1/tool_calls/0/id").unwrap(), "abcDEF123");
}

#[test]
fn who_may_speak_after_a_tool() {
    let roles = |peer: &TestModelOptions| {
        let sent = body(peer, &with_result("c1"));
        let messages = sent["messages"].as_array().unwrap().iter();
        messages.map(|message| message["role"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(roles(&chat()), "user assistant tool user");
    assert_eq!(roles(&chat().dialect("after_tool", "assistant")), "user assistant tool assistant user");
}

#[test]
fn small_habits() {
    let request = with_result("c1");
    let content = |peer: &TestModelOptions| body(peer, &request).pointer("/messages/1/content").cloned();
    assert_eq!(content(&chat()), Some(Value::Null));
    assert_eq!(content(&chat().dialect("empty_content", "empty")), Some(json!("")));
    let system = ModelRequest { system: vec!["S".into()], ..hello() };
    assert_eq!(body(&chat(), &system).pointer("/messages/0/role").unwrap(), "system");
    assert_eq!(
        body(&chat().dialect("developer_role", true), &system).pointer("/messages/0/role").unwrap(),
        "developer"
    );
    assert_eq!(body(&chat(), &hello())["stream_options"], json!({ "include_usage": true }));
    assert_eq!(body(&chat().dialect("stream_usage", false), &hello()).get("stream_options"), None);
    let keyed = ModelRequest { cache_key: Some("s".into()), ..hello() };
    assert_eq!(body(&chat(), &keyed).get("prompt_cache_key"), None);
    assert_eq!(body(&chat().dialect("cache", "key"), &keyed)["prompt_cache_key"], "s");
    assert_eq!(body(&chat().dialect("body", json!({ "tool_stream": true })), &hello())["tool_stream"], true);
    // DeepSeek's rule: the field is required beside calls even if it is empty.
    let echo = body(&chat().dialect("reasoning_echo", "reasoning_content"), &request);
    assert_eq!(echo.pointer("/messages/1/reasoning_content"), Some(&json!("")));
}

#[tokio::test]
async fn keys_go_where_the_server_looks_for_them() {
    for (wire, auth, header, value) in [
        (WireProtocol::Anthropic, None, "x-api-key", "sk-test"),
        (WireProtocol::OpenaiChat, None, "authorization", "Bearer sk-test"),
        (WireProtocol::OpenaiResponses, Some("api-key"), "api-key", "sk-test"),
        (WireProtocol::Gemini, None, "x-goog-api-key", "sk-test"),
        (WireProtocol::Anthropic, Some("bearer"), "authorization", "Bearer sk-test"),
    ] {
        let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("ok")]);
        let mut peer = TestModelOptions::new(wire, &server).dialect("query", json!({ "api-version": "1 2" }));
        if let Some(auth) = auth {
            peer = peer.dialect("auth", auth);
        }
        peer.collect_answer(&hello()).await;
        let request = &server.requests()[0];
        assert_eq!(request.header(header), Some(value), "{}", wire.name());
        assert!(request.query.ends_with("api-version=1+2"), "{}", request.query);
    }
}

/// In strict mode a model writes null for an omitted argument; a tool never sees it.
#[tokio::test]
async fn strict_schemas_and_their_nulls() {
    let read = json!({ "type": "object", "properties": { "filePath": { "type": "string" }, "limit": { "type": "integer" } }, "required": ["filePath"] });
    let free = json!({ "type": "object", "properties": { "env": { "type": "object", "additionalProperties": true } } });
    let request = ModelRequest { tools: vec![tool("read", read), tool("free", free)], ..hello() };
    for (wire, place) in [(WireProtocol::OpenaiChat, "/function"), (WireProtocol::OpenaiResponses, "")] {
        let turn = ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a", "limit": null })).call(
            "c2",
            "free",
            json!({ "env": null }),
        );
        let server = ScriptedModelServer::start_with([turn]);
        let answer =
            TestModelOptions::new(wire, &server).dialect("strict", true).collect_answer(&request).await;
        let sent = server.requests()[0].body.clone();
        let strict =
            |tool: usize| sent.pointer(&format!("/tools/{tool}{place}/strict")).and_then(Value::as_bool);
        assert_eq!((strict(0).unwrap_or(false), strict(1)), (false, Some(true)), "{sent:#}");
        assert_eq!(
            sent.pointer(&format!("/tools/1{place}/parameters/properties/limit/type")),
            Some(&json!(["integer", "null"]))
        );
        let parts = answer.parts();
        let AssistantPart::Call(call) = &parts[0] else { panic!("{parts:?}") };
        assert_eq!(call.arguments, r#"{"filePath":"a"}"#);
    }
}

/// OpenRouter's reasoning blocks arrive in pieces, late and beside calls, and go back whole.
#[tokio::test]
async fn reasoning_details_are_put_together_and_sent_back() {
    let chunk = |delta: Value, finish: Value| {
        let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
        format!("data: {chunk}\n\n").into_bytes()
    };
    let turn = ScriptedTurn::new()
        .raw(chunk(json!({ "reasoning": "Let ", "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "Let " }] }), Value::Null))
        .raw(chunk(json!({ "reasoning": "me", "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "me", "signature": "s" }] }), Value::Null))
        .raw(chunk(json!({ "content": "Yes" }), Value::Null))
        .raw(chunk(json!({ "reasoning_details": [{ "type": "reasoning.encrypted", "index": 1, "data": "x", "id": "c1" }] }), json!("stop")))
        .raw(b"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2,\"cost\":0.25}}\n\ndata: [DONE]\n\n".to_vec())
        .end();
    let server = ScriptedModelServer::start_with([turn, ScriptedTurn::new().text("ok")]);
    let peer = TestModelOptions::new(WireProtocol::OpenaiChat, &server)
        .dialect("reasoning_echo", "reasoning_details");
    let answer = peer.collect_answer(&hello()).await;
    let Some(ModelEvent::Finished(finish)) = answer.events.last() else { panic!("{answer:?}") };
    assert_eq!(finish.cost, Some(0.25), "the server's own account wins");
    let mut request = hello();
    request.messages.push(ModelMessage::Assistant(answer.parts()));
    peer.collect_answer(&request).await;
    assert_eq!(
        server.requests()[1].body["messages"][1],
        json!({ "role": "assistant", "content": "Yes", "reasoning_details": [
            { "type": "reasoning.text", "index": 0, "text": "Let me", "signature": "s" },
            { "type": "reasoning.encrypted", "index": 1, "data": "x", "id": "c1" },
        ] })
    );
}

/// How servers deviate from the wire for calls.
#[tokio::test]
async fn bent_calls_are_understood() {
    let read = |calls: Value| {
        let chunk = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": calls } }] });
        format!("data: {chunk}\n\n").into_bytes()
    };
    let done = b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]".to_vec();
    let cases = [
        // Every call has index 0.
        vec![
            json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{}" } }]),
            json!([{ "index": 0, "id": "b", "function": { "name": "y", "arguments": "{}" } }]),
        ],
        // No index at all.
        vec![
            json!([{ "id": "a", "function": { "name": "x", "arguments": "{" } }]),
            json!([{ "function": { "arguments": "}" } }]),
            json!([{ "id": "b", "function": { "name": "y", "arguments": "{}" } }]),
        ],
        // The id again with every delta.
        vec![
            json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{" } }]),
            json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "}" } }]),
            json!([{ "index": 1, "id": "b", "function": { "name": "y", "arguments": "" } }]),
        ],
        // Arguments as an object.
        vec![
            json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": {} } }, { "index": 1, "id": "b", "function": { "name": "y", "arguments": null } }]),
        ],
    ];
    for chunks in cases {
        let mut turn = ScriptedTurn::new();
        for chunk in &chunks {
            turn = turn.raw(read(chunk.clone()));
        }
        let server = ScriptedModelServer::start_with([turn.raw(done.clone()).end()]);
        let answer = TestModelOptions::new(WireProtocol::OpenaiChat, &server).collect_answer(&hello()).await;
        assert_eq!(answer.transcript(), "call a x \"{}\"\ncall b y \"{}\"\nfinished Calls\n", "{chunks:?}");
    }
}

#[test]
fn the_users_own_word_goes_into_every_request() {
    let mut peer = chat();
    peer.model = ModelSettings {
        defaults: copydesk_model::RequestDefaults {
            effort: Some(ReasoningEffort::Low),
            body: serde_json::Map::from_iter([("seed".to_owned(), json!(7))]),
            ..copydesk_model::RequestDefaults::default()
        },
        ..peer.model
    };
    let sent = body(&peer, &hello());
    assert_eq!((&sent["reasoning_effort"], &sent["seed"]), (&json!("low"), &json!(7)));
    let sent = body(&peer, &ModelRequest { effort: Some(ReasoningEffort::High), ..hello() });
    assert_eq!(sent["reasoning_effort"], "high");
}
