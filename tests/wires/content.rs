//! What a model sends: text, reasoning, calls, stop reason, usage.

use copydesk_model::{AssistantPart, ModelEvent, WireProtocol};
use serde_json::json;

use super::harness::{TestModelOptions, hello, of_server, on_every_wire, on_wire};
use crate::model_server::{ReasoningField, ScriptedModelServer, ScriptedStop, ScriptedTurn, ScriptedUsage};

#[tokio::test]
async fn text_arrives_whole_however_it_is_cut() {
    for size in [1, 2, 3, 7, 64, 4096] {
        let turn =
            || vec![ScriptedTurn::new().text("Grüße 👋🏽 an\r\nalle\u{2028}!").chunk(2).bytes_per_write(size)];
        on_every_wire(turn, "text \"Grüße 👋🏽 an\\r\\nalle\\u{2028}!\"\nfinished End").await;
    }
}

#[tokio::test]
async fn pieces_arrive_as_they_are_sent() {
    for wire in WireProtocol::ALL {
        let server =
            ScriptedModelServer::start_with([ScriptedTurn::new().text("Hel").gate("half").text("lo")]);
        let mut events = TestModelOptions::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        let mut heard = String::new();
        while heard != "Hel" {
            match events.next().await.unwrap().unwrap() {
                ModelEvent::PartDelta { text, .. } => heard.push_str(&text),
                other => assert!(matches!(other, ModelEvent::PartStarted { .. }), "{other:?}"),
            }
        }
        server.wait_for_gate("half").await;
        server.open_gate("half");
        while let Some(event) = events.next().await {
            if let ModelEvent::PartDelta { text, .. } = event.unwrap() {
                heard.push_str(&text);
            }
        }
        assert_eq!(heard, "Hello");
    }
}

#[tokio::test]
async fn reasoning_comes_before_what_it_leads_to() {
    let turn = || vec![ScriptedTurn::new().reasoning("Let me see. 👀").signed("c2ln").text("Done.")];
    on_every_wire(turn, "reasoning \"Let me see. 👀\"\ntext \"Done.\"\nfinished End").await;
    let other =
        vec![ScriptedTurn::new().reasoning("Hm.").reasoning_field(ReasoningField::Reasoning).text("Yes.")];
    on_wire(WireProtocol::OpenaiChat, other, "reasoning \"Hm.\"\ntext \"Yes.\"\nfinished End").await;
}

#[tokio::test]
async fn calls_come_in_pieces_and_side_by_side() {
    let turn = |interleave: bool| {
        let turn = ScriptedTurn::new().text("Reading.").chunk(3).interleave(interleave);
        let turn = turn.call("c1", "read", json!({ "filePath": "src/a \"b\".rs", "limit": 3 }));
        vec![turn.call("c2", "list", json!({})).call("c3", "grep", json!({ "pattern": "\\w+" }))]
    };
    for interleave in [false, true] {
        on_every_wire(
            || turn(interleave),
            r#"text "Reading."
            call c1 read "{\"filePath\":\"src/a \\\"b\\\".rs\",\"limit\":3}"
            call c2 list "{}"
            call c3 grep "{\"pattern\":\"\\\\w+\"}"
            finished Calls"#,
        )
        .await;
    }
}

/// The caller tells the model what is wrong with a call; a wire only passes it on.
#[tokio::test]
async fn calls_that_make_no_sense_are_handed_on_as_they_are() {
    for wire in [WireProtocol::Anthropic, WireProtocol::OpenaiChat, WireProtocol::OpenaiResponses] {
        let turn = ScriptedTurn::new().raw_call("c1", "READ", "{\"filePath\": \"a").call(
            "c2",
            "no_such_tool",
            json!({ "a": 1 }),
        );
        let expected = "call c1 READ \"{\\\"filePath\\\": \\\"a\"\ncall c2 no_such_tool \"{\\\"a\\\":1}\"\nfinished Calls";
        on_wire(wire, vec![turn], expected).await;
    }
    // Gemini never sends such a call, only that there was one: it is asked again.
    let turns = vec![
        ScriptedTurn::new().raw_call("c1", "read", "{\"filePath\": \"a"),
        ScriptedTurn::new().text("ok"),
    ];
    on_wire(WireProtocol::Gemini, turns, "retry 1 Server\ntext \"ok\"\nfinished End").await;
}

#[tokio::test]
async fn two_calls_with_one_id_and_calls_without_one_get_their_own() {
    let turn = || vec![ScriptedTurn::new().call("same", "read", json!({})).call("same", "list", json!({}))];
    on_every_wire(turn, "call same read \"{}\"\ncall (new) list \"{}\"\nfinished Calls").await;
    let turn = || vec![ScriptedTurn::new().call("", "read", json!({})).call("", "list", json!({}))];
    on_every_wire(turn, "call (new) read \"{}\"\ncall (new) list \"{}\"\nfinished Calls").await;
}

#[tokio::test]
async fn every_reason_to_stop_is_told() {
    let stopped = |stop: ScriptedStop| move || vec![ScriptedTurn::new().text("…").stop(stop)];
    on_every_wire(stopped(ScriptedStop::Length), "text \"…\"\nfinished Length").await;
    on_every_wire(stopped(ScriptedStop::Refusal), "text \"…\"\nfinished Refused").await;
    // Servers send `stop` after calls, and `tool_calls` without one.
    on_every_wire(stopped(ScriptedStop::Calls), "text \"…\"\nfinished End").await;
    let calls = || vec![ScriptedTurn::new().call("c", "read", json!({})).stop(ScriptedStop::End)];
    on_every_wire(calls, "call c read \"{}\"\nfinished Calls").await;
    on_wire(
        WireProtocol::Anthropic,
        vec![ScriptedTurn::new().text("…").stop(ScriptedStop::Pause)],
        "text \"…\"\nfinished Paused",
    )
    .await;
}

#[tokio::test]
async fn keep_alives_and_silence_between_pieces_mean_nothing() {
    let turn = || vec![ScriptedTurn::new().ping().text("a").ping().ping().text("b").ping()];
    on_every_wire(turn, "text \"ab\"\nfinished End").await;
    on_every_wire(|| vec![ScriptedTurn::new()], "finished End").await;
}

#[tokio::test]
async fn usage_is_counted_alike_and_priced() {
    let usage =
        ScriptedUsage { input: 1_000, output: 200, cache_read: 5_000, cache_write: 300, reasoning: 50 };
    for wire in WireProtocol::ALL {
        // Gemini does not report cache writes.
        let writes = wire != WireProtocol::Gemini;
        let server =
            ScriptedModelServer::start_with([ScriptedTurn::new().reasoning("Hm.").text("a").usage(usage)]);
        let answer = TestModelOptions::new(wire, &server).collect_answer(&hello()).await;
        let Some(ModelEvent::Finished(finish)) = answer.events.last() else { panic!("{answer:?}") };
        let got = finish.usage;
        assert_eq!((got.output, got.cache_read, got.prompt_tokens()), (200, 5_000, 6_300), "{}", wire.name());
        assert_eq!(got.cache_write, if writes { 300 } else { 0 }, "{}", wire.name());
        assert_eq!(got.reasoning, 50, "{}", wire.name());
        let input = if writes { 1_000.0 } else { 1_300.0 };
        let expected = (input + 200.0 * 10.0 + 5_000.0 * 0.1 + if writes { 300.0 * 2.0 } else { 0.0 }) / 1e6;
        assert!((finish.cost.unwrap() - expected).abs() < 1e-12, "{}: {:?}", wire.name(), finish.cost);
    }
}

/// Signed and encrypted blocks go back byte for byte, and only to the model that made them.
#[tokio::test]
async fn an_echo_is_the_providers_own_and_nobody_elses() {
    let signature = "Eq+/A==\u{e9}\\\"";
    for (wire, place) in [
        (WireProtocol::Anthropic, "/messages/1/content/0/signature"),
        (WireProtocol::OpenaiResponses, "/input/1/encrypted_content"),
        (WireProtocol::Gemini, "/contents/1/parts/0/thoughtSignature"),
    ] {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::new().reasoning("Hm.").signed(signature).text("One."),
            ScriptedTurn::new().text("Two."),
            ScriptedTurn::new().text("Three."),
        ]);
        let peer = TestModelOptions::new(wire, &server);
        let mut request = hello();
        request
            .messages
            .push(copydesk_model::ModelMessage::Assistant(peer.collect_answer(&request).await.parts()));
        peer.collect_answer(&request).await;
        let sent = server.requests()[1].body.clone();
        assert_eq!(sent.pointer(place), Some(&json!(signature)), "{}: {sent:#}", wire.name());

        let other = TestModelOptions {
            model: copydesk_model::settings::ModelSettings { id: Some("m-2".into()), ..peer.model.clone() },
            ..peer
        };
        other.collect_answer(&request).await;
        let sent = server.requests()[2].body.to_string();
        assert!(!sent.contains("Eq+/A=="), "{}: {sent}", wire.name());
        assert!(sent.contains("One."));
    }
}

#[tokio::test]
async fn reasoning_that_is_not_shown_is_kept_for_the_model() {
    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().redacted("b64==").text("One."),
        ScriptedTurn::new().text("Two."),
    ]);
    let peer = TestModelOptions::new(WireProtocol::Anthropic, &server);
    let mut request = hello();
    let parts = peer.collect_answer(&request).await.parts();
    assert!(matches!(&parts[0], AssistantPart::Reasoning(reasoning) if reasoning.text.is_empty()));
    request.messages.push(copydesk_model::ModelMessage::Assistant(parts));
    peer.collect_answer(&request).await;
    let block = server.requests()[1].body.pointer("/messages/1/content/0").cloned();
    assert_eq!(block, Some(json!({ "type": "redacted_thinking", "data": "b64==" })));
}

#[test]
fn the_server_knows_the_same_four_wires() {
    for wire in WireProtocol::ALL {
        let path = of_server(wire).path("m");
        assert_eq!(crate::model_server::ScriptedWire::from_path(&path), Some(of_server(wire)));
    }
}
