//! Diagnostics for files other than the changed one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::json;
use tokio::time::Instant;

use super::super::*;
use super::fake_server::{
    NO_FILES, after, check, full, sleep_ms, start_fake, start_pull, start_push, subject, summaries,
};
use copydesk_workspace::disk_watcher::FileChangeType;

#[tokio::test(start_paused = true)]
async fn publishes_for_other_files_after_a_change_are_reported() {
    let (server, mut fake) =
        start_push(json!({ "dirtyDependents": "pushed", "publishesClosed": true })).await;
    server.sync_document(&subject("/a", "1"), "c");
    server.sync_document(&subject("/b", "1"), "c");
    let (_, b) = (fake.next_version().await, fake.next_version().await);
    fake.publish("/b", b, &[]).await;
    fake.publish("/c", json!(null), &["before"]).await;
    sleep_ms(1000).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "2"), "c");
    let version = fake.next_version().await;
    let (verdict, others) = tokio::join!(
        async {
            let verdict = check(&server, "/a").await;
            (verdict, server.check_other_files(mark, &NO_FILES, after(3000)).await)
        },
        async {
            sleep_ms(50).await;
            fake.publish("/a", version, &[]).await;
            sleep_ms(60).await;
            fake.publish("/b", b, &["broken by a"]).await;
            fake.publish("/closed", json!(null), &["also broken"]).await;
        }
    )
    .0;
    assert_eq!(verdict, ("proven:".into(), 50));
    assert_eq!(summaries(&others), ["/b likely: broken by a", "/closed likely: also broken"]);
}

/// gopls publishes for the file itself at once, and for dependents after its second pass.
#[tokio::test(start_paused = true)]
async fn publishes_for_closed_files_that_come_after_the_file_itself_are_reported() {
    let quirks = json!({
        "partialFirst": true, "republishMs": 700, "dirtyDependents": "pushed", "publishesClosed": true,
    });
    for is_republished in [false, true] {
        let (server, mut fake) = start_push(quirks.clone()).await;
        let mark = server.event_mark();
        server.sync_document(&subject("/a", "1"), "go");
        let version = fake.next_version().await;
        let begun = Instant::now();
        let ((verdict, others), ()) = tokio::join!(
            async {
                let verdict = check(&server, "/a").await.0;
                (verdict, server.check_other_files(mark, &NO_FILES, after(3000)).await)
            },
            async {
                sleep_ms(5).await;
                fake.publish("/a", version, &[]).await;
                sleep_ms(if is_republished { 300 } else { 800 }).await;
                if is_republished {
                    fake.publish("/a", version, &[]).await;
                }
                sleep_ms(30).await;
                fake.publish("/closed", json!(null), &["broken by a"]).await;
            }
        );
        assert_eq!(
            (&*verdict, summaries(&others)),
            ("proven:", vec!["/closed likely: broken by a".to_owned()])
        );
        let least = if is_republished { 455 } else { 1000 };
        assert_eq!(begun.elapsed().as_millis(), least, "the wait ends as soon as it can");
    }
}

#[tokio::test(start_paused = true)]
async fn without_other_files_there_is_no_wait() {
    for quirks in [json!({ "dirtyDependents": "none" }), json!({ "dirtyDependents": "pushed" })] {
        let (server, _fake) = start_push(quirks).await;
        let mark = server.event_mark();
        server.sync_document(&subject("/a", "2"), "c");
        let start = Instant::now();
        assert_eq!(server.check_other_files(mark, &NO_FILES, after(3000)).await, []);
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_with_pull_is_asked_about_all_open_files() {
    let (server, mut fake) = start_pull(json!({})).await;
    for path in ["/a", "/b", "/c"] {
        server.sync_document(&subject(path, "1"), "c");
        fake.expect("textDocument/didOpen").await;
    }
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "2"), "c");
    fake.expect("textDocument/didChange").await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(1000)), async {
        let (b, c) = (fake.next().await, fake.next().await);
        assert_eq!(b["params"]["textDocument"]["uri"], "file:///b");
        fake.send(json!({ "id": c["id"], "error": { "code": -32802, "message": "again" } })).await;
        fake.send(json!({ "id": b["id"], "result": full(&["broken by a"]) })).await;
        fake.respond("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(summaries(&others), ["/b proven: broken by a", "/c proven:"]);
}

/// Its text may have reached the server before the check, as a change on the disk.
#[tokio::test(start_paused = true)]
async fn a_requested_file_is_not_pulled_a_second_time() {
    let (server, mut fake) = start_pull(json!({})).await;
    for path in ["/a", "/b"] {
        server.sync_document(&subject(path, "1"), "c");
        fake.expect("textDocument/didOpen").await;
    }
    let (mark, requested) = (server.event_mark(), BTreeSet::from([PathBuf::from("/a")]));
    let (others, asked) = tokio::join!(
        server.check_other_files(mark, &requested, after(1000)),
        fake.respond("textDocument/diagnostic", full(&["of b"])),
    );
    assert_eq!(asked["textDocument"]["uri"], "file:///b");
    assert_eq!(summaries(&others), ["/b proven: of b"]);
}

#[tokio::test(start_paused = true)]
async fn related_documents_in_a_pull_response_are_reported() {
    let (server, mut fake) = start_pull(json!({})).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let mut answer = full(&["own"]);
    answer["relatedDocuments"] = json!({
        "file:///b": full(&["related"]), "file:///same": { "kind": "unchanged" }, "untitled:x": full(&[]), "file:///odd": 5,
    });
    let (verdict, _) = tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", answer));
    assert_eq!(verdict.0, "proven: own");
    assert_eq!(
        summaries(&server.check_other_files(mark, &NO_FILES, after(1000)).await),
        ["/b proven: related"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_with_workspace_pull_is_asked_once_for_all_files() {
    let options = json!({ "identifier": "w", "workspaceDiagnostics": true });
    let (server, mut fake) =
        start_fake(json!({}), json!({ "textDocumentSync": 1, "diagnosticProvider": options })).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let item = |uri: &str, messages: &[&str]| {
        let mut item = full(messages);
        item["uri"] = json!(uri);
        item
    };
    let items =
        json!([item("file:///b", &["far away"]), item("file:///a", &["own"]), 7, { "uri": "file:///c" }]);
    let (others, asked) = tokio::join!(
        server.check_other_files(mark, &NO_FILES, after(1000)),
        fake.respond("workspace/diagnostic", json!({ "items": items })),
    );
    assert_eq!(asked, json!({ "previousResultIds": [], "identifier": "w" }));
    assert_eq!(summaries(&others), ["/b proven: far away"]);
}

/// A server that checks a dependent only when the dependent itself changes.
#[tokio::test(start_paused = true)]
async fn without_pull_the_texts_of_open_dependents_are_resent() {
    let (server, mut fake) = start_push(json!({ "dirtyDependents": "mustRequest" })).await;
    server.sync_document(&subject("/b", "b"), "c");
    let b = fake.next_version().await;
    fake.publish("/b", b, &[]).await;
    sleep_ms(100).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(1000)), async {
        let again = fake.expect("textDocument/didChange").await;
        assert_eq!(again["contentChanges"], json!([{ "text": "b" }]));
        fake.publish("/b", again["textDocument"]["version"].as_i64().unwrap(), &["broken by a"]).await;
    });
    assert_eq!(summaries(&others), ["/b proven: broken by a"]);
}

/// gopls publishes for all files at once, closed ones too, and answers pulls about them.
#[tokio::test(start_paused = true)]
async fn files_that_the_server_publishes_for_are_pulled() {
    let quirks = json!({
        "dirtyDependents": "pushed", "publishesClosed": true, "pullClosed": true, "pullLanguages": ["go"],
        "partialFirst": true, "republishMs": 700,
    });
    let (server, mut fake) = start_pull(quirks).await;
    server.sync_document(&subject("/a.go", "1"), "go");
    server.sync_document(&subject("/b.go", "1"), "go");
    server.sync_document(&subject("/go.mod", "1"), "gomod");
    for _ in 0..3 {
        fake.expect("textDocument/didOpen").await;
    }
    sleep_ms(1000).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a.go", "2"), "go");
    let version = fake.next_version().await;
    let begun = Instant::now();
    let (others, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(3000)), async {
        let asked = fake.respond("textDocument/diagnostic", full(&[])).await;
        assert_eq!(asked["textDocument"]["uri"], "file:///b.go");
        sleep_ms(100).await;
        // For the text before.
        fake.publish("/closed.go", json!(null), &["old"]).await;
        fake.publish("/a.go", version, &[]).await;
        let asked = fake.respond("textDocument/diagnostic", full(&["broken"])).await;
        assert_eq!(asked["textDocument"]["uri"], "file:///closed.go");
    });
    assert_eq!(summaries(&others), ["/b.go proven:", "/closed.go likely: broken"]);
    assert_eq!(begun.elapsed().as_millis(), 130);
    // Nothing has changed since, so there is nothing to wait for.
    let mark = server.event_mark();
    let begun = Instant::now();
    let (_, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(3000)), async {
        for _ in 0..2 {
            fake.respond("textDocument/diagnostic", full(&[])).await;
        }
    });
    assert_eq!(begun.elapsed().as_millis(), 0);
    // The wait for a slow publish has a cap.
    let mark = server.event_mark();
    server.sync_document(&subject("/a.go", "3"), "go");
    fake.next_version().await;
    let begun = Instant::now();
    let (others, _) = tokio::join!(
        server.check_other_files(mark, &NO_FILES, after(3000)),
        fake.respond("textDocument/diagnostic", full(&["broken"]))
    );
    assert_eq!(summaries(&others), ["/b.go proven: broken"]);
    assert_eq!(begun.elapsed().as_millis(), 1000);
    // A change on the disk has no version.
    let mark = server.event_mark();
    server.did_change_watched_files(&[("/closed.go".into(), FileChangeType::Changed)]);
    let begun = Instant::now();
    let (others, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(3000)), async {
        for _ in 0..2 {
            fake.respond("textDocument/diagnostic", full(&[])).await;
        }
        sleep_ms(200).await;
        fake.publish("/closed.go", json!(null), &["x"]).await;
        fake.respond("textDocument/diagnostic", full(&["y"])).await;
    });
    assert_eq!(summaries(&others).last().unwrap(), "/closed.go likely: y");
    assert_eq!(begun.elapsed().as_millis(), 530);
}
