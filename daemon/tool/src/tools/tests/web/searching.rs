//! Both searches, against stand-ins for the three kinds of engines.

use std::time::Duration;

use expect_test::expect;
use serde_json::{Map, Value, json};

use super::super::fixture::{ToolFixture, fixture_with_web};
use super::server::{Answer, Request, Server, answer};
use crate::outcome::ToolErrorKind;
use crate::tool::box_tool;
use crate::tools::endpoint_search::EndpointSearch;
use crate::tools::websearch::WebSearchTool;
use crate::web::{ConfigSecret, Proxies, SearchEndpoint, SearchProtocol, WebAccess};

const KEY: &str = "key-0123456789";

fn endpoint(url: &str, how: SearchProtocol) -> SearchEndpoint {
    let headers = vec![("x-key".to_owned(), ConfigSecret::from(KEY.to_owned()))];
    SearchEndpoint {
        url: ConfigSecret::from(url.to_owned()),
        headers,
        timeout: Duration::from_secs(120),
        protocol: how,
    }
}

fn mcp(url: &str) -> SearchEndpoint {
    let arguments = json!({ "query": "{query}", "count": "{numResults}", "kind": "fast" });
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    endpoint(url, SearchProtocol::Mcp { tool: "find".into(), arguments })
}

fn json_get(url: &str) -> SearchEndpoint {
    endpoint(url, SearchProtocol::Json { body: None, results: None })
}

fn fixture(websearch: Option<SearchEndpoint>, codesearch: Option<SearchEndpoint>) -> ToolFixture {
    fixture_with_web(&[], WebAccess { websearch, codesearch, ..WebAccess::default() }, |_| Ok(()))
}

fn ok(mime: &str, headers: &[(&str, &str)], body: &str) -> Option<Answer> {
    let headers: Vec<_> = [("content-type", mime)].iter().chain(headers).copied().collect();
    Some(Answer::Bytes(answer("200 OK", &headers, body.as_bytes())))
}

/// An MCP server that answers in one of the two ways, and knows its client again by a session.
fn server(request: &Request, is_stream: bool, result: &Value) -> Option<Answer> {
    let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let reply = |result: Value| {
        let text = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} });
        let events =
            format!(": hello\r\n\r\nevent: message\r\ndata: {note}\r\n\r\nid: 7\r\ndata: {text}\r\n\r\n");
        let session = [("mcp-session-id", "s-1")];
        if !is_stream {
            return ok("application/json", &session, &text);
        }
        // The stream stays open after the answer.
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nmcp-session-id: s-1\r\n\r\n";
        Some(Answer::Silence(format!("{head}{events}").into_bytes()))
    };
    let knows = request.head.contains("mcp-session-id: s-1")
        && request.head.contains("mcp-protocol-version: 2025-03-26");
    match message["method"].as_str() {
        Some("initialize") => reply(json!({ "protocolVersion": "2025-03-26", "capabilities": {} })),
        Some("notifications/initialized") if knows => Some(Answer::Bytes(answer("202 Accepted", &[], b""))),
        Some("tools/call") if knows => reply(result.clone()),
        _ => Some(Answer::Bytes(answer("400 Bad Request", &[], b"unexpected"))),
    }
}

#[tokio::test]
async fn searches_are_offered_only_where_they_are_configured() {
    let names = |fixture: &ToolFixture| {
        fixture.registry().definitions(|_| true).into_iter().map(|spec| spec.name).collect::<Vec<_>>()
    };
    let none = names(&fixture(None, None));
    assert!(!none.iter().any(|name| name.ends_with("search")), "{none:?}");
    let both = fixture(Some(mcp("http://127.0.0.1:1/")), Some(mcp("http://127.0.0.1:1/")));
    assert!(["websearch", "codesearch"].iter().all(|name| names(&both).iter().any(|own| own == name)));
    for spec in both.registry().definitions(|key| key.ends_with("search")) {
        assert!((100..2000).contains(&spec.prompt.len()), "{}", spec.name);
        let properties = spec.parameters["properties"].as_object().unwrap();
        let names: Vec<_> = properties.keys().map(String::as_str).collect();
        let expected =
            if spec.name == "websearch" { ["query", "numResults"] } else { ["query", "tokensNum"] };
        assert_eq!(names, expected);
        assert!(properties.values().all(|property| property["description"].is_string()));
    }
}

#[tokio::test]
async fn a_tool_of_an_mcp_server_searches() {
    let text =
        "Title: One\nURL: https://one.example/\nText: first\n\nTitle: Two\nURL: https://two.example/\n";
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    for is_stream in [false, true] {
        let result = result.clone();
        let engine = Server::answering(move |request| server(request, is_stream, &result)).await;
        let fixture = fixture(Some(mcp(&engine.url("/mcp?key=k"))), None);
        let outcome = fixture.call("websearch", json!({ "query": " rust dns ", "numResults": 3 })).await;
        assert_eq!((outcome.error_kind, outcome.output.trim_end()), (None, text.trim_end()), "{outcome:?}");
        assert_eq!(outcome.title, "rust dns");
        assert_eq!(outcome.metadata.to_value(), json!({ "query": "rust dns", "count": 2 }));
        let asks = fixture.asked();
        assert_eq!(
            (asks[0].key.as_str(), &asks[0].patterns, &asks[0].always),
            ("websearch", &vec!["rust dns".into()], &vec!["*".into()])
        );
        assert_eq!(asks[0].title, "Search the web for rust dns");
        let call = engine.requests().into_iter().find(|request| request.body.contains("tools/call")).unwrap();
        let body: Value = serde_json::from_str(&call.body).unwrap();
        let arguments = json!({ "query": "rust dns", "count": 3, "kind": "fast" });
        assert_eq!(body["params"], json!({ "name": "find", "arguments": arguments }));
        assert!(call.head.contains(&format!("x-key: {KEY}")), "{}", call.head);
    }
}

#[tokio::test]
async fn an_address_that_answers_with_json_searches() {
    let engine = Server::answering(|request| {
        let results = json!([
            { "title": "One", "url": "https://one.example/", "snippet": "first" },
            { "name": "Two", "link": "https://two.example/", "highlights": ["a", "b"] },
            "only words",
            { "odd": 1 },
        ]);
        match request.line.as_str() {
            "GET /search?q=a+%26+b&n=8" => {
                ok("application/json", &[], &json!({ "took": 1, "results": results }).to_string())
            }
            "POST /deep" => ok("application/json", &[], &json!({ "web": { "hits": results } }).to_string()),
            _ => None,
        }
    })
    .await;
    let expected = expect![[r#"
        ? websearch: a & b (always: *)
        1. One
        https://one.example/
        first

        2. Two
        https://two.example/
        a
        b

        3. only words

        4. {"odd":1}
    "#]];
    let get = json_get(&engine.url("/search?q={query}&n={numResults}"));
    expected.assert_eq(&fixture(Some(get), None).tell("websearch", json!({ "query": "a & b" })).await);
    let body = json!({ "q": "{query}", "size": "{tokensNum}" });
    let post = endpoint(
        &engine.url("/deep"),
        SearchProtocol::Json { body: Some(body), results: Some("web.hits".into()) },
    );
    let code = fixture(None, Some(post));
    for (asked, sent) in
        [(json!(null), 5000), (json!(7), 1000), (json!(900_000), 50_000), (json!("2000"), 2000)]
    {
        let outcome = code.call("codesearch", json!({ "query": "q", "tokensNum": asked })).await;
        assert_eq!(
            (outcome.error_kind, &outcome.metadata.to_value()["count"]),
            (None, &json!(4)),
            "{outcome:?}"
        );
        let body: Value = serde_json::from_str(&engine.requests().last().unwrap().body).unwrap();
        assert_eq!(body, json!({ "q": "q", "size": sent }));
    }
}

#[tokio::test]
async fn engines_that_fail_are_told_of_without_the_key() {
    let bytes = |status: &str, body: &str| {
        Some(Answer::Bytes(answer(status, &[("content-type", "application/json")], body.as_bytes())))
    };
    let engine = Server::answering(move |request| match request.line.split('?').next().unwrap_or_default() {
        "GET /key" => bytes("401 Unauthorized", "{\"error\": \"no key\"}"),
        "GET /busy" => bytes("429 Too Many Requests", ""),
        "GET /moved" => Some(Answer::Bytes(answer("302 Found", &[("location", "http://127.0.0.1:1/")], b""))),
        "GET /text" => bytes("200 OK", "<html>"),
        "GET /shape" => bytes("200 OK", "{\"found\": {\"a\": 1}, \"took\": 3}"),
        "GET /none" => bytes("200 OK", "{\"results\": []}"),
        "GET /endless" => {
            Some(Answer::Endless(answer("200 OK", &[("content-length", "99999999")], b""), vec![b' '; 65536]))
        }
        _ => None,
    })
    .await;
    for (path, words) in [
        (
            "/key",
            "the key is missing or wrong, which is for the user to mend in the configuration. It says: {\"error\": \"no key\"}",
        ),
        ("/busy", "answered 429 Too Many Requests: too much was asked of it"),
        ("/moved", "it redirects, which is not followed"),
        ("/text", "no JSON"),
        ("/shape", "Its answer has: found, took."),
        ("/endless", "more than 4194304 bytes"),
    ] {
        let fixture = fixture(Some(json_get(&engine.url(&format!("{path}?key={KEY}")))), None);
        let outcome = fixture.call("websearch", json!({ "query": "q" })).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Failed), "{path}: {outcome:?}");
        assert!(
            outcome.output.contains(words) && !outcome.output.contains(KEY),
            "{path}: {}",
            outcome.output
        );
    }
    let none = fixture(Some(json_get(&engine.url("/none"))), None);
    let outcome = none.call("websearch", json!({ "query": "q" })).await;
    assert_eq!(outcome.output, "Nothing was found for `q`. Try other words.");
    for url in ["", "ftp://host/", "no address"] {
        let outcome = fixture(Some(json_get(url)), None).call("websearch", json!({ "query": "q" })).await;
        assert!(outcome.output.contains("not set up well"), "{outcome:?}");
    }
    let shown = format!("{:?}", mcp(&format!("http://host/?key={KEY}")));
    assert!(!shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn mcp_servers_that_fail_are_told_of() {
    let error = json!({ "content": [{ "type": "text", "text": "quota\nexceeded" }], "isError": true });
    let engine = Server::answering(move |request| server(request, true, &error)).await;
    let outcome = fixture(Some(mcp(&engine.url("/"))), None).call("websearch", json!({ "query": "q" })).await;
    assert_eq!(outcome.output, "`find` of 127.0.0.1 failed: quota exceeded");

    let engine = Server::answering(|request| {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let error = json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32601, "message": "unknown" } });
        ok("application/json", &[], &error.to_string())
    })
    .await;
    let outcome = fixture(Some(mcp(&engine.url("/"))), None).call("websearch", json!({ "query": "q" })).await;
    assert_eq!(outcome.output, "127.0.0.1 refused `initialize` (error -32601): unknown");

    for (mime, body) in
        [("application/json", "[]"), ("text/event-stream", "data: {}\n\n"), ("text/event-stream", "")]
    {
        let engine = Server::answering(move |_| ok(mime, &[], body)).await;
        let outcome =
            fixture(Some(mcp(&engine.url("/"))), None).call("websearch", json!({ "query": "q" })).await;
        assert!(outcome.output.contains("ended without an answer"), "{outcome:?}");
    }
    let arguments = Map::new();
    let slow = Server::answering(|_| Some(Answer::Silence(b"HTTP/1.1 200 OK\r\n".to_vec()))).await;
    let how = SearchProtocol::Mcp { tool: "t".into(), arguments };
    let slow = SearchEndpoint { timeout: Duration::from_millis(100), ..endpoint(&slow.url("/"), how) };
    let outcome = fixture(Some(slow), None).call("websearch", json!({ "query": "q" })).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Timeout), "{outcome:?}");
}

#[tokio::test]
async fn queries_that_are_none_are_told() {
    let fixture = fixture(Some(mcp("http://127.0.0.1:1/")), None);
    for query in [String::new(), "  \n".into(), "x".repeat(100_000)] {
        let outcome = fixture.call("websearch", json!({ "query": query })).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Arguments), "{outcome:?}");
    }
    assert!(fixture.asked().is_empty());
}

#[tokio::test]
async fn a_cancel_ends_a_search_at_once() {
    let mut server = Server::answering(|_| Some(Answer::Silence(Vec::new()))).await;
    let fixture = fixture(None, None);
    let tool = box_tool(WebSearchTool(EndpointSearch {
        what: "the web",
        endpoint: mcp(&server.url("/")),
        proxies: Proxies::default(),
    }));
    let call = tool.run(json!({ "query": "q" }), fixture.context());
    let cancel = async {
        server.came.recv().await;
        fixture.cancel.cancel();
    };
    let both = async { tokio::join!(call, cancel) };
    let (outcome, ()) = tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
    assert_eq!(outcome.unwrap_err().kind, ToolErrorKind::Cancelled);
}
