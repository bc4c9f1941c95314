//! Dropping the events cancels at once, wherever the request stands.

use std::time::Duration;

use copydesk_model::retry::Policy;
use copydesk_model::{Event, Wire};
use serde_json::json;

use super::harness::{Peer, hello};
use crate::model_server::{ModelServer, Turn};

#[tokio::test]
async fn in_the_middle_of_text_reasoning_and_calls() {
    for wire in Wire::ALL {
        for turn in [
            Turn::new().text("half").gate("here"),
            Turn::new().reasoning("half").gate("here"),
            Turn::new().call("c1", "read", json!({ "a": 1 })).gate("here").text("more"),
        ] {
            let server = ModelServer::playing([turn]);
            let events = Peer::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
            server.reached("here").await;
            drop(events);
            server.closed("here").await;
        }
    }
}

#[tokio::test]
async fn before_the_first_byte() {
    for wire in Wire::ALL {
        let server = ModelServer::playing([Turn::new().hold("head").text("unheard")]);
        let events = Peer::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        server.reached("head").await;
        drop(events);
        server.closed("head").await;
    }
}

/// The wait would be an hour; the only request is the first.
#[tokio::test]
async fn while_waiting_for_the_next_attempt() {
    for wire in Wire::ALL {
        let server = ModelServer::playing([Turn::server_error()]);
        let mut peer = Peer::new(wire, &server);
        let hour = Duration::from_secs(3600);
        peer.policy = Policy { max_retries: 5, first: hour, cap: hour };
        let mut events = peer.model().unwrap().stream(&hello()).unwrap();
        assert!(matches!(events.next().await, Some(Ok(Event::Retry(_)))));
        drop(events);
        assert_eq!(server.requests().len(), 1);
    }
}

/// Someone who reads slowly holds the stream back instead of filling memory.
#[tokio::test]
async fn a_reader_that_stops_stops_the_stream() {
    for wire in Wire::ALL {
        let server = ModelServer::playing([Turn::endless_text()]);
        let mut events = Peer::new(wire, &server).model().unwrap().stream(&hello()).unwrap();
        for _ in 0..200 {
            events.next().await.unwrap().unwrap();
        }
        drop(events);
    }
}
