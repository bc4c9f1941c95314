//! What the limits evict, and what they never do.

use std::time::Duration;

use super::*;

const DAY: Duration = Duration::from_hours(24);

fn bounded(folder: &Path, bytes: u64) -> Journal {
    Journal::open(folder, JournalLimits { bytes, age: DAY }).unwrap().0
}

/// Some thousand bytes that compress badly.
fn noise(seed: u64) -> String {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    let mut line = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{state:016x}\n")
    };
    (0..600).map(|_| line()).collect()
}

fn create(session: &str, seed: u64) -> NewEntry {
    entry(
        session,
        "1",
        &format!("/{session}/{seed}"),
        NewEntryKind::Create { after: HashedText::new(noise(seed)) },
    )
}

#[tokio::test]
async fn the_texts_of_the_session_that_rested_longest_go_first() {
    let dir = tempfile::tempdir().unwrap();
    let journal = bounded(dir.path(), 400_000);
    let resting = journal.begin_one(create("resting", 0)).await;
    let mut busy = vec![journal.begin_one(create("busy", 1)).await];
    let old = journal.begin_one(create("old", 2)).await;
    let seed = async |busy: &mut Vec<EntryId>, seed| busy.push(journal.begin_one(create("busy", seed)).await);
    let mut next = 3;
    while journal.usage().await.unwrap().evicted == 0 {
        seed(&mut busy, next).await;
        next += 1;
    }
    assert!(matches!(journal.entry_texts(resting).await, Err(JournalError::Evicted { .. })));
    assert!(matches!(journal.entry_texts(old).await, Err(JournalError::Evicted { .. })));
    let usage = journal.usage().await.unwrap();
    assert_eq!(usage.entries, next);
    assert!(usage.bytes <= 400_000 / 8 * 7, "{usage:?}");
    let entries = journal.entries("resting").await.unwrap();
    assert!(!entries[0].has_texts && entries[0].after == Some(TextHash::of_text(&noise(0))), "{entries:?}");
    let last = *busy.last().unwrap();
    assert_eq!(journal.pair(last).await, (None, Some(noise(next - 1))));
    let error = journal.entry_texts(resting).await.unwrap_err().to_string();
    expect_test::expect![
        "the edit of `/resting/0` can no longer be undone: the journal keeps 390 kB for a day, and has dropped its text"
    ]
    .assert_eq(&error);
}

#[tokio::test]
async fn one_session_alone_loses_its_oldest_and_every_other_entry_stays_whole() {
    let dir = tempfile::tempdir().unwrap();
    let bound = 200_000;
    let journal = bounded(dir.path(), bound);
    let mut now = noise(0);
    let mut pairs = Vec::new();
    for number in 0..400 {
        let typed = format!("{now}typed {number}\n");
        // A large change now and then.
        let after = if number % 9 == 0 { noise(number) } else { typed.replacen("typed", "agent", 1) };
        let id = journal.apply(edit("1", "/a", &typed, &after)).await;
        pairs.push((id, typed, after.clone()));
        now = after;
        let usage = journal.usage().await.unwrap();
        assert!(usage.bytes <= bound, "{usage:?}");
    }
    let entries = journal.entries("s").await.unwrap();
    let gone = entries.iter().take_while(|entry| !entry.has_texts).count();
    // The beginning is evicted, and most of the rest is left.
    assert!(entries.iter().skip(gone).all(|entry| entry.has_texts));
    assert!(gone > 0 && entries.len() - gone > 50, "{gone} of {}", entries.len());
    for (id, before, after) in &pairs[pairs.len() - (entries.len() - gone)..] {
        assert_eq!(journal.pair(*id).await, some(before, after));
    }
}

#[tokio::test]
async fn what_is_being_applied_is_kept_even_where_it_is_too_much() {
    let dir = tempfile::tempdir().unwrap();
    let journal = bounded(dir.path(), 20_000);
    let ids = journal.begin((0..4).map(|seed| create("s", seed)).collect()).await.unwrap();
    for (id, seed) in ids.iter().zip(0..) {
        assert_eq!(journal.pair(*id).await.1, Some(noise(seed)));
    }
    journal.begin_one(create("s", 4)).await;
    assert!(matches!(journal.entry_texts(ids[3]).await, Err(JournalError::Evicted { .. })));
}

#[tokio::test]
async fn the_file_itself_becomes_smaller() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    for seed in 0..100 {
        journal.begin_one(create(if seed < 50 { "a" } else { "b" }, seed)).await;
    }
    let size = || dir.path().join("journal.db").metadata().unwrap().len();
    journal
        .run_job(|owner| Ok(owner.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?))
        .await
        .unwrap();
    let full = size();
    journal.forget_session("a").await.unwrap();
    assert!(size() < full * 6 / 10, "{} of {full}", size());
    assert_eq!(journal.entries("a").await.unwrap(), []);
    drop(journal);
    // A smaller limit applies from the start.
    let journal = bounded(dir.path(), full / 3);
    let usage = journal.usage().await.unwrap();
    assert!(usage.bytes <= full / 3 && usage.entries == 50 && usage.evicted > 10, "{usage:?}");
    assert!(size() <= full / 3, "{} of {full}", size());
}

#[tokio::test]
async fn forgetting_a_session_leaves_what_others_need() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let (first, second) = (noise(1), noise(1) + "more\n");
    journal.begin_one(entry("a", "1", "/a", edited(&first, &second))).await;
    let id = journal.begin_one(entry("b", "1", "/a", edited(&second, &first))).await;
    journal.forget_session("a").await.unwrap();
    assert_eq!(journal.pair(id).await, some(&second, &first));
    journal.forget_session("b").await.unwrap();
    journal.forget_session("nobody").await.unwrap();
    assert_eq!(journal.rows().await, (0, 0));
}

#[tokio::test]
async fn texts_that_are_too_old_go() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let ids = journal.begin(vec![create("s", 0), create("s", 1)]).await.unwrap();
    let yesterday = crate::database::now_millis() - 25 * 60 * 60 * 1000;
    let id = ids[0].0;
    journal
        .run_job(move |owner| {
            let update = "UPDATE entry SET time = ?1 WHERE id = ?2";
            Ok(owner.connection.execute(update, rusqlite::params![yesterday, id])?)
        })
        .await
        .unwrap();
    let journal = bounded(dir.path(), 1 << 30);
    assert!(matches!(journal.entry_texts(ids[0]).await, Err(JournalError::Evicted { .. })));
    assert_eq!(journal.pair(ids[1]).await.1, Some(noise(1)));
}

#[tokio::test]
async fn entries_without_texts_are_bounded_too() {
    let dir = tempfile::tempdir().unwrap();
    // Room for 24 entries without texts.
    let journal = bounded(dir.path(), 100_000);
    for seed in 0..60 {
        journal.begin_one(create("s", seed)).await;
    }
    let entries = journal.entries("s").await.unwrap();
    let bare = entries.iter().filter(|entry| !entry.has_texts).count();
    assert_eq!(bare, 24);
    assert!(entries.len() < 40 && entries.last().unwrap().has_texts, "{}", entries.len());
}

#[tokio::test]
async fn whoever_never_decides_loses_the_oldest_reviews_first() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    for number in 1..=4 {
        let review = copydesk_text::review::Review::for_created_file(&"line\n".repeat(100), "call");
        assert!(journal.store_review(
            &format!("s{number}"),
            1,
            Some(("/a".into(), FileAttributes::default(), review))
        ));
    }
    let left = async |most| {
        journal.run_job(move |owner| owner.evict_old_reviews(most)).await.unwrap();
        let mut left = Vec::new();
        for number in 1..=4 {
            let session = format!("s{number}");
            if !journal.load_reviews(&session).await.unwrap().0.is_empty() {
                left.push(number);
            }
        }
        left
    };
    assert_eq!(left(1 << 20).await, [1, 2, 3, 4]);
    assert_eq!(left(2000).await, [3, 4]);
    assert_eq!(left(1).await, [4], "the newest stays");
}
