//! Faults: each page of a store is damaged in turn.

use std::os::unix::fs::FileExt as _;

use super::super::Store;
use super::super::tests::{session, text};
use super::*;

const PAGE: u64 = 4096;

/// Sessions with short and long parts, one with a subagent's session, and one that was deleted.
async fn fill(folder: &Path) -> Vec<(Session, Vec<Part>)> {
    let (store, _) = Store::open(folder).unwrap();
    let mut filled = Vec::new();
    for number in 0..6 {
        let mut session = session(&format!("/work/{number}"));
        session.title = format!("Session {number}");
        session.parent = (number == 5).then(|| {
            let (first, _): &(Session, Vec<Part>) = &filled[0];
            first.id.clone()
        });
        let parts: Vec<_> = (0..12)
            .map(|part| {
                text(&session, &format!("{number} {part} ").repeat(if part % 4 == 0 { 1500 } else { 40 }))
            })
            .collect();
        store.put_session(session.clone()).await.unwrap();
        store.put_parts(parts.clone()).await.unwrap();
        filled.push((session, parts));
    }
    let (deleted, _) = filled.remove(3);
    store.delete_session(&deleted.id).await.unwrap();
    let fold = |connection: &mut Connection| Ok(connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?);
    store.run_job(fold).await.unwrap();
    filled
}

/// Copies the store, damages one page of the copy, and opens it.
fn open_damaged(
    from: &Path,
    page: u64,
    bytes: &[u8],
) -> (tempfile::TempDir, Store, super::super::StoreRecovery) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.db");
    fs::copy(from.join("sessions.db"), &path).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(bytes, page * PAGE).unwrap();
    let damaged = fs::read(&path).unwrap();
    let (store, opened) = Store::open(dir.path()).unwrap();
    if let Some(aside) = &opened.moved_aside {
        assert!(fs::read(aside).unwrap() == damaged, "page {page}: the damaged file is as it was");
        let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(!names.into_iter().any(|name| name.to_string_lossy().contains(".copy")), "no copy is left");
    }
    (dir, store, opened)
}

#[tokio::test]
async fn no_damaged_page_hides_a_session_and_what_is_lost_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let filled = fill(dir.path()).await;
    let pages = fs::metadata(dir.path().join("sessions.db")).unwrap().len() / PAGE;
    assert!(pages > 30, "{pages}");
    let mut noise = fastrand::Rng::with_seed(7);
    let noise: Vec<u8> = std::iter::repeat_with(|| noise.u8(..)).take(PAGE as usize).collect();
    let (mut salvages, mut losses) = (0, 0);
    for page in 0..pages {
        for bytes in [vec![0x5a; PAGE as usize], vec![0; PAGE as usize], noise.clone()] {
            let (_dir, store, opened) = open_damaged(dir.path(), page, &bytes);
            salvages += usize::from(opened.moved_aside.is_some());
            let lost: Vec<_> = opened.salvaged.incomplete.iter().map(|(id, _)| id.clone()).collect();
            assert!(lost.len() <= filled.len(), "page {page}");
            for (session, parts) in &filled {
                let kept = store.session(session.id.as_str()).await.unwrap();
                assert_eq!(
                    (&kept.folder, &kept.title, &kept.parent),
                    (&session.folder, &session.title, &session.parent)
                );
                let there = store.parts(&session.id).await.unwrap();
                let ids: Vec<_> = there.iter().map(|part| &part.id).collect();
                let written: Vec<_> = parts.iter().map(|part| &part.id).collect();
                if lost.contains(&session.id) {
                    losses += 1;
                    assert!(ids.len() > 1 && ids.len() <= written.len(), "page {page}: most parts are there");
                    assert!(matches!(there.last().unwrap().content, PartContent::Note(_)), "page {page}");
                    assert!(opened.describe().unwrap().contains(session.id.as_str()));
                    let order: Vec<_> = written.iter().filter(|id| ids.contains(id)).collect();
                    assert!(
                        ids.iter().zip(order).all(|(here, there)| here == there),
                        "page {page}: in order"
                    );
                } else {
                    assert_eq!(ids, written, "page {page}");
                    for (here, there) in parts.iter().zip(&there) {
                        let text = |part: &Part| serde_json::to_string(&part.content).unwrap();
                        // SQLite cannot notice a wrong end of a long text; then the part itself says so.
                        let is_told =
                            opened.moved_aside.is_none() && matches!(there.content, PartContent::Note(_));
                        assert!(is_told || text(here) == text(there), "page {page}");
                    }
                }
            }
            let all = store.sessions(99).await.unwrap();
            assert_eq!(all.len(), filled.len() - 1, "page {page}: a deleted session stays deleted");
        }
    }
    assert!(salvages > 0 && losses > 0, "{salvages} {losses}");
}

/// The last changes are in the log only, which SQLite folds in by the file's first page.
#[tokio::test]
async fn the_log_of_a_killed_process_comes_over_even_without_the_first_page() {
    for page in [0, 2, 5] {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let filled = fill(dir.path()).await;
        let (store, _) = Store::open(dir.path()).unwrap();
        let (session, parts) = &filled[0];
        store.put_parts(vec![text(session, "a last word")]).await.unwrap();
        for name in ["sessions.db", "sessions.db-wal"] {
            fs::copy(dir.path().join(name), other.path().join(name)).unwrap();
        }
        let file = fs::OpenOptions::new().write(true).open(other.path().join("sessions.db")).unwrap();
        file.write_all_at(&[0x5a; PAGE as usize], page * PAGE).unwrap();
        let (salvaged, opened) = Store::open(other.path()).unwrap();
        let there = salvaged.parts(&session.id).await.unwrap();
        if opened.moved_aside.is_some() && opened.salvaged.incomplete.is_empty() {
            assert_eq!(there.len(), parts.len() + 1, "page {page}");
        }
        assert_eq!(salvaged.sessions(99).await.unwrap().len(), filled.len() - 1, "page {page}");
    }
}
