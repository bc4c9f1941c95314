//! Every fault, on every wire that can have it.

use std::io::ErrorKind;

use serde_json::{Value, json};

use super::super::{ScriptedErrorKind, ScriptedModelServer, ScriptedTurn, ScriptedWire};
use super::client::{Client, data, played};

#[tokio::test]
async fn failures_have_the_status_of_their_wire() {
    let turns =
        || [ScriptedTurn::rate_limited("2"), ScriptedTurn::server_error(), ScriptedTurn::overloaded()];
    let expected = [
        (ScriptedWire::Anthropic, [(429, "rate_limit_error"), (500, "api_error"), (529, "overloaded_error")]),
        (
            ScriptedWire::Chat,
            [(429, "rate_limit_exceeded"), (500, "server_error"), (503, "server_is_overloaded")],
        ),
        (
            ScriptedWire::Responses,
            [(429, "rate_limit_exceeded"), (500, "server_error"), (503, "server_is_overloaded")],
        ),
        (ScriptedWire::Gemini, [(429, "RESOURCE_EXHAUSTED"), (500, "INTERNAL"), (503, "UNAVAILABLE")]),
    ];
    for (wire, expected) in expected {
        let server = ScriptedModelServer::start_with(turns());
        let mut client = Client::connect(&server).await;
        for (index, (status, code)) in expected.into_iter().enumerate() {
            client.post(wire, &super::client::request(wire)).await;
            let head = client.head().await.unwrap();
            let body: Value = serde_json::from_str(&client.sized(&head).await.unwrap()).unwrap();
            let error = &body["error"];
            let field = match wire {
                ScriptedWire::Anthropic => "type",
                ScriptedWire::Chat | ScriptedWire::Responses => "code",
                ScriptedWire::Gemini => "status",
            };
            assert_eq!((head.status, error[field].as_str()), (status, Some(code)));
            assert_eq!(head.header("retry-after"), (index == 0).then_some("2"));
        }
    }
}

#[tokio::test]
async fn answers_instead_of_streams() {
    for (turn, status, kind, body) in [
        (ScriptedTurn::status(418).body("tea"), 418, "text/plain; charset=utf-8", "tea"),
        (ScriptedTurn::json_error(400, json!({ "a": 1 })), 400, "application/json", "{\"a\":1}"),
        (ScriptedTurn::redirect(307, "/x").header("x-a", "b"), 307, "text/plain; charset=utf-8", ""),
        (
            ScriptedTurn::html(),
            200,
            "text/html; charset=utf-8",
            "<!doctype html><title>Sign in</title><p>Sign in.\n",
        ),
    ] {
        let headers = turn.headers.clone();
        let server = ScriptedModelServer::start_with([turn]);
        let mut client = Client::ask(&server, ScriptedWire::Chat).await;
        let head = client.head().await.unwrap();
        assert_eq!((head.status, head.header("content-type")), (status, Some(kind)));
        for (name, value) in headers {
            assert_eq!(head.header(&name), Some(value.as_str()));
        }
        assert_eq!(client.sized(&head).await.unwrap(), body);
    }
}

#[tokio::test]
async fn a_reset_is_a_reset_and_not_an_end() {
    for wire in ScriptedWire::ALL {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::new().text("a").gate("got it").reset(),
            ScriptedTurn::hang_up(),
        ]);
        let mut client = Client::ask(&server, wire).await;
        client.head().await.unwrap();
        client.chunk().await.unwrap();
        server.open_gate("got it");
        assert_eq!(client.chunk().await.unwrap_err().kind(), ErrorKind::ConnectionReset);
        let mut client = Client::ask(&server, wire).await;
        assert_eq!(client.head().await.unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
}

#[tokio::test]
async fn early_ends() {
    for wire in ScriptedWire::ALL {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::new().text("a").truncated(),
            ScriptedTurn::new().text("a").end(),
        ]);
        let mut client = Client::ask(&server, wire).await;
        client.head().await.unwrap();
        assert_eq!(client.chunks().await.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        let mut client = Client::ask(&server, wire).await;
        client.head().await.unwrap();
        let text = client.text().await.unwrap();
        for last in ["content_block_stop", "message_stop", "[DONE]", "completed", "finishReason"] {
            assert!(!text.contains(last) || wire == ScriptedWire::Chat && last == "finishReason", "{text}");
        }
    }
}

#[tokio::test]
async fn a_fault_cuts_a_call_open() {
    let cut = played(
        ScriptedWire::Anthropic,
        ScriptedTurn::new().raw_call("c", "write", "{\"content\": \"abc").end(),
    )
    .await;
    assert!(!cut.contains("content_block_stop"), "{cut}");
    let whole =
        played(ScriptedWire::Anthropic, ScriptedTurn::new().call("c", "write", json!({})).split().end())
            .await;
    assert!(whole.contains("content_block_stop"), "{whole}");
}

#[tokio::test]
async fn a_malformed_event_among_good_ones() {
    for wire in ScriptedWire::ALL {
        let events = data(&played(wire, ScriptedTurn::new().text("a").malformed().text("b")).await);
        let strings =
            events.iter().filter(|event| event.as_str().is_some_and(|text| text != "[DONE]")).count();
        assert_eq!(strings, 1, "{events:?}");
    }
}

#[tokio::test]
async fn bad_calls_are_played_as_written() {
    let turn = ScriptedTurn::new()
        .raw_call("same", "READ", "{\"a\":")
        .call("same", "no_such_tool", json!({}))
        .chunk(100);
    let events = data(&played(ScriptedWire::Responses, turn).await);
    let output = &events.last().unwrap()["response"]["output"];
    let item = |index: usize, name, arguments| {
        json!({
            "id": format!("fc_0001_{index}"), "type": "function_call", "status": "completed",
            "call_id": "same", "name": name, "arguments": arguments,
        })
    };
    assert_eq!(*output, json!([item(0, "READ", "{\"a\":"), item(1, "no_such_tool", "{}")]));
}

#[tokio::test]
async fn raw_bytes_leave_as_they_are() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().gate("g").raw(*b"data: \xff").end()]);
    server.open_gate("g");
    let mut client = Client::ask(&server, ScriptedWire::Gemini).await;
    client.head().await.unwrap();
    assert_eq!(client.chunks().await.unwrap(), [b"data: \xff"]);
}

#[tokio::test]
async fn a_stall_lasts_until_the_client_hangs_up() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("a").stall("quiet")]);
    let mut client = Client::ask(&server, ScriptedWire::Chat).await;
    client.head().await.unwrap();
    server.wait_for_gate("quiet").await;
    client.chunk().await.unwrap();
    drop(client);
    server.wait_for_hangup("quiet").await;
}

#[tokio::test]
async fn endless_streams_go_on_until_the_client_hangs_up() {
    for wire in ScriptedWire::ALL {
        let server =
            ScriptedModelServer::start_with([ScriptedTurn::endless_text(), ScriptedTurn::endless_body()]);
        let mut client = Client::ask(&server, wire).await;
        client.head().await.unwrap();
        let mut text = String::new();
        while text.len() < 300_000 {
            text.push_str(&String::from_utf8(client.chunk().await.unwrap()).unwrap());
        }
        assert!(data(&text).iter().all(Value::is_object));
        let mut client = Client::ask(&server, wire).await;
        client.head().await.unwrap();
        let mut length = 0;
        while length < 1_000_000 {
            let chunk = client.chunk().await.unwrap();
            assert!(!chunk.contains(&b'\n'));
            length += chunk.len();
        }
    }
}

#[tokio::test]
async fn every_failure_has_a_body() {
    for kind in [
        ScriptedErrorKind::Quota,
        ScriptedErrorKind::ContextTooLong,
        ScriptedErrorKind::Unauthorized,
        ScriptedErrorKind::Forbidden,
        ScriptedErrorKind::NotFound,
    ] {
        for wire in ScriptedWire::ALL {
            let server = ScriptedModelServer::start_with([ScriptedTurn::failure(kind, "No.")]);
            let mut client = Client::ask(&server, wire).await;
            let head = client.head().await.unwrap();
            assert!((400..500).contains(&head.status), "{head:?}");
            let body: Value = serde_json::from_str(&client.sized(&head).await.unwrap()).unwrap();
            assert_eq!(body["error"]["message"], "No.");
        }
    }
}
