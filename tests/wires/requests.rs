//! Whole requests: one conversation with everything in it, on each wire.
//!
//! The expected requests are files; `UPDATE_EXPECT=1` rewrites them.

use std::sync::Arc;

use copydesk_model::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ReasoningEffort, ToolCallPart, ToolChoice,
    ToolResultPart, ToolSpec, UserPart, WireProtocol,
};
use expect_test::expect_file;
use serde_json::{Value, json};

use super::harness::TestModelOptions;
use crate::model_server::{RecordedRequest, ScriptedModelServer, ScriptedTurn};

fn image() -> MediaPart {
    MediaPart { mime: "image/png".into(), base64: "aW1hZ2U=".into(), name: Some("shot.png".into()) }
}

fn pdf() -> MediaPart {
    MediaPart { mime: "application/pdf".into(), base64: "cGRm".into(), name: Some("paper.pdf".into()) }
}

pub(crate) fn tool(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.into(), description: format!("Does {name}."), parameters: Arc::new(parameters) }
}

fn tools() -> Vec<ToolSpec> {
    let read = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Read", "type": "object",
        "properties": {
            "filePath": { "type": "string", "description": "The file." },
            "limit": { "type": ["integer", "null"], "minimum": 0 },
        },
        "required": ["filePath"],
    });
    vec![tool("read", read), tool("list", json!({ "type": "object", "properties": {} }))]
}

fn request() -> ModelRequest {
    let question =
        vec![UserPart::Text("Look at these.".into()), UserPart::Media(image()), UserPart::Media(pdf())];
    ModelRequest {
        system: vec!["You are a desk.".into(), "Today is Sunday.".into()],
        messages: vec![ModelMessage::User(question)],
        tools: tools(),
        max_output: Some(4_000),
        temperature: Some(0.5),
        effort: Some(ReasoningEffort::High),
        cache_key: Some("session-1".into()),
        ..ModelRequest::default()
    }
}

/// The second request of a turn with reasoning, text and two calls; one of the results has an image, one is an error.
async fn second_request(peer: &TestModelOptions, server: &ScriptedModelServer) -> Value {
    let mut request = request();
    let parts = peer.collect_answer(&request).await.parts();
    request.messages.push(ModelMessage::Assistant(parts));
    request.messages.push(ModelMessage::Results(vec![
        ToolResultPart {
            id: "c1".into(),
            name: "read".into(),
            output: "text".into(),
            media: vec![image()],
            is_error: false,
        },
        ToolResultPart {
            id: "c2".into(),
            name: "list".into(),
            output: "no".into(),
            is_error: true,
            ..ToolResultPart::default()
        },
    ]));
    request.messages.push(ModelMessage::User(vec![UserPart::Text("Go on.".into())]));
    peer.collect_answer(&request).await;
    server.requests()[1].comparable()
}

fn turns() -> [ScriptedTurn; 2] {
    let first = ScriptedTurn::new().reasoning("Hm.").signed("c2lnbmVk").text("I read.");
    let first = first.call("c1", "read", json!({ "filePath": "a.rs" })).signed("b24gY2FsbA==").call(
        "c2",
        "list",
        json!({}),
    );
    [first, ScriptedTurn::new().text("Done.")]
}

#[tokio::test]
async fn a_conversation_with_everything_in_it() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with(turns());
        let mut peer = TestModelOptions::new(wire, &server)
            .dialect("cache", if wire == WireProtocol::OpenaiChat { "anthropic" } else { "key" });
        if wire == WireProtocol::OpenaiChat {
            peer = peer.dialect("reasoning_echo", "reasoning_content");
        }
        let sent = second_request(&peer, &server).await;
        let text = serde_json::to_string_pretty(&sent).unwrap() + "\n";
        expect_file![format!(
            "{}/../../tests/wires/requests/{}.json",
            env!("CARGO_MANIFEST_DIR"),
            wire.name()
        )]
        .assert_eq(&text);
    }
}

#[tokio::test]
async fn the_prefix_of_a_conversation_stays_the_same() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with(turns());
        let peer = TestModelOptions::new(wire, &server);
        second_request(&peer, &server).await;
        let requests = server.requests();
        let list = match wire {
            WireProtocol::Anthropic | WireProtocol::OpenaiChat => "messages",
            WireProtocol::OpenaiResponses => "input",
            WireProtocol::Gemini => "contents",
        };
        let without_marks =
            |value: &Value| value.to_string().replace(r#","cache_control":{"type":"ephemeral"}"#, "");
        let (first, second) = (&requests[0].body, &requests[1].body);
        for key in first.as_object().unwrap().keys().filter(|key| *key != list) {
            assert_eq!(first[key], second[key], "{} {key}", wire.name());
        }
        for (earlier, later) in first[list].as_array().unwrap().iter().zip(second[list].as_array().unwrap()) {
            assert_eq!(without_marks(earlier), without_marks(later), "{}", wire.name());
        }
    }
}

#[tokio::test]
async fn tools_are_sorted_whatever_the_order_they_came_in() {
    for wire in WireProtocol::ALL {
        let model = TestModelOptions::with_base_url(wire, "http://x.test".into()).model().unwrap();
        let forward = ModelRequest { tools: tools(), ..request() };
        let backward = ModelRequest { tools: tools().into_iter().rev().collect(), ..request() };
        assert_eq!(
            model.encode_body(&forward).unwrap(),
            model.encode_body(&backward).unwrap(),
            "{}",
            wire.name()
        );
    }
}

#[tokio::test]
async fn a_model_without_eyes_is_told_what_it_misses() {
    for wire in WireProtocol::ALL {
        let mut peer = TestModelOptions::with_base_url(wire, "http://x.test".into());
        (peer.model.images, peer.model.pdf) = (Some(false), Some(false));
        let body = String::from_utf8(peer.model().unwrap().encode_body(&request()).unwrap()).unwrap();
        assert!(body.contains("[shot.png left out: this model takes no images]"), "{}", wire.name());
        assert!(
            body.contains("[paper.pdf left out: this model takes no files of this type]"),
            "{}",
            wire.name()
        );
        assert!(!body.contains("aW1hZ2U="), "{}", wire.name());
    }
}

#[tokio::test]
async fn choices_of_tools_are_said_in_each_wires_words() {
    let cases = [
        (
            WireProtocol::Anthropic,
            "/tool_choice",
            json!({ "type": "any" }),
            json!({ "type": "none" }),
            json!({ "type": "tool", "name": "read" }),
        ),
        (
            WireProtocol::OpenaiChat,
            "/tool_choice",
            json!("required"),
            json!("none"),
            json!({ "type": "function", "function": { "name": "read" } }),
        ),
        (
            WireProtocol::OpenaiResponses,
            "/tool_choice",
            json!("required"),
            json!("none"),
            json!({ "type": "function", "name": "read" }),
        ),
        (
            WireProtocol::Gemini,
            "/toolConfig/functionCallingConfig",
            json!({ "mode": "ANY" }),
            json!({ "mode": "NONE" }),
            json!({ "mode": "ANY", "allowedFunctionNames": ["read"] }),
        ),
    ];
    for (wire, place, required, none, named) in cases {
        let model = TestModelOptions::with_base_url(wire, "http://x.test".into()).model().unwrap();
        for (choice, expected) in [
            (ToolChoice::Auto, None),
            (ToolChoice::Required, Some(required)),
            (ToolChoice::None, Some(none)),
            (ToolChoice::Named("read".into()), Some(named)),
        ] {
            let body = model.encode_body(&ModelRequest { tool_choice: choice, ..request() }).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body.pointer(place).cloned(), expected, "{}", wire.name());
        }
    }
}

/// Arguments that were not JSON go back as an object that says so: some servers fail on anything else.
#[tokio::test]
async fn broken_arguments_go_back_as_something_that_can_be_read() {
    for wire in WireProtocol::ALL {
        let model = TestModelOptions::with_base_url(wire, "http://x.test".into()).model().unwrap();
        let call = copydesk_model::ToolCallPart {
            id: "c1".into(),
            name: "read".into(),
            arguments: "{\"a".into(),
            echo: None,
        };
        let mut request = request();
        request.messages.push(ModelMessage::Assistant(vec![AssistantPart::Call(call)]));
        let body = String::from_utf8(model.encode_body(&request).unwrap()).unwrap();
        assert!(body.contains("invalid_json"), "{}: {body}", wire.name());
    }
}

/// Anthropic looks back only 20 blocks from a mark: one must stand where the request before ended, however many calls came since.
#[tokio::test]
async fn a_mark_for_the_cache_stands_where_the_request_before_ended() {
    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().text("Done."),
        ScriptedTurn::new().text("Done."),
    ]);
    let peer = TestModelOptions::new(WireProtocol::Anthropic, &server).dialect("cache", "key");
    let mut request = request();
    peer.collect_answer(&request).await;
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for number in 0..12 {
        let (id, name) = (format!("c{number}"), "list".to_owned());
        let (arguments, output) = ("{}".to_owned(), "a.rs".to_owned());
        calls.push(AssistantPart::Call(ToolCallPart {
            id: id.clone(),
            name: name.clone(),
            arguments,
            echo: None,
        }));
        results.push(ToolResultPart { id, name, output, ..ToolResultPart::default() });
    }
    request.messages.push(ModelMessage::Assistant(calls));
    request.messages.push(ModelMessage::Results(results));
    request.messages.push(ModelMessage::User(vec![UserPart::Note("A job has ended.".into())]));
    peer.collect_answer(&request).await;
    let marked = |request: &RecordedRequest| {
        let messages = request.body["messages"].as_array().unwrap();
        let blocks = messages.iter().flat_map(|message| message["content"].as_array().unwrap());
        let marked = blocks.enumerate().filter(|(_, block)| block.get("cache_control").is_some());
        marked.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let requests: Vec<_> = server.requests().iter().map(marked).collect();
    assert_eq!(requests, [vec![2], vec![2, 27]]);
}
