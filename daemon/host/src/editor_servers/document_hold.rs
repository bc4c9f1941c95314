//! Keeps a document of an editor loaded.

use std::sync::Arc;

use super::EditorServerLink;
use super::relay::send_in_order;

/// The editor keeps a document loaded until this is dropped, also if the work is cancelled.
pub(super) struct DocumentHold {
    link: Arc<dyn EditorServerLink>,
    uri: String,
}

impl DocumentHold {
    pub(super) fn new(link: Arc<dyn EditorServerLink>, uri: &str) -> Self {
        Self { link, uri: uri.to_owned() }
    }
}

impl Drop for DocumentHold {
    fn drop(&mut self) {
        let (link, uri) = (Arc::clone(&self.link), std::mem::take(&mut self.uri));
        send_in_order(async move {
            // A disconnected editor holds nothing.
            let _ = link.servers_done(uri).await;
        });
    }
}
