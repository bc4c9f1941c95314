//! Servers that hang, exit, print garbage, or send too much.

use serde_json::json;

use super::super::*;
use super::fake_server::{check, sleep_ms, start_pull, start_push, subject};

#[tokio::test(start_paused = true)]
async fn a_server_without_responses_is_hung_until_it_responds_again() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    assert_eq!(check(&server, "/a").await.1, 3000);
    let asked = fake.next().await;
    let mut states = server.subscribe_state();
    sleep_ms(20_000).await;
    assert_eq!(server.state(), LanguageServerState::Ready, "it may only be slow");
    let hung = LanguageServerState::Hung { request: "textDocument/diagnostic".into() };
    states.wait_for(|state| *state == hung).await.unwrap();
    assert_eq!(
        check(&server, "/a").await,
        ("unknown: it does not answer (`textDocument/diagnostic`)".into(), 0)
    );
    fake.send(json!({ "id": asked["id"], "error": { "code": -32800, "message": "cancelled" } })).await;
    states.wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_check_ends_at_once_when_the_server_exits() {
    let (server, fake) = start_push(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(100).await;
        drop(fake);
    });
    assert!(
        verdict.0.starts_with("unknown: it has ended: it closed its ") && verdict.1 == 100,
        "{verdict:?}"
    );
    assert!(matches!(server.state(), LanguageServerState::Ended { .. }));
    server.sync_document(&subject("/a", "2"), "c");
    server.did_save(Path::new("/a"));
    server.close(Path::new("/a"));
    assert!(check(&server, "/a").await.0.starts_with("unknown: it has ended"));
    server.shut_down(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn garbage_and_invalid_utf_8_lose_no_diagnostic() {
    let (server, mut fake) = start_push(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.next_version().await;
    fake.bytes(b"npm WARN deprecated\n\xff\xfe\n").await;
    fake.write(b"no JSON").await;
    fake.notify("textDocument/publishDiagnostics", json!({ "uri": "file:///a" , "diagnostics": 5 })).await;
    fake.notify("textDocument/publishDiagnostics", json!({ "uri": 7, "diagnostics": [] })).await;
    fake.notify("textDocument/publishDiagnostics", json!({ "uri": "jdt://x", "diagnostics": [] })).await;
    fake.notify("$/progress", json!([])).await;
    fake.notify("experimental/serverStatus", json!("x")).await;
    let text = format!(
        r#"{{"method":"textDocument/publishDiagnostics","params":{{"uri":"file:///a","version":{version},"diagnostics":[{{"message":"caf?"}}]}}}}"#
    );
    let mut bytes = text.into_bytes();
    let invalid = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[invalid] = 0xe9;
    fake.write(&bytes).await;
    assert_eq!(check(&server, "/a").await.0, "proven: caf\u{FFFD}");
    let (count, last) = server.malformed_messages().unwrap();
    assert_eq!((count, last.as_str()), (4, "diagnostics that are none"));
}

#[tokio::test(start_paused = true)]
async fn positions_outside_of_the_text_are_clamped() {
    let (server, mut fake) = start_pull(json!({})).await;
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
    let (verdict, _) = tokio::join!(checked, fake.respond("textDocument/diagnostic", answer));
    let spans = verdict.diagnostics().unwrap().iter().map(|one| {
        let crate::DiagnosticSpan { start, end } = one.span;
        (start.line, start.character, end.line, end.character)
    });
    let expected = [(0, 1, 0, 2), (1, 1, 1, 2), (2, 0, 2, 0), (1, 2, 1, 2), (0, 0, 2, 0), (0, 0, 0, 0)];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_hundred_thousand_diagnostics_are_capped_and_errors_stay_first() {
    let (server, mut fake) = start_push(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.next_version().await;
    let place = json!({ "line": 0, "character": 0 });
    let one = |number: usize| {
        let severity = if number.is_multiple_of(4) { 1 } else { 2 };
        json!({ "range": { "start": place, "end": place }, "severity": severity, "message": format!("m{number}") })
    };
    let all: Vec<_> = (0..100_000).map(one).collect();
    let params = json!({ "uri": "file:///a", "version": version, "diagnostics": all });
    let verdict =
        tokio::join!(server.check(Path::new("/a"), Instant::now() + Duration::from_secs(60)), async {
            fake.notify("textDocument/publishDiagnostics", params).await;
        });
    let items = verdict.0.diagnostics().unwrap().to_vec();
    assert_eq!(items.len(), 10_000);
    assert_eq!(items.iter().filter(|one| one.severity == crate::Severity::Error).count(), 5_000);
}

#[tokio::test(start_paused = true)]
async fn shutdown_asks_the_server_to_exit_and_has_a_timeout() {
    let (server, mut fake) = start_pull(json!({})).await;
    let ended = tokio::join!(server.shut_down(Duration::from_secs(4)), async {
        fake.respond("shutdown", json!(null)).await;
        fake.expect("exit").await;
    });
    let ((), ()) = ended;
    assert_eq!(server.state(), LanguageServerState::Ended { why: "it was stopped".into() });
    let (server, mut fake) = start_pull(json!({})).await;
    let begun = Instant::now();
    server.shut_down(Duration::from_secs(4)).await;
    assert_eq!(begun.elapsed().as_secs(), 2, "it does not respond");
    server.sync_document(&subject("/a", "1"), "c");
    assert_eq!(check(&server, "/a").await.0, "unknown: it has ended: it was stopped");
    fake.expect("shutdown").await;
}
