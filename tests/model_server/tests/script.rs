//! The script must be followed, and requests are recorded.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use super::super::{ScriptedModelServer, ScriptedTurn, ScriptedWire};
use super::client::{Client, request};

/// The server's message when it is finished.
fn complaint(server: ScriptedModelServer) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| server.finish())).expect_err("it complains");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[tokio::test]
async fn requests_are_kept_whole() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new()]);
    let mut client = Client::connect(&server).await;
    let body = "{\"contents\": [ ]}";
    client
        .send(&format!(
            "POST /v1beta/models/m:streamGenerateContent?alt=sse&key=secret HTTP/1.1\r\nHost: x\r\n\
             User-Agent: y\r\nAccept: */*\r\nAuthorization: Bearer secret\r\nX-Goog-Api-Key: secret\r\n\
             X-Twice: 1\r\nX-Twice: 2\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
        .await;
    let recorded = server.request_arrived(1).await;
    assert_eq!(server.requests(), std::slice::from_ref(&recorded));
    assert_eq!(recorded.raw, body.as_bytes());
    assert_eq!(recorded.header("X-Goog-Api-Key"), Some("secret"));
    let expected = json!({
        "method": "POST", "path": "/v1beta/models/m:streamGenerateContent", "query": "alt=sse&key=***",
        "headers": {
            "authorization": "Bearer ***", "content-type": "application/json",
            "x-goog-api-key": "***", "x-twice": ["1", "2"],
        },
        "body": { "contents": [] },
    });
    assert_eq!(recorded.comparable(), expected);
}

#[tokio::test]
async fn one_connection_serves_many_requests_in_all_framings() {
    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().text("one"),
        ScriptedTurn::new().text("two"),
        ScriptedTurn::new().text("three"),
    ]);
    let mut client = Client::connect(&server).await;
    client.post(ScriptedWire::Chat, &request(ScriptedWire::Chat)).await;
    client.head().await.unwrap();
    assert!(client.text().await.unwrap().contains("one"));
    client.send("POST /v1/responses HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").await;
    client.send("e\r\n{\"model\": \"m\",\r\nf;x=y\r\n\"stream\": true}\r\n0\r\nTrailer: t\r\n\r\n").await;
    client.head().await.unwrap();
    assert!(client.text().await.unwrap().contains("two"));
    client.send("POST /v1/messages HTTP/1.1\r\nContent-Length: 29\r\nExpect: 100-continue\r\n\r\n").await;
    assert_eq!(client.head().await.unwrap().status, 100);
    client.send("{\"model\": \"m\",\"stream\": true}").await;
    client.head().await.unwrap();
    assert!(client.text().await.unwrap().contains("three"));
    assert_eq!(server.requests()[1].body, json!({ "model": "m", "stream": true }));
}

#[tokio::test]
async fn it_is_known_when_requests_came_and_answers_ended() {
    let turns = [
        ScriptedTurn::new().text("one").gate("half").text("two"),
        ScriptedTurn::new().text("three").truncated(),
    ];
    let server = ScriptedModelServer::start_with(turns);
    let mut client = Client::ask(&server, ScriptedWire::Anthropic).await;
    server.wait_for_gate("half").await;
    let half = std::time::Instant::now();
    assert_eq!(server.answer_time(1), None);
    server.open_gate("half");
    client.head().await.unwrap();
    client.text().await.unwrap();
    let [arrived, answered] = [server.requests()[0].arrived, server.answer_time(1).unwrap()];
    assert!(arrived <= half && half <= answered);
    client.post(ScriptedWire::Anthropic, &request(ScriptedWire::Anthropic)).await;
    client.head().await.unwrap();
    client.text().await.unwrap_err();
    assert!(server.requests()[1].arrived >= answered);
    assert_eq!(server.answer_time(2), None);
}

#[tokio::test]
async fn rules_come_before_the_queue() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("queue")]);
    let small = |request: &super::super::RecordedRequest| request.body["model"] == "small";
    server.on_request(small, ScriptedTurn::new().text("title"));
    server.on_each_request(|request| request.body["model"] == "tiny", ScriptedTurn::new().text("tiny"));
    let mut client = Client::connect(&server).await;
    for (model, text) in [("tiny", "tiny"), ("small", "title"), ("tiny", "tiny"), ("large", "queue")] {
        client.post(ScriptedWire::Chat, &json!({ "model": model, "stream": true })).await;
        client.head().await.unwrap();
        assert!(client.text().await.unwrap().contains(text));
    }
    server.on_each_request(|_| false, ScriptedTurn::new());
}

#[tokio::test]
async fn pages_and_unknown_routes() {
    let server = ScriptedModelServer::start();
    server.models(&["a", "b"]);
    server.page("/api/tags", 500, json!({ "no": 1 }));
    let mut client = Client::connect(&server).await;
    let model = |id| json!({ "id": id, "object": "model", "created": 1_700_000_000, "owned_by": "script" });
    for (line, status, body) in [
        ("GET /v1/models", 200, Some(json!({ "object": "list", "data": [model("a"), model("b")] }))),
        ("GET /api/version", 200, Some(json!({ "version": "0.0.0" }))),
        ("GET /api/tags", 500, Some(json!({ "no": 1 }))),
        ("GET /v1/messages", 404, None),
        ("POST /messages", 404, None),
        ("POST /v1/models", 404, None),
    ] {
        client.send(&format!("{line} HTTP/1.1\r\n\r\n")).await;
        let head = client.head().await.unwrap();
        let actual: Value = serde_json::from_str(&client.sized(&head).await.unwrap()).unwrap();
        assert_eq!(head.status, status, "{line}");
        assert_eq!(actual, body.unwrap_or_else(|| actual.clone()), "{line}");
    }
    assert_eq!((server.requests().len(), server.all_requests().len()), (0, 6));
}

#[tokio::test]
async fn base_urls_lead_to_the_routes() {
    let server = ScriptedModelServer::start();
    for wire in ScriptedWire::ALL {
        let route = format!("{}{}", server.url(), wire.path("m"));
        assert!(route.starts_with(&server.base_url(wire)), "{route}");
        assert_eq!(ScriptedWire::from_path(&wire.path("m")), Some(wire));
    }
}

#[tokio::test]
async fn a_client_that_wants_the_connection_closed_gets_it_closed() {
    let server = ScriptedModelServer::start();
    let mut client = Client::connect(&server).await;
    client.send("GET /api/version HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    let head = client.head().await.unwrap();
    client.sized(&head).await.unwrap();
    client.head().await.expect_err("the connection is closed");
}

#[tokio::test]
async fn writes_are_cut_as_asked() {
    let each = ScriptedTurn::new().chunks(["ä", "b", "c"]).one_write_per_event(true);
    let server = ScriptedModelServer::start_with([
        each,
        ScriptedTurn::new().text("ä").bytes_per_write(1),
        ScriptedTurn::new().text("ä"),
    ]);
    let mut client = Client::connect(&server).await;
    let mut read = async || {
        client.post(ScriptedWire::Chat, &json!({ "model": "m", "stream": true })).await;
        client.head().await.unwrap();
        client.chunks().await.unwrap()
    };
    let events = read().await;
    assert_eq!(events.len(), 6);
    assert!(events.iter().all(|event| event.ends_with(b"\n\n")));
    assert!(read().await.iter().all(|write| write.len() == 1));
    assert_eq!(read().await.len(), 1);
}

#[tokio::test]
async fn it_complains_of_a_turn_left() {
    assert!(
        complaint(ScriptedModelServer::start_with([ScriptedTurn::new().text("unplayed")]))
            .contains("unplayed")
    );
    let server = ScriptedModelServer::start();
    server.on_request(|_| true, ScriptedTurn::new().text("unasked"));
    assert!(complaint(server).contains("unasked"));
}

#[tokio::test]
async fn it_complains_of_a_request_too_many() {
    let server = ScriptedModelServer::start();
    let mut client = Client::ask(&server, ScriptedWire::Gemini).await;
    let head = client.head().await.unwrap();
    assert_eq!(head.status, 500);
    assert!(client.sized(&head).await.unwrap().contains("the script has no turn left"));
    assert_eq!(server.requests().len(), 1);
    assert!(complaint(server).contains("request 1, POST /v1beta/models/m:streamGenerateContent: the script"));
}

#[tokio::test]
async fn it_complains_of_requests_no_server_would_stream_for() {
    for (wire, body, why) in [
        (ScriptedWire::Chat, json!({ "model": "m" }), "\"stream\": true"),
        (ScriptedWire::Anthropic, json!({ "stream": true }), "names no model"),
        (ScriptedWire::Responses, json!([]), "not a JSON object"),
    ] {
        let server = ScriptedModelServer::start();
        let mut client = Client::connect(&server).await;
        client.post(wire, &body).await;
        assert_eq!(client.head().await.unwrap().status, 400);
        let complaint = complaint(server);
        assert!(complaint.contains(why), "{complaint}");
    }
}

#[tokio::test]
async fn it_complains_of_a_gate_left_waiting() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().gate("forgotten")]);
    let _client = Client::ask(&server, ScriptedWire::Chat).await;
    server.wait_for_gate("forgotten").await;
    assert!(complaint(server).contains("gate forgotten was reached"));
}

#[tokio::test]
async fn it_complains_of_what_is_not_http() {
    let server = ScriptedModelServer::start();
    let mut client = Client::connect(&server).await;
    client.send("HELO\r\n\r\n").await;
    client.head().await.expect_err("it hangs up");
    assert!(complaint(server).contains("request line \"HELO\""));
}

#[tokio::test]
async fn it_complains_of_a_matcher_that_panics() {
    let server = ScriptedModelServer::start();
    server.on_each_request(|_| panic!("in the matcher"), ScriptedTurn::new());
    let mut client = Client::ask(&server, ScriptedWire::Chat).await;
    client.head().await.expect_err("it hangs up");
    assert!(complaint(server).contains("task died"));
}

#[test]
fn scripts_that_make_no_sense_are_refused() {
    for turn in [
        ScriptedTurn::new().reset().text("after"),
        ScriptedTurn::new().text("a").arguments("{}"),
        ScriptedTurn::status(500).text("both"),
        ScriptedTurn::new().chunk(0),
    ] {
        catch_unwind(AssertUnwindSafe(|| turn.check())).expect_err("it is refused");
    }
}

#[test]
fn turns_are_read_from_json() {
    let read = |text: &str| serde_json::from_str::<ScriptedTurn>(text).unwrap();
    read(
        r#"{ "pieces": [{ "gate": "g" }, "malformed", { "raw": "x" }, { "chunks": ["a"] }, { "stall": "s" }] }"#,
    );
    read(
        r#"{ "pieces": [{ "error": { "kind": "overloaded", "message": "m" } }], "writes": { "bytes": 3 } }"#,
    );
    read(
        r#"{ "answer": { "status": { "status": 429, "body": { "json": {} } } }, "headers": [["retry-after", "2"]] }"#,
    );
    read(
        r#"{ "answer": { "failure": { "kind": "rate_limit", "message": "m" } }, "stop": "length", "hold": "g" }"#,
    );
    read(
        r#"{ "answer": "endless_body", "reasoning_field": "reasoning", "interleave": true, "writes": "event" }"#,
    );
    serde_json::from_str::<ScriptedTurn>(r#"{ "peaces": [] }"#).expect_err("a typing error is one");
}
