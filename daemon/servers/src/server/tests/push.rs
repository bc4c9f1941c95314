//! Servers that publish diagnostics.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{FakeServer, check, sleep_ms, start_push, subject};

/// A server with `/a`: opened, published, then changed. Also returns the new version.
async fn start_changed(quirks: Value, before: &[&str]) -> (Arc<LanguageServer>, FakeServer, i64) {
    let (server, mut fake) = start_push(quirks).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.next_version().await;
    sleep_ms(100).await;
    fake.publish("/a", version, before).await;
    sleep_ms(5000).await;
    server.sync_document(&subject("/a", "2"), "c");
    let version = fake.next_version().await;
    (server, fake, version)
}

#[tokio::test(start_paused = true)]
async fn a_publish_for_the_version_is_proof_and_an_older_one_is_ignored() {
    let (server, mut fake, version) = start_changed(json!({}), &["old"]).await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(100).await;
        fake.publish("/a", version - 1, &["old again"]).await;
        sleep_ms(100).await;
        fake.publish("/a", version, &["new"]).await;
    });
    assert_eq!(verdict, ("proven: new".into(), 200));
    fake.publish("/a", version - 1, &["far too late"]).await;
    assert_eq!(check(&server, "/a").await, ("proven: new".into(), 0));
    let (server, mut fake, version) = start_changed(json!({}), &["old"]).await;
    fake.publish("/a", version - 1, &["old again"]).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

/// gopls publishes type errors first, and a second later the analyzers' findings, under the same version.
#[tokio::test(start_paused = true)]
async fn a_publish_that_may_be_partial_is_not_final() {
    let quirks = json!({ "partialFirst": true, "republishMs": 1200 });
    let (server, mut fake, version) = start_changed(quirks.clone(), &["old"]).await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(5).await;
        fake.publish("/a", version, &[]).await;
        sleep_ms(1000).await;
        fake.publish("/a", version, &["found late"]).await;
    });
    assert_eq!(verdict, ("proven: found late".into(), 1025));
    let (server, mut fake, version) = start_changed(quirks, &["old"]).await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(5).await;
        fake.publish("/a", version, &["at once"]).await;
    });
    assert_eq!(verdict, ("proven: at once".into(), 1205), "a second publish need not come");
}

/// A publish with a version that the server never got, or with none, is likely but no proof.
#[tokio::test(start_paused = true)]
async fn an_invalid_version_counts_as_none() {
    for version in [json!(1_000_000), json!(-5), json!(null), json!("2"), json!(i64::MAX), json!(1.5)] {
        let (server, mut fake, _) = start_changed(json!({ "debounceMs": 200 }), &["old"]).await;
        let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
            sleep_ms(300).await;
            fake.publish("/a", version, &["new"]).await;
        });
        assert_eq!(verdict, ("likely: new".into(), 400));
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_version_an_early_publish_may_be_for_the_text_before() {
    let quirks = json!({ "debounceMs": 200 });
    let (server, mut fake, _) = start_changed(quirks.clone(), &["old"]).await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(150).await;
        fake.publish("/a", Value::Null, &["for the text before"]).await;
        sleep_ms(300).await;
        fake.publish("/a", Value::Null, &["for this text"]).await;
    });
    assert_eq!(verdict.0, "likely: for this text");
    let (server, mut fake, _) = start_changed(quirks, &["old"]).await;
    fake.publish("/a", Value::Null, &["for the text before"]).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

/// tsserver finds syntax errors first, and its server publishes them together with the old semantic ones.
#[tokio::test(start_paused = true)]
async fn without_a_version_the_wait_for_a_further_publish_is_the_longest_seen() {
    let quirks = json!({ "debounceMs": 200 });
    let (server, mut fake) = start_push(quirks).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.next_version().await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(1000).await;
        fake.publish("/a", Value::Null, &[]).await;
        sleep_ms(400).await;
        fake.publish("/a", Value::Null, &["semantic"]).await;
    });
    assert_eq!(verdict, ("likely: semantic".into(), 2400), "after the first publish of all the wait is long");
    server.sync_document(&subject("/a", "2"), "c");
    fake.next_version().await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        sleep_ms(300).await;
        fake.publish("/a", Value::Null, &["semantic"]).await;
        sleep_ms(500).await;
        fake.publish("/a", Value::Null, &["other"]).await;
    });
    assert_eq!(
        verdict.0, "likely: other",
        "the first gap was 400 ms, so the daemon waits for 1.5 times that"
    );
}

#[tokio::test(start_paused = true)]
async fn silence_means_unchanged_only_for_servers_known_for_it() {
    let silent = json!({ "silentWhenUnchanged": true, "publishDelayMs": 1000 });
    let (server, _fake, _) = start_changed(silent.clone(), &["as before"]).await;
    assert_eq!(check(&server, "/a").await, ("likely: as before".into(), 1000));
    let (server, _fake, _) = start_changed(json!({ "publishDelayMs": 1000 }), &["as before"]).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
    // There are no earlier diagnostics that could be unchanged.
    let (server, mut fake) = start_push(silent).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.next_version().await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

#[tokio::test(start_paused = true)]
async fn silence_counts_only_after_the_longest_delay_seen() {
    let silent = json!({ "silentWhenUnchanged": true, "publishDelayMs": 500 });
    let (server, mut fake, version) = start_changed(silent, &["first"]).await;
    sleep_ms(1200).await;
    fake.publish("/a", version, &["second"]).await;
    sleep_ms(1).await;
    assert_eq!(check(&server, "/a").await, ("proven: second".into(), 0));
    server.sync_document(&subject("/a", "3"), "c");
    assert_eq!(check(&server, "/a").await, ("likely: second".into(), 1800));
}

/// A slow project: the daemon must remember a long delay, or the old diagnostics count for the new text.
#[tokio::test(start_paused = true)]
async fn a_slow_server_is_waited_for() {
    let silent = json!({ "silentWhenUnchanged": true, "publishDelayMs": 1000, "debounceMs": 200 });
    let nothing = "unknown: it said nothing of this text in time";
    let (server, mut fake, _) = start_changed(silent.clone(), &["first"]).await;
    sleep_ms(6000).await;
    fake.publish("/a", Value::Null, &["second"]).await;
    sleep_ms(1000).await;
    server.sync_document(&subject("/a", "3"), "c");
    assert_eq!(check(&server, "/a").await, (nothing.into(), 3000));
    // The first publish shows how long the next will take.
    let (server, mut fake) = start_push(silent.clone()).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.next_version().await;
    sleep_ms(4000).await;
    fake.publish("/a", Value::Null, &["first"]).await;
    sleep_ms(5000).await;
    server.sync_document(&subject("/a", "2"), "c");
    assert_eq!(check(&server, "/a").await, (nothing.into(), 3000));
    // A publish for an older text does not show how long this one takes.
    let (server, mut fake) = start_push(silent).await;
    server.sync_document(&subject("/a", "1"), "c");
    server.sync_document(&subject("/a", "2"), "c");
    let (first, _) = (fake.next_version().await, fake.next_version().await);
    fake.publish("/a", first, &["first"]).await;
    sleep_ms(5000).await;
    assert_eq!(check(&server, "/a").await, (nothing.into(), 3000));
}

#[tokio::test(start_paused = true)]
async fn a_publish_from_before_a_close_does_not_count_after_the_reopen() {
    let (server, mut fake, version) = start_changed(json!({}), &[]).await;
    fake.publish("/a", version, &["before"]).await;
    assert_eq!(check(&server, "/a").await.0, "proven: before");
    server.close(Path::new("/a"));
    server.sync_document(&subject("/a", "2"), "c");
    sleep_ms(1000).await;
    fake.publish("/a", version, &["still before"]).await;
    assert_eq!(check(&server, "/a").await.0, "unknown: it said nothing of this text in time");
}

/// A file that this one depends on has changed.
#[tokio::test(start_paused = true)]
async fn after_a_change_of_another_file_an_earlier_publish_is_not_proof() {
    for (dependents, expected, wait) in [
        ("none", "proven: new", 0),
        ("pushed", "likely: new", 1000),
        ("saved", "unknown: it sees other files as they were saved, and one was changed since", 0),
    ] {
        let (server, mut fake, version) =
            start_changed(json!({ "dirtyDependents": dependents }), &["old"]).await;
        fake.publish("/a", version, &["new"]).await;
        assert_eq!(check(&server, "/a").await, ("proven: new".into(), 0));
        sleep_ms(1).await;
        server.sync_document(&subject("/b", "1"), "c");
        assert_eq!(check(&server, "/a").await, (expected.into(), wait), "{dependents}");
    }
    let (server, mut fake, version) =
        start_changed(json!({ "dirtyDependents": "mustRequest" }), &["old"]).await;
    fake.publish("/a", version, &["new"]).await;
    assert_eq!(check(&server, "/a").await.0, "proven: new");
    sleep_ms(1).await;
    server.sync_document(&subject("/b", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let (verdict, ()) = tokio::join!(check(&server, "/a"), async {
        let again = fake.next().await["params"].clone();
        assert_eq!(again["contentChanges"], json!([{ "text": "2" }]), "the same text once more");
        let version = again["textDocument"]["version"].as_i64().unwrap();
        fake.publish("/a", version, &["broken by b"]).await;
    });
    assert_eq!(verdict.0, "proven: broken by b");
}
