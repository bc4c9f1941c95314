//! Servers that publish.

use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{Fake, check, pass, plain, subject};

/// Opened, published for, and then changed.
async fn changed(quirks: Value, before: &[&str]) -> (Arc<LanguageServer>, Fake, i64) {
    let (server, mut fake) = plain(quirks).await;
    server.sync_document(&subject("/a", "1"), "c");
    let version = fake.version().await;
    pass(100).await;
    fake.publish("/a", version, before).await;
    pass(5000).await;
    server.sync_document(&subject("/a", "2"), "c");
    let version = fake.version().await;
    (server, fake, version)
}

#[tokio::test(start_paused = true)]
async fn a_publish_for_the_version_is_proof_and_one_for_an_older_is_nothing() {
    let (server, mut fake, version) = changed(json!({}), &["old"]).await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(100).await;
        fake.publish("/a", version - 1, &["old again"]).await;
        pass(100).await;
        fake.publish("/a", version, &["new"]).await;
    });
    assert_eq!(said, ("proven: new".into(), 200));
    fake.publish("/a", version - 1, &["far too late"]).await;
    assert_eq!(check(&server, "/a").await, ("proven: new".into(), 0));
    let (server, mut fake, version) = changed(json!({}), &["old"]).await;
    fake.publish("/a", version - 1, &["old again"]).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

/// gopls: first the types, a second later what analyzers find, under the same version.
#[tokio::test(start_paused = true)]
async fn a_set_that_may_be_partial_is_waited_past() {
    let quirks = json!({ "partialFirst": true, "settleMs": 1200 });
    let (server, mut fake, version) = changed(quirks.clone(), &["old"]).await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(5).await;
        fake.publish("/a", version, &[]).await;
        pass(1000).await;
        fake.publish("/a", version, &["found late"]).await;
    });
    assert_eq!(said, ("proven: found late".into(), 1025));
    let (server, mut fake, version) = changed(quirks, &["old"]).await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(5).await;
        fake.publish("/a", version, &["at once"]).await;
    });
    assert_eq!(said, ("proven: at once".into(), 1205), "the second need not come");
}

/// A version that it was never told, or none, proves nothing, but says something.
#[tokio::test(start_paused = true)]
async fn wrong_versions_are_as_none() {
    for version in [json!(1_000_000), json!(-5), json!(null), json!("2"), json!(i64::MAX), json!(1.5)] {
        let (server, mut fake, _) = changed(json!({ "quietMs": 200 }), &["old"]).await;
        let (said, ()) = tokio::join!(check(&server, "/a"), async {
            pass(300).await;
            fake.publish("/a", version, &["new"]).await;
        });
        assert_eq!(said, ("likely: new".into(), 400));
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_version_what_comes_too_early_may_be_of_the_text_before() {
    let quirks = json!({ "quietMs": 200 });
    let (server, mut fake, _) = changed(quirks.clone(), &["old"]).await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(150).await;
        fake.publish("/a", Value::Null, &["of the text before"]).await;
        pass(300).await;
        fake.publish("/a", Value::Null, &["of this text"]).await;
    });
    assert_eq!(said.0, "likely: of this text");
    let (server, mut fake, _) = changed(quirks, &["old"]).await;
    fake.publish("/a", Value::Null, &["of the text before"]).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

/// tsserver finds syntax errors first, and its server publishes them with the old semantic ones.
#[tokio::test(start_paused = true)]
async fn without_a_version_what_follows_is_waited_for_as_long_as_it_ever_took() {
    let quirks = json!({ "quietMs": 200 });
    let (server, mut fake) = plain(quirks).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.version().await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(1000).await;
        fake.publish("/a", Value::Null, &[]).await;
        pass(400).await;
        fake.publish("/a", Value::Null, &["semantic"]).await;
    });
    assert_eq!(said, ("likely: semantic".into(), 2400), "the first of all is waited past for long");
    server.sync_document(&subject("/a", "2"), "c");
    fake.version().await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        pass(300).await;
        fake.publish("/a", Value::Null, &["semantic"]).await;
        pass(500).await;
        fake.publish("/a", Value::Null, &["other"]).await;
    });
    assert_eq!(said.0, "likely: other", "600 ms were learnt");
}

#[tokio::test(start_paused = true)]
async fn silence_means_unchanged_only_where_that_is_known() {
    let silent = json!({ "silentWhenUnchanged": true, "silenceMs": 1000 });
    let (server, _fake, _) = changed(silent.clone(), &["as before"]).await;
    assert_eq!(check(&server, "/a").await, ("likely: as before".into(), 1000));
    let (server, _fake, _) = changed(json!({ "silenceMs": 1000 }), &["as before"]).await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
    // Nothing is known that could be unchanged.
    let (server, mut fake) = plain(silent).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.version().await;
    assert_eq!(check(&server, "/a").await, ("unknown: it said nothing of this text in time".into(), 3000));
}

#[tokio::test(start_paused = true)]
async fn silence_is_longer_than_it_ever_took() {
    let silent = json!({ "silentWhenUnchanged": true, "silenceMs": 500 });
    let (server, mut fake, version) = changed(silent, &["first"]).await;
    pass(1200).await;
    fake.publish("/a", version, &["second"]).await;
    pass(1).await;
    assert_eq!(check(&server, "/a").await, ("proven: second".into(), 0));
    server.sync_document(&subject("/a", "3"), "c");
    assert_eq!(check(&server, "/a").await, ("likely: second".into(), 1800));
}

/// A slow project: what took very long must not be forgotten, or the old set is told of the new text.
#[tokio::test(start_paused = true)]
async fn one_that_is_slow_is_waited_for() {
    let silent = json!({ "silentWhenUnchanged": true, "silenceMs": 1000, "quietMs": 200 });
    let nothing = "unknown: it said nothing of this text in time";
    let (server, mut fake, _) = changed(silent.clone(), &["first"]).await;
    pass(6000).await;
    fake.publish("/a", Value::Null, &["second"]).await;
    pass(1000).await;
    server.sync_document(&subject("/a", "3"), "c");
    assert_eq!(check(&server, "/a").await, (nothing.into(), 3000));
    // Its first word tells how long the next will take.
    let (server, mut fake) = plain(silent.clone()).await;
    server.sync_document(&subject("/a", "1"), "c");
    fake.version().await;
    pass(4000).await;
    fake.publish("/a", Value::Null, &["first"]).await;
    pass(5000).await;
    server.sync_document(&subject("/a", "2"), "c");
    assert_eq!(check(&server, "/a").await, (nothing.into(), 3000));
    // What it says of an older text tells nothing of how long this one takes.
    let (server, mut fake) = plain(silent).await;
    server.sync_document(&subject("/a", "1"), "c");
    server.sync_document(&subject("/a", "2"), "c");
    let (first, _) = (fake.version().await, fake.version().await);
    fake.publish("/a", first, &["first"]).await;
    pass(5000).await;
    assert_eq!(check(&server, "/a").await, (nothing.into(), 3000));
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_a_document_was_closed_is_not_said_of_it_when_it_is_open_again() {
    let (server, mut fake, version) = changed(json!({}), &[]).await;
    fake.publish("/a", version, &["before"]).await;
    assert_eq!(check(&server, "/a").await.0, "proven: before");
    server.close(Path::new("/a"));
    server.sync_document(&subject("/a", "2"), "c");
    pass(1000).await;
    fake.publish("/a", version, &["still before"]).await;
    assert_eq!(check(&server, "/a").await.0, "unknown: it said nothing of this text in time");
}

/// What this file depends on is another since.
#[tokio::test(start_paused = true)]
async fn what_was_said_before_another_file_changed_is_not_proven_any_more() {
    for (dependents, expected, wait) in [
        ("none", "proven: new", 0),
        ("told", "likely: new", 1000),
        ("saved", "unknown: it sees other files as they were saved, and one was changed since", 0),
    ] {
        let (server, mut fake, version) = changed(json!({ "dirtyDependents": dependents }), &["old"]).await;
        fake.publish("/a", version, &["new"]).await;
        assert_eq!(check(&server, "/a").await, ("proven: new".into(), 0));
        pass(1).await;
        server.sync_document(&subject("/b", "1"), "c");
        assert_eq!(check(&server, "/a").await, (expected.into(), wait), "{dependents}");
    }
    let (server, mut fake, version) = changed(json!({ "dirtyDependents": "asked" }), &["old"]).await;
    fake.publish("/a", version, &["new"]).await;
    assert_eq!(check(&server, "/a").await.0, "proven: new");
    pass(1).await;
    server.sync_document(&subject("/b", "1"), "c");
    fake.expect("textDocument/didOpen").await;
    let (said, ()) = tokio::join!(check(&server, "/a"), async {
        let again = fake.next().await["params"].clone();
        assert_eq!(again["contentChanges"], json!([{ "text": "2" }]), "the same text once more");
        let version = again["textDocument"]["version"].as_i64().unwrap();
        fake.publish("/a", version, &["broken by b"]).await;
    });
    assert_eq!(said.0, "proven: broken by b");
}
