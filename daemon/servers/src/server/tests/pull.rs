//! Servers that are asked.

use serde_json::json;

use super::super::*;
use super::fake_server::{after, check, full, pass, plain, pulling, short, subject};

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_after_the_change_is_proof() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        let asked = fake.answer("textDocument/diagnostic", full(&["one", "two"])).await;
        assert_eq!(asked, json!({ "textDocument": { "uri": "file:///a" } }));
    });
    assert_eq!(said, ("proven: one, two".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_server_gave_up_is_asked_again() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        for code in [-32802, -32801, -32800] {
            fake.refuse("textDocument/diagnostic", code).await;
        }
        fake.answer("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(said, ("proven:".into(), 90));
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        fake.refuse("textDocument/diagnostic", -32603).await;
    });
    assert_eq!(said.0, "unknown: it answers with an error: no (-32603)");
}

/// gopls writes `kind: ""` and `null` for an empty list.
#[tokio::test(start_paused = true)]
async fn reports_are_read_leniently_but_what_is_none_is_not_taken_for_clean() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let no_report = "unknown: its answer is no report of diagnostics";
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
        let (said, _) =
            tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", answer.clone()));
        assert_eq!(said.0, expected, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_is_cancelled_and_unknown() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    assert_eq!(check(&server, "/a").await, ("unknown: it did not answer in time".into(), 3000));
    fake.expect("textDocument/didOpen").await;
    let id = fake.next().await["id"].clone();
    assert_eq!(fake.expect("$/cancelRequest").await, json!({ "id": id }));
}

/// The text of the first question is no longer held when it has to be asked again.
#[tokio::test(start_paused = true)]
async fn what_would_be_said_of_a_newer_text_is_not_taken_for_this_one() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        server.sync_document(&subject("/a", "2"), "c");
        fake.refuse("textDocument/diagnostic", -32801).await;
    });
    assert_eq!(said.0, "unknown: the text was changed again before the answer had come");
    // But an answer to what was asked before the change is of the text before the change.
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didChange").await;
        let asked = fake.next().await;
        server.sync_document(&subject("/a", "3"), "c");
        fake.say(json!({ "id": asked["id"], "result": full(&["of two"]) })).await;
    });
    assert_eq!(said.0, "proven: of two");
}

#[tokio::test(start_paused = true)]
async fn one_that_says_later_that_it_can_be_asked_is_asked_then() {
    let (server, mut fake) = plain(json!({ "pull": "only" })).await;
    server.sync_document(&subject("/a", "1"), "c");
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        fake.expect("textDocument/didOpen").await;
        pass(500).await;
        let options = json!({ "identifier": "own" });
        let registration =
            json!({ "id": "p", "method": "textDocument/diagnostic", "registerOptions": options });
        let params = json!({ "registrations": [registration] });
        fake.say(json!({ "id": 1, "method": "client/registerCapability", "params": params })).await;
        assert_eq!(fake.next().await["result"], json!(null));
        let asked = fake.answer("textDocument/diagnostic", full(&["late"])).await;
        assert_eq!(asked["identifier"], "own");
    });
    assert_eq!(said, ("proven: late".into(), 500));
    fake.say(json!({ "id": 2, "method": "client/unregisterCapability", "params": { "unregisterations": [{ "id": "p" }] } })).await;
    fake.next().await;
    assert_eq!(check(&server, "/a").await.0, "unknown: it has not said in time that it can be asked");
}

#[tokio::test(start_paused = true)]
async fn of_a_file_that_is_not_open_only_some_servers_can_be_asked() {
    let (server, mut fake) = pulling(json!({ "pullClosed": true })).await;
    let (said, asked) = tokio::join!(
        server.check(Path::new("/other"), after(1000)),
        fake.answer("textDocument/diagnostic", full(&["closed"])),
    );
    assert_eq!(
        (short(&said).as_str(), &asked["textDocument"]["uri"]),
        ("likely: closed", &json!("file:///other"))
    );
    let (server, _fake) = pulling(json!({})).await;
    assert_eq!(check(&server, "/other").await, ("unknown: it does not hold the file open".into(), 0));
    let (server, _fake) = plain(json!({})).await;
    assert_eq!(check(&server, "/other").await, ("unknown: it does not hold the file open".into(), 0));
}

/// It reads the disk itself, after it was told.
#[tokio::test(start_paused = true)]
async fn right_after_the_disk_has_changed_nothing_is_proven() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    server.did_change_watched_files(&[("/b".into(), FileChangeType::Changed)]);
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&["b"])));
    assert_eq!(said, ("likely: b".into(), 300));
    pass(2000).await;
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&["b"])));
    assert_eq!(said, ("proven: b".into(), 0));
    let options = json!({ "watchers": [{ "globPattern": "**/*.c" }] });
    let registration =
        json!({ "id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
    let params = json!({ "registrations": [registration] });
    fake.say(json!({ "id": 1, "method": "client/registerCapability", "params": params })).await;
    fake.next().await;
    server.did_change_watched_files(&[("/root folder/made.o".into(), FileChangeType::Changed)]);
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&["b"])));
    assert_eq!(said, ("proven: b".into(), 0), "it does not want to hear of it");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_one_document_does_not_keep_another_waiting() {
    let (server, mut fake) = pulling(json!({})).await;
    server.sync_document(&subject("/slow", "1"), "c");
    server.sync_document(&subject("/fast", "1"), "c");
    let (slow, fast, ()) = tokio::join!(check(&server, "/slow"), check(&server, "/fast"), async {
        fake.expect("textDocument/didOpen").await;
        fake.expect("textDocument/didOpen").await;
        let slow = fake.next().await;
        fake.answer("textDocument/diagnostic", full(&["fast"])).await;
        pass(1000).await;
        fake.say(json!({ "id": slow["id"], "result": full(&["slow"]) })).await;
    });
    assert_eq!(fast, ("proven: fast".into(), 0));
    assert_eq!(slow, ("proven: slow".into(), 1000));
}

#[tokio::test(start_paused = true)]
async fn one_that_reads_the_disk_when_it_is_told_is_not_waited_for() {
    let (server, mut fake) = pulling(json!({ "diskInOrder": true })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    server.did_change_watched_files(&[("/b".into(), FileChangeType::Changed)]);
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&["b"])));
    assert_eq!(said, ("proven: b".into(), 0));
}

/// gopls answers for `go.mod` that it cannot be asked, and publishes.
#[tokio::test(start_paused = true)]
async fn of_some_languages_it_can_be_asked_and_of_others_it_publishes() {
    let (server, mut fake) = pulling(json!({ "pullLanguages": ["go"] })).await;
    server.sync_document(&subject("/a.go", "1"), "go");
    server.sync_document(&subject("/go.mod", "1"), "gomod");
    fake.expect("textDocument/didOpen").await;
    let version = fake.version().await;
    let (said, _) =
        tokio::join!(check(&server, "/a.go"), fake.answer("textDocument/diagnostic", full(&["asked"])));
    assert_eq!(said.0, "proven: asked");
    let (said, ()) =
        tokio::join!(check(&server, "/go.mod"), fake.publish("/go.mod", version, &["published"]));
    assert_eq!(said.0, "proven: published");
}

/// TypeScript's compiler looks into new folders some time after they came, and takes a moved one for there until then.
#[tokio::test(start_paused = true)]
async fn when_folders_came_or_went_it_is_asked_when_it_has_seen_that() {
    for (quirks, expected) in [(json!({ "foldersMs": 1500 }), ("likely:", 1500)), (json!({}), ("proven:", 0))]
    {
        let (server, mut fake) = pulling(quirks).await;
        server.sync_document(&subject("/a", "1"), "c");
        fake.expect("textDocument/didOpen").await;
        server.note_folders_changed();
        let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&[])));
        assert_eq!((said.0.as_str(), said.1), expected);
    }
}
