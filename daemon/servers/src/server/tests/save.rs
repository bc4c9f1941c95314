//! Diagnostics that only a save causes.

use serde_json::json;
use tokio::time::Instant;

use super::super::*;
use super::fake_server::{
    self, NO_FILES, after, check, full, sleep_ms, start_fake, subject, summaries, summary,
};
use copydesk_workspace::disk_watcher::FileChangeType;

/// Like rust-analyzer: it answers pulls with its own diagnostics, and publishes the compiler's after a save.
async fn start_compiling() -> (Arc<LanguageServer>, fake_server::FakeServer) {
    let quirks = json!({ "saveSources": ["rustc"], "saveTokens": ["check/"], "saveBeginsMs": 500, "dirtyDependents": "mustRequest" });
    let sync = json!({ "change": 1, "save": true });
    start_fake(quirks, json!({ "textDocumentSync": sync, "diagnosticProvider": {} })).await
}

/// The same, with `/a` opened and saved.
async fn start_compiling_and_save_a() -> (Arc<LanguageServer>, fake_server::FakeServer) {
    let (server, mut fake) = start_compiling().await;
    server.sync_document(&subject("/a", "1"), "rust");
    server.did_save(Path::new("/a"));
    fake.next().await;
    fake.expect("textDocument/didSave").await;
    (server, fake)
}

async fn check_saved(server: &LanguageServer, path: &str) -> (Option<String>, u128) {
    let start = Instant::now();
    let verdict = server.check_saved(Path::new(path), after(3000)).await;
    (verdict.map(|verdict| summary(&verdict)), start.elapsed().as_millis())
}

#[tokio::test(start_paused = true)]
async fn compiler_diagnostics_are_separate_and_dropped_when_the_file_changes() {
    let (server, mut fake) = start_compiling().await;
    server.sync_document(&subject("/a", "1"), "rust");
    fake.next_version().await;
    server.did_save(Path::new("/a"));
    fake.expect("textDocument/didSave").await;
    let (verdict, ()) = tokio::join!(check_saved(&server, "/a"), async {
        sleep_ms(90).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        sleep_ms(1000).await;
        fake.publish("/a", 1, &["rustc: borrowed", "native"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        fake.respond("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(verdict, (Some("proven: rustc: borrowed".into()), 1110));
    let answer = full(&["native", "rustc: from an unknown run"]);
    let (verdict, _) = tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", answer));
    assert_eq!(verdict.0, "proven: native");
    server.sync_document(&subject("/a", "2"), "rust");
    let version = fake.next_version().await;
    // The server repeats it under the new version.
    fake.publish("/a", version, &["rustc: borrowed"]).await;
    let changed = "unknown: it is said of what was saved, and the text is another";
    assert_eq!(check_saved(&server, "/a").await, (Some(changed.into()), 0));
    assert_eq!(check_saved(&server, "/b").await, (Some(changed.into()), 0));
}

#[tokio::test(start_paused = true)]
async fn the_last_diagnostics_of_a_run_may_come_after_its_end() {
    let (server, mut fake) = start_compiling_and_save_a().await;
    let (verdict, ()) = tokio::join!(check_saved(&server, "/a"), async {
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        let asked = fake.next().await;
        // Another thread of the server has not published yet.
        sleep_ms(300).await;
        fake.send(json!({ "id": asked["id"], "result": full(&[]) })).await;
        sleep_ms(200).await;
        fake.publish("/a", 1, &["rustc: borrowed"]).await;
    });
    assert_eq!(verdict, (Some("proven: rustc: borrowed".into()), 600));
}

/// The run ends when hardly any time is left.
#[tokio::test(start_paused = true)]
async fn a_run_whose_last_diagnostics_cannot_be_awaited_is_unknown() {
    let (server, mut fake) = start_compiling_and_save_a().await;
    let (verdict, ()) = tokio::join!(check_saved(&server, "/a"), async {
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        sleep_ms(2700).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        fake.next().await;
    });
    assert_eq!(verdict, (Some("unknown: what follows the save had not come in time".into()), 3000));
}

#[tokio::test(start_paused = true)]
async fn the_run_of_an_earlier_save_does_not_count() {
    let (server, mut fake) = start_compiling_and_save_a().await;
    sleep_ms(50).await;
    server.sync_document(&subject("/a", "2"), "rust");
    server.did_save(Path::new("/a"));
    fake.next().await;
    assert!(server.needs_save());
    let (verdict, ()) = tokio::join!(check_saved(&server, "/a"), async {
        sleep_ms(40).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        sleep_ms(1).await;
        // It gets the second save only now, and aborts the run for the first.
        fake.expect("textDocument/didSave").await;
        fake.publish("/a", 2, &["rustc: for the text before"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        // On a busy machine.
        sleep_ms(900).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        sleep_ms(100).await;
        fake.publish("/a", 2, &["rustc: for this text"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        fake.respond("textDocument/diagnostic", full(&[])).await;
    });
    assert_eq!(verdict, (Some("proven: rustc: for this text".into()), 1061));
    assert!(!server.needs_save());
}

#[tokio::test(start_paused = true)]
async fn a_delayed_save_does_not_cover_a_text_that_came_meanwhile() {
    let (server, mut fake) = start_compiling_and_save_a().await;
    server.sync_document(&subject("/a", "2"), "rust");
    server.did_save(Path::new("/a"));
    server.sync_document(&subject("/a", "3"), "rust");
    fake.next().await;
    fake.next().await;
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    sleep_ms(1).await;
    let changed = "unknown: it is said of what was saved, and the text is another";
    assert_eq!(check_saved(&server, "/a").await, (Some(changed.into()), 0));
    fake.expect("textDocument/didSave").await;
    assert!(!server.needs_save(), "the save was sent");
    fake.progress("check/0", json!({ "kind": "end" })).await;
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    fake.publish("/a", 2, &["rustc: for the saved text"]).await;
    fake.progress("check/0", json!({ "kind": "end" })).await;
    sleep_ms(1000).await;
    assert_eq!(check_saved(&server, "/a").await, (Some(changed.into()), 0));
    server.sync_document(&CheckedDocument { is_saved: true, ..subject("/a", "2") }, "rust");
    assert!(server.needs_save());
}

#[tokio::test(start_paused = true)]
async fn the_run_after_indexing_is_not_taken_for_the_run_of_a_save() {
    let quirks = json!({ "ready": "serverStatus", "saveSources": ["rustc"], "saveTokens": ["check/"], "saveBeginsMs": 500 });
    let sync = json!({ "change": 1, "save": true });
    let (server, mut fake) = start_fake(quirks, json!({ "textDocumentSync": sync })).await;
    server.sync_document(&subject("/a", "1"), "rust");
    fake.next().await;
    fake.notify("experimental/serverStatus", json!({ "quiescent": true })).await;
    sleep_ms(10).await;
    server.did_save(Path::new("/a"));
    let (verdict, ()) = tokio::join!(check_saved(&server, "/a"), async {
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        sleep_ms(1).await;
        fake.expect("textDocument/didSave").await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
        sleep_ms(500).await;
        fake.progress("check/0", json!({ "kind": "begin" })).await;
        fake.publish("/a", 1, &["rustc: borrowed"]).await;
        fake.progress("check/0", json!({ "kind": "end" })).await;
    });
    assert_eq!(verdict, (Some("proven: rustc: borrowed".into()), 701));
}

#[tokio::test(start_paused = true)]
async fn a_save_without_a_run_is_waited_for_once_and_unknown() {
    let (server, mut fake) = start_compiling().await;
    server.sync_document(&subject("/a", "1"), "rust");
    server.did_save(Path::new("/a"));
    let nothing = Some("unknown: nothing has followed the save yet".to_owned());
    assert_eq!(check_saved(&server, "/a").await, (nothing.clone(), 1500));
    server.did_save(Path::new("/a"));
    assert_eq!(check_saved(&server, "/a").await, (nothing, 0));
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    sleep_ms(10).await;
    let late = "unknown: what follows the save had not come in time";
    assert_eq!(check_saved(&server, "/a").await, (Some(late.into()), 3000));
    let (server, _fake) = fake_server::start_push(json!({})).await;
    assert_eq!(check_saved(&server, "/a").await, (None, 0));
}

#[tokio::test(start_paused = true)]
async fn compiler_diagnostics_for_other_files_count_unless_those_changed() {
    let (server, mut fake) = start_compiling().await;
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
    fake.publish("/dirty", json!(null), &["rustc: for its old text"]).await;
    fake.publish("/clean", json!(null), &["rustc: for its text"]).await;
    sleep_ms(10).await;
    let (others, ()) = tokio::join!(server.check_other_files(mark, &NO_FILES, after(1000)), async {
        fake.respond("textDocument/diagnostic", full(&["clean itself"])).await;
        fake.respond("textDocument/diagnostic", full(&["dirty itself"])).await;
    });
    let expected =
        ["/clean proven: clean itself", "/closed likely: closed itself", "/dirty proven: dirty itself"];
    assert_eq!(summaries(&others), expected);
    assert_eq!(server.other_files_on_save(mark), [], "the compiler still runs");
    fake.progress("check/0", json!({ "kind": "end" })).await;
    let (verdict, _) =
        tokio::join!(check_saved(&server, "/a"), fake.respond("textDocument/diagnostic", full(&[])));
    assert_eq!(verdict.0, Some("proven:".into()));
    let expected = ["/clean proven: rustc: for its text", "/closed proven: rustc: here too"];
    assert_eq!(summaries(&server.other_files_on_save(mark)), expected);
    sleep_ms(200).await;
    let past: Vec<_> = server.published_snapshot().on_save.unwrap().into_keys().collect();
    assert_eq!(past, [Path::new("/clean"), Path::new("/closed")]);
    server.sync_document(&CheckedDocument { is_saved: true, ..subject("/closed", "1") }, "rust");
    assert!(
        server.published_snapshot().on_save.unwrap().contains_key(Path::new("/closed")),
        "it is about the disk"
    );
}

/// A server with `/a` and `/b`, after a save and the end of its run.
async fn start_compiled() -> (Arc<LanguageServer>, fake_server::FakeServer) {
    let (server, mut fake) = start_compiling().await;
    for path in ["/a", "/b"] {
        server.sync_document(&CheckedDocument { is_saved: true, ..subject(path, "1") }, "rust");
        fake.next_version().await;
    }
    server.did_save(Path::new("/a"));
    fake.expect("textDocument/didSave").await;
    fake.progress("check/0", json!({ "kind": "begin" })).await;
    fake.progress("check/0", json!({ "kind": "end" })).await;
    let (verdict, _) =
        tokio::join!(check_saved(&server, "/a"), fake.respond("textDocument/diagnostic", full(&[])));
    assert_eq!(verdict.0, Some("proven:".into()));
    assert!(!server.needs_save());
    sleep_ms(1000).await;
    (server, fake)
}

#[tokio::test(start_paused = true)]
async fn a_proposed_text_that_was_restored_counts_as_not_written() {
    let (server, mut fake) = start_compiled().await;
    let true_text = CheckedDocument { is_saved: true, ..subject("/b", "1") };
    let before = server.sync_proposed(&subject("/b", "2"), "rust");
    server.restore_document(&true_text, "rust", before.as_deref().map(String::as_str));
    fake.next_version().await;
    fake.next_version().await;
    // The same for a file that was not open before.
    assert_eq!(server.sync_proposed(&subject("/c", "2"), "rust"), None);
    server.close(Path::new("/c"));
    assert!(!server.needs_save());
    assert!(server.published_snapshot().on_save.is_some());
    assert_eq!(check_saved(&server, "/a").await, (Some("proven:".into()), 0));
    // But a text that the server had as unsaved counts as written.
    server.sync_document(&subject("/b", "3"), "rust");
    let before = server.sync_proposed(&subject("/b", "2"), "rust");
    assert_eq!(before, None);
    server.restore_document(&CheckedDocument { is_saved: true, ..subject("/b", "3") }, "rust", None);
    assert!(server.needs_save());
    assert_eq!(server.published_snapshot().on_save, None);
}

#[tokio::test(start_paused = true)]
async fn after_another_write_the_compiler_diagnostics_are_unknown() {
    let late = Some("unknown: nothing has followed the save yet".to_owned());
    for writing in 0..3 {
        let (server, mut fake) = start_compiled().await;
        match writing {
            0 => server.did_change_watched_files(&[("/old".into(), FileChangeType::Deleted)]),
            // A shell command writes an open file.
            1 => server.sync_document(&CheckedDocument { is_saved: true, ..subject("/b", "2") }, "rust"),
            _ => {
                server.sync_document(&subject("/b", "2"), "rust");
                assert_eq!(
                    check_saved(&server, "/a").await.0,
                    Some("proven:".into()),
                    "it is not on the disk"
                );
                server.sync_document(&CheckedDocument { is_saved: true, ..subject("/b", "2") }, "rust");
            }
        }
        assert!(server.needs_save());
        assert_eq!(server.published_snapshot().on_save, None);
        assert_eq!(check_saved(&server, "/a").await, (late.clone(), 1500), "{writing}");
        server.did_save(Path::new("/a"));
        assert!(!server.needs_save());
        let (verdict, ()) = tokio::join!(check_saved(&server, "/a"), async {
            // The run begins later than usual.
            sleep_ms(900).await;
            fake.progress("check/0", json!({ "kind": "begin" })).await;
            fake.publish("/a", json!(null), &["rustc: broken"]).await;
            fake.progress("check/0", json!({ "kind": "end" })).await;
            let mut asked = json!(null);
            while asked["method"] != "textDocument/diagnostic" {
                asked = fake.next().await;
            }
            fake.send(json!({ "id": asked["id"], "result": full(&[]) })).await;
        });
        assert_eq!(verdict.0, Some("proven: rustc: broken".into()), "{writing}");
    }
}
