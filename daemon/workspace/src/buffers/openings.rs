//! Waits for a buffer that a client is about to open.

use std::path::Path;

use tokio::time::timeout;

use super::{Buffers, ClientId};
use crate::time_limits::ECHO_TIMEOUT;

impl Buffers {
    /// Waits until a client has opened a buffer of this name; returns its URI. `None` if it does not in time.
    pub(crate) async fn wait_until_open(&self, client: ClientId, name: &Path) -> Option<(ClientId, String)> {
        let mut openings = self.lock().openings.subscribe();
        let waiting = async {
            loop {
                let uri = {
                    let state = self.lock();
                    let attached = state.clients.get(&client)?;
                    attached.find(name).map(|(uri, _)| uri.clone())
                };
                match uri {
                    Some(uri) => return Some((client, uri)),
                    None => openings.changed().await.ok()?,
                }
            }
        };
        timeout(ECHO_TIMEOUT, waiting).await.ok().flatten()
    }
}
