//! Servers that hang, go, print garbage, or send too much.

use serde_json::json;

use super::super::*;
use super::fake_server::{check, pass, plain, pulling, subject};

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_hangs_and_one_that_answers_again_does_not() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    assert_eq!(check(&server, "/a").await.1, 3000);
    let asked = fake.next().await;
    let mut states = server.subscribe_state();
    pass(20_000).await;
    assert_eq!(server.state(), LanguageServerState::Ready, "it may only be slow");
    let hung = LanguageServerState::Hung { request: "textDocument/diagnostic".into() };
    states.wait_for(|state| *state == hung).await.unwrap();
    assert_eq!(
        check(&server, "/a").await,
        ("unknown: it does not answer (`textDocument/diagnostic`)".into(), 0)
    );
    fake.say(json!({ "id": asked["id"], "error": { "code": -32800, "message": "cancelled" } })).await;
    states.wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_when_it_goes_is_told_at_once() {
    let (server, fake) = plain(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(100).await;
        drop(fake);
    });
    assert!(said.0.starts_with("unknown: it has ended: it closed its ") && said.1 == 100, "{said:?}");
    assert!(matches!(server.state(), LanguageServerState::Ended { .. }));
    server.sync_document(&subject("/a", "2"), "c");
    server.did_save(Path::new("/a"));
    server.close(Path::new("/a"));
    assert!(check(&server, "/a").await.0.starts_with("unknown: it has ended"));
    server.shut_down(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn garbage_and_bytes_that_are_no_text_lose_no_diagnostic() {
    let (server, mut fake) = plain(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.version().await;
    fake.bytes(b"npm WARN deprecated\n\xff\xfe\n").await;
    fake.write(b"no JSON").await;
    fake.tell("textDocument/publishDiagnostics", json!({ "uri": "file:///a" , "diagnostics": 5 })).await;
    fake.tell("textDocument/publishDiagnostics", json!({ "uri": 7, "diagnostics": [] })).await;
    fake.tell("textDocument/publishDiagnostics", json!({ "uri": "jdt://x", "diagnostics": [] })).await;
    fake.tell("$/progress", json!([])).await;
    fake.tell("experimental/serverStatus", json!("x")).await;
    let text = format!(
        r#"{{"method":"textDocument/publishDiagnostics","params":{{"uri":"file:///a","version":{version},"diagnostics":[{{"message":"caf?"}}]}}}}"#
    );
    let mut bytes = text.into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xe9;
    fake.write(&bytes).await;
    assert_eq!(check(&server, "/a").await.0, "proven: caf\u{FFFD}");
    let (count, last) = server.malformed_messages().unwrap();
    assert_eq!((count, last.as_str()), (4, "diagnostics that are none"));
}

#[tokio::test(start_paused = true)]
async fn positions_that_the_text_does_not_have_become_the_nearest() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "ab\r\n𝄞\n"), "c");
    fake.expect("textDocument/didOpen").await;
    let place = |line: i64, character: i64| json!({ "line": line, "character": character });
    let item = |start: Value, end: Value| json!({ "range": { "start": start, "end": end }, "message": "m" });
    let items = json!([
        item(place(0, 1), place(0, 99)),
        item(place(1, 1), place(1, 2)),
        item(place(7, 0), place(9, 9)),
        item(place(1, 2), place(0, 0)),
        item(place(-1, -5), place(i64::MAX, i64::MAX)),
        { "message": "m" },
    ]);
    let answer = json!({ "kind": "full", "items": items });
    let checked = server.check(Path::new("/a"), Instant::now() + Duration::from_secs(1));
    let (said, _) = tokio::join!(checked, fake.answer("textDocument/diagnostic", answer));
    let spans = said.diagnostics().unwrap().iter().map(|one| {
        let crate::DiagnosticSpan { start, end } = one.span;
        (start.line, start.character, end.line, end.character)
    });
    let expected = [(0, 1, 0, 2), (1, 1, 1, 2), (2, 0, 2, 0), (1, 2, 1, 2), (0, 0, 2, 0), (0, 0, 0, 0)];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_hundred_thousand_diagnostics_are_bounded_and_errors_come_first() {
    let (server, mut fake) = plain(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.version().await;
    let place = json!({ "line": 0, "character": 0 });
    let one = |number: usize| {
        let severity = if number.is_multiple_of(4) { 1 } else { 2 };
        json!({ "range": { "start": place, "end": place }, "severity": severity, "message": format!("m{number}") })
    };
    let all: Vec<_> = (0..100_000).map(one).collect();
    let params = json!({ "uri": "file:///a", "version": version, "diagnostics": all });
    let said = tokio::join!(server.check(Path::new("/a"), Instant::now() + Duration::from_secs(60)), async {
        fake.tell("textDocument/publishDiagnostics", params).await;
    });
    let found = said.0.diagnostics().unwrap().to_vec();
    assert_eq!(found.len(), 10_000);
    assert_eq!(found.iter().filter(|one| one.severity == crate::Severity::Error).count(), 5_000);
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_to_end_and_not_waited_for_without_end() {
    let (server, mut fake) = pulling(json!({})).await;
    let ended = tokio::join!(server.shut_down(Duration::from_secs(4)), async {
        fake.answer("shutdown", json!(null)).await;
        fake.expect("exit").await;
    });
    let ((), ()) = ended;
    assert_eq!(server.state(), LanguageServerState::Ended { why: "it was stopped".into() });
    let (server, mut fake) = pulling(json!({})).await;
    let begun = Instant::now();
    server.shut_down(Duration::from_secs(4)).await;
    assert_eq!(begun.elapsed().as_secs(), 2, "it is deaf");
    server.sync_document(&subject("/a", "1"), "c");
    assert_eq!(check(&server, "/a").await.0, "unknown: it has ended: it was stopped");
    fake.expect("shutdown").await;
}
