//! Changes of files, and what servers hear of them.

use std::fs;
use std::time::Duration;

use tokio::time::Instant;

use super::super::{PoolLimits, ServerPhase};
use super::{House, push, soon};
use crate::quirks::Quirks;
use crate::source::{CommandWatcher as _, DiagnosticsSource as _};

#[tokio::test]
async fn a_closed_file_that_an_edit_breaks_is_reported() {
    for arguments in [&["--pull"][..], &[]] {
        let house = House::new(arguments, push(), PoolLimits::default());
        house.write("b.lua", "need a.x");
        house.write("c.lua", "need a.y");
        let good = house.saved("a.lua", "give x\ngive y");
        assert_eq!(house.check(&good).await, ["a.lua Proven ", "b.lua Proven ", "c.lua Proven "]);
        let broken = house.unsaved("a.lua", "give y\nbad");
        let words = house.check(&broken).await;
        assert_eq!(words, ["a.lua Proven this is bad", "b.lua Proven a gives no x", "c.lua Proven "]);
    }
}

#[tokio::test]
async fn dependents_beyond_the_limit_are_reported_as_unchecked() {
    let house = House::new(&["--pull"], push(), PoolLimits { dependents: 1, ..PoolLimits::default() });
    for name in ["b.lua", "c.lua"] {
        house.write(name, "require 'a'\nneed a.x");
    }
    house.write("d.lua", "-- not a");
    let a = house.saved("a.lua", "give y");
    let words = house.check(&a).await;
    let beyond = "c.lua unknown too many files depend on this change; this one was not checked";
    assert_eq!(words, ["a.lua Proven ", "b.lua Proven a gives no x", beyond]);
}

#[tokio::test]
async fn changes_by_a_shell_are_known_at_the_next_check() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    house.write("a.lua", "give x");
    let b = house.saved("b.lua", "need a.x");
    assert_eq!(house.check(&b).await[0], "b.lua Proven ");
    house.write("d.lua", "");
    house.write("a.lua", "");
    let words = house.check(&b).await;
    assert!(words[0].ends_with("a gives no x"), "{words:?}");
    assert_eq!(house.count("workspace/didChangeWatchedFiles"), 1, "all at once");
    // An open file is synchronized as a document.
    house.write("b.lua", "bad");
    house.check(&house.saved("e.lua", "")).await;
    assert_eq!(house.count("textDocument/didChange b.lua"), 1);
    fs::remove_file(house.root.join("b.lua")).unwrap();
    house.check(&house.saved("e.lua", "")).await;
    assert_eq!(house.count("textDocument/didClose b.lua"), 1);
}

#[tokio::test]
async fn unsaved_buffers_are_known_at_the_first_check() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    for name in ["a.lua", "same.lua", "other.txt"] {
        house.write(name, "give x");
    }
    house.open("a.lua", "give y");
    house.open("same.lua", "give x");
    house.open("other.txt", "something else");
    let b = [house.saved("b.lua", "need a.x\nneed same.x")];
    house.check(&b[0]).await;
    let reports = house.pool.excluding(&[]).check_file_only(&b, soon()).await;
    assert_eq!(house.words(&reports), ["b.lua Proven a gives no x"]);
    let opened: Vec<_> = house.log().into_iter().filter(|line| line.contains("didOpen")).collect();
    assert_eq!(opened.iter().filter(|line| !line.ends_with("b.lua")).count(), 1, "{opened:?}");
}

#[tokio::test]
async fn compiler_output_on_a_changed_disk_is_unknown() {
    let quirks = Quirks {
        save_sources: vec!["compiler".into()],
        save_tokens: vec!["compile/".into()],
        save_begins_ms: 20_000,
        ..push()
    };
    let house = House::new(&["--pull"], quirks, PoolLimits::default());
    let read = [house.saved("a.lua", "one")];
    house.pool.excluding(&[]).check_file_only(&read, soon()).await;
    house.until(|running| running.phase == ServerPhase::Ready).await;
    let (source, mut changes) = (house.pool.excluding(&[]), house.pool.subscribe());
    let (reports, ()) = tokio::join!(source.warm_up(&read, soon()), async {
        while house.count("textDocument/didSave a.lua") == 0 {
            tokio::time::timeout(Duration::from_millis(5), changes.changed()).await.ok();
        }
        house.write("a.lua", "two");
        house.open_gate();
    });
    let compiled = reports.iter().find(|report| report.source == "compiler").cloned();
    let words = house.words(compiled.as_slice());
    assert_eq!(words, ["a.lua unknown it was changed meanwhile"]);
}

#[tokio::test]
async fn an_outdated_text_is_not_sent() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    let read = [house.saved("a.lua", "bad")];
    house.check(&read[0]).await;
    house.check(&house.saved("a.lua", "")).await;
    let log = house.log();
    let source = house.pool.excluding(&[]);
    for reports in [source.check_file_only(&read, soon()).await, source.warm_up(&read, soon()).await] {
        assert_eq!(house.words(&reports), ["a.lua unknown it was changed meanwhile"]);
    }
    assert_eq!(house.log(), log);
}

#[tokio::test]
async fn open_documents_are_capped() {
    let house = House::new(&["--pull"], push(), PoolLimits { documents: 2, ..PoolLimits::default() });
    for name in ["f1.lua", "f2.lua", "f3.lua"] {
        house.check(&house.saved(name, "")).await;
    }
    assert_eq!(house.pool.status()[0].documents, 2);
    assert_eq!(
        (house.count("textDocument/didClose f1.lua"), house.count("textDocument/didClose f3.lua")),
        (1, 0)
    );
}

#[tokio::test]
async fn a_save_is_sent_once() {
    let house = House::usual();
    house.check(&house.unsaved("a.lua", "1")).await;
    assert_eq!(house.count("textDocument/didSave a.lua"), 0);
    let saved = house.saved("a.lua", "2");
    house.check(&saved).await;
    house.check(&saved).await;
    assert_eq!(house.count("textDocument/didSave a.lua"), 1);
}

#[tokio::test]
async fn concurrent_texts_of_a_file_are_not_mixed_up() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    house.check(&house.saved("a.lua", "")).await;
    let (one, other) = ([house.unsaved("a.lua", "bad")], [house.unsaved("a.lua", "")]);
    let (one, other) = tokio::join!(house.pool.check(&one, soon()), house.pool.check(&other, soon()));
    let (one, other) = (house.words(&one), house.words(&other));
    assert!(one[0] == "a.lua Proven this is bad" || one[0].starts_with("a.lua unknown"), "{one:?}");
    assert_eq!(other[0], "a.lua Proven ");
}

#[tokio::test]
async fn nothing_is_proven_if_not_everything_is_watched() {
    let house = House::new(&["--pull"], push(), PoolLimits { folders: 1, ..PoolLimits::default() });
    house.write("deep/unseen.lua", "");
    let a = house.saved("a.lua", "bad");
    assert_eq!(house.check(&a).await, ["a.lua Likely this is bad"]);
    assert_eq!(house.check(&a).await, ["a.lua Likely this is bad"]);
    let alone = Quirks { dirty_dependents: crate::quirks::DependentsPolicy::None, ..push() };
    let house = House::new(&["--pull"], alone, PoolLimits { folders: 1, ..PoolLimits::default() });
    house.write("deep/unseen.lua", "");
    assert_eq!(house.check(&house.saved("a.lua", "bad")).await, ["a.lua Proven this is bad"]);
}

#[tokio::test]
async fn a_dependent_without_an_answer_is_reported_as_unknown() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    house.write("b.lua", "need a.x");
    house.write("c.lua", "need a.x\nMUTE");
    let good = house.saved("a.lua", "give x");
    let until = || Instant::now() + Duration::from_secs(2);
    house.check(&house.saved("e.lua", "")).await;
    let words = house.words(&house.pool.check(std::slice::from_ref(&good), until()).await);
    let late = "c.lua unknown it did not answer in time";
    assert_eq!(words, ["a.lua Proven ", "b.lua Proven ", late, "e.lua Proven "]);
    house.write("b.lua", "need a.x\nMUTE");
    let words = house.words(&house.pool.check(&[house.unsaved("a.lua", "give y")], until()).await);
    assert!(words[0].starts_with("a.lua Likely") || words[0].starts_with("a.lua Proven"), "{words:?}");
    assert!(words[1].starts_with("b.lua unknown"), "{words:?}");
}

/// A compiler runs only after a save.
#[tokio::test]
async fn a_save_is_sent_again_when_another_file_was_written() {
    let quirks = Quirks { save_sources: vec!["compiler".to_owned()], save_begins_ms: 1, ..push() };
    let house = House::new(&["--pull"], quirks, PoolLimits::default());
    let a = house.saved("a.lua", "1");
    house.write("b.lua", "");
    house.check(&a).await;
    house.check(&a).await;
    assert_eq!(house.count("textDocument/didSave a.lua"), 1);
    fs::remove_file(house.root.join("b.lua")).unwrap();
    house.check(&a).await;
    assert_eq!(house.count("textDocument/didSave a.lua"), 2);
}

#[tokio::test]
async fn changes_since_a_checkpoint_are_known_by_folder() {
    let house = House::usual();
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let watcher = house.pool.command_watcher();
    house.write("before.lua", "give x");
    let checkpoint = watcher.checkpoint(&house.root, soon()).await;
    house.write("a.lua", "give y");
    let changed =
        async |below: &str| watcher.changes_since(checkpoint, &house.root.join(below), soon()).await.paths;
    assert_eq!(changed("").await, [house.root.join("a.lua")]);
    assert_eq!(changed("other").await, Vec::<std::path::PathBuf>::new());
    assert!(!watcher.changes_since(checkpoint, &house.root, soon()).await.is_incomplete);
}

#[tokio::test]
async fn a_watcher_that_does_not_see_everything_says_so() {
    let house = House::new(&[], push(), PoolLimits { folders: 2, ..PoolLimits::default() });
    ["a/x.lua", "b/x.lua", "c/x.lua"].iter().for_each(|name| house.write(name, "give x"));
    let watcher = house.pool.command_watcher();
    watcher.watch_folder(&house.root);
    let checkpoint = watcher.checkpoint(&house.root, soon()).await;
    assert!(watcher.changes_since(checkpoint, &house.root, soon()).await.is_incomplete);
    // What is watched elsewhere does not matter.
    let elsewhere = std::path::Path::new("/elsewhere");
    assert!(!watcher.changes_since(checkpoint, elsewhere, soon()).await.is_incomplete);
}

/// None of our servers runs.
#[tokio::test]
async fn a_folder_that_only_an_editor_serves_is_watched() {
    let house = House::usual();
    house.write("a.lua", "give x");
    let watcher = house.pool.command_watcher();
    watcher.watch_folder(&house.root);
    let checkpoint = watcher.checkpoint(&house.root, soon()).await;
    house.write("a.lua", "give y");
    assert_eq!(
        watcher.changes_since(checkpoint, &house.root, soon()).await.paths,
        [house.root.join("a.lua")]
    );
    assert_eq!(house.pool.status(), []);
    // A dropped watcher watches no more.
    drop(watcher);
    let watcher = house.pool.command_watcher();
    let checkpoint = watcher.checkpoint(&house.root, soon()).await;
    house.write("a.lua", "give z");
    assert_eq!(
        watcher.changes_since(checkpoint, &house.root, soon()).await.paths,
        Vec::<std::path::PathBuf>::new()
    );
}
