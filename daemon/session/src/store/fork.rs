//! Forks a session at a part.

use super::{Store, StoreError};
use crate::data::{Session, assign_new_ids};
use crate::id::{Id, now};

impl Store {
    /// Creates a session with copies of the parts before this one; `None` if the session has no such part. The original does
    /// not change.
    pub async fn fork(&self, session: &Session, before: &str) -> Result<Option<Session>, StoreError> {
        let mut parts = self.parts(&session.id).await?;
        let Some(at) = parts.iter().position(|part| part.id.as_str() == before) else { return Ok(None) };
        parts.truncate(at);
        let (id, time) = (Id::new(), now());
        // A fork has no parent.
        let fork = Session { id, parent: None, created: time, updated: time, ..session.clone() };
        assign_new_ids(&mut parts);
        parts.iter_mut().for_each(|part| part.session = fork.id.clone());
        self.put_session(fork.clone()).await?;
        self.put_parts(parts).await?;
        Ok(Some(fork))
    }
}
