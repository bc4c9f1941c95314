//! What follows a save alone.

use serde_json::json;
use tokio::time::Instant;

use super::super::*;
use super::fake_server::{self, after, check, full, pass, short, shorts, started, subject};

/// As rust-analyzer: its own diagnostics by question, those of the compiler published after a save.
async fn compiling() -> (Arc<LanguageServer>, fake_server::Fake) {
    let quirks = json!({ "savesFor": ["rustc"], "saveTokens": ["check/"], "saveBeginsMs": 500, "dirtyDependents": "asked" });
    let sync = json!({ "change": 1, "save": true });
    started(quirks, json!({ "textDocumentSync": sync, "diagnosticProvider": {} })).await
}

/// The same, and `/a` was opened and saved.
async fn compiling_a() -> (Arc<LanguageServer>, fake_server::Fake) {
    let (server, mut fake) = compiling().await;
    server.sync_document(&subject("/a", "1"), "rust");
    server.did_save(Path::new("/a"));
    fake.next().await;
    fake.expect("textDocument/didSave").await;
    (server, fake)
}

async fn saved(server: &LanguageServer, path: &str) -> (Option<String>, u128) {
    let start = Instant::now();
    let said = server.check_saved(Path::new(path), after(3000)).await;
    (said.map(|said| short(&said)), start.elapsed().as_millis())
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_save_is_kept_apart_and_dropped_when_the_file_is_changed() {
    let (server, mut fake) = compiling().await;
    server.sync_document(&subject("/a", "1"), "rust");
    fake.version().await;
    server.did_save(Path::new("/a"));
    fake.expect("textDocument/didSave").await;
    let (said, ()) = tokio::join!(saved(&server, "/a"), async {
        pass(90).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        pass(1000).await;
        fake.publish("/a", 1, &["rustc: borrowed", "native"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        fake.answer("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(said, (Some("proven: rustc: borrowed".into()), 1110));
    let answer = full(&["native", "rustc: of who knows when"]);
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", answer));
    assert_eq!(said.0, "proven: native");
    server.sync_document(&subject("/a", "2"), "rust");
    let version = fake.version().await;
    // Carried along under a new version.
    fake.publish("/a", version, &["rustc: borrowed"]).await;
    let changed = "unknown: it is said of what was saved, and the text is another";
    assert_eq!(saved(&server, "/a").await, (Some(changed.into()), 0));
    assert_eq!(saved(&server, "/b").await, (Some(changed.into()), 0));
}

#[tokio::test(start_paused = true)]
async fn what_a_run_found_last_may_come_after_its_end() {
    let (server, mut fake) = compiling_a().await;
    let (said, ()) = tokio::join!(saved(&server, "/a"), async {
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        let asked = fake.next().await;
        // Another thread has not come to it yet.
        pass(300).await;
        fake.say(json!({ "id": asked["id"], "result": full(&[]) })).await;
        pass(200).await;
        fake.publish("/a", 1, &["rustc: borrowed"]).await;
    });
    assert_eq!(said, (Some("proven: rustc: borrowed".into()), 600));
}

/// It ends when there is hardly any time left.
#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_be_heard_out_is_not_known() {
    let (server, mut fake) = compiling_a().await;
    let (said, ()) = tokio::join!(saved(&server, "/a"), async {
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        pass(2700).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        fake.next().await;
    });
    assert_eq!(said, (Some("unknown: what follows the save had not come in time".into()), 3000));
}

#[tokio::test(start_paused = true)]
async fn the_run_of_the_save_before_is_not_taken_for_its_own() {
    let (server, mut fake) = compiling_a().await;
    pass(50).await;
    server.sync_document(&subject("/a", "2"), "rust");
    server.did_save(Path::new("/a"));
    fake.next().await;
    assert!(server.needs_save());
    let (said, ()) = tokio::join!(saved(&server, "/a"), async {
        pass(40).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        pass(1).await;
        // It is told of the second save only now, and breaks off what it does for the first.
        fake.expect("textDocument/didSave").await;
        fake.publish("/a", 2, &["rustc: of the text before"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        // On a busy machine.
        pass(900).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        pass(100).await;
        fake.publish("/a", 2, &["rustc: of this text"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        fake.answer("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(said, (Some("proven: rustc: of this text".into()), 1061));
    assert!(!server.needs_save());
}

#[tokio::test(start_paused = true)]
async fn a_save_that_is_told_later_is_not_of_a_text_that_came_meanwhile() {
    let (server, mut fake) = compiling_a().await;
    server.sync_document(&subject("/a", "2"), "rust");
    server.did_save(Path::new("/a"));
    server.sync_document(&subject("/a", "3"), "rust");
    fake.next().await;
    fake.next().await;
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    pass(1).await;
    let changed = "unknown: it is said of what was saved, and the text is another";
    assert_eq!(saved(&server, "/a").await, (Some(changed.into()), 0));
    fake.expect("textDocument/didSave").await;
    assert!(!server.needs_save(), "it was told");
    fake.progress("check/0", json!({ "kind": "end" })).await;
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    fake.publish("/a", 2, &["rustc: of what was saved"]).await;
    fake.progress("check/0", json!({ "kind": "end" })).await;
    pass(1000).await;
    assert_eq!(saved(&server, "/a").await, (Some(changed.into()), 0));
    server.sync_document(&CheckedDocument { is_saved: true, ..subject("/a", "2") }, "rust");
    assert!(server.needs_save());
}

#[tokio::test(start_paused = true)]
async fn what_it_looks_at_when_it_has_read_the_project_is_not_taken_for_what_follows_a_save() {
    let quirks = json!({ "ready": "serverStatus", "savesFor": ["rustc"], "saveTokens": ["check/"], "saveBeginsMs": 500 });
    let sync = json!({ "change": 1, "save": true });
    let (server, mut fake) = started(quirks, json!({ "textDocumentSync": sync })).await;
    server.sync_document(&subject("/a", "1"), "rust");
    fake.next().await;
    fake.tell("experimental/serverStatus", json!({ "quiescent": true })).await;
    pass(10).await;
    server.did_save(Path::new("/a"));
    let (said, ()) = tokio::join!(saved(&server, "/a"), async {
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        pass(1).await;
        fake.expect("textDocument/didSave").await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        pass(500).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        fake.publish("/a", 1, &["rustc: borrowed"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
    });
    assert_eq!(said, (Some("proven: rustc: borrowed".into()), 701));
}

#[tokio::test(start_paused = true)]
async fn where_nothing_follows_a_save_it_is_waited_for_once_and_told() {
    let (server, mut fake) = compiling().await;
    server.sync_document(&subject("/a", "1"), "rust");
    server.did_save(Path::new("/a"));
    let nothing = Some("unknown: nothing has followed the save yet".to_owned());
    assert_eq!(saved(&server, "/a").await, (nothing.clone(), 1500));
    server.did_save(Path::new("/a"));
    assert_eq!(saved(&server, "/a").await, (nothing, 0));
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    pass(10).await;
    let late = "unknown: what follows the save had not come in time";
    assert_eq!(saved(&server, "/a").await, (Some(late.into()), 3000));
    let (server, _fake) = fake_server::plain(json!({})).await;
    assert_eq!(saved(&server, "/a").await, (None, 0));
}

#[tokio::test(start_paused = true)]
async fn of_other_files_it_is_told_unless_they_were_changed() {
    let (server, mut fake) = compiling().await;
    server.sync_document(&subject("/dirty", "1"), "rust");
    server.sync_document(&CheckedDocument { is_saved: true, ..subject("/clean", "1") }, "rust");
    let mark = server.event_mark();
    server.sync_document(&subject("/a", "1"), "rust");
    server.did_save(Path::new("/a"));
    for _ in 0..4 {
        fake.next().await;
    }
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    fake.publish("/closed", json!(null), &["rustc: here too", "closed itself"]).await;
    fake.publish("/dirty", json!(null), &["rustc: of its old text"]).await;
    fake.publish("/clean", json!(null), &["rustc: of its text"]).await;
    pass(10).await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, after(1000)), async {
        fake.answer("textDocument/diagnostic", full(&["clean itself"])).await;
        fake.answer("textDocument/diagnostic", full(&["dirty itself"])).await;
    });
    let expected =
        ["/clean proven: clean itself", "/closed likely: closed itself", "/dirty proven: dirty itself"];
    assert_eq!(shorts(&others), expected);
    assert_eq!(server.other_files_on_save(mark), [], "the compiler still works");
    fake.progress("check/0", json!({ "kind": "end" })).await;
    let (said, _) = tokio::join!(saved(&server, "/a"), fake.answer("textDocument/diagnostic", full(&[])));
    assert_eq!(said.0, Some("proven:".into()));
    let expected = ["/clean proven: rustc: of its text", "/closed proven: rustc: here too"];
    assert_eq!(shorts(&server.other_files_on_save(mark)), expected);
    pass(200).await;
    let past: Vec<_> = server.published_snapshot().on_save.unwrap().into_keys().collect();
    assert_eq!(past, [Path::new("/clean"), Path::new("/closed")]);
    server.sync_document(&CheckedDocument { is_saved: true, ..subject("/closed", "1") }, "rust");
    assert!(
        server.published_snapshot().on_save.unwrap().contains_key(Path::new("/closed")),
        "it is said of the disk"
    );
}

/// Saved, and followed by a run that has ended.
async fn compiled() -> (Arc<LanguageServer>, fake_server::Fake) {
    let (server, mut fake) = compiling().await;
    for path in ["/a", "/b"] {
        server.sync_document(&CheckedDocument { is_saved: true, ..subject(path, "1") }, "rust");
        fake.version().await;
    }
    server.did_save(Path::new("/a"));
    fake.expect("textDocument/didSave").await;
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    fake.progress("check/0", json!({ "kind": "end" })).await;
    let (said, _) = tokio::join!(saved(&server, "/a"), fake.answer("textDocument/diagnostic", full(&[])));
    assert_eq!(said.0, Some("proven:".into()));
    assert!(!server.needs_save());
    pass(1000).await;
    (server, fake)
}

#[tokio::test(start_paused = true)]
async fn a_text_that_was_lent_and_given_back_was_not_written() {
    let (server, mut fake) = compiled().await;
    let true_text = CheckedDocument { is_saved: true, ..subject("/b", "1") };
    let before = server.sync_proposed(&subject("/b", "2"), "rust");
    server.restore_document(&true_text, "rust", before.as_deref().map(String::as_str));
    fake.version().await;
    fake.version().await;
    // Nor is one that was not held before.
    assert_eq!(server.sync_proposed(&subject("/c", "2"), "rust"), None);
    server.close(Path::new("/c"));
    assert!(!server.needs_save());
    assert!(server.published_snapshot().on_save.is_some());
    assert_eq!(saved(&server, "/a").await, (Some("proven:".into()), 0));
    // But one is that it did not have as the disk's.
    server.sync_document(&subject("/b", "3"), "rust");
    let before = server.sync_proposed(&subject("/b", "2"), "rust");
    assert_eq!(before, None);
    server.restore_document(&CheckedDocument { is_saved: true, ..subject("/b", "3") }, "rust", None);
    assert!(server.needs_save());
    assert_eq!(server.published_snapshot().on_save, None);
}

#[tokio::test(start_paused = true)]
async fn what_followed_a_save_is_not_known_any_more_when_something_else_was_written() {
    let late = Some("unknown: nothing has followed the save yet".to_owned());
    for writing in 0..3 {
        let (server, mut fake) = compiled().await;
        match writing {
            0 => server.did_change_watched_files(&[("/old".into(), FileChangeType::Deleted)]),
            // By a shell, although it is open.
            1 => server.sync_document(&CheckedDocument { is_saved: true, ..subject("/b", "2") }, "rust"),
            _ => {
                server.sync_document(&subject("/b", "2"), "rust");
                assert_eq!(saved(&server, "/a").await.0, Some("proven:".into()), "it is not on the disk");
                server.sync_document(&CheckedDocument { is_saved: true, ..subject("/b", "2") }, "rust");
            }
        }
        assert!(server.needs_save());
        assert_eq!(server.published_snapshot().on_save, None);
        assert_eq!(saved(&server, "/a").await, (late.clone(), 1500), "{writing}");
        server.did_save(Path::new("/a"));
        assert!(!server.needs_save());
        let (said, ()) = tokio::join!(saved(&server, "/a"), async {
            // Later than it usually begins.
            pass(900).await;
            fake.progress("check/0", json!({ "kind": "begin" })).await;
            fake.publish("/a", json!(null), &["rustc: broken"]).await;
            fake.progress("check/0", json!({ "kind": "end" })).await;
            let mut asked = json!(null);
            while asked["method"] != "textDocument/diagnostic" {
                asked = fake.next().await;
            }
            fake.say(json!({ "id": asked["id"], "result": full(&[]) })).await;
        });
        assert_eq!(said.0, Some("proven: rustc: broken".into()), "{writing}");
    }
}
