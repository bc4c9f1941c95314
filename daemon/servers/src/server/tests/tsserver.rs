//! Servers in front of tsserver: the daemon sends its requests through them.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{FakeServer, NO_FILES, after, check, sleep_ms, start_fake, subject, summaries};
use crate::diagnostic::{Diagnostic, DiagnosticSpan, RelatedInformation, Severity};

const EXECUTE_COMMAND: &str = "workspace/executeCommand";

async fn start_tsserver(mut quirks: Value) -> (Arc<LanguageServer>, FakeServer) {
    quirks["pull"] = json!("tsserver");
    let commands = json!({ "commands": ["other", "typescript.tsserverRequest"] });
    start_fake(quirks, json!({ "textDocumentSync": 1, "executeCommandProvider": commands })).await
}

fn body(body: Value) -> Value {
    json!({ "type": "response", "success": true, "body": body })
}

fn item(text: &str) -> Value {
    let place = json!({ "line": 1, "offset": 1 });
    json!({ "start": place, "end": place, "text": text, "code": 2322, "category": "error" })
}

fn place(line: u32, character: u32) -> copydesk_text::Position {
    copydesk_text::Position { line, character }
}

#[tokio::test(start_paused = true)]
async fn tsservers_response_after_a_change_is_proof() {
    let (server, mut fake) = start_tsserver(json!({})).await;
    server.sync_document(&subject("/a.ts", "let x\n"), "typescript");
    let (verdict, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didOpen").await;
        // A publish may be about any text.
        fake.publish("/a.ts", Value::Null, &["old"]).await;
        for (request, text) in [("syntacticDiagnosticsSync", "form"), ("semanticDiagnosticsSync", "type")] {
            let params = fake.respond(EXECUTE_COMMAND, body(json!([item(text)]))).await;
            let arguments = json!([request, { "file": "/a.ts" }]);
            assert_eq!(params, json!({ "command": "typescript.tsserverRequest", "arguments": arguments }));
        }
    });
    assert_eq!(verdict, ("proven: form, type".into(), 0));
    let odd = tsserver::request_params(Path::new("/a%20b.ts"), "file:///a%2520b.ts");
    assert_eq!(odd[0]["arguments"][1]["file"], "file:///a%2520b.ts");
    server.sync_document(&subject("/a.ts", "let y\n"), "typescript");
    let (verdict, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didChange").await;
        fake.respond(EXECUTE_COMMAND, body(json!([]))).await;
        fake.respond(EXECUTE_COMMAND, body(json!([]))).await;
    });
    assert_eq!(verdict, ("proven:".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn tsservers_diagnostics_become_lsp_diagnostics() {
    let (server, mut fake) = start_tsserver(json!({})).await;
    server.sync_document(&subject("/a.ts", "one\ntwo three\n"), "typescript");
    fake.expect("textDocument/didOpen").await;
    let place_at = |line: u32, offset: u32| json!({ "line": line, "offset": offset });
    let span = json!({ "file": "/b.ts", "start": place_at(3, 1), "end": place_at(3, 4) });
    let related = json!([{ "span": span, "message": "here" }, { "message": "nowhere" }]);
    let items = json!([
        { "start": place_at(2, 5), "end": place_at(2, 10), "text": "m", "code": 7, "category": "warning", "relatedInformation": related },
        { "start": place_at(0, 0), "text": "n", "category": "suggestion", "source": "plugin" },
        { "text": "o", "category": "message" },
        5,
    ]);
    let (verdict, ()) = tokio::join!(server.check(Path::new("/a.ts"), after(1000)), async {
        fake.respond(EXECUTE_COMMAND, body(json!([]))).await;
        fake.respond(EXECUTE_COMMAND, body(items)).await;
    });
    let one = |severity, message: &str, source: &str| Diagnostic {
        span: DiagnosticSpan::default(),
        severity,
        code: None,
        source: Some(source.into()),
        message: message.into(),
        related: Vec::new(),
        data: None,
    };
    let span = |line, start, end| DiagnosticSpan { start: place(line, start), end: place(line, end) };
    let related = RelatedInformation { path: "/b.ts".into(), span: span(2, 0, 3), message: "here".into() };
    let first = Diagnostic {
        span: span(1, 4, 9),
        code: Some("7".into()),
        related: vec![related],
        data: None,
        ..one(Severity::Warning, "m", "typescript")
    };
    let others = [one(Severity::Hint, "n", "plugin"), one(Severity::Information, "o", "typescript")];
    assert_eq!(verdict, Verdict::Proven([first].into_iter().chain(others).collect()));
}

#[tokio::test(start_paused = true)]
async fn an_invalid_response_is_not_clean() {
    let (server, mut fake) = start_tsserver(json!({})).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    fake.expect("textDocument/didOpen").await;
    for answer in [
        json!(null),
        json!({ "type": "noServer" }),
        json!({ "type": "cancelled", "body": [] }),
        json!({ "type": "response", "success": false, "body": [] }),
        json!({ "type": "response", "success": true }),
        json!({ "type": "response", "success": true, "body": {} }),
    ] {
        let (verdict, ()) = tokio::join!(check(&server, "/a.ts"), async {
            fake.respond(EXECUTE_COMMAND, body(json!([]))).await;
            fake.respond(EXECUTE_COMMAND, answer.clone()).await;
        });
        assert_eq!(verdict.0, "unknown: its answer is not a diagnostic report", "{answer}");
    }
}

/// Loading a project may take minutes, and tsserver answers only after it.
#[tokio::test(start_paused = true)]
async fn tsserver_is_asked_before_ready_and_awaited_until_the_deadline() {
    let ready = json!({ "progressEnds": { "beginsMs": 3000 } });
    let (server, mut fake) = start_tsserver(json!({ "ready": ready })).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    let (verdict, requests) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didOpen").await;
        let requests = [fake.next().await, fake.next().await];
        sleep_ms(700).await;
        fake.progress("load", json!({ "kind": "begin", "title": "Loading" })).await;
        requests
    });
    assert_eq!(verdict, ("unknown: it is still reading the project: Loading".into(), 3000));
    // It does not count as hung meanwhile.
    sleep_ms(120_000).await;
    assert!(matches!(server.state(), LanguageServerState::Indexing { .. }), "{:?}", server.state());
    fake.progress("load", json!({ "kind": "end" })).await;
    sleep_ms(20_000).await;
    assert_eq!(server.state(), LanguageServerState::Ready);
    for request in requests {
        fake.send(json!({ "id": request["id"], "result": body(json!([])) })).await;
    }
    let (verdict, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("$/cancelRequest").await;
        fake.expect("$/cancelRequest").await;
        fake.respond(EXECUTE_COMMAND, body(json!([]))).await;
        fake.respond(EXECUTE_COMMAND, body(json!([item("x")]))).await;
    });
    assert_eq!(verdict, ("proven: x".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn ignored_codes_are_left_out() {
    let settings = json!({ "diagnostics": { "ignoredCodes": [2322] } });
    let answer =
        serde_json::value::to_raw_value(&body(json!([item("x"), { "code": 1, "text": "y" }]))).unwrap();
    let read = |settings: &Value| {
        let set = tsserver::parse_response(&answer, settings, &mut 10).unwrap();
        set.diagnostics.into_iter().map(|one| one.message.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        (read(&settings), read(&json!({}))),
        (vec!["y".to_owned()], vec!["x".to_owned(), "y".to_owned()])
    );
}

/// Older servers do not forward requests.
#[tokio::test(start_paused = true)]
async fn without_forwarded_requests_publishes_count() {
    let quirks = json!({ "pull": "tsserver", "debounceMs": 200 });
    let (server, mut fake) = start_fake(quirks, json!({ "textDocumentSync": 1 })).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    let (verdict, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didOpen").await;
        sleep_ms(300).await;
        fake.publish("/a.ts", Value::Null, &["x"]).await;
    });
    assert_eq!(verdict, ("likely: x".into(), 1300));
}

/// They name no version, so they may be about the text before.
#[tokio::test(start_paused = true)]
async fn publishes_for_other_files_do_not_count() {
    let (server, mut fake) = start_tsserver(json!({ "dirtyDependents": "pushed" })).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    server.sync_document(&subject("/b.ts", "1"), "typescript");
    fake.expect("textDocument/didOpen").await;
    fake.expect("textDocument/didOpen").await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a.ts", "2"), "typescript");
    fake.expect("textDocument/didChange").await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(1000)), async {
        fake.publish("/b.ts", Value::Null, &["old"]).await;
        fake.publish("/c.ts", Value::Null, &["old"]).await;
        fake.respond(EXECUTE_COMMAND, body(json!([]))).await;
        fake.respond(EXECUTE_COMMAND, body(json!([item("broken")]))).await;
    });
    assert_eq!(summaries(&others), ["/b.ts proven: broken"]);
}
