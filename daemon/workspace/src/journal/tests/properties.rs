//! Random edits of an agent and random typing in a few small texts.

use std::sync::atomic::{AtomicUsize, Ordering};

use copydesk_text::Edit;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::undo::UndoFixture;
use super::*;

/// One edit of a text. An agent writes small letters and the user capitals, so each letter shows its author.
#[derive(Debug, Clone)]
struct Write {
    place: usize,
    /// The agent's call; `None` for the user.
    call: Option<usize>,
    at: (usize, usize),
    text: String,
}

const PLACES: [&str; 3] = ["/a", "/b", "/c"];
const CALLS: [&str; 3] = ["0", "1", "2"];

/// `agents` of ten edits are an agent's.
fn write(agents: usize) -> impl Strategy<Value = Write> {
    let call = (0..10usize, 0..CALLS.len()).prop_map(move |(roll, call)| (roll < agents).then_some(call));
    (0..PLACES.len(), call, (0..60usize, 0..12usize), "[a-dé\n]{0,6}").prop_map(|(place, call, at, text)| {
        let text = if call.is_some() { text } else { text.to_uppercase() };
        Write { place, call, at, text }
    })
}

impl Write {
    fn change(&self, text: &str) -> Change {
        let start = text.floor_char_boundary(self.at.0.min(text.len()));
        // The user only adds, so that every capital ever written counts.
        let length = if self.call.is_some() { self.at.1 } else { 0 };
        let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
        Change::from_unchecked_edits(text, vec![Edit { range: start..end, text: self.text.clone() }]).unwrap()
    }
}

/// Records the agents' edits together: the test is about the texts, not the disk.
async fn play(fixture: &mut UndoFixture, writes: &[Write]) -> Vec<(EntryId, String, String)> {
    let (mut entries, mut texts) = (Vec::new(), Vec::new());
    for write in writes {
        let place = PLACES[write.place];
        let before = fixture.files[place].clone();
        let change = write.change(&before);
        let after = change.apply(&before).unwrap();
        fixture.files.insert(place.into(), after.clone());
        if let Some(call) = write.call {
            let (before_text, after_text) =
                (HashedText::new(before.as_str()), HashedText::new(after.as_str()));
            let kind = NewEntryKind::Edit { before: before_text, change, after: after_text };
            entries.push(entry(&fixture.session, CALLS[call], place, kind));
            texts.push((before, after));
        }
    }
    let ids = fixture.journal.begin(entries).await.unwrap();
    fixture.journal.settle(ids.clone(), EntryOutcome::Applied).await.unwrap();
    ids.into_iter().zip(texts).map(|(id, (before, after))| (id, before, after)).collect()
}

fn capitals(fixture: &UndoFixture) -> Vec<String> {
    let of = |text: &String| text.chars().filter(|letter| letter.is_uppercase()).collect::<String>();
    fixture.files.values().map(of).collect()
}

/// Every case is a session of its own in one journal.
fn check<S: Strategy>(strategy: S, law: impl AsyncFn(UndoFixture, S::Value) -> Result<(), TestCaseError>) {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let session = AtomicUsize::new(0);
    let config = Config { cases: 128, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(&strategy, |value| {
        let number = session.fetch_add(1, Ordering::Relaxed);
        let mut fixture = UndoFixture::new(journal.clone(), number.to_string());
        for place in PLACES {
            let text = (0..8).map(|line| format!("{} line\n", char::from(b'p' + line))).collect();
            fixture.files.insert(place.into(), text);
        }
        runtime.block_on(law(fixture, value))
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

#[test]
fn every_recorded_text_is_given_back() {
    check(vec(write(7), 1..40), async |mut fixture, writes| {
        for (id, before, after) in play(&mut fixture, &writes).await {
            prop_assert_eq!(fixture.journal.pair(id).await, some(&before, &after));
        }
        Ok(())
    });
}

#[test]
fn where_nobody_types_undo_gives_the_text_before_and_redo_the_text_after() {
    check(vec(write(10), 1..20), async |mut fixture, writes| {
        let before = fixture.files.clone();
        play(&mut fixture, &writes).await;
        let after = fixture.files.clone();
        for _ in 0..2 {
            prop_assert_eq!(fixture.undo(&CALLS).await, Ok(writes.len()));
            prop_assert_eq!(&fixture.files, &before);
            prop_assert!(fixture.redo().await.is_ok());
            prop_assert_eq!(&fixture.files, &after);
        }
        // Each call can be undone and redone, unless a later one builds on it.
        for call in CALLS {
            let undone = fixture.undo(&[call]).await;
            if undone.is_ok() && fixture.files != after {
                prop_assert!(fixture.redo().await.is_ok());
            }
            prop_assert_eq!(&fixture.files, &after);
        }
        Ok(())
    });
}

#[test]
fn what_a_user_typed_outlives_every_undo() {
    let undos = vec((0..CALLS.len(), vec(write(0), 0..3)), 1..4);
    check((vec(write(6), 1..16), undos), async |mut fixture, (writes, undos)| {
        play(&mut fixture, &writes).await;
        for (call, typed) in undos {
            play(&mut fixture, &typed).await;
            let (mine, files) = (capitals(&fixture), fixture.files.clone());
            if fixture.undo(&[CALLS[call]]).await.is_err() {
                prop_assert_eq!(&fixture.files, &files);
            }
            // Letters that an agent had deleted may come back as well.
            for (before, after) in mine.iter().zip(capitals(&fixture)) {
                let mut rest = after.chars();
                prop_assert!(
                    before.chars().all(|letter| rest.any(|found| found == letter)),
                    "{before} {after}"
                );
            }
        }
        Ok(())
    });
}
