//! A session that goes its own way from a part on.

use super::{Store, StoreError};
use crate::data::{Session, assign_new_ids};
use crate::id::{Id, now};

impl Store {
    /// Makes a session with copies of the parts that another has before this one; `None` where it has no such part. The
    /// other stays as it is.
    pub async fn fork(&self, session: &Session, before: &str) -> Result<Option<Session>, StoreError> {
        let mut parts = self.parts(&session.id).await?;
        let Some(at) = parts.iter().position(|part| part.id.as_str() == before) else { return Ok(None) };
        parts.truncate(at);
        let (id, time) = (Id::new(), now());
        // Whoever goes their own way works for nobody.
        let fork = Session { id, parent: None, created: time, updated: time, ..session.clone() };
        assign_new_ids(&mut parts);
        parts.iter_mut().for_each(|part| part.session = fork.id.clone());
        self.put_session(fork.clone()).await?;
        self.put_parts(parts).await?;
        Ok(Some(fork))
    }
}
