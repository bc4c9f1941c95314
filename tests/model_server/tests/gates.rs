//! Gates from both sides: opening, hanging up, and what has been sent by then.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::super::{ScriptedModelServer, ScriptedTurn, ScriptedWire};
use super::client::{Client, data};

#[tokio::test]
async fn nothing_leaves_before_the_gate_is_opened() {
    for wire in ScriptedWire::ALL {
        let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("a").gate("g").text("b")]);
        let mut client = Client::ask(&server, wire).await;
        client.head().await.unwrap();
        server.wait_for_gate("g").await;
        let before = String::from_utf8(client.chunk().await.unwrap()).unwrap();
        assert!(before.contains("\"a\"") && !before.contains("\"b\""), "{before}");
        server.open_gate("g");
        let after = client.text().await.unwrap();
        assert!(after.contains("\"b\""), "{after}");
    }
}

#[tokio::test]
async fn a_gate_opened_early_stays_open() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().gate("g").text("a")]);
    server.open_gate("g");
    let mut client = Client::ask(&server, ScriptedWire::Chat).await;
    client.head().await.unwrap();
    client.text().await.unwrap();
    server.wait_for_gate("g").await;
}

#[tokio::test]
async fn a_client_that_hangs_up_at_a_gate_is_seen() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new()
        .text("a")
        .gate("first")
        .text("b")
        .gate("second")]);
    let client = Client::ask(&server, ScriptedWire::Anthropic).await;
    server.wait_for_gate("first").await;
    drop(client);
    server.wait_for_hangup("first").await;
    // It never reached the second gate: that counts as closed, not as waiting.
    server.wait_for_hangup("second").await;
}

#[tokio::test]
async fn a_hold_keeps_the_status_line_back() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::rate_limited("1").gate_before_response("g")]);
    let mut client = Client::ask(&server, ScriptedWire::Chat).await;
    server.wait_for_gate("g").await;
    let (head, ()) = tokio::join!(client.head(), async { server.open_gate("g") });
    assert_eq!(head.unwrap().status, 429);
}

#[tokio::test]
async fn arguments_can_wait_in_the_middle() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new()
        .raw_call("c", "edit", "{\"a\":")
        .gate("g")
        .arguments("1}")]);
    let mut client = Client::ask(&server, ScriptedWire::Responses).await;
    client.head().await.unwrap();
    let before = String::from_utf8(client.chunk().await.unwrap()).unwrap();
    assert_eq!(data(&before).last().unwrap()["delta"], "{\"a\":");
    server.open_gate("g");
    let after = client.text().await.unwrap();
    assert_eq!(data(&after)[1]["arguments"], "{\"a\":1}");
}

#[test]
fn a_test_that_blocks_its_thread_is_served() {
    let server = ScriptedModelServer::start();
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).unwrap();
    stream.write_all(b"GET /api/version HTTP/1.1\r\n\r\n").unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
}

#[tokio::test]
async fn two_streams_wait_each_at_its_own_gate() {
    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().gate("one").text("1"),
        ScriptedTurn::new().gate("two").text("2"),
    ]);
    let mut one = Client::ask(&server, ScriptedWire::Chat).await;
    server.request_arrived(1).await;
    let mut two = Client::ask(&server, ScriptedWire::Gemini).await;
    server.request_arrived(2).await;
    server.open_gate("two");
    two.head().await.unwrap();
    assert!(two.text().await.unwrap().contains("\"2\""));
    server.open_gate("one");
    one.head().await.unwrap();
    assert!(one.text().await.unwrap().contains("\"1\""));
}
