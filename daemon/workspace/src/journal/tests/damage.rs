//! Damaged files and damaged texts.

use std::fs;

use super::*;

#[tokio::test]
async fn a_damaged_journal_is_moved_aside_and_nothing_is_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.db");
    for damage in ["this is no database, but long enough to look at ".repeat(40), "short".to_owned()] {
        fs::write(&path, &damage).unwrap();
        let (journal, opened) = Journal::open(dir.path(), JournalLimits::default()).unwrap();
        assert_eq!(fs::read_to_string(opened.moved_aside.unwrap()).unwrap(), damage);
        let id = journal.begin_one(edit("1", "/a", "a", "b")).await;
        assert_eq!(journal.pair(id).await, some("a", "b"));
        drop(journal);
        for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
            let _ = fs::remove_file(dir.path().join(name));
        }
    }
}

#[tokio::test]
async fn damage_that_was_met_leads_to_a_look_at_everything_and_a_false_alarm_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    journal.begin_one(edit("1", "/a", "a", "b")).await;
    let path = dir.path().join("journal.db");
    let error = journal
        .run_job(|_| -> Result<(), _> {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            Err(rusqlite::Error::SqliteFailure(code, None).into())
        })
        .await
        .unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    assert!(crate::database::note_path(&path).exists());
    let (journal, opened) = Journal::open(dir.path(), JournalLimits::default()).unwrap();
    assert_eq!(opened, JournalOpenReport { moved_aside: None, unsettled: 1 });
    assert!(!crate::database::note_path(&path).exists());
    assert_eq!(journal.entries("s").await.unwrap().len(), 1);
}

/// Whatever the rows contain, reading gives the recorded text or an error.
#[tokio::test]
async fn a_text_that_is_not_what_was_recorded_is_not_given_back() {
    let (before, after) = ("one\n".repeat(400), "one\n".repeat(400) + "two\n");
    for harm in [
        "UPDATE text SET data = X'00' WHERE base IS NULL",
        "UPDATE text SET packed = 0 WHERE base IS NULL",
        "UPDATE text SET length = 3 WHERE base IS NULL",
        "UPDATE text SET data = '[]' WHERE base IS NOT NULL",
        "UPDATE text SET data = '[{\"range\":{\"start\":9,\"end\":1},\"text\":\"\"}]' WHERE base IS NOT NULL",
        "UPDATE text SET data = '{' WHERE base IS NOT NULL",
        "UPDATE text SET base = NULL",
        "UPDATE text SET base = id",
        "UPDATE entry SET before = after",
        "UPDATE entry SET kind = 'what'",
        "UPDATE entry SET outcome = 'what'",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let journal = open(dir.path());
        let id = journal.begin_one(edit("1", "/a", &before, &after)).await;
        assert_eq!(journal.pair(id).await, some(&before, &after));
        let sql =
            harm.replace("'[", "CAST('[").replace("]'", "]' AS BLOB)").replace("'{'", "CAST('{' AS BLOB)");
        journal.run_job(move |owner| Ok(owner.connection.execute_batch(&sql)?)).await.unwrap();
        let result = journal.entry_texts(id).await;
        assert!(matches!(result, Err(JournalError::Unreadable(_))), "{harm}: {result:?}");
    }
}

#[tokio::test]
async fn a_move_without_a_target_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let id = journal.begin_one(edit("1", "/a", "a", "b")).await;
    let sql = "UPDATE entry SET kind = 'move', leads_to = NULL";
    journal.run_job(move |owner| Ok(owner.connection.execute_batch(sql)?)).await.unwrap();
    let error = journal.entry_texts(id).await.unwrap_err().to_string();
    assert!(error.ends_with("a move has no target"), "{error}");
}
