//! Servers that have to read the project first.

use serde_json::json;
use tokio::time::timeout;

use super::super::*;
use super::fake_server::{self, check, full, pass, plain, pulling, subject};

#[tokio::test(start_paused = true)]
async fn while_it_reads_the_project_nothing_is_known_and_nobody_waits() {
    let ready = json!({ "progressEnds": { "titles": ["Indexing"], "beginsMs": 2000 } });
    let (server, mut fake) = pulling(json!({ "ready": ready })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let mut states = server.subscribe_state();
    fake.progress("i", json!({ "kind": "begin", "title": "Indexing" })).await;
    fake.progress("i", json!({ "kind": "report", "message": "3/7 crates", "percentage": 42.9 })).await;
    fake.progress("other", json!({ "kind": "begin", "title": "Formatting" })).await;
    let state =
        LanguageServerState::Indexing { message: Some("Indexing: 3/7 crates".into()), percent: Some(42) };
    timeout(Duration::from_secs(1), states.wait_for(|seen| *seen == state)).await.unwrap().unwrap();
    assert_eq!(
        check(&server, "/a").await,
        ("unknown: it is still reading the project: Indexing: 3/7 crates (42 %)".into(), 0)
    );
    fake.progress("i", json!({ "kind": "end" })).await;
    states.wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&["x"])));
    assert_eq!(said.0, "proven: x");
}

/// Until it is known whether something has to be read it is waited for.
#[tokio::test(start_paused = true)]
async fn a_server_that_has_nothing_to_read_is_ready_when_that_is_plain() {
    let ready = json!({ "progressEnds": { "beginsMs": 2000 } });
    let (server, mut fake) = pulling(json!({ "ready": ready })).await;
    assert_eq!(server.state(), LanguageServerState::Indexing { message: None, percent: None });
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let mut states = server.subscribe_state();
    let (said, _) = tokio::join!(check(&server, "/a"), fake.answer("textDocument/diagnostic", full(&["x"])));
    assert_eq!(said, ("proven: x".into(), 2000));
    states.wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
}

/// rust-analyzer answers `full` with no items while it loads: the worst of all answers.
#[tokio::test(start_paused = true)]
async fn a_false_clean_while_it_loads_is_not_believed() {
    let (server, mut fake) = pulling(json!({ "ready": "serverStatus" })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    assert_eq!(
        check(&server, "/a").await,
        ("unknown: it has not said in time whether it has read the project".into(), 3000)
    );
    let status = |quiescent: bool| json!({ "health": "ok", "quiescent": quiescent, "message": "loading" });
    fake.tell("experimental/serverStatus", status(true)).await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        let asked = fake.next().await;
        fake.tell("experimental/serverStatus", status(false)).await;
        fake.say(json!({ "id": asked["id"], "result": full(&[]) })).await;
    });
    assert_eq!(said, ("unknown: it is still reading the project: loading".into(), 3000));
    fake.tell("experimental/serverStatus", json!({ "quiescent": "odd" })).await;
    assert_eq!(check(&server, "/a").await.1, 0);
}

fn status(quiescent: bool) -> Value {
    json!({ "quiescent": quiescent })
}

/// It holds `/a`.
async fn ready_by_its_word() -> (Arc<LanguageServer>, fake_server::Fake) {
    let (server, mut fake) = pulling(json!({ "ready": "serverStatus" })).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    fake.tell("experimental/serverStatus", status(true)).await;
    pass(10).await;
    (server, fake)
}

/// It does when a file is created, and is done soon, or it is not waited for again.
#[tokio::test(start_paused = true)]
async fn one_that_reads_the_project_once_more_is_waited_for_if_that_is_short() {
    let (server, mut fake) = ready_by_its_word().await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        let asked = fake.next().await;
        fake.tell("experimental/serverStatus", status(false)).await;
        fake.say(json!({ "id": asked["id"], "result": full(&[]) })).await;
        pass(800).await;
        assert!(server.is_reindexing_briefly());
        fake.tell("experimental/serverStatus", status(true)).await;
        fake.answer("textDocument/diagnostic", full(&["x"])).await;
    });
    assert_eq!(said, ("proven: x".into(), 800));
    fake.tell("experimental/serverStatus", status(false)).await;
    pass(4000).await;
    fake.tell("experimental/serverStatus", status(true)).await;
    pass(10).await;
    fake.tell("experimental/serverStatus", status(false)).await;
    pass(10).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it is still reading the project".into(), 0));
}

/// It looked at the project once more and was done before anybody here had read a word of that.
#[tokio::test(start_paused = true)]
async fn what_it_said_while_it_read_the_project_is_not_believed_however_short_that_was() {
    let (server, mut fake) = ready_by_its_word().await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        let asked = fake.next().await;
        pass(5).await;
        fake.tell("experimental/serverStatus", status(false)).await;
        fake.say(json!({ "id": asked["id"], "result": full(&[]) })).await;
        fake.tell("experimental/serverStatus", status(true)).await;
        fake.answer("textDocument/diagnostic", full(&["x"])).await;
    });
    assert_eq!(said, ("proven: x".into(), 5));
}

/// What it published while it was reading says nothing; what follows does.
#[tokio::test(start_paused = true)]
async fn what_was_published_before_it_was_ready_is_settled_from_then_on() {
    let ready = json!({ "progressEnds": { "beginsMs": 100 } });
    let quirks = json!({ "ready": ready, "partialFirst": true, "settleMs": 1000 });
    let (server, mut fake) = plain(quirks).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.version().await;
    fake.progress("i", json!({ "kind": "begin", "title": "Indexing" })).await;
    fake.publish("/a", version, &[]).await;
    fake.publish("/a", version, &[]).await;
    pass(5000).await;
    fake.progress("i", json!({ "kind": "end" })).await;
    pass(1).await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(600).await;
        fake.publish("/a", version, &["found"]).await;
    });
    assert_eq!(said, ("proven: found".into(), 1600));
}
