//! Claims: one process at a time works on a session.
//!
//! A claim is a lock on a file named after the session. The system releases it when its process dies, so no claim is ever
//! stale. The file names the process for others, and is removed with the claim.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Store, StoreError};
use crate::id::Id;
use crate::time_limits::{CLAIM_RETRY_PAUSE, CLAIM_TIMEOUT};

/// The holder works on the session.
#[derive(Debug)]
pub struct SessionClaim {
    path: PathBuf,
    _file: File,
}

impl Store {
    /// Claims a session.
    pub async fn claim_session(&self, session: &Id) -> Result<SessionClaim, StoreError> {
        let own = Some(std::process::id());
        let mut waited = Duration::ZERO;
        loop {
            match self.attempt_claim(session)? {
                ClaimAttempt::Claimed(claim) => return Ok(claim),
                ClaimAttempt::Gone => {}
                ClaimAttempt::Taken(by) if (by.is_none() || by == own) && waited < CLAIM_TIMEOUT => {
                    tokio::time::sleep(CLAIM_RETRY_PAUSE).await;
                    waited += CLAIM_RETRY_PAUSE;
                }
                ClaimAttempt::Taken(by) => {
                    return Err(StoreError::SessionInUse { session: session.to_string(), by });
                }
            }
        }
    }

    /// Claims a session that no process works on, without waiting.
    pub(super) fn try_claim_session(&self, session: &Id) -> Result<Option<SessionClaim>, StoreError> {
        Ok(match self.attempt_claim(session)? {
            ClaimAttempt::Claimed(claim) => Some(claim),
            ClaimAttempt::Taken(_) | ClaimAttempt::Gone => None,
        })
    }

    fn attempt_claim(&self, session: &Id) -> Result<ClaimAttempt, StoreError> {
        let folder = self.path.with_file_name("at-work");
        let unusable =
            |error: io::Error| StoreError::Unusable { path: folder.clone(), what: error.to_string() };
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(unusable)?;
        // An imported id may be anything.
        let name: String = session
            .as_str()
            .chars()
            .map(|character| if character == '/' { '_' } else { character })
            .collect();
        attempt(&folder.join(format!("{name}.lock"))).map_err(unusable)
    }
}

enum ClaimAttempt {
    Claimed(SessionClaim),
    /// The process that holds it, if it has written its id yet.
    Taken(Option<u32>),
    /// The file was being removed.
    Gone,
}

fn attempt(path: &Path) -> io::Result<ClaimAttempt> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.read_to_string(&mut text);
            return Ok(ClaimAttempt::Taken(text.trim().parse().ok()));
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // The last holder may have removed the file since it was opened: then the lock is worthless.
    let opened = file.metadata()?;
    if !path.metadata().is_ok_and(|there| (there.dev(), there.ino()) == (opened.dev(), opened.ino())) {
        return Ok(ClaimAttempt::Gone);
    }
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(std::process::id().to_string().as_bytes())?;
    Ok(ClaimAttempt::Claimed(SessionClaim { path: path.to_owned(), _file: file }))
}

/// Removes the file while it is still locked.
impl Drop for SessionClaim {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::session;
    use super::*;

    fn files(data: &Path) -> usize {
        fs::read_dir(data.join("at-work")).unwrap().count()
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_has_one_worker_at_a_time() {
        let data = tempfile::tempdir().unwrap();
        // Two stores are like two processes: a lock belongs to the open file, not to the process.
        let (one, _) = Store::open(data.path()).unwrap();
        let (other, _) = Store::open(data.path()).unwrap();
        let (here, there) = (session("/a").id, session("/a").id);
        let claim = one.claim_session(&here).await.unwrap();
        let _beside = other.claim_session(&there).await.unwrap();
        let refused = other.claim_session(&here).await.unwrap_err();
        let by = std::process::id();
        assert!(
            matches!(&refused, StoreError::SessionInUse { by: Some(pid), .. } if *pid == by),
            "{refused}"
        );
        assert!(refused.to_string().contains(&format!("process {by}")), "{refused}");
        drop(claim);
        assert_eq!(files(data.path()), 1, "what is not claimed leaves no file");
        other.claim_session(&here).await.unwrap();
    }

    #[tokio::test]
    async fn what_a_dead_process_left_is_in_nobodys_way() {
        let data = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(data.path()).unwrap();
        let id = session("/a").id;
        fs::create_dir(data.path().join("at-work")).unwrap();
        fs::write(data.path().join(format!("at-work/{id}.lock")), "1").unwrap();
        drop(store.claim_session(&id).await.unwrap());
        assert_eq!(files(data.path()), 0);
    }

    #[tokio::test]
    async fn a_worker_that_is_about_to_end_is_waited_for() {
        let data = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(data.path()).unwrap();
        let id = session("/a").id;
        let claim = store.claim_session(&id).await.unwrap();
        let (next, ()) = tokio::join!(store.claim_session(&id), async move {
            tokio::task::yield_now().await;
            drop(claim);
        });
        next.unwrap();
    }

    #[tokio::test]
    async fn many_at_once_are_one_after_the_other() {
        let data = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(data.path()).unwrap();
        let id = session("/a").id;
        let inside = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let work = |_| {
            let (store, id, inside) = (store.clone(), id.clone(), inside.clone());
            tokio::spawn(async move {
                let _claim = store.claim_session(&id).await.unwrap();
                assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                tokio::task::yield_now().await;
                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            })
        };
        for work in (0..16).map(work).collect::<Vec<_>>() {
            work.await.unwrap();
        }
    }
}
