//! Undo and redo, by kind and by call.

use std::collections::BTreeMap;

use super::*;

const CALL: &str = "undo";

/// Undoes entries, as a caller does, with files that are texts in a map.
pub(super) struct UndoFixture {
    pub(super) journal: Journal,
    pub(super) session: String,
    pub(super) files: BTreeMap<String, String>,
}

impl UndoFixture {
    pub(super) fn new(journal: Journal, session: String) -> Self {
        Self { journal, session, files: BTreeMap::new() }
    }

    pub(super) async fn apply(&mut self, call: &str, place: &str, kind: NewEntryKind) -> EntryId {
        self.put(place, &kind);
        self.journal.apply(entry(&self.session, call, place, kind)).await
    }

    fn put(&mut self, place: &str, kind: &NewEntryKind) {
        match kind {
            NewEntryKind::Edit { after, .. } | NewEntryKind::Create { after } => {
                self.files.insert(place.into(), after.as_str().into());
            }
            NewEntryKind::Delete { .. } => drop(self.files.remove(place)),
            NewEntryKind::Move { to, after, .. } => {
                self.files.remove(place);
                self.files.insert(to.clone(), after.as_str().into());
            }
        }
    }

    pub(super) async fn edit(&mut self, call: &str, place: &str, after: &str) -> EntryId {
        let kind = edited(&self.files[place], after);
        self.apply(call, place, kind).await
    }

    pub(super) async fn undo(&mut self, calls: &[&str]) -> Result<usize, UndoError> {
        let entries = self.journal.entries(&self.session).await.unwrap();
        let calls: Vec<_> = calls.iter().map(ToString::to_string).collect();
        let chosen: Vec<_> = entries_to_undo(&entries, &calls).into_iter().cloned().collect();
        self.take_back(chosen).await
    }

    pub(super) async fn redo(&mut self) -> Result<usize, UndoError> {
        let entries = self.journal.entries(&self.session).await.unwrap();
        let chosen: Vec<_> = entries_to_redo(&entries).into_iter().cloned().collect();
        self.take_back(chosen).await
    }

    /// All or none. Returns how many were chosen.
    async fn take_back(&mut self, chosen: Vec<JournalEntry>) -> Result<usize, UndoError> {
        let untouched = self.files.clone();
        let mut new = Vec::new();
        for undone in &chosen {
            let texts = self.journal.entry_texts(undone.id).await.unwrap();
            let place = undone.final_path();
            let now = self.files.get(place).cloned();
            let text = now.clone().unwrap_or_default();
            let changed = |change: Change| {
                let after = HashedText::new(change.apply(&text).unwrap());
                (HashedText::new(text.as_str()), change, after)
            };
            let kind = match inverse_step(undone, &texts, now.as_deref()) {
                Err(blocked) => {
                    self.files = untouched;
                    return Err(blocked);
                }
                Ok(UndoStep::NoChange) => continue,
                Ok(UndoStep::Edit(change)) => {
                    let (before, change, after) = changed(change);
                    NewEntryKind::Edit { before, change, after }
                }
                Ok(UndoStep::Create(text)) => NewEntryKind::Create { after: HashedText::new(text) },
                Ok(UndoStep::Delete) => NewEntryKind::Delete {
                    before: HashedText::new(text.as_str()),
                    attributes: FileAttributes::default(),
                },
                Ok(UndoStep::MoveBack(change)) => {
                    let (before, change, after) = changed(change);
                    NewEntryKind::Move { to: undone.path.clone(), before, change, after }
                }
            };
            self.put(place, &kind);
            new.push(NewEntry { undoes: Some(undone.id), ..entry(&self.session, CALL, place, kind) });
        }
        let ids = self.journal.begin(new).await.unwrap();
        self.journal.settle(ids, EntryOutcome::Applied).await.unwrap();
        Ok(chosen.len())
    }
}

#[tokio::test]
async fn every_kind_is_taken_back_and_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = UndoFixture::new(open(dir.path()), "s".into());
    fixture.files = [("/a", "a\n"), ("/b", "b\n"), ("/c", "c\n")].map(|(k, v)| (k.into(), v.into())).into();
    let start = fixture.files.clone();
    fixture.edit("1", "/a", "A\n").await;
    let moved = |to: &str| NewEntryKind::Move {
        to: to.into(),
        before: HashedText::new("b\n"),
        change: Change::between("b\n", "B\n"),
        after: HashedText::new("B\n"),
    };
    fixture.apply("1", "/b", moved("/B")).await;
    fixture
        .apply(
            "2",
            "/c",
            NewEntryKind::Delete { before: HashedText::new("c\n"), attributes: FileAttributes::default() },
        )
        .await;
    fixture.apply("2", "/d", NewEntryKind::Create { after: HashedText::new("d\n") }).await;
    fixture.edit("2", "/d", "D\n").await;
    let end = fixture.files.clone();
    for _ in 0..3 {
        assert_eq!(fixture.undo(&["1", "2"]).await, Ok(5));
        assert_eq!(fixture.files, start);
        assert_eq!(fixture.undo(&["1", "2"]).await, Ok(0), "it is undone already");
        assert_eq!(fixture.redo().await, Ok(5));
        assert_eq!(fixture.files, end);
        assert_eq!(fixture.redo().await, Ok(0), "it is redone already");
    }
}

#[tokio::test]
async fn undos_are_redone_one_after_the_other_the_last_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = UndoFixture::new(open(dir.path()), "s".into());
    fixture.files.insert("/a".into(), "1\n2\n3\n".into());
    fixture.edit("1", "/a", "one\n2\n3\n").await;
    fixture.edit("2", "/a", "one\n2\nthree\n").await;
    assert_eq!(fixture.undo(&["1"]).await, Ok(1));
    assert_eq!(fixture.files["/a"], "1\n2\nthree\n");
    assert_eq!(fixture.undo(&["1", "2"]).await, Ok(1));
    assert_eq!(fixture.files["/a"], "1\n2\n3\n");
    assert_eq!(fixture.redo().await, Ok(1));
    assert_eq!(fixture.files["/a"], "1\n2\nthree\n");
    assert_eq!(fixture.undo(&["2"]).await, Ok(1));
    assert_eq!((fixture.redo().await, fixture.redo().await, fixture.redo().await), (Ok(1), Ok(1), Ok(0)));
    assert_eq!(fixture.files["/a"], "one\n2\nthree\n");
}

#[tokio::test]
async fn what_failed_is_not_undone_and_what_was_not_settled_may_have_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let fixture = UndoFixture::new(open(dir.path()), "s".into());
    let failed = fixture.journal.begin_one(edit("1", "/a", "a", "b")).await;
    fixture.journal.settle(vec![failed], EntryOutcome::Failed).await.unwrap();
    let begun = fixture.journal.begin_one(edit("1", "/a", "a", "b")).await;
    let applied = fixture.journal.apply(edit("1", "/a", "a", "b")).await;
    let undo = NewEntry { undoes: Some(applied), ..edit(CALL, "/a", "b", "a") };
    let undo = fixture.journal.begin_one(undo).await;
    let entries = fixture.journal.entries("s").await.unwrap();
    let calls = ["1".to_owned(), CALL.to_owned()];
    let ids = |entries: Vec<&JournalEntry>| entries.iter().map(|entry| entry.id).collect::<Vec<_>>();
    assert_eq!(ids(entries_to_undo(&entries, &calls)), [applied, begun]);
    assert_eq!(ids(entries_to_redo(&entries)), []);
    fixture.journal.settle(vec![undo], EntryOutcome::Applied).await.unwrap();
    let entries = fixture.journal.entries("s").await.unwrap();
    assert_eq!(ids(entries_to_undo(&entries, &calls)), [begun]);
    assert_eq!(ids(entries_to_redo(&entries)), [undo]);
}

#[tokio::test]
async fn entries_of_several_begins_can_be_one_group() {
    let dir = tempfile::tempdir().unwrap();
    let fixture = UndoFixture::new(open(dir.path()), "s".into());
    let edits = [
        fixture.journal.apply(edit("1", "/a", "a", "b")).await,
        fixture.journal.apply(edit("1", "/b", "a", "b")).await,
    ];
    let undo = |id, place: &str| NewEntry { undoes: Some(id), ..edit(CALL, place, "b", "a") };
    let first = fixture.journal.apply(undo(edits[1], "/b")).await;
    let second = fixture.journal.apply(NewEntry { group: Some(first), ..undo(edits[0], "/a") }).await;
    let entries = fixture.journal.entries("s").await.unwrap();
    let redo: Vec<_> = entries_to_redo(&entries).iter().map(|entry| entry.id).collect();
    assert_eq!(redo, [second, first]);
}

#[tokio::test]
async fn what_a_user_did_meanwhile_stays_or_the_undo_is_blocked() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = UndoFixture::new(open(dir.path()), "s".into());
    fixture.files.insert("/a".into(), "1\n2\n3\n".into());
    fixture.edit("1", "/a", "1\n2\nthree\n").await;
    fixture.apply("2", "/new", NewEntryKind::Create { after: HashedText::new("new\n") }).await;
    fixture.files.insert("/a".into(), "mine\n1\n2\nthree\n".into());
    assert_eq!(fixture.undo(&["1"]).await, Ok(1));
    assert_eq!(fixture.files["/a"], "mine\n1\n2\n3\n");
    assert_eq!(fixture.redo().await, Ok(1));
    fixture.files.insert("/a".into(), "mine\n1\n2\nthree, mine\n".into());
    assert!(matches!(fixture.undo(&["1"]).await, Err(UndoError::Conflict(_))));

    // The user undid it by hand.
    fixture.files.insert("/a".into(), "mine\n1\n2\n3\n".into());
    assert_eq!(fixture.undo(&["1"]).await, Ok(1));
    assert_eq!(fixture.files["/a"], "mine\n1\n2\n3\n");

    fixture.files.insert("/new".into(), "new\nmine\n".into());
    assert_eq!(fixture.undo(&["2"]).await, Err(UndoError::Changed));
    fixture.files.remove("/new");
    assert_eq!(fixture.undo(&["2"]).await, Ok(1));
    assert!(!fixture.files.contains_key("/new"));
    fixture.edit("3", "/a", "").await;
    fixture.files.remove("/a");
    assert_eq!(fixture.undo(&["3"]).await, Err(UndoError::Missing));
    fixture.files.insert("/a".into(), "x\n".into());
    fixture
        .apply(
            "4",
            "/a",
            NewEntryKind::Delete { before: HashedText::new("x\n"), attributes: FileAttributes::default() },
        )
        .await;
    fixture.files.insert("/a".into(), "mine\n".into());
    assert_eq!(fixture.undo(&["4"]).await, Err(UndoError::Exists));
    fixture.files.insert("/a".into(), "x\n".into());
    assert_eq!(fixture.undo(&["4"]).await, Ok(1));
}
