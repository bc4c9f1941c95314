//! Realistic conversations: begun by another model, cut in the middle, with content that this one cannot take. None of it
//! may make every later request of the session fail.

use copydesk_model::catalogue::ReasoningControl;
use copydesk_model::settings::ReasoningSetting;
use copydesk_model::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ProviderMetadata, ReasoningEffort, ReasoningPart,
    TextPart, ToolCallPart, ToolResultPart, UserPart, WireProtocol,
};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::harness::{TestModelOptions, hello};

fn body(peer: &TestModelOptions, request: &ModelRequest) -> Value {
    serde_json::from_slice(&peer.model().unwrap().encode_body(request).unwrap()).unwrap()
}

fn call(id: &str, name: &str) -> [ModelMessage; 2] {
    let (id, name) = (id.to_owned(), name.to_owned());
    let result = ToolResultPart {
        id: id.clone(),
        name: name.clone(),
        output: "x".into(),
        ..ToolResultPart::default()
    };
    [
        ModelMessage::Assistant(vec![AssistantPart::Call(ToolCallPart {
            id,
            name,
            arguments: "{}".into(),
            echo: None,
        })]),
        ModelMessage::Results(vec![result]),
    ]
}

/// Another model's ids and made-up names, which this one's server would reject in every later request.
#[test]
fn a_conversation_moves_between_models() {
    let mut request = hello();
    request.messages.extend(call("functions.read:0", "functions.read file"));
    request.messages.extend(call(&"x".repeat(90), ""));
    for (wire, ids, longest) in [
        (
            WireProtocol::Anthropic,
            [
                ("/messages/1/content/0/id", "/messages/2/content/0/tool_use_id"),
                ("/messages/3/content/0/id", "/messages/4/content/0/tool_use_id"),
            ],
            64,
        ),
        (
            WireProtocol::OpenaiChat,
            [
                ("/messages/1/tool_calls/0/id", "/messages/2/tool_call_id"),
                ("/messages/3/tool_calls/0/id", "/messages/4/tool_call_id"),
            ],
            40,
        ),
        (
            WireProtocol::OpenaiResponses,
            [("/input/1/call_id", "/input/2/call_id"), ("/input/3/call_id", "/input/4/call_id")],
            64,
        ),
    ] {
        let sent = body(&TestModelOptions::with_base_url(wire, "http://x.test".into()), &request);
        for (of_call, of_result) in ids {
            let id = sent.pointer(of_call).and_then(Value::as_str).unwrap();
            assert_eq!(sent.pointer(of_result).and_then(Value::as_str), Some(id));
            assert!(id.len() <= longest, "{} {id}", wire.name());
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            assert!(wire != WireProtocol::Anthropic || id.bytes().all(plain), "{id}");
        }
        assert!(
            !sent.to_string().contains("read file") && !sent.to_string().contains(r#""name":"""#),
            "{sent}"
        );
    }
}

/// The answer was cut during reasoning: a message must not end with it.
#[test]
fn thoughts_that_led_to_nothing_are_left_out() {
    let thought = |data: Value| {
        let echo = ProviderMetadata {
            provider: "script".into(),
            model: "m-1".into(),
            data: to_raw_value(&data).unwrap(),
        };
        AssistantPart::Reasoning(ReasoningPart { text: "Hm.".into(), echo: Some(echo) })
    };
    let mut request = hello();
    let text = AssistantPart::Text(TextPart { text: "said".into(), echo: None });
    request.messages.push(ModelMessage::Assistant(vec![
        thought(json!({ "n": 1 })),
        text,
        thought(json!({ "n": 2 })),
    ]));
    request.messages.push(ModelMessage::Assistant(vec![thought(json!({ "n": 3 }))]));
    for wire in [WireProtocol::Anthropic, WireProtocol::OpenaiResponses] {
        let sent = body(&TestModelOptions::with_base_url(wire, "http://x.test".into()), &request).to_string();
        assert!(sent.contains(r#"{"n":1}"#), "{sent}");
        assert!(!sent.contains(r#"{"n":2}"#) && !sent.contains(r#"{"n":3}"#), "{sent}");
    }
}

/// A server rejects a reasoning budget in the middle of a step that began without reasoning.
#[test]
fn a_budget_waits_for_the_next_step() {
    let mut peer = TestModelOptions::with_base_url(WireProtocol::Anthropic, "http://x.test".into());
    let budget = ReasoningControl::Budget;
    peer.model.reasoning = Some(ReasoningSetting::Control(budget));
    let mut request = ModelRequest { effort: Some(ReasoningEffort::High), ..hello() };
    assert!(body(&peer, &request).get("thinking").is_some());
    request.messages.extend(call("a", "read"));
    assert_eq!(body(&peer, &request).get("thinking"), None);
    request.messages.extend(hello().messages);
    assert!(body(&peer, &request).get("thinking").is_some());
}

/// Servers of models without vision take only a string there.
#[test]
fn text_alone_is_a_string() {
    let mut peer = TestModelOptions::with_base_url(WireProtocol::OpenaiChat, "http://x.test".into());
    peer.model.images = Some(false);
    let image = || MediaPart { mime: "image/png".into(), base64: "aQ==".into(), name: None };
    let mut request = hello();
    let [step, ModelMessage::Results(mut results)] = call("a", "shot") else { unreachable!() };
    results[0].media = vec![image()];
    request.messages.extend([step, ModelMessage::Results(results)]);
    let more = vec![UserPart::Text("See".into()), UserPart::Media(image())];
    request.messages.push(ModelMessage::User(more));
    let sent = body(&peer, &request);
    for (place, text) in [("/messages/2/content", "x"), ("/messages/3/content", "See")] {
        let note = "[image/png left out: this model takes no images]";
        assert_eq!(sent.pointer(place), Some(&json!(format!("{text}\n\n{note}"))));
    }
}

/// OpenCode's files and price lists write 0 for an unknown limit.
#[test]
fn a_limit_of_zero_is_no_limit() {
    for wire in WireProtocol::ALL {
        let mut peer = TestModelOptions::with_base_url(wire, "http://x.test".into());
        (peer.model.output, peer.model.context) = (Some(0), Some(0));
        body(&peer, &ModelRequest { max_output: Some(500), ..hello() });
        assert!(peer.model().unwrap().spec().output > 0);
    }
}
