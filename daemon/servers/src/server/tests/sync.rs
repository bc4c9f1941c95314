//! Document sync with a server.

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use proptest::prelude::*;
use serde_json::json;

use super::super::initialize::TextSyncKind;
use super::super::*;
use super::fake_server::{start_fake, start_push, subject};
use crate::server::documents::ServerDocuments;
use copydesk_workspace::disk_watcher::FileChangeType;

#[tokio::test]
async fn a_document_is_opened_changed_saved_and_closed() {
    let more = json!({ "change": { "wantDiagnostics": true } });
    let capabilities = json!({ "textDocumentSync": { "change": 2, "save": { "includeText": true } } });
    let (server, mut fake) = start_fake(more, capabilities).await;
    server.sync_document(&subject("/root folder/ä.rs", "one\ntwo\nthree\n"), "rust");
    let uri = "file:///root%20folder/%C3%A4.rs";
    let opened = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": "one\ntwo\nthree\n" });
    assert_eq!(fake.expect("textDocument/didOpen").await, json!({ "textDocument": opened }));
    server.sync_document(&subject("/root folder/ä.rs", "one\ntwo\nthree\n"), "rust");
    server.sync_document(&subject("/root folder/ä.rs", "𝄞one\ntwo\nthree!\n"), "rust");
    let place = |line: u32, character: u32| json!({ "line": line, "character": character });
    let edits = json!([
        { "range": { "start": place(2, 5), "end": place(2, 5) }, "text": "!" },
        { "range": { "start": place(0, 0), "end": place(0, 0) }, "text": "𝄞" },
    ]);
    let changed = json!({
        "textDocument": { "uri": uri, "version": 2 }, "contentChanges": edits, "wantDiagnostics": true,
    });
    assert_eq!(fake.expect("textDocument/didChange").await, changed);
    server.did_save(Path::new("/root folder/ä.rs"));
    let saved = json!({ "textDocument": { "uri": uri }, "text": "𝄞one\ntwo\nthree!\n" });
    assert_eq!(fake.expect("textDocument/didSave").await, saved);
    assert_eq!(server.open_paths(), [Path::new("/root folder/ä.rs")]);
    server.close(Path::new("/root folder/ä.rs"));
    assert_eq!(fake.expect("textDocument/didClose").await, json!({ "textDocument": { "uri": uri } }));
    server.close(Path::new("/root folder/ä.rs"));
    server.did_save(Path::new("/root folder/ä.rs"));
    server.sync_document(&subject("/root folder/ä.rs", ""), "rust");
    assert_eq!(
        fake.expect("textDocument/didOpen").await["textDocument"]["version"],
        3,
        "no version is used twice"
    );
    server.sync_document(&subject("/root folder/ä.rs", ""), "markdown");
    fake.expect("textDocument/didClose").await;
    assert_eq!(fake.expect("textDocument/didOpen").await["textDocument"]["languageId"], "markdown");
}

#[tokio::test]
async fn a_server_that_wants_no_changes_gets_close_and_open() {
    let (server, mut fake) =
        start_fake(json!({}), json!({ "textDocumentSync": { "openClose": true } })).await;
    server.sync_document(&subject("/a", "1"), "c");
    server.sync_document(&subject("/a", "2"), "c");
    server.did_save(Path::new("/a"));
    fake.expect("textDocument/didOpen").await;
    fake.expect("textDocument/didClose").await;
    assert_eq!(fake.expect("textDocument/didOpen").await["textDocument"]["text"], "2");
    server.close(Path::new("/a"));
    fake.expect("textDocument/didClose").await;
}

#[tokio::test]
async fn only_watched_files_are_sent() {
    let (server, mut fake) = start_push(json!({})).await;
    server.did_change_watched_files(&[("/root folder/a.ts".into(), FileChangeType::Changed)]);
    let watchers = json!([{ "globPattern": "**/*.ts", "kind": 6 }]);
    let registration = json!({ "id": "1", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers } });
    fake.send(json!({ "id": 1, "method": "client/registerCapability", "params": { "registrations": [registration] } })).await;
    assert_eq!(fake.next().await["id"], 1);
    let all = ["a.ts", "b.ts", "c.ts", "d.js"].map(|name| Path::new("/root folder").join(name));
    let kinds =
        [FileChangeType::Changed, FileChangeType::Created, FileChangeType::Deleted, FileChangeType::Changed];
    server.did_change_watched_files(&all.into_iter().zip(kinds).collect::<Vec<_>>());
    let changes = json!([
        { "uri": "file:///root%20folder/a.ts", "type": 2 }, { "uri": "file:///root%20folder/c.ts", "type": 3 },
    ]);
    assert_eq!(fake.expect("workspace/didChangeWatchedFiles").await, json!({ "changes": changes }));
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let pieces = prop_oneof![
        Just("a"),
        Just("b\n"),
        Just("ä"),
        Just("𝄞"),
        Just("\r\n"),
        Just("\r"),
        Just("line\n"),
        Just("\n")
    ];
    prop::collection::vec(prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()), 1..6)
}

proptest! {
    #[test]
    fn a_server_that_applies_the_edits_has_the_text(texts in texts()) {
        let mut documents = ServerDocuments::default();
        let (now, none) = (Instant::now(), serde_json::Map::new());
        let mut theirs: Option<Document> = None;
        for text in &texts {
            let how = (TextSyncKind::Incremental, &none);
            let mut messages = documents.sync(&subject("/a", text), "x", how, (now, 0));
            // The resend uses ranges too: not every server with incremental sync accepts a text without a range.
            messages.extend(documents.resend_text(Path::new("/a"), how, now));
            for (method, params) in messages {
                if method == "textDocument/didOpen" {
                    theirs = Some(Document::new(params["textDocument"]["text"].as_str().unwrap(), LineBreaks::Any));
                    continue;
                }
                let place = |value: &Value| Position::new(
                    u32::try_from(value["line"].as_u64().unwrap()).unwrap(),
                    u32::try_from(value["character"].as_u64().unwrap()).unwrap(),
                );
                for edit in params["contentChanges"].as_array().unwrap() {
                    let range = (place(&edit["range"]["start"]), place(&edit["range"]["end"]));
                    let text = edit["text"].as_str().unwrap();
                    theirs.as_mut().unwrap().apply_content_change(Some(range), text, PositionEncoding::Utf16).unwrap();
                }
            }
            prop_assert_eq!(theirs.as_ref().unwrap().text(), text.as_str());
        }
    }
}
