//! Servers that have to index the project first.

use serde_json::json;
use tokio::time::timeout;

use super::super::*;
use super::fake_server::{self, check, full, sleep_ms, start_pull, start_push, subject};

#[tokio::test(start_paused = true)]
async fn every_check_waits_while_the_server_indexes() {
    let ready = json!({ "progressEnds": { "titles": ["Indexing"], "beginsMs": 2000 } });
    let (server, mut fake) = start_pull(json!({ "ready": ready })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let mut states = server.subscribe_state();
    fake.progress("i", json!({ "kind": "begin", "title": "Indexing" })).await;
    fake.progress("i", json!({ "kind": "report", "message": "3/7 crates", "percentage": 42.9 })).await;
    fake.progress("other", json!({ "kind": "begin", "title": "Formatting" })).await;
    let state =
        LanguageServerState::Indexing { message: Some("Indexing: 3/7 crates".into()), percent: Some(42) };
    timeout(Duration::from_secs(1), states.wait_for(|seen| *seen == state)).await.unwrap().unwrap();
    for _ in 0..2 {
        assert_eq!(
            check(&server, "/a").await,
            ("unknown: it is still reading the project: Indexing: 3/7 crates (42 %)".into(), 3000)
        );
    }
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(2000).await;
        fake.progress("i", json!({ "kind": "end" })).await;
        fake.respond("textDocument/diagnostic", full(&["x"])).await;
    });
    assert_eq!(verdict, ("proven: x".into(), 2000));
}

/// The check waits until it is known whether the server has to index.
#[tokio::test(start_paused = true)]
async fn a_server_without_indexing_is_ready_after_the_time_to_begin_it() {
    let ready = json!({ "progressEnds": { "beginsMs": 2000 } });
    let (server, mut fake) = start_pull(json!({ "ready": ready })).await;
    assert_eq!(server.state(), LanguageServerState::Indexing { message: None, percent: None });
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let mut states = server.subscribe_state();
    let (verdict, _) =
        tokio::join!(check(&server, "/a"), fake.respond("textDocument/diagnostic", full(&["x"])));
    assert_eq!(verdict, ("proven: x".into(), 2000));
    states.wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
}

/// rust-analyzer answers `full` with no items while it loads: the worst possible answer.
#[tokio::test(start_paused = true)]
async fn an_empty_report_while_the_server_loads_does_not_count() {
    let (server, mut fake) = start_pull(json!({ "ready": "serverStatus" })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    assert_eq!(
        check(&server, "/a").await,
        ("unknown: it has not said in time whether it has read the project".into(), 3000)
    );
    let status = |quiescent: bool| json!({ "health": "ok", "quiescent": quiescent, "message": "loading" });
    fake.notify("experimental/serverStatus", status(true)).await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        let asked = fake.next().await;
        fake.notify("experimental/serverStatus", status(false)).await;
        fake.send(json!({ "id": asked["id"], "result": full(&[]) })).await;
    });
    assert_eq!(verdict, ("unknown: it is still reading the project: loading".into(), 3000));
    fake.notify("experimental/serverStatus", json!({ "quiescent": "odd" })).await;
    assert_eq!(check(&server, "/a").await.1, 3000);
}

fn status(quiescent: bool) -> Value {
    json!({ "quiescent": quiescent })
}

/// A server that has reported ready, with `/a` open.
async fn ready_by_status() -> (Arc<LanguageServer>, fake_server::FakeServer) {
    let (server, mut fake) = start_pull(json!({ "ready": "serverStatus" })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    fake.notify("experimental/serverStatus", status(true)).await;
    sleep_ms(10).await;
    (server, fake)
}

/// A server reindexes when a file is created.
#[tokio::test(start_paused = true)]
async fn a_check_waits_for_a_reindexing() {
    let (server, mut fake) = ready_by_status().await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        let asked = fake.next().await;
        fake.notify("experimental/serverStatus", status(false)).await;
        fake.send(json!({ "id": asked["id"], "result": full(&[]) })).await;
        sleep_ms(800).await;
        fake.notify("experimental/serverStatus", status(true)).await;
        fake.respond("textDocument/diagnostic", full(&["x"])).await;
    });
    assert_eq!(verdict, ("proven: x".into(), 800));
}

/// An editor counts a short reload as part of its work, unless the last one was long.
#[tokio::test(start_paused = true)]
async fn a_reindexing_is_short_unless_the_last_one_was_long() {
    let ready = json!({ "progressEnds": { "titles": ["Indexing"], "beginsMs": 0 } });
    let (server, mut fake) = start_pull(json!({ "ready": ready })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let begin = || json!({ "kind": "begin", "title": "Indexing" });
    fake.progress("i", begin()).await;
    sleep_ms(10).await;
    assert!(!is_reloading_briefly(&server));
    fake.progress("i", json!({ "kind": "end" })).await;
    sleep_ms(300).await;
    fake.progress("i", begin()).await;
    sleep_ms(800).await;
    assert!(is_reloading_briefly(&server));
    fake.progress("i", json!({ "kind": "end" })).await;
    // The next reload is long in sum: two phases, each of which is short.
    sleep_ms(300).await;
    for _ in 0..2 {
        fake.progress("i", begin()).await;
        sleep_ms(2000).await;
        fake.progress("i", json!({ "kind": "end" })).await;
        sleep_ms(10).await;
    }
    sleep_ms(300).await;
    fake.progress("i", begin()).await;
    sleep_ms(10).await;
    assert!(!is_reloading_briefly(&server));
}

fn is_reloading_briefly(server: &LanguageServer) -> bool {
    server.inner.lock().readiness.ready_again_by(Instant::now()).is_some()
}

/// A server loads the project in phases. Its first pause is not the end, and the next phase is no reload.
#[tokio::test(start_paused = true)]
async fn a_phase_of_the_first_reading_is_no_short_reload() {
    let ready = json!({ "progressEnds": { "titles": ["Indexing"], "beginsMs": 0 } });
    let (server, mut fake) = start_pull(json!({ "ready": ready })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    for _ in 0..2 {
        fake.progress("i", json!({ "kind": "begin", "title": "Indexing" })).await;
        sleep_ms(50).await;
        assert!(!is_reloading_briefly(&server));
        fake.progress("i", json!({ "kind": "end" })).await;
        sleep_ms(50).await;
    }
}

/// The server reindexed and finished before the daemon had read either message.
#[tokio::test(start_paused = true)]
async fn a_response_during_a_reindexing_does_not_count_however_short_it_was() {
    let (server, mut fake) = ready_by_status().await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        let asked = fake.next().await;
        sleep_ms(5).await;
        fake.notify("experimental/serverStatus", status(false)).await;
        fake.send(json!({ "id": asked["id"], "result": full(&[]) })).await;
        fake.notify("experimental/serverStatus", status(true)).await;
        fake.respond("textDocument/diagnostic", full(&["x"])).await;
    });
    assert_eq!(verdict, ("proven: x".into(), 5));
}

/// A publish during indexing proves nothing; a later one does.
#[tokio::test(start_paused = true)]
async fn a_publish_from_before_ready_settles_only_from_ready_on() {
    let ready = json!({ "progressEnds": { "beginsMs": 100 } });
    let quirks = json!({ "ready": ready, "partialFirst": true, "republishMs": 1000 });
    let (server, mut fake) = start_push(quirks).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.next_version().await;
    fake.progress("i", json!({ "kind": "begin", "title": "Indexing" })).await;
    fake.publish("/a", version, &[]).await;
    fake.publish("/a", version, &[]).await;
    sleep_ms(5000).await;
    fake.progress("i", json!({ "kind": "end" })).await;
    sleep_ms(1).await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(600).await;
        fake.publish("/a", version, &["found"]).await;
    });
    assert_eq!(verdict, ("proven: found".into(), 1600));
}
