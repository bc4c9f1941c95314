//! A server that keeps what it made of the head of a text, as clangd does.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{Fake, after, check, pass, plain, shorts, subject};

const HEAD: &str = "#include \"a.h\"\n";

/// With `/b.c` open, and told of.
async fn opened() -> (Arc<LanguageServer>, Fake) {
    let quirks = json!({
        "dirtyDependents": "asked", "touch": { "forceRebuild": true }, "head": ["#"],
    });
    let (server, mut fake) = plain(quirks).await;
    server.sync_document(&subject("/b.c", &format!("{HEAD}int b;\n")), "c");
    let version = fake.version().await;
    fake.publish("/b.c", version, &["at first"]).await;
    assert_eq!(check(&server, "/b.c").await, ("proven: at first".into(), 0));
    pass(1000).await;
    (server, fake)
}

async fn changed(fake: &mut Fake) -> (Value, i64) {
    let params = fake.expect("textDocument/didChange").await;
    let version = params["textDocument"]["version"].as_i64().unwrap();
    (params["forceRebuild"].clone(), version)
}

#[tokio::test(start_paused = true)]
async fn below_the_same_head_what_it_says_first_is_proof() {
    let (server, mut fake) = opened().await;
    server.sync_document(&subject("/b.c", &format!("{HEAD}int c;\n")), "c");
    let (forced, version) = changed(&mut fake).await;
    assert_eq!(forced, Value::Null);
    fake.publish("/b.c", version, &["new"]).await;
    assert_eq!(check(&server, "/b.c").await, ("proven: new".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn with_another_head_it_is_told_once_more_and_its_word_on_that_is_proof() {
    let (server, mut fake) = opened().await;
    // There and back: what it kept may be that of the text between.
    for text in ["int b;\n".to_owned(), format!("{HEAD}int b;\n")] {
        server.sync_document(&subject("/b.c", &text), "c");
        let (_, version) = changed(&mut fake).await;
        let (said, ()) = tokio::join!(check(&server, "/b.c"), async {
            pass(50).await;
            fake.publish("/b.c", version, &["with what was kept"]).await;
            let (forced, again) = changed(&mut fake).await;
            assert_eq!((forced, again), (json!(true), version + 1));
            pass(5).await;
            fake.publish("/b.c", version, &["late"]).await;
            pass(45).await;
            fake.publish("/b.c", again, &["made anew"]).await;
        });
        assert_eq!(said, ("proven: made anew".into(), 100), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn when_a_header_was_changed_too_it_is_told_once_more() {
    let (server, mut fake) = opened().await;
    server.sync_document(&subject("/a.h", "int a;\n"), "c");
    fake.expect("textDocument/didOpen").await;
    server.sync_document(&subject("/b.c", &format!("{HEAD}int c;\n")), "c");
    let (_, version) = changed(&mut fake).await;
    let (said, ()) = tokio::join!(check(&server, "/b.c"), async {
        pass(50).await;
        fake.publish("/b.c", version, &["with the old header"]).await;
        let (_, again) = changed(&mut fake).await;
        fake.publish("/b.c", again, &["with the new one"]).await;
    });
    assert_eq!(said, ("proven: with the new one".into(), 50));
}

/// It publishes nothing for the text that it built last.
#[tokio::test(start_paused = true)]
async fn a_text_that_was_another_for_a_moment_is_told_once_more() {
    let (server, mut fake) = opened().await;
    for text in ["int c;\n", "int b;\n"] {
        server.sync_document(&subject("/b.c", &format!("{HEAD}{text}")), "c");
        changed(&mut fake).await;
    }
    let (said, ()) = tokio::join!(check(&server, "/b.c"), async {
        let (forced, version) = changed(&mut fake).await;
        assert_eq!(forced, true);
        fake.publish("/b.c", version, &["again"]).await;
    });
    assert_eq!(said, ("proven: again".into(), 0));
}

/// Its silence means nothing: making a head anew may take long.
#[tokio::test(start_paused = true)]
async fn whoever_was_told_once_more_and_is_silent_is_not_known() {
    let (server, mut fake) = opened().await;
    server.sync_document(&subject("/a.h", "int a;\n"), "c");
    fake.expect("textDocument/didOpen").await;
    assert_eq!(check(&server, "/b.c").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_nobody_brings_in_breaks_no_other() {
    let (server, mut fake) = opened().await;
    let mark = server.event_mark();
    server.sync_document(&subject("/main.c", "int main;\n"), "c");
    fake.expect("textDocument/didOpen").await;
    let others = server.check_other_files(mark, after(1000)).await;
    assert_eq!(shorts(&others), ["/b.c proven: at first"]);
    assert_eq!(check(&server, "/b.c").await, ("proven: at first".into(), 0));
    server.sync_document(&subject("/b.c", "#include \"main.c\"\n"), "c");
    let (_, version) = changed(&mut fake).await;
    fake.publish("/b.c", version, &[]).await;
    let (said, ()) = tokio::join!(check(&server, "/b.c"), async {
        let (_, again) = changed(&mut fake).await;
        pass(10).await;
        server.sync_document(&subject("/main.c", "int other;\n"), "c");
        fake.expect("textDocument/didChange").await;
        fake.publish("/b.c", again, &["perhaps of what it was"]).await;
        let (_, again) = changed(&mut fake).await;
        fake.publish("/b.c", again, &["broken by it"]).await;
    });
    assert_eq!(said, ("proven: broken by it".into(), 10));
}
