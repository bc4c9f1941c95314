//! Undo takes the hunks of closed files away, and redo brings back those that were undecided.

use super::*;

const OLD: &str = "1\n2\n3\n4\n5\n";
const NEW: &str = "1\nB\n3\nD\n5\n";

/// What each file shows: its line hunks, and whether the file itself is a hunk.
fn undecided(fixture: &ReviewsFixture) -> Vec<(String, usize, bool)> {
    // Viewers hear of reviews that are over, and then they are dropped.
    fixture.files.reviews().take_updates(SESSION);
    let show = |view: ReviewSnapshot| (view.display_path, view.hunks.len(), view.whole.is_some());
    fixture.list().into_iter().map(show).collect()
}

/// Takes back the agent's changes, the last one first; or what was taken back last.
async fn take_back(fixture: &ReviewsFixture, direction: UndoDirection) {
    let journal = fixture.files.journal().unwrap();
    let entries = journal.entries(SESSION).await.unwrap();
    let wanted = match direction {
        UndoDirection::Undo => crate::journal::entries_to_undo(&entries, &["call".to_owned()]),
        UndoDirection::Redo => crate::journal::entries_to_redo(&entries),
    };
    assert!(!wanted.is_empty(), "{entries:?}");
    fixture.files.undo_entries(journal, &wanted, direction).await;
}

async fn with_every_kind() -> ReviewsFixture {
    let fixture = ReviewsFixture::lasting();
    fixture.write("deleted", OLD);
    fixture.write("edited", OLD);
    fixture.agent("edited", NEW).await;
    fixture.agent("edited", &NEW.replace('1', "A")).await;
    fixture.agent("made", NEW).await;
    let FileChangeKind::Edit { file, stamp, .. } = fixture.kind("deleted", "").await else {
        panic!("no file")
    };
    fixture.change("deleted", FileChangeKind::Delete { file, stamp }).await;
    fixture
}

#[tokio::test]
async fn what_is_redone_is_undecided_again() {
    let fixture = with_every_kind().await;
    let before = undecided(&fixture);
    assert_eq!(before.len(), 3, "{before:?}");
    for _ in 0..2 {
        take_back(&fixture, UndoDirection::Undo).await;
        assert_eq!(undecided(&fixture), []);
        assert_eq!((fixture.read("edited"), fixture.read("deleted")), (OLD.to_owned(), OLD.to_owned()));
        take_back(&fixture, UndoDirection::Redo).await;
        assert_eq!(undecided(&fixture), before);
        assert_eq!(fixture.read("made"), NEW);
    }
}

#[tokio::test]
async fn what_was_accepted_is_not_asked_for_again() {
    let fixture = with_every_kind().await;
    for view in fixture.list() {
        assert_eq!(fixture.decide(&[everything(&view, HunkVerdict::Accept)]).await, [Ok(())]);
    }
    assert_eq!(undecided(&fixture), []);
    for direction in [UndoDirection::Undo, UndoDirection::Redo] {
        take_back(&fixture, direction).await;
        assert_eq!(undecided(&fixture), []);
    }
    assert_eq!((fixture.read("edited"), fixture.read("made")), (NEW.replace('1', "A"), NEW.to_owned()));
}

/// A file whose name only begins alike does not go along.
#[tokio::test]
async fn what_the_user_renames_is_undone_under_its_new_name() {
    let fixture = ReviewsFixture::lasting();
    std::fs::create_dir(fixture.folder.path().join("src")).unwrap();
    for name in ["src/a", "src-b"] {
        fixture.write(name, OLD);
        fixture.agent(name, NEW).await;
    }
    let folder = fixture.folder.path().canonicalize().unwrap();
    let [from, to] = ["src", "lib"].map(|name| folder.join(name));
    std::fs::rename(&from, &to).unwrap();
    let client = crate::buffers::tests::silent(fixture.files.buffers());
    fixture.files.buffers().rename(client, &from, &to);
    for (direction, text) in [(UndoDirection::Undo, OLD), (UndoDirection::Redo, NEW)] {
        take_back(&fixture, direction).await;
        assert_eq!((fixture.read("lib/a").as_str(), fixture.read("src-b").as_str()), (text, text));
    }
    assert!(!from.exists());
}
