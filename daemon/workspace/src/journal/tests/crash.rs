//! `kill -9` and power cuts: begun entries survive.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::*;

const FOLDER: &str = "COPYDESK_TEST_JOURNAL";

fn text(number: usize) -> String {
    format!("{}{number}\n", "a line of the text\n".repeat(100))
}

/// The test below runs this in a process that it kills.
#[tokio::test]
#[ignore = "is run by `what_was_begun_outlives_the_process`"]
async fn begin_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let journal = open_again(Path::new(&folder));
    for number in 0.. {
        let id = journal.begin_one(edit(&number.to_string(), "/a", &text(number), &text(number + 1))).await;
        println!("\nbegun {id}");
        if number % 2 == 0 {
            journal.settle(vec![id], EntryOutcome::Applied).await.unwrap();
            println!("\nsettled {id}");
        }
    }
}

#[tokio::test]
async fn what_was_begun_outlives_the_process() {
    for said in [1, 2, 3, 10, 41] {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "journal::tests::crash::begin_until_killed"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let word = |line: &String| line.starts_with("begun ") || line.starts_with("settled ");
        let lines: Vec<_> = lines.filter(word).take(said).collect();
        child.kill().unwrap();
        child.wait().unwrap();

        let (journal, opened) = Journal::open(dir.path(), JournalLimits::default()).unwrap();
        assert_eq!(opened.moved_aside, None);
        let entries = journal.entries("s").await.unwrap();
        let begun = lines.iter().filter(|line| line.starts_with("begun")).count();
        assert!(begun > 0 && entries.len() >= begun, "{lines:?} {}", entries.len());
        for (number, entry) in entries.iter().enumerate() {
            assert_eq!(journal.pair(entry.id).await, some(&text(number), &text(number + 1)));
            if lines.contains(&format!("settled {}", entry.id)) {
                assert_eq!(entry.outcome, Some(EntryOutcome::Applied));
            }
        }
        let unsettled = journal.unsettled_entries().await.unwrap();
        assert_eq!(unsettled.len(), opened.unsettled);
        assert_eq!(entries.iter().filter(|entry| entry.outcome.is_none()).count(), unsettled.len());
    }
}

/// A log truncated anywhere gives a prefix of the recorded entries, with all their texts.
#[tokio::test]
async fn a_log_that_was_cut_off_gives_whole_entries() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    for number in 0..6 {
        let second = edit("1", "/b", &text(number + 50), &text(number + 51));
        let entries = vec![edit("1", "/a", &text(number), &text(number + 1)), second];
        journal.begin(entries).await.unwrap();
    }
    let (file, log) = (dir.path().join("journal.db"), dir.path().join("journal.db-wal"));
    let length = log.metadata().unwrap().len();
    let mut counts = Vec::new();
    for cut in (0..=length).step_by(1777).chain([length]) {
        let copy = tempfile::tempdir().unwrap();
        fs::copy(&file, copy.path().join("journal.db")).unwrap();
        fs::copy(&log, copy.path().join("journal.db-wal")).unwrap();
        let shortened = fs::OpenOptions::new().write(true).open(copy.path().join("journal.db-wal")).unwrap();
        shortened.set_len(cut).unwrap();
        let journal = open_again(copy.path());
        let entries = journal.entries("s").await.unwrap();
        assert!(entries.len().is_multiple_of(2), "all or none");
        for (at, entry) in entries.iter().enumerate() {
            let number = at / 2 + 50 * (at % 2);
            assert_eq!(journal.pair(entry.id).await, some(&text(number), &text(number + 1)));
        }
        counts.push(entries.len());
    }
    assert!(counts.is_sorted() && counts[0] == 0 && *counts.last().unwrap() == 12, "{counts:?}");
}
