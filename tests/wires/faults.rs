//! Transient faults: each one is retried, visibly, and no event is emitted twice.

use std::time::Duration;

use copydesk_model::{FinishReason, ModelEvent, WireProtocol};
use serde_json::json;

use super::harness::{CollectedStream, TestModelOptions, hello, on_every_wire, on_wire};
use super::tls;
use crate::model_server::{ScriptedErrorKind, ScriptedModelServer, ScriptedTurn};

#[tokio::test]
async fn faults_before_the_answer_are_tried_again() {
    type FaultTurnBuilder = fn() -> ScriptedTurn;
    let cases: [(FaultTurnBuilder, &str); 8] = [
        (|| ScriptedTurn::rate_limited("0"), "RateLimited"),
        (ScriptedTurn::server_error, "Server"),
        (ScriptedTurn::overloaded, "Overloaded"),
        (ScriptedTurn::hang_up, "Network"),
        (|| ScriptedTurn::status(408).body("slow"), "Transient"),
        (|| ScriptedTurn::status(409).body("conflict"), "Transient"),
        (|| ScriptedTurn::status(502).body("<html>bad gateway</html>"), "Server"),
        (|| ScriptedTurn::status(529).body(""), "Overloaded"),
    ];
    for (fault, kind) in cases {
        let turns = || vec![fault(), ScriptedTurn::new().text("ok")];
        on_every_wire(turns, &format!("retry 1 {kind}\ntext \"ok\"\nfinished End")).await;
    }
}

#[tokio::test]
async fn faults_within_the_answer_are_tried_again_and_void_what_came() {
    type TurnFault = fn(ScriptedTurn) -> ScriptedTurn;
    let cases: [(TurnFault, &str); 6] = [
        (ScriptedTurn::end, "EndedEarly"),
        (ScriptedTurn::truncated, "Network"),
        (ScriptedTurn::malformed, "Malformed"),
        (|turn| turn.error(ScriptedErrorKind::Overloaded, "Overloaded"), "Overloaded"),
        (|turn| turn.error(ScriptedErrorKind::RateLimit, "Slow down"), "RateLimited"),
        (|turn| turn.error(ScriptedErrorKind::Server, "Internal server error"), "Server"),
    ];
    for (fault, kind) in cases {
        let turns = || {
            vec![
                fault(ScriptedTurn::new().reasoning("Hm.").text("half an ans")),
                ScriptedTurn::new().text("ok"),
            ]
        };
        for wire in WireProtocol::ALL {
            let server = ScriptedModelServer::start_with(turns());
            let answer = TestModelOptions::new(wire, &server).collect_answer(&hello()).await;
            let transcript = answer.transcript();
            let after = transcript.split_once("retry").map(|(_, after)| after);
            assert_eq!(
                after,
                Some(&*format!(" 1 {kind}\ntext \"ok\"\nfinished End\n")),
                "{} {transcript}",
                wire.name()
            );
        }
    }
}

#[tokio::test]
async fn a_reset_in_the_middle_is_tried_again() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::new().text("half").gate("got").reset(),
            ScriptedTurn::new().text("ok"),
        ]);
        let mut events = TestModelOptions::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        while !matches!(events.next().await.unwrap().unwrap(), ModelEvent::PartDelta { .. }) {}
        server.open_gate("got");
        let mut retried = false;
        let mut last = None;
        while let Some(event) = events.next().await {
            let event = event.unwrap();
            retried |= matches!(event, ModelEvent::Retry(_));
            last = Some(event);
        }
        assert!(
            retried
                && matches!(last, Some(ModelEvent::Finished(finish)) if finish.reason == FinishReason::End),
            "{}",
            wire.name()
        );
    }
}

#[tokio::test]
async fn a_stall_is_broken_off_and_tried_again() {
    // Concurrently: each waits for its limit twice, which is long enough for a response on a busy machine.
    let [one, two, three, four] = WireProtocol::ALL.map(stalled);
    tokio::join!(one, two, three, four);
}

async fn stalled(wire: WireProtocol) {
    let limit = Some(Duration::from_secs(2));
    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().text("half").stall("quiet"),
        ScriptedTurn::new().text("ok"),
    ]);
    let transcript = TestModelOptions { idle: limit, ..TestModelOptions::new(wire, &server) }
        .collect_answer(&hello())
        .await
        .transcript();
    assert!(
        transcript.ends_with("retry 1 Stalled\ntext \"ok\"\nfinished End\n"),
        "{} {transcript}",
        wire.name()
    );
    server.wait_for_hangup("quiet").await;

    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().gate_before_response("head"),
        ScriptedTurn::new().text("ok"),
    ]);
    let transcript = TestModelOptions { first_byte: limit, ..TestModelOptions::new(wire, &server) }
        .collect_answer(&hello())
        .await
        .transcript();
    assert_eq!(transcript, "retry 1 Stalled\ntext \"ok\"\nfinished End\n", "{}", wire.name());
    server.wait_for_hangup("head").await;
}

/// The call has been emitted and may have run: the rest of the answer is lost, but the call is not repeated.
#[tokio::test]
async fn a_break_after_a_complete_call_never_repeats_it() {
    type TurnBreak = fn(ScriptedTurn) -> ScriptedTurn;
    let breaks: [TurnBreak; 3] = [ScriptedTurn::end, ScriptedTurn::truncated, |turn| {
        turn.error(ScriptedErrorKind::Overloaded, "Overloaded")
    }];
    for wire in [WireProtocol::Anthropic, WireProtocol::OpenaiResponses, WireProtocol::Gemini] {
        for broken in breaks {
            let turn =
                ScriptedTurn::new().call("c1", "bash", json!({ "command": "true" })).split().text("And then");
            let server = ScriptedModelServer::start_with([broken(turn)]);
            let answer = TestModelOptions::new(wire, &server).collect_answer(&hello()).await;
            let transcript = answer.transcript();
            let complete = "call c1 bash \"{\\\"command\\\":\\\"true\\\"}\"\n";
            assert!(transcript.starts_with(complete), "{} {transcript}", wire.name());
            assert!(
                transcript.contains("finished Broken\n") && !transcript.contains("retry"),
                "{transcript}"
            );
            assert_eq!(server.requests().len(), 1);
        }
    }
}

/// On this wire a call is complete only with the stop reason: before that it has not been emitted.
#[tokio::test]
async fn a_chat_call_that_is_not_complete_is_asked_for_again() {
    let call = || ScriptedTurn::new().call("c1", "bash", json!({ "command": "true" }));
    let expected = "retry 1 EndedEarly\ncall c1 bash \"{\\\"command\\\":\\\"true\\\"}\"\nfinished Calls";
    on_wire(WireProtocol::OpenaiChat, vec![call().split().end(), call()], expected).await;
}

#[tokio::test]
async fn the_wait_is_what_the_server_asked_for_and_is_shown() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::rate_limited("7"),
            ScriptedTurn::new().text("unheard"),
        ]);
        let mut events = TestModelOptions::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        let ModelEvent::Retry(retry) = events.next().await.unwrap().unwrap() else {
            panic!("a retry comes first")
        };
        assert_eq!((retry.attempt, retry.delay), (1, Duration::from_secs(7)));
        assert!(retry.error.message.contains("Script reports a rate limit (429)"), "{}", retry.error);
        drop(events);
        // The other turn is for a request that does not wait.
        TestModelOptions::new(wire, &server).collect_answer(&hello()).await;
    }
}

#[tokio::test]
async fn attempts_come_to_an_end() {
    let turns = || (0..3).map(|_| ScriptedTurn::server_error()).collect();
    on_every_wire(turns, "retry 1 Server\nretry 2 Server\nerror Server").await;
}

#[tokio::test]
async fn every_attempt_sends_the_same_bytes() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::server_error(),
            ScriptedTurn::new().text("a").end(),
            ScriptedTurn::new().text("ok"),
        ]);
        TestModelOptions::new(wire, &server).collect_answer(&hello()).await;
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| request.raw == requests[0].raw), "{}", wire.name());
    }
}

/// Servers and proxies often close without a farewell; the message names TLS, but TLS is not at fault.
#[tokio::test]
async fn a_secure_connection_that_breaks_is_tried_again() {
    let beginning = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
    let address = tls::start_truncating(beginning).await;
    let ordinary = TestModelOptions::with_base_url(
        WireProtocol::OpenaiChat,
        format!("https://localhost:{}/v1", address.port()),
    );
    let http = reqwest::Client::builder().tls_danger_accept_invalid_certs(true).build().unwrap();
    let (model, policy) = (ordinary.model().unwrap(), ordinary.policy);
    let model = copydesk_model::Model::new(model.provider().clone(), model.spec().clone(), http, policy);
    let transcript = CollectedStream::collect(model.stream(&hello()).unwrap()).await.transcript();
    assert!(
        transcript.contains("retry 1 Network\nretry 2 Network\n") && transcript.ends_with("error Network\n"),
        "{transcript}"
    );
}
