//! Servers with pull diagnostics.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{after, check, full, sleep_ms, start_pull, start_push, subject, summary};
use copydesk_workspace::disk_watcher::FileChangeType;

#[tokio::test(start_paused = true)]
async fn a_response_to_a_pull_after_the_change_is_proof() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        let asked = fake.respond("textDocument/diagnostic", full(&["one", "two"])).await;
        assert_eq!(asked, json!({ "textDocument": { "uri": "file:///a" } }));
    });
    assert_eq!(verdict, ("proven: one, two".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_pull_that_the_server_cancelled_is_retried() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        for code in [-32802, -32801, -32800] {
            fake.respond_error("textDocument/diagnostic", code).await;
        }
        fake.respond("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(verdict, ("proven:".into(), 90));
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.respond_error("textDocument/diagnostic", -32603).await;
    });
    assert_eq!(verdict.0, "unknown: it answers with an error: no (-32603)");
}

/// gopls writes `kind: ""` and `null` for an empty list.
#[tokio::test(start_paused = true)]
async fn reports_are_parsed_leniently_but_a_non_report_is_not_clean() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let no_report = "unknown: its answer is not a diagnostic report";
    for (answer, expected) in [
        (json!({ "kind": "", "items": [{ "message": "m" }] }), "proven: m"),
        (json!({ "items": [] }), "proven:"),
        (json!({ "kind": "full", "items": null }), "proven:"),
        (json!({ "kind": "unchanged", "resultId": "1" }), no_report),
        (json!({ "kind": "", "items": null }), no_report),
        (json!(null), no_report),
        (json!([]), no_report),
        (json!({ "kind": "full", "items": {} }), no_report),
    ] {
        let (verdict, _) =
            tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", answer.clone()));
        assert_eq!(verdict.0, expected, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pull_without_a_response_is_cancelled_and_unknown() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    assert_eq!(check(&server, "/a").await, ("unknown: it did not answer in time".into(), 3000));
    fake.expect("textDocument/didOpen").await;
    let id = fake.next().await["id"].clone();
    assert_eq!(fake.expect("$/cancelRequest").await, json!({ "id": id }));
}

/// The text of the first pull is gone when the pull has to be retried.
#[tokio::test(start_paused = true)]
async fn a_response_about_a_newer_text_does_not_count() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        server.sync_document(&subject("/a", "2"), "c");
        fake.respond_error("textDocument/diagnostic", -32801).await;
    });
    assert_eq!(verdict.0, "unknown: the text was changed again before the answer had come");
    // But a response to a pull from before the change is about the text before the change.
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didChange").await;
        let asked = fake.next().await;
        server.sync_document(&subject("/a", "3"), "c");
        fake.send(json!({ "id": asked["id"], "result": full(&["for two"]) })).await;
    });
    assert_eq!(verdict.0, "proven: for two");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_registers_pull_later_is_pulled_then() {
    let (server, mut fake) = start_push(json!({ "pull": "only" })).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        sleep_ms(500).await;
        let options = json!({ "identifier": "own" });
        let registration =
            json!({ "id": "p", "method": "textDocument/diagnostic", "registerOptions": options });
        let params = json!({ "registrations": [registration] });
        fake.send(json!({ "id": 1, "method": "client/registerCapability", "params": params })).await;
        assert_eq!(fake.next().await["result"], json!(null));
        let asked = fake.respond("textDocument/diagnostic", full(&["late"])).await;
        assert_eq!(asked["identifier"], "own");
    });
    assert_eq!(verdict, ("proven: late".into(), 500));
    fake.send(json!({ "id": 2, "method": "client/unregisterCapability", "params": { "unregisterations": [{ "id": "p" }] } })).await;
    fake.next().await;
    assert_eq!(check(&server, "/a").await.0, "unknown: it has not said in time that it can be asked");
}

#[tokio::test(start_paused = true)]
async fn only_some_servers_answer_pulls_about_closed_files() {
    let (server, mut fake) = start_pull(json!({ "pullClosed": true })).await;
    let (verdict, asked) = tokio::join!(
        server.check(Path::new("/other"), after(1000)),
        fake.respond("textDocument/diagnostic", full(&["closed"])),
    );
    assert_eq!(
        (summary(&verdict).as_str(), &asked["textDocument"]["uri"]),
        ("likely: closed", &json!("file:///other"))
    );
    let (server, _fake) = start_pull(json!({})).await;
    assert_eq!(check(&server, "/other").await, ("unknown: it does not hold the file open".into(), 0));
    let (server, _fake) = start_push(json!({})).await;
    assert_eq!(check(&server, "/other").await, ("unknown: it does not hold the file open".into(), 0));
}

/// The server reads the disk itself after the notification.
#[tokio::test(start_paused = true)]
async fn right_after_a_disk_change_nothing_is_proven() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    server.did_change_watched_files(&[("/b".into(), FileChangeType::Changed)]);
    let (verdict, _) =
        tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", full(&["b"])));
    assert_eq!(verdict, ("likely: b".into(), 300));
    sleep_ms(2000).await;
    let (verdict, _) =
        tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", full(&["b"])));
    assert_eq!(verdict, ("proven: b".into(), 0));
    let options = json!({ "watchers": [{ "globPattern": "**/*.c" }] });
    let registration =
        json!({ "id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
    let params = json!({ "registrations": [registration] });
    fake.send(json!({ "id": 1, "method": "client/registerCapability", "params": params })).await;
    fake.next().await;
    server.did_change_watched_files(&[("/root folder/made.o".into(), FileChangeType::Changed)]);
    let (verdict, _) =
        tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", full(&["b"])));
    assert_eq!(verdict, ("proven: b".into(), 0), "no watcher of the server matches it");
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_one_document_does_not_delay_another() {
    let (server, mut fake) = start_pull(json!({})).await;
    server.sync_document(&subject("/slow", "1"), "c");
    server.sync_document(&subject("/fast", "1"), "c");
    let (slow, fast, ()) = tokio::join!(check(&server, "/slow"), check(&server, "/fast"), async {
        fake.expect("textDocument/didOpen").await;
        fake.expect("textDocument/didOpen").await;
        let slow = fake.next().await;
        fake.respond("textDocument/diagnostic", full(&["fast"])).await;
        sleep_ms(1000).await;
        fake.send(json!({ "id": slow["id"], "result": full(&["slow"]) })).await;
    });
    assert_eq!(fast, ("proven: fast".into(), 0));
    assert_eq!(slow, ("proven: slow".into(), 1000));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_the_disk_in_order_needs_no_wait() {
    let (server, mut fake) = start_pull(json!({ "diskInOrder": true })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    server.did_change_watched_files(&[("/b".into(), FileChangeType::Changed)]);
    let (verdict, _) =
        tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", full(&["b"])));
    assert_eq!(verdict, ("proven: b".into(), 0));
}

/// gopls rejects pulls for `go.mod`, and publishes.
#[tokio::test(start_paused = true)]
async fn some_languages_are_pulled_and_others_published() {
    let (server, mut fake) = start_pull(json!({ "pullLanguages": ["go"] })).await;
    server.sync_document(&subject("/a.go", "1"), "go");
    server.sync_document(&subject("/go.mod", "1"), "gomod");
    fake.expect("textDocument/didOpen").await;
    let version = fake.next_version().await;
    let (verdict, _) =
        tokio::join!(check(&server, "/a.go"), fake.respond("textDocument/diagnostic", full(&["asked"])));
    assert_eq!(verdict.0, "proven: asked");
    let (verdict, ()) =
        tokio::join!(check(&server, "/go.mod"), fake.publish("/go.mod", version, &["published"]));
    assert_eq!(verdict.0, "proven: published");
}

/// TypeScript's compiler sees new folders with a delay, and until then takes a moved one for still there.
#[tokio::test(start_paused = true)]
async fn after_folders_changed_the_pull_waits_until_the_server_has_seen_that() {
    for (quirks, expected) in [(json!({ "foldersMs": 1500 }), ("likely:", 1500)), (json!({}), ("proven:", 0))]
    {
        let (server, mut fake) = start_pull(quirks).await;
        server.sync_document(&subject("/a", "1"), "c");
        fake.expect("textDocument/didOpen").await;
        server.note_folders_changed();
        let (verdict, _) =
            tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", full(&[])));
        assert_eq!((verdict.0.as_str(), verdict.1), expected);
    }
}

/// Roslyn registers a pull for each kind of its diagnostics.
#[tokio::test(start_paused = true)]
async fn all_registered_pulls_together_are_the_diagnostics() {
    let (server, mut fake) = start_pull(json!({})).await;
    let register = |id: &str, options: Value| json!({ "id": id, "method": "textDocument/diagnostic", "registerOptions": options });
    let styles = json!({ "identifier": "styles", "documentSelector": [{ "language": "css" }] });
    let registrations = json!({ "registrations": [
        register("1", json!({ "identifier": "syntax", "documentSelector": [{ "language": "c" }] })),
        register("2", json!({ "identifier": "types", "documentSelector": null })),
        register("3", json!({ "identifier": "types" })),
        register("4", styles),
    ] });
    fake.send(json!({ "id": 1, "method": "client/registerCapability", "params": registrations })).await;
    assert_eq!(fake.next().await["result"], json!(null));
    server.sync_document(&subject("/a", "1"), "c");
    let (verdict, asked) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        let mut asked = Vec::new();
        for messages in [["static"], ["syntax"], ["types"]] {
            asked.push(fake.respond("textDocument/diagnostic", full(&messages)).await["identifier"].clone());
        }
        asked
    });
    assert_eq!(verdict.0, "proven: static, syntax, types");
    assert_eq!(asked, [json!(null), json!("syntax"), json!("types")]);

    // A part that is missing may be the one with the errors.
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        fake.respond("textDocument/diagnostic", full(&[])).await;
        fake.respond_error("textDocument/diagnostic", -32603).await;
    });
    assert_eq!(verdict.0, "unknown: it answers with an error: no (-32603)");
}
