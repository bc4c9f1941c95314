//! Files that are damaged: small, large, noticed at the start or later.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use copydesk_workspace::database::{self, CheckDepth, LargeFileCheck, SMALL_FILE_BYTES};

use super::tests::{open, session, text};
use super::{Store, StoreError};
use crate::data::Session;
use crate::id::now;

/// What the next start has to do.
fn depth(path: &Path) -> CheckDepth {
    database::required_depth(path, LargeFileCheck::Daily)
}

/// A store with so many parts of 20 kB, closed, with everything in its one file.
async fn filled(folder: &Path, parts: usize) -> (PathBuf, Session) {
    let store = open(folder);
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    store.put_parts((0..parts).map(|_| text(&session, &"long ".repeat(4_000))).collect()).await.unwrap();
    close(store).await;
    (folder.join("sessions.db"), session)
}

/// With the log folded in, and not before its thread has let go of the file.
async fn close(store: Store) {
    store
        .run_job(|connection| Ok(connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?))
        .await
        .unwrap();
    let path = store.path.to_path_buf();
    drop(store);
    while path.with_extension("db-wal").exists() {
        tokio::task::yield_now().await;
    }
}

/// The middle half of the file becomes nonsense, in place.
fn damage(path: &Path) {
    let pages = path.metadata().unwrap().len() / 4096;
    let file = OpenOptions::new().write(true).open(path).unwrap();
    for page in pages / 4..pages * 3 / 4 {
        file.write_all_at(&[0x5a; 4096], page * 4096).unwrap();
    }
}

fn moved_aside(folder: &Path) -> Option<PathBuf> {
    Store::open(folder).unwrap().1.moved_aside
}

#[tokio::test]
async fn a_damaged_store_is_moved_aside_and_nothing_is_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.db");
    let long = "this is no database, but long enough to look at ".repeat(40);
    for damage in [long, "short".to_owned(), String::new()] {
        fs::write(&path, &damage).unwrap();
        let (store, opened) = Store::open(dir.path()).unwrap();
        let aside = opened.moved_aside.expect("it was moved");
        assert_eq!(fs::read_to_string(aside).unwrap(), damage);
        store.put_session(session("/work")).await.unwrap();
        drop(store);
        fs::remove_file(&path).unwrap();
        let _ = fs::remove_file(dir.path().join("sessions.db-wal"));
        let _ = fs::remove_file(dir.path().join("sessions.db-shm"));
    }
}

#[tokio::test]
async fn a_small_store_is_checked_at_every_start() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = filled(dir.path(), 20).await;
    assert!(path.metadata().unwrap().len() < SMALL_FILE_BYTES);
    close(open(dir.path())).await;
    damage(&path);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(fs::read(moved_aside(dir.path()).expect("it was moved")).unwrap(), bytes);
    assert_eq!(moved_aside(dir.path()), None);
}

/// The log may be good where the file is not: both are moved as they are, and none is folded into the other.
#[tokio::test]
async fn a_damaged_store_is_moved_with_its_log_and_not_written_into() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, written) = filled(dir.path(), 20).await;
    let store = open(dir.path());
    store.put_parts(vec![text(&written, "a last word")]).await.unwrap();
    let names = ["sessions.db", "sessions.db-wal"];
    for name in names {
        fs::copy(dir.path().join(name), other.path().join(name)).unwrap();
    }
    damage(&other.path().join("sessions.db"));
    let bytes = names.map(|name| fs::read(other.path().join(name)).unwrap());
    assert!(!bytes[1].is_empty());
    let aside = moved_aside(other.path()).expect("it was moved");
    let log = PathBuf::from(format!("{}-wal", aside.display()));
    assert!(fs::read(&aside).unwrap() == bytes[0], "the file is as it was");
    assert!(fs::read(log).unwrap() == bytes[1], "the log is as it was");
    assert_eq!(path.file_name().unwrap(), "sessions.db");
}

#[tokio::test]
async fn a_large_store_is_checked_at_its_first_start() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = filled(dir.path(), 400).await;
    assert!(path.metadata().unwrap().len() > SMALL_FILE_BYTES);
    assert_eq!(depth(&path), CheckDepth::Whole, "it was small when it was opened");
    damage(&path);
    assert!(moved_aside(dir.path()).is_some());
}

/// The check of the same day is trusted; what SQLite meets later is told, and leads to the next one.
#[tokio::test]
async fn damage_that_is_met_later_is_told_and_checked_at_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let (path, session) = filled(dir.path(), 400).await;
    close(open(dir.path())).await;
    assert_eq!(depth(&path), CheckDepth::Cheap);
    damage(&path);
    let store = open(dir.path());
    let error = store.parts(&session.id).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.starts_with(&path.display().to_string()), "{message}");
    assert!(message.contains("is damaged") && message.contains("Start copydesk again"), "{message}");
    drop(store);
    assert_eq!(depth(&path), CheckDepth::Thorough);
    assert!(moved_aside(dir.path()).is_some());
    assert_eq!(moved_aside(dir.path()), None, "the note went with it");
}

#[tokio::test]
async fn a_false_alarm_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let (path, session) = filled(dir.path(), 400).await;
    database::note_damage(&path);
    let store = open(dir.path());
    assert_eq!(depth(&path), CheckDepth::Cheap);
    assert_eq!(store.parts(&session.id).await.unwrap().len(), 400);
}

#[tokio::test]
async fn a_large_store_that_was_cut_off_or_overwritten_at_its_start_is_noticed_cheaply() {
    for harm in ["cut", "header"] {
        let dir = tempfile::tempdir().unwrap();
        let (path, _) = filled(dir.path(), 400).await;
        close(open(dir.path())).await;
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        match harm {
            "cut" => file.set_len(SMALL_FILE_BYTES + 4096).unwrap(),
            _ => file.write_all_at(&[0x5a; 4096], 0).unwrap(),
        }
        assert_eq!(depth(&path), CheckDepth::Cheap);
        assert!(moved_aside(dir.path()).is_some(), "{harm}");
    }
}

#[tokio::test]
async fn a_check_counts_for_a_day_one_file_and_one_start_of_the_machine() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = filled(dir.path(), 400).await;
    close(open(dir.path())).await;
    let note = fs::read_to_string(database::note_path(&path)).unwrap();
    let (time, rest) = note.split_once(' ').unwrap();
    let (file, boot) = rest.split_once(' ').unwrap();
    let yesterday = now() - 25 * 60 * 60 * 1000;
    for (text, expected) in [
        (note.clone(), CheckDepth::Cheap),
        (format!("{yesterday} {rest}"), CheckDepth::Whole),
        (format!("{} {rest}", now() + 60 * 60 * 1000), CheckDepth::Whole),
        (format!("{time} {file} another-{boot}"), CheckDepth::Whole),
        (format!("{time} 0:0 {boot}"), CheckDepth::Whole),
        ("nonsense".to_owned(), CheckDepth::Whole),
        (String::new(), CheckDepth::Whole),
    ] {
        fs::write(database::note_path(&path), &text).unwrap();
        assert_eq!(depth(&path), expected, "{text}");
    }
    fs::write(database::note_path(&path), &note).unwrap();
    fs::copy(&path, dir.path().join("copy")).unwrap();
    fs::rename(dir.path().join("copy"), &path).unwrap();
    assert_eq!(depth(&path), CheckDepth::Whole, "a copy is another file");
}

/// A store without write access is read as it is; no file is created beside it.
#[tokio::test]
async fn a_store_that_stands_alone_is_read_without_a_trace() {
    let dir = tempfile::tempdir().unwrap();
    let (path, written) = filled(dir.path(), 3).await;
    // What the next one who may write has to know.
    database::note_damage(&path);
    let files = || fs::read_dir(dir.path()).unwrap().count();
    let (bytes, count) = (fs::read(&path).unwrap(), files());
    let connection = super::open::FILE.open_read_only(dir.path()).unwrap();
    let store = Store::start(dir.path(), connection).unwrap();
    assert_eq!(store.parts(&written.id).await.unwrap().len(), 3);
    assert_eq!(store.sessions(9).await.unwrap().len(), 1);
    let error = store.rename_session(&written.id, "other").await.unwrap_err().to_string();
    assert!(error.contains("cannot be written; check who owns it"), "{error}");
    assert!(files() == count && fs::read(&path).unwrap() == bytes);

    let older = rusqlite::Connection::open(&path).unwrap();
    older.pragma_update(None, "user_version", 1).unwrap();
    older.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    drop(older);
    let error = super::open::FILE.open_read_only(dir.path()).unwrap_err().to_string();
    assert!(error.contains("was written by an older copydesk"), "{error}");
}

/// SQLite says so itself; what was acknowledged before stays, and with room again it goes on.
#[tokio::test]
async fn a_full_disk_is_told_and_passes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    let limit = |pages: u32| {
        store.run_job(move |connection| {
            let set = format!("PRAGMA max_page_count = {pages}");
            Ok(connection.query_row(&set, [], |_| Ok(()))?)
        })
    };
    limit(1).await.unwrap();
    let error = store.put_parts(vec![text(&session, &"x".repeat(200_000))]).await.unwrap_err();
    let path = dir.path().join("sessions.db");
    assert_eq!(
        error.to_string(),
        format!(
            "{}: the session store failed: the disk is full; free some space and try again",
            path.display()
        )
    );
    assert!(std::error::Error::source(&error).is_none(), "nothing is said twice");
    assert_eq!(store.parts(&session.id).await.unwrap().len(), 0);
    limit(100_000).await.unwrap();
    store.put_parts(vec![text(&session, &"x".repeat(200_000))]).await.unwrap();
    assert_eq!(store.parts(&session.id).await.unwrap().len(), 1);
}
