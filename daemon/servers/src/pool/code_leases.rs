//! The pool's servers for questions about code.

use std::path::Path;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::check::{settle_disk, sync_editors};
use super::server_groups::GroupServer;
use super::slot::ServerSlot;
use super::source::PoolSource;
use super::when_ready::wait_until_ready;
use crate::code_servers::{CodeServers, LeaseFuture, LeasedServers, ServerLease};
use crate::server::CodeQuery;
use crate::source::CheckedDocument;

impl CodeServers for PoolSource {
    fn lease<'a>(
        &'a self,
        path: &'a Path,
        query: CodeQuery,
        served: &'a [String],
        ready_by: Instant,
    ) -> LeaseFuture<'a> {
        Box::pin(async move {
            let mut found = LeasedServers::default();
            let pool = &self.pool.shared;
            let Some(document) = pool.texts.document(path) else { return found };
            let excluded = [&self.excluded, served].concat();
            for group in pool.group_by_server(std::slice::from_ref(&document), &excluded) {
                match &group.server {
                    GroupServer::Unavailable(name, why) => {
                        found.unavailable.push((name.clone(), why.clone()));
                    }
                    GroupServer::Available(slot) => {
                        let language = group.subjects.first().map_or("", |(_, language)| language);
                        match lease(pool, slot, (&document, language), query, ready_by).await {
                            Ok(lease) => found.leases.push(lease),
                            Err(why) => found.unavailable.push((slot.launch.name.clone(), why)),
                        }
                    }
                }
            }
            found
        })
    }

    fn loading(&self, folder: &Path) -> Option<String> {
        self.pool.shared.all_slots().iter().find_map(|slot| {
            let root = &slot.launch.root;
            let is_near = root.starts_with(folder) || folder.starts_with(root);
            slot.running().filter(|_| is_near)?.server.loading()
        })
    }
}

/// The error completes "NAME: …".
// The lock leases the server: during a question no proposed text may replace a document. `ready_by` ends the wait.
#[allow(clippy::await_holding_invalid_type)]
async fn lease(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    (document, language): (&CheckedDocument, &str),
    query: CodeQuery,
    ready_by: Instant,
) -> Result<ServerLease, String> {
    slot.mark_used();
    slot.wait_started(ready_by).await;
    let not_running = || slot.ready_server().err().unwrap_or_else(|| "it is starting".to_owned());
    let alive = slot.running().ok_or_else(not_running)?;
    if !alive.server.answers(query) {
        return Err("it cannot do this".to_owned());
    }
    let locking = timeout_at(ready_by, Arc::clone(&slot.lock).read_owned());
    let lock = locking.await.map_err(|_| "a proposed text is being checked".to_owned())?;
    let is_asked = |path: &Path| path == document.path;
    let knows_disk = settle_disk(pool, &alive, ready_by).await;
    let knows_editors = sync_editors(pool, slot, &alive, is_asked, ready_by).await;
    // It may have changed meanwhile.
    let document = pool.texts.document(&document.path).ok_or("the file is gone")?;
    slot.sync_document(&alive, &document, language);
    let _ = timeout_at(ready_by, wait_until_ready(slot)).await;
    let behind = || (!knows_disk || !knows_editors).then(|| "it may not know the latest changes".to_owned());
    let not_ready = slot.ready_server().err().or_else(behind);
    Ok(ServerLease::new(Arc::clone(&alive.server), document.path, not_ready, Box::new((alive, lock))))
}
