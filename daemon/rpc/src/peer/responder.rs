//! The answer to one request of the peer, now or later.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{RpcError, RpcPeerInner};

/// Answers one request. Dropped without an answer, it answers that there is no handler: every request is
/// answered once.
#[derive(Debug)]
pub struct RpcResponder {
    pub(super) shared: Arc<RpcPeerInner>,
    pub(super) id: Box<RawValue>,
    pub(super) has_responded: bool,
}

impl RpcResponder {
    /// The peer's id of the request, which a cancellation names.
    pub fn id(&self) -> &str {
        self.id.get()
    }

    /// If the connection is gone, the answer is dropped.
    pub fn respond(mut self, result: Result<Value, RpcError>) {
        self.has_responded = true;
        self.shared.answer(&self.id, result);
    }
}

impl Drop for RpcResponder {
    fn drop(&mut self) {
        if !self.has_responded {
            let message = "no handler for this request".to_owned();
            self.shared.answer(&self.id, Err(RpcError { code: RpcError::METHOD_NOT_FOUND, message }));
        }
    }
}
