//! What changes, and what servers are told of it.

use std::fs;
use std::time::Duration;

use tokio::time::Instant;

use super::super::{PoolLimits, ServerPhase};
use super::{House, push, soon};
use crate::quirks::Quirks;
use crate::source::{CommandWatcher as _, DiagnosticsSource as _};

#[tokio::test]
async fn a_closed_file_that_an_edit_breaks_is_told() {
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
async fn where_more_files_use_a_changed_one_than_are_asked_about_that_is_told() {
    let house = House::new(&["--pull"], push(), PoolLimits { dependents: 1, ..PoolLimits::default() });
    for name in ["b.lua", "c.lua"] {
        house.write(name, "require 'a'\nneed a.x");
    }
    house.write("d.lua", "-- not a");
    let a = house.saved("a.lua", "give y");
    let words = house.check(&a).await;
    let beyond = "c.lua unknown more files use what was changed than are asked about";
    assert_eq!(words, ["a.lua Proven ", "b.lua Proven a gives no x", beyond]);
}

#[tokio::test]
async fn what_a_shell_changes_is_known_at_the_next_question() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    house.write("a.lua", "give x");
    let b = house.saved("b.lua", "need a.x");
    assert_eq!(house.check(&b).await[0], "b.lua Proven ");
    house.write("d.lua", "");
    house.write("a.lua", "");
    let words = house.check(&b).await;
    assert!(words[0].ends_with("a gives no x"), "{words:?}");
    assert_eq!(house.count("workspace/didChangeWatchedFiles"), 1, "all at once");
    // One that is held is told as a document.
    house.write("b.lua", "bad");
    house.check(&house.saved("e.lua", "")).await;
    assert_eq!(house.count("textDocument/didChange b.lua"), 1);
    fs::remove_file(house.root.join("b.lua")).unwrap();
    house.check(&house.saved("e.lua", "")).await;
    assert_eq!(house.count("textDocument/didClose b.lua"), 1);
}

#[tokio::test]
async fn what_an_editor_has_not_saved_is_known_with_the_first_question() {
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
async fn what_a_compiler_says_of_a_disk_that_is_another_by_now_is_not_said_of_the_text() {
    let quirks = Quirks {
        saves_for: vec!["compiler".into()],
        save_tokens: vec!["compile/".into()],
        save_begins_ms: 20_000,
        ..push()
    };
    let house = House::new(&["--pull"], quirks, PoolLimits::default());
    let read = [house.saved("a.lua", "one")];
    house.pool.excluding(&[]).check_file_only(&read, soon()).await;
    house.until(|running| running.phase == ServerPhase::Ready).await;
    let (besides, mut news) = (house.pool.excluding(&[]), house.pool.subscribe());
    let (reports, ()) = tokio::join!(besides.warm_up(&read, soon()), async {
        while house.count("textDocument/didSave a.lua") == 0 {
            tokio::time::timeout(Duration::from_millis(5), news.changed()).await.ok();
        }
        house.write("a.lua", "two");
        house.open_gate();
    });
    let compiled = reports.iter().find(|report| report.source == "compiler").cloned();
    let words = house.words(compiled.as_slice());
    assert_eq!(words, ["a.lua unknown it was changed meanwhile"]);
}

#[tokio::test]
async fn a_text_that_was_read_is_not_put_back_when_it_is_another_one_by_now() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    let read = [house.saved("a.lua", "bad")];
    house.check(&read[0]).await;
    house.check(&house.saved("a.lua", "")).await;
    let told = house.log();
    let besides = house.pool.excluding(&[]);
    for reports in [besides.check_file_only(&read, soon()).await, besides.warm_up(&read, soon()).await] {
        assert_eq!(house.words(&reports), ["a.lua unknown it was changed meanwhile"]);
    }
    assert_eq!(house.log(), told);
}

#[tokio::test]
async fn no_more_is_held_than_may_be() {
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
async fn a_save_is_told_when_it_was_made() {
    let house = House::usual();
    house.check(&house.unsaved("a.lua", "1")).await;
    assert_eq!(house.count("textDocument/didSave a.lua"), 0);
    let saved = house.saved("a.lua", "2");
    house.check(&saved).await;
    house.check(&saved).await;
    assert_eq!(house.count("textDocument/didSave a.lua"), 1);
}

#[tokio::test]
async fn two_texts_at_once_are_not_taken_for_each_other() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    house.check(&house.saved("a.lua", "")).await;
    let (one, other) = ([house.unsaved("a.lua", "bad")], [house.unsaved("a.lua", "")]);
    let (one, other) = tokio::join!(house.pool.check(&one, soon()), house.pool.check(&other, soon()));
    let (one, other) = (house.words(&one), house.words(&other));
    assert!(one[0] == "a.lua Proven this is bad" || one[0].starts_with("a.lua unknown"), "{one:?}");
    assert_eq!(other[0], "a.lua Proven ");
}

#[tokio::test]
async fn where_not_everything_is_watched_nothing_is_proven() {
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
async fn of_a_file_that_may_be_broken_it_is_told_that_it_is_not_known() {
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

/// A compiler looks only when something is saved.
#[tokio::test]
async fn a_save_is_told_again_when_something_else_was_written() {
    let quirks = Quirks { saves_for: vec!["compiler".to_owned()], save_begins_ms: 1, ..push() };
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
async fn what_changed_since_a_moment_is_known_of_each_folder() {
    let house = House::usual();
    let a = house.saved("a.lua", "give x");
    house.check(&a).await;
    let overseer = house.pool.command_watcher();
    house.write("before.lua", "give x");
    let moment = overseer.checkpoint(soon()).await;
    house.write("a.lua", "give y");
    let changed =
        async |below: &str| overseer.changes_since(moment, &house.root.join(below), soon()).await.paths;
    assert_eq!(changed("").await, [house.root.join("a.lua")]);
    assert_eq!(changed("other").await, Vec::<std::path::PathBuf>::new());
}

/// No server of ours is there.
#[tokio::test]
async fn a_folder_that_only_an_editor_serves_is_watched_over_too() {
    let house = House::usual();
    house.write("a.lua", "give x");
    let overseer = house.pool.command_watcher();
    overseer.watch_folder(&house.root);
    let moment = overseer.checkpoint(soon()).await;
    house.write("a.lua", "give y");
    assert_eq!(overseer.changes_since(moment, &house.root, soon()).await.paths, [house.root.join("a.lua")]);
    assert_eq!(house.pool.status(), []);
    // Nobody watches for somebody who is gone.
    drop(overseer);
    let overseer = house.pool.command_watcher();
    let moment = overseer.checkpoint(soon()).await;
    house.write("a.lua", "give z");
    assert_eq!(
        overseer.changes_since(moment, &house.root, soon()).await.paths,
        Vec::<std::path::PathBuf>::new()
    );
}
