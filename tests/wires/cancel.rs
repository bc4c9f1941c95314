//! Dropping the events cancels at once, at any stage of the request.

use std::time::Duration;

use copydesk_model::retry::RetryPolicy;
use copydesk_model::{ModelEvent, WireProtocol};
use serde_json::json;

use super::harness::{TestModelOptions, hello};
use crate::model_server::{ScriptedModelServer, ScriptedTurn};

#[tokio::test]
async fn in_the_middle_of_text_reasoning_and_calls() {
    for wire in WireProtocol::ALL {
        for turn in [
            ScriptedTurn::new().text("half").gate("here"),
            ScriptedTurn::new().reasoning("half").gate("here"),
            ScriptedTurn::new().call("c1", "read", json!({ "a": 1 })).gate("here").text("more"),
        ] {
            let server = ScriptedModelServer::start_with([turn]);
            let events = TestModelOptions::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
            server.wait_for_gate("here").await;
            drop(events);
            server.wait_for_hangup("here").await;
        }
    }
}

#[tokio::test]
async fn before_the_first_byte() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([ScriptedTurn::new()
            .gate_before_response("head")
            .text("unheard")]);
        let events = TestModelOptions::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        server.wait_for_gate("head").await;
        drop(events);
        server.wait_for_hangup("head").await;
    }
}

/// The wait would be an hour; there is only the first request.
#[tokio::test]
async fn while_waiting_for_the_next_attempt() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([ScriptedTurn::server_error()]);
        let mut peer = TestModelOptions::new(wire, &server);
        let hour = Duration::from_secs(3600);
        peer.policy = RetryPolicy { max_retries: 5, first: hour, cap: hour };
        let mut events = peer.model().unwrap().stream(&hello()).unwrap();
        assert!(matches!(events.next().await, Some(Ok(ModelEvent::Retry(_)))));
        drop(events);
        assert_eq!(server.requests().len(), 1);
    }
}

/// A slow reader holds the stream back instead of filling memory.
#[tokio::test]
async fn a_reader_that_stops_stops_the_stream() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([ScriptedTurn::endless_text()]);
        let mut events = TestModelOptions::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        for _ in 0..200 {
            events.next().await.unwrap().unwrap();
        }
        drop(events);
    }
}
