//! A server that caches the preamble of a text, as clangd does.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{FakeServer, NO_FILES, after, check, sleep_ms, start_push, subject, summaries};

const PREAMBLE: &str = "#include \"a.h\"\n";

/// A server with `/b.c` open that has published for it.
async fn open_b() -> (Arc<LanguageServer>, FakeServer) {
    let quirks = json!({
        "dirtyDependents": "mustRequest", "resendParams": { "forceRebuild": true }, "preamblePrefixes": ["#"],
    });
    let (server, mut fake) = start_push(quirks).await;
    server.sync_document(&subject("/b.c", &format!("{PREAMBLE}int b;\n")), "c");
    let version = fake.next_version().await;
    fake.publish("/b.c", version, &["at first"]).await;
    assert_eq!(check(&server, "/b.c").await, ("proven: at first".into(), 0));
    sleep_ms(1000).await;
    (server, fake)
}

async fn next_change(fake: &mut FakeServer) -> (Value, i64) {
    let params = fake.expect("textDocument/didChange").await;
    let version = params["textDocument"]["version"].as_i64().unwrap();
    (params["forceRebuild"].clone(), version)
}

#[tokio::test(start_paused = true)]
async fn with_the_same_preamble_the_first_publish_is_proof() {
    let (server, mut fake) = open_b().await;
    server.sync_document(&subject("/b.c", &format!("{PREAMBLE}int c;\n")), "c");
    let (force_rebuild, version) = next_change(&mut fake).await;
    assert_eq!(force_rebuild, Value::Null);
    fake.publish("/b.c", version, &["new"]).await;
    assert_eq!(check(&server, "/b.c").await, ("proven: new".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn with_another_preamble_the_text_is_resent_and_the_publish_for_that_is_proof() {
    let (server, mut fake) = open_b().await;
    // There and back: the cached preamble may be that of the text in between.
    for text in ["int b;\n".to_owned(), format!("{PREAMBLE}int b;\n")] {
        server.sync_document(&subject("/b.c", &text), "c");
        let (_, version) = next_change(&mut fake).await;
        let (verdict, ()) = tokio::join!(check(&server, "/b.c"), async {
            sleep_ms(50).await;
            fake.publish("/b.c", version, &["with the cached preamble"]).await;
            let (force_rebuild, again) = next_change(&mut fake).await;
            assert_eq!((force_rebuild, again), (json!(true), version + 1));
            sleep_ms(5).await;
            fake.publish("/b.c", version, &["late"]).await;
            sleep_ms(45).await;
            fake.publish("/b.c", again, &["with a new preamble"]).await;
        });
        assert_eq!(verdict, ("proven: with a new preamble".into(), 100), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_header_changed_too_the_text_is_resent() {
    let (server, mut fake) = open_b().await;
    server.sync_document(&subject("/a.h", "int a;\n"), "c");
    fake.expect("textDocument/didOpen").await;
    server.sync_document(&subject("/b.c", &format!("{PREAMBLE}int c;\n")), "c");
    let (_, version) = next_change(&mut fake).await;
    let (verdict, ()) = tokio::join!(check(&server, "/b.c"), async {
        sleep_ms(50).await;
        fake.publish("/b.c", version, &["with the old header"]).await;
        let (_, again) = next_change(&mut fake).await;
        fake.publish("/b.c", again, &["with the new one"]).await;
    });
    assert_eq!(verdict, ("proven: with the new one".into(), 50));
}

/// clangd publishes nothing for the text that it built last.
#[tokio::test(start_paused = true)]
async fn a_text_that_changed_and_changed_back_is_resent() {
    let (server, mut fake) = open_b().await;
    for text in ["int c;\n", "int b;\n"] {
        server.sync_document(&subject("/b.c", &format!("{PREAMBLE}{text}")), "c");
        next_change(&mut fake).await;
    }
    let (verdict, ()) = tokio::join!(check(&server, "/b.c"), async {
        let (force_rebuild, version) = next_change(&mut fake).await;
        assert_eq!(force_rebuild, true);
        fake.publish("/b.c", version, &["again"]).await;
    });
    assert_eq!(verdict, ("proven: again".into(), 0));
}

/// Silence means nothing: a new preamble may take long.
#[tokio::test(start_paused = true)]
async fn silence_after_a_resend_is_unknown() {
    let (server, mut fake) = open_b().await;
    server.sync_document(&subject("/a.h", "int a;\n"), "c");
    fake.expect("textDocument/didOpen").await;
    assert_eq!(check(&server, "/b.c").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_no_other_includes_breaks_no_other() {
    let (server, mut fake) = open_b().await;
    let mark = server.event_mark();
    server.sync_document(&subject("/main.c", "int main;\n"), "c");
    fake.expect("textDocument/didOpen").await;
    let others = server.check_other_files(mark, &NO_FILES, after(1000)).await;
    assert_eq!(summaries(&others), ["/b.c proven: at first"]);
    assert_eq!(check(&server, "/b.c").await, ("proven: at first".into(), 0));
    server.sync_document(&subject("/b.c", "#include \"main.c\"\n"), "c");
    let (_, version) = next_change(&mut fake).await;
    fake.publish("/b.c", version, &[]).await;
    let (verdict, ()) = tokio::join!(check(&server, "/b.c"), async {
        let (_, again) = next_change(&mut fake).await;
        sleep_ms(10).await;
        server.sync_document(&subject("/main.c", "int other;\n"), "c");
        fake.expect("textDocument/didChange").await;
        fake.publish("/b.c", again, &["perhaps for the old text"]).await;
        let (_, again) = next_change(&mut fake).await;
        fake.publish("/b.c", again, &["broken by it"]).await;
    });
    assert_eq!(verdict, ("proven: broken by it".into(), 10));
}
