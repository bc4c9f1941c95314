//! The store for readers. It has no method that writes, so the compiler decides who needs a store that can be written.

use std::path::Path;

use super::{SessionSearchHit, Store, StoreError, StoreRecovery, UsageRecord, open};
use crate::data::{Part, Session};
use crate::id::Id;

#[derive(Debug, Clone)]
pub struct ReadOnlyStore(Store);

impl ReadOnlyStore {
    /// Also opens a store that cannot be written.
    pub fn open(data_dir: &Path) -> Result<(Self, StoreRecovery), StoreError> {
        let (store, opened) = if open::FILE.is_read_only(data_dir) {
            let connection = open::FILE.open_read_only(data_dir)?;
            (Store::start(data_dir, connection)?, StoreRecovery::default())
        } else {
            Store::open(data_dir)?
        };
        Ok((Self(store), opened))
    }

    pub async fn sessions(&self, most: usize) -> Result<Vec<Session>, StoreError> {
        self.0.sessions(most).await
    }

    pub async fn session(&self, id: &str) -> Result<Session, StoreError> {
        self.0.session(id).await
    }

    pub async fn parts(&self, session: &Id) -> Result<Vec<Part>, StoreError> {
        self.0.parts(session).await
    }

    pub async fn usage_since(&self, since: u64) -> Result<Vec<UsageRecord>, StoreError> {
        self.0.usage_since(since).await
    }

    pub async fn search(&self, words: &str, most: usize) -> Result<Vec<SessionSearchHit>, StoreError> {
        self.0.search(words, most).await
    }
}
