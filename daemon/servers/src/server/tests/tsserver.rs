//! Servers before the TypeScript compiler, which is asked itself.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{Fake, after, check, pass, shorts, started, subject};
use crate::diagnostic::{Diagnostic, DiagnosticSpan, RelatedInformation, Severity};

const ASK: &str = "workspace/executeCommand";

async fn asked(mut quirks: Value) -> (Arc<LanguageServer>, Fake) {
    quirks["pull"] = json!("tsserver");
    let commands = json!({ "commands": ["other", "typescript.tsserverRequest"] });
    started(quirks, json!({ "textDocumentSync": 1, "executeCommandProvider": commands })).await
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
async fn what_the_compiler_answers_after_a_change_is_proof() {
    let (server, mut fake) = asked(json!({})).await;
    server.sync_document(&subject("/a.ts", "let x\n"), "typescript");
    let (said, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didOpen").await;
        // What it publishes is said of any text.
        fake.publish("/a.ts", Value::Null, &["old"]).await;
        for (request, text) in [("syntacticDiagnosticsSync", "form"), ("semanticDiagnosticsSync", "type")] {
            let params = fake.answer(ASK, body(json!([item(text)]))).await;
            let arguments = json!([request, { "file": "/a.ts" }]);
            assert_eq!(params, json!({ "command": "typescript.tsserverRequest", "arguments": arguments }));
        }
    });
    assert_eq!(said, ("proven: form, type".into(), 0));
    let odd = tsserver::request_params(Path::new("/a%20b.ts"), "file:///a%2520b.ts");
    assert_eq!(odd[0]["arguments"][1]["file"], "file:///a%2520b.ts");
    server.sync_document(&subject("/a.ts", "let y\n"), "typescript");
    let (said, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didChange").await;
        fake.answer(ASK, body(json!([]))).await;
        fake.answer(ASK, body(json!([]))).await;
    });
    assert_eq!(said, ("proven:".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn what_the_compiler_says_is_said_as_by_any_server() {
    let (server, mut fake) = asked(json!({})).await;
    server.sync_document(&subject("/a.ts", "one\ntwo three\n"), "typescript");
    fake.expect("textDocument/didOpen").await;
    let at = |line: u32, offset: u32| json!({ "line": line, "offset": offset });
    let span = json!({ "file": "/b.ts", "start": at(3, 1), "end": at(3, 4) });
    let related = json!([{ "span": span, "message": "here" }, { "message": "nowhere" }]);
    let items = json!([
        { "start": at(2, 5), "end": at(2, 10), "text": "m", "code": 7, "category": "warning", "relatedInformation": related },
        { "start": at(0, 0), "text": "n", "category": "suggestion", "source": "plugin" },
        { "text": "o", "category": "message" },
        5,
    ]);
    let (said, ()) = tokio::join!(server.check(Path::new("/a.ts"), after(1000)), async {
        fake.answer(ASK, body(json!([]))).await;
        fake.answer(ASK, body(items)).await;
    });
    let one = |severity, message: &str, source: &str| Diagnostic {
        span: DiagnosticSpan::default(),
        severity,
        code: None,
        source: Some(source.into()),
        message: message.into(),
        related: Vec::new(),
    };
    let span = |line, start, end| DiagnosticSpan { start: place(line, start), end: place(line, end) };
    let related = RelatedInformation { path: "/b.ts".into(), span: span(2, 0, 3), message: "here".into() };
    let first = Diagnostic {
        span: span(1, 4, 9),
        code: Some("7".into()),
        related: vec![related],
        ..one(Severity::Warning, "m", "typescript")
    };
    let others = [one(Severity::Hint, "n", "plugin"), one(Severity::Information, "o", "typescript")];
    assert_eq!(said, Verdict::Proven([first].into_iter().chain(others).collect()));
}

#[tokio::test(start_paused = true)]
async fn what_is_no_answer_is_not_taken_for_clean() {
    let (server, mut fake) = asked(json!({})).await;
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
        let (said, ()) = tokio::join!(check(&server, "/a.ts"), async {
            fake.answer(ASK, body(json!([]))).await;
            fake.answer(ASK, answer.clone()).await;
        });
        assert_eq!(said.0, "unknown: its answer is no report of diagnostics", "{answer}");
    }
}

/// A project may take minutes to be read, and the compiler answers only then.
#[tokio::test(start_paused = true)]
async fn it_is_asked_before_it_is_ready_and_not_waited_for_when_it_reads() {
    let ready = json!({ "progressEnds": { "beginsMs": 3000 } });
    let (server, mut fake) = asked(json!({ "ready": ready })).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    let (said, questions) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didOpen").await;
        let questions = [fake.next().await, fake.next().await];
        pass(700).await;
        fake.progress("load", json!({ "kind": "begin", "title": "Loading" })).await;
        questions
    });
    assert_eq!(said, ("unknown: it is still reading the project: Loading".into(), 700));
    // It does not hang meanwhile.
    pass(120_000).await;
    assert!(matches!(server.state(), LanguageServerState::Indexing { .. }), "{:?}", server.state());
    fake.progress("load", json!({ "kind": "end" })).await;
    pass(20_000).await;
    assert_eq!(server.state(), LanguageServerState::Ready);
    for question in questions {
        fake.say(json!({ "id": question["id"], "result": body(json!([])) })).await;
    }
    let (said, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("$/cancelRequest").await;
        fake.expect("$/cancelRequest").await;
        fake.answer(ASK, body(json!([]))).await;
        fake.answer(ASK, body(json!([item("x")]))).await;
    });
    assert_eq!(said, ("proven: x".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn codes_that_a_person_does_not_want_are_left_out() {
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

/// Older ones do not pass requests on.
#[tokio::test(start_paused = true)]
async fn where_the_compiler_cannot_be_asked_it_is_waited_for_what_is_published() {
    let quirks = json!({ "pull": "tsserver", "quietMs": 200 });
    let (server, mut fake) = started(quirks, json!({ "textDocumentSync": 1 })).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    let (said, ()) = tokio::join!(check(&server, "/a.ts"), async {
        fake.expect("textDocument/didOpen").await;
        pass(300).await;
        fake.publish("/a.ts", Value::Null, &["x"]).await;
    });
    assert_eq!(said, ("likely: x".into(), 1300));
}

/// It may be about the text before: it names no version.
#[tokio::test(start_paused = true)]
async fn what_is_published_of_other_files_is_not_believed() {
    let (server, mut fake) = asked(json!({ "dirtyDependents": "told" })).await;
    server.sync_document(&subject("/a.ts", "1"), "typescript");
    server.sync_document(&subject("/b.ts", "1"), "typescript");
    fake.expect("textDocument/didOpen").await;
    fake.expect("textDocument/didOpen").await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a.ts", "2"), "typescript");
    fake.expect("textDocument/didChange").await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, after(1000)), async {
        fake.publish("/b.ts", Value::Null, &["old"]).await;
        fake.publish("/c.ts", Value::Null, &["old"]).await;
        fake.answer(ASK, body(json!([]))).await;
        fake.answer(ASK, body(json!([item("broken")]))).await;
    });
    assert_eq!(shorts(&others), ["/b.ts proven: broken"]);
}
