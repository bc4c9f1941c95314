mod crash;
mod damage;
mod limits;
mod properties;
mod undo;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use copydesk_text::Change;
use sha2::{Digest as _, Sha256};

use super::*;

fn open(folder: &Path) -> Journal {
    let (journal, opened) = Journal::open(folder, JournalLimits::default()).unwrap();
    assert_eq!(opened, JournalOpenReport::default());
    journal
}

fn entry(session: &str, call: &str, place: &str, kind: NewEntryKind) -> NewEntry {
    let (session, call, place) = (session.into(), call.into(), place.into());
    NewEntry { session, call, path: place, kind, undoes: None, group: None }
}

fn edited(before: &str, after: &str) -> NewEntryKind {
    let change = Change::between(before, after);
    NewEntryKind::Edit { before: HashedText::new(before), change, after: HashedText::new(after) }
}

fn edit(call: &str, place: &str, before: &str, after: &str) -> NewEntry {
    entry("s", call, place, edited(before, after))
}

impl Journal {
    async fn begin_one(&self, entry: NewEntry) -> EntryId {
        self.begin(vec![entry]).await.unwrap()[0]
    }

    async fn apply(&self, entry: NewEntry) -> EntryId {
        let id = self.begin_one(entry).await;
        self.settle(vec![id], EntryOutcome::Applied).await.unwrap();
        id
    }

    async fn pair(&self, id: EntryId) -> (Option<String>, Option<String>) {
        let texts = self.entry_texts(id).await.unwrap();
        (texts.before, texts.after)
    }

    /// The number of text rows: all, and whole ones.
    async fn rows(&self) -> (u64, u64) {
        self.run_job(|owner| {
            let query = "SELECT count(*), count(*) - count(base) FROM text";
            Ok(owner.connection.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
        .await
        .unwrap()
    }
}

fn some(before: &str, after: &str) -> (Option<String>, Option<String>) {
    (Some(before.to_owned()), Some(after.to_owned()))
}

#[tokio::test]
async fn every_kind_of_edit_is_recorded_and_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let moved = NewEntryKind::Move {
        to: "/c".into(),
        before: HashedText::new("c\n"),
        change: Change::between("c\n", "C\n"),
        after: HashedText::new("C\n"),
    };
    let entries = vec![
        edit("1", "/a", "a\nb\n", "a\nB\n"),
        entry("s", "1", "/b", NewEntryKind::Create { after: HashedText::new("new\n") }),
        entry("s", "2", "/c.old", moved),
        entry(
            "s",
            "2",
            "untitled:Untitled-1",
            NewEntryKind::Delete { before: HashedText::new(""), attributes: FileAttributes::default() },
        ),
    ];
    let ids = journal.begin(entries).await.unwrap();
    // Another process sees the same.
    let (journal, opened) = Journal::open(dir.path(), JournalLimits::default()).unwrap();
    assert_eq!(opened, JournalOpenReport { moved_aside: None, unsettled: 4 });
    let seen = journal.entries("s").await.unwrap();
    assert_eq!(seen.iter().map(|entry| entry.id).collect::<Vec<_>>(), ids);
    assert!(seen.iter().all(|entry| entry.group == ids[0] && entry.has_texts && entry.outcome.is_none()));
    assert_eq!(journal.unsettled_entries().await.unwrap(), seen);
    let kinds: Vec<_> = seen.iter().map(|entry| (entry.final_path(), entry.kind.clone())).collect();
    let to = EntryKind::Move { to: "/c".into() };
    let untitled = "untitled:Untitled-1";
    let expected =
        [("/a", EntryKind::Edit), ("/b", EntryKind::Create), ("/c", to), (untitled, EntryKind::Delete)];
    assert_eq!(kinds, expected);
    assert_eq!(seen[0].before, Some(TextHash::of_text("a\nb\n")));
    assert_eq!((seen[1].before, seen[1].after), (None, Some(TextHash::of_text("new\n"))));

    assert_eq!(journal.pair(ids[0]).await, some("a\nb\n", "a\nB\n"));
    assert_eq!(journal.pair(ids[1]).await, (None, Some("new\n".into())));
    assert_eq!(journal.pair(ids[2]).await, some("c\n", "C\n"));
    assert_eq!(journal.pair(ids[3]).await, (Some(String::new()), None));
    let nobody = EntryId(99);
    assert!(matches!(journal.entry_texts(nobody).await, Err(JournalError::NoEntry(id)) if id == nobody));
}

#[tokio::test]
async fn texts_of_a_journal_with_sha_256_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path());
    let id = journal.apply(edit("c", "/a", "old\n", "new\n")).await;
    journal
        .run_job(|owner| {
            for (text, column) in [("old\n", "before"), ("new\n", "after")] {
                let hash = <[u8; 32]>::from(Sha256::digest(text));
                let update = format!("UPDATE entry SET {column}_hash = ?1");
                assert_eq!(owner.connection.execute(&update, [hash])?, 1);
            }
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(journal.pair(id).await, (Some("old\n".to_owned()), Some("new\n".to_owned())));
}

#[tokio::test]
async fn an_entry_is_settled_and_only_one_that_there_is() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let ids = journal.begin(vec![edit("1", "/a", "a", "b"), edit("1", "/b", "a", "b")]).await.unwrap();
    journal.settle(vec![ids[0]], EntryOutcome::Applied).await.unwrap();
    journal.settle(vec![ids[1]], EntryOutcome::Failed).await.unwrap();
    let outcomes = async || journal.entries("s").await.unwrap().iter().map(|e| e.outcome).collect::<Vec<_>>();
    assert_eq!(outcomes().await, [Some(EntryOutcome::Applied), Some(EntryOutcome::Failed)]);
    let error = journal.settle(vec![ids[0], EntryId(99)], EntryOutcome::Failed).await.unwrap_err();
    assert!(matches!(error, JournalError::NoEntry(EntryId(99))), "{error}");
    assert_eq!(outcomes().await, [Some(EntryOutcome::Applied), Some(EntryOutcome::Failed)], "all or none");
    assert_eq!(journal.unsettled_entries().await.unwrap(), []);
}

#[tokio::test]
async fn a_change_that_does_not_lead_from_one_text_to_the_other_is_refused_with_all_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let (before, after) = ("one\ntwo\n", "one\n2\n");
    for (before, change, after) in [
        (before, Change::between(before, "one\n3\n"), after),
        (before, Change::between(before, after), "one\n2\n\n"),
        (before, Change::between(before, after), "one\n"),
        ("no", Change::between(before, after), after),
        (before, Change::default(), after),
    ] {
        let kind =
            NewEntryKind::Edit { before: HashedText::new(before), change, after: HashedText::new(after) };
        let bad = entry("s", "1", "/bad", kind);
        let error = journal.begin(vec![edit("1", "/a", "a", "b"), bad]).await.unwrap_err();
        assert!(matches!(error, JournalError::Mismatch(place) if place == "/bad"));
    }
    assert_eq!(journal.entries("s").await.unwrap(), []);
    assert_eq!(journal.rows().await, (0, 0));
    // The cache forgets texts that were never committed.
    let id = journal.begin_one(edit("2", "/a", "b", "c")).await;
    assert_eq!(journal.pair(id).await, some("b", "c"));
}

#[tokio::test]
async fn what_goes_on_from_a_known_text_is_stored_as_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let lines = |end: &str| (0..1000).map(|n| format!("line {n}\n")).collect::<String>() + end;
    let mut now = lines("");
    let mut pairs = Vec::new();
    for number in 0..20 {
        let after = now.replacen(&format!("line {number}\n"), "agent\n", 1);
        pairs.push((journal.begin_one(edit("1", "/a", &now, &after)).await, now, after.clone()));
        // The user types at the end.
        now = format!("{after}é{number}\n");
    }
    assert_eq!(journal.rows().await, (40, 1));
    for (id, before, after) in pairs {
        assert_eq!(journal.pair(id).await, some(&before, &after));
    }
    // The same text at another path, and after a restart, is found by its hash.
    let journal = open_again(dir.path());
    journal.begin_one(edit("2", "/b", &lines(""), &lines("b"))).await;
    assert_eq!(journal.rows().await, (41, 1));
    // A different text is not.
    journal.begin_one(edit("3", "/b", "else", "what")).await;
    assert_eq!(journal.rows().await, (43, 2));
}

fn open_again(folder: &Path) -> Journal {
    Journal::open(folder, JournalLimits::default()).unwrap().0
}

#[tokio::test]
async fn no_text_stands_on_too_many_others() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let mut now = "start\n".repeat(50);
    let mut pairs = Vec::new();
    for number in 0..200 {
        let after = format!("{now}{number}\n");
        pairs.push((journal.begin_one(edit("1", "/a", &now, &after)).await, now, after.clone()));
        now = after;
    }
    let deepest: i64 = journal
        .run_job(|owner| {
            Ok(owner.connection.query_row("SELECT max(depth) FROM text", [], |row| row.get(0))?)
        })
        .await
        .unwrap();
    assert_eq!(deepest, text_rows::MAX_DEPTH);
    assert_eq!(journal.rows().await.1, 4);
    for (id, before, after) in pairs {
        assert_eq!(journal.pair(id).await, some(&before, &after));
    }
}

#[tokio::test]
async fn a_known_text_that_another_process_let_go_is_stored_again() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    journal.apply(edit("1", "/a", "a\n", "b\n")).await;
    open_again(dir.path()).forget_session("s").await.unwrap();
    let id = journal.apply(edit("2", "/a", "b\n", "c\n")).await;
    assert_eq!(journal.pair(id).await, some("b\n", "c\n"));
    assert_eq!(journal.rows().await, (2, 1));
}

#[tokio::test]
async fn two_processes_record_at_once_and_neither_loses_anything() {
    let dir = tempfile::tempdir().unwrap();
    let writer = async |name: &str| {
        let journal = open_again(dir.path());
        let mut ids = Vec::new();
        for number in 0..30 {
            let text = |number: i32| format!("{}{number}\n", "line\n".repeat(20));
            let entry = entry(name, "1", "/a", edited(&text(number), &text(number + 1)));
            ids.push((journal.begin_one(entry).await, text(number), text(number + 1)));
        }
        ids
    };
    let (one, other) = tokio::join!(writer("one"), writer("other"));
    let journal = open_again(dir.path());
    for (id, before, after) in one.iter().chain(&other) {
        assert_eq!(journal.pair(*id).await, some(before, after));
    }
    let count = async |name| journal.entries(name).await.unwrap().len();
    assert_eq!((count("one").await, count("other").await), (30, 30));
}

#[tokio::test]
async fn the_files_are_the_users_alone_and_a_newer_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    let journal = open(&folder);
    journal.apply(edit("1", "/a", "a", "b")).await;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    journal.run_job(|owner| Ok(owner.connection.pragma_update(None, "user_version", 7)?)).await.unwrap();
    let error = Journal::open(&folder, JournalLimits::default()).unwrap_err().to_string();
    assert!(error.ends_with("was written by a newer copydesk (format 7): update this one"), "{error}");
}

#[tokio::test]
async fn a_journal_of_an_earlier_version_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let earlier = Connection::open(dir.path().join("journal.db")).unwrap();
    schema::STEPS[..2].iter().for_each(|step| earlier.execute_batch(step).unwrap());
    let entry = "INSERT INTO entry (session, call, part_of, place, kind, time) VALUES ('s', '1', 1, '/a', 'delete', 0)";
    earlier.execute(entry, []).unwrap();
    earlier.pragma_update(None, "user_version", 2).unwrap();
    drop(earlier);
    let entries = open_again(dir.path()).entries("s").await.unwrap();
    assert_eq!((entries.len(), entries[0].attributes), (1, FileAttributes::default()));
}
