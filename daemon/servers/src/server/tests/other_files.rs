//! What is said of files other than the one that was changed.

use serde_json::json;
use tokio::time::Instant;

use super::super::*;
use super::fake_server::{after, check, full, pass, plain, pulling, shorts, started, subject};

#[tokio::test(start_paused = true)]
async fn what_it_publishes_of_other_files_after_a_change_is_told() {
    let (server, mut fake) = plain(json!({ "dirtyDependents": "told", "pushesClosed": true })).await;
    server.sync_document(&subject("/a", "1"), "c");
    server.sync_document(&subject("/b", "1"), "c");
    let (_, b) = (fake.version().await, fake.version().await);
    fake.publish("/b", b, &[]).await;
    fake.publish("/c", json!(null), &["before"]).await;
    pass(1000).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "2"), "c");
    let version = fake.version().await;
    let (said, others) = tokio::join!(
        async {
            let said = check(&server, "/a").await;
            (said, server.check_other_files(mark, after(3000)).await)
        },
        async {
            pass(50).await;
            fake.publish("/a", version, &[]).await;
            pass(60).await;
            fake.publish("/b", b, &["broken by a"]).await;
            fake.publish("/closed", json!(null), &["also broken"]).await;
        }
    )
    .0;
    assert_eq!(said, ("proven:".into(), 50));
    assert_eq!(shorts(&others), ["/b likely: broken by a", "/closed likely: also broken"]);
}

/// gopls: the file itself at once, what it breaks elsewhere with the second look.
#[tokio::test(start_paused = true)]
async fn what_is_said_of_closed_files_later_than_of_the_file_itself_is_told() {
    let quirks = json!({
        "partialFirst": true, "settleMs": 700, "dirtyDependents": "told", "pushesClosed": true,
    });
    for is_said_again in [false, true] {
        let (server, mut fake) = plain(quirks.clone()).await;
        let mark = server.event_mark();
        server.sync_document(&subject("/a", "1"), "go");
        let version = fake.version().await;
        let begun = Instant::now();
        let ((said, others), ()) = tokio::join!(
            async {
                let said = check(&server, "/a").await.0;
                (said, server.check_other_files(mark, after(3000)).await)
            },
            async {
                pass(5).await;
                fake.publish("/a", version, &[]).await;
                pass(if is_said_again { 300 } else { 800 }).await;
                if is_said_again {
                    fake.publish("/a", version, &[]).await;
                }
                pass(30).await;
                fake.publish("/closed", json!(null), &["broken by a"]).await;
            }
        );
        assert_eq!((&*said, shorts(&others)), ("proven:", vec!["/closed likely: broken by a".to_owned()]));
        let least = if is_said_again { 455 } else { 1000 };
        assert_eq!(begun.elapsed().as_millis(), least, "nobody waits longer than needed");
    }
}

#[tokio::test(start_paused = true)]
async fn where_there_are_no_others_nobody_waits() {
    for quirks in [json!({ "dirtyDependents": "none" }), json!({ "dirtyDependents": "told" })] {
        let (server, _fake) = plain(quirks).await;
        let mark = server.event_mark();
        server.sync_document(&subject("/a", "2"), "c");
        let start = Instant::now();
        assert_eq!(server.check_other_files(mark, after(3000)).await, []);
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_can_be_asked_is_asked_for_all_that_is_open() {
    let (server, mut fake) = pulling(json!({})).await;
    for path in ["/a", "/b", "/c"] {
        server.sync_document(&subject(path, "1"), "c");
        fake.expect("textDocument/didOpen").await;
    }
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "2"), "c");
    fake.expect("textDocument/didChange").await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, after(1000)), async {
        let (b, c) = (fake.next().await, fake.next().await);
        assert_eq!(b["params"]["textDocument"]["uri"], "file:///b");
        fake.say(json!({ "id": c["id"], "error": { "code": -32802, "message": "again" } })).await;
        fake.say(json!({ "id": b["id"], "result": full(&["broken by a"]) })).await;
        fake.answer("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(shorts(&others), ["/b proven: broken by a", "/c proven:"]);
}

#[tokio::test(start_paused = true)]
async fn documents_that_come_with_an_answer_are_told() {
    let (server, mut fake) = pulling(json!({})).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let mut answer = full(&["own"]);
    answer["relatedDocuments"] = json!({
        "file:///b": full(&["related"]), "file:///same": { "kind": "unchanged" }, "untitled:x": full(&[]), "file:///odd": 5,
    });
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", answer));
    assert_eq!(said.0, "proven: own");
    assert_eq!(shorts(&server.check_other_files(mark, after(1000)).await), ["/b proven: related"]);
}

#[tokio::test(start_paused = true)]
async fn one_that_answers_for_the_whole_workspace_is_asked_for_it() {
    let options = json!({ "identifier": "w", "workspaceDiagnostics": true });
    let (server, mut fake) =
        started(json!({}), json!({ "textDocumentSync": 1, "diagnosticProvider": options })).await;
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
        server.check_other_files(mark, after(1000)),
        fake.answer("workspace/diagnostic", json!({ "items": items })),
    );
    assert_eq!(asked, json!({ "previousResultIds": [], "identifier": "w" }));
    assert_eq!(shorts(&others), ["/b proven: far away"]);
}

/// A server that looks at others only when they are touched.
#[tokio::test(start_paused = true)]
async fn one_that_must_be_asked_but_cannot_be_is_told_of_the_others_once_more() {
    let (server, mut fake) = plain(json!({ "dirtyDependents": "asked" })).await;
    server.sync_document(&subject("/b", "b"), "c");
    let b = fake.version().await;
    fake.publish("/b", b, &[]).await;
    pass(100).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, after(1000)), async {
        let again = fake.expect("textDocument/didChange").await;
        assert_eq!(again["contentChanges"], json!([{ "text": "b" }]));
        fake.publish("/b", again["textDocument"]["version"].as_i64().unwrap(), &["broken by a"]).await;
    });
    assert_eq!(shorts(&others), ["/b proven: broken by a"]);
}

/// gopls publishes for all files at once, closed ones too, and can be asked about them.
#[tokio::test(start_paused = true)]
async fn what_it_names_without_being_asked_it_is_asked_about() {
    let quirks = json!({
        "dirtyDependents": "told", "pushesClosed": true, "pullClosed": true, "pullLanguages": ["go"],
        "partialFirst": true, "settleMs": 700,
    });
    let (server, mut fake) = pulling(quirks).await;
    server.sync_document(&subject("/a.go", "1"), "go");
    server.sync_document(&subject("/b.go", "1"), "go");
    server.sync_document(&subject("/go.mod", "1"), "gomod");
    for _ in 0..3 {
        fake.expect("textDocument/didOpen").await;
    }
    pass(1000).await;
    let mark = server.event_mark();
    server.sync_document(&subject("/a.go", "2"), "go");
    let version = fake.version().await;
    let begun = Instant::now();
    let (others, ()) = tokio::join!(server.check_other_files(mark, after(3000)), async {
        let asked = fake.answer("textDocument/diagnostic", full(&[])).await;
        assert_eq!(asked["textDocument"]["uri"], "file:///b.go");
        pass(100).await;
        // Of the text before.
        fake.publish("/closed.go", json!(null), &["old"]).await;
        fake.publish("/a.go", version, &[]).await;
        let asked = fake.answer("textDocument/diagnostic", full(&["broken"])).await;
        assert_eq!(asked["textDocument"]["uri"], "file:///closed.go");
    });
    assert_eq!(shorts(&others), ["/b.go proven:", "/closed.go likely: broken"]);
    assert_eq!(begun.elapsed().as_millis(), 130);
    // Nothing was changed since, so that there is nothing to wait for.
    let mark = server.event_mark();
    let begun = Instant::now();
    let (_, ()) = tokio::join!(server.check_other_files(mark, after(3000)), async {
        for _ in 0..2 {
            fake.answer("textDocument/diagnostic", full(&[])).await;
        }
    });
    assert_eq!(begun.elapsed().as_millis(), 0);
    // One that takes long for all files is not waited for as long as it takes.
    let mark = server.event_mark();
    server.sync_document(&subject("/a.go", "3"), "go");
    fake.version().await;
    let begun = Instant::now();
    let (others, _) = tokio::join!(
        server.check_other_files(mark, after(3000)),
        fake.answer("textDocument/diagnostic", full(&["broken"]))
    );
    assert_eq!(shorts(&others), ["/b.go proven: broken"]);
    assert_eq!(begun.elapsed().as_millis(), 1000);
    // What others change on the disk has no version.
    let mark = server.event_mark();
    server.did_change_watched_files(&[("/closed.go".into(), FileChangeType::Changed)]);
    let begun = Instant::now();
    let (others, ()) = tokio::join!(server.check_other_files(mark, after(3000)), async {
        for _ in 0..2 {
            fake.answer("textDocument/diagnostic", full(&[])).await;
        }
        pass(200).await;
        fake.publish("/closed.go", json!(null), &["x"]).await;
        fake.answer("textDocument/diagnostic", full(&["y"])).await;
    });
    assert_eq!(shorts(&others).last().unwrap(), "/closed.go likely: y");
    assert_eq!(begun.elapsed().as_millis(), 530);
}
