//! Requests that were sent and not answered.
//!
//! A request whose caller stopped waiting stays in the table until the peer answers it, because an unanswered
//! request reveals a peer that hangs. The table is capped; over the cap, the oldest abandoned request goes
//! first.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{OutgoingRpcMessage, PeerError, RpcError, RpcPeerInner};

/// At this size, each new request evicts an abandoned one.
const MAX_TRACKED: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct PendingRpcRequests {
    state: Mutex<RpcRequestTable>,
}

#[derive(Debug, Default)]
struct RpcRequestTable {
    last: u64,
    waiting: BTreeMap<u64, PendingRpcRequest>,
    ended: Option<String>,
    /// When the last response of any kind came.
    answered: Option<Instant>,
}

#[derive(Debug)]
struct PendingRpcRequest {
    method: &'static str,
    since: Instant,
    /// `None` once the caller stopped waiting.
    answer: Option<oneshot::Sender<RpcResult>>,
}

type RpcResult = Result<Box<RawValue>, PeerError>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnansweredRequest {
    pub method: &'static str,
    pub since: Instant,
}

impl PendingRpcRequests {
    pub(super) fn register(
        &self,
        shared: &Arc<RpcPeerInner>,
        method: &'static str,
    ) -> (u64, RpcResponseFuture) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        state.last += 1;
        let id = state.last;
        if let Some(why) = &state.ended {
            let _ = sender.send(Err(PeerError::Ended(why.clone())));
        } else {
            if state.waiting.len() >= MAX_TRACKED {
                let old = state.waiting.iter().find(|(_, entry)| entry.answer.is_none()).map(|(id, _)| *id);
                old.and_then(|id| state.waiting.remove(&id));
            }
            state
                .waiting
                .insert(id, PendingRpcRequest { method, since: Instant::now(), answer: Some(sender) });
        }
        (id, RpcResponseFuture { id, receiver, shared: Arc::downgrade(shared), is_done: false })
    }

    /// Drops a response to no pending request.
    pub(super) fn resolve(&self, id: u64, result: Result<&RawValue, RpcError>) {
        let mut state = self.lock();
        let Some(entry) = state.waiting.remove(&id) else { return };
        state.answered = Some(Instant::now());
        if let Some(answer) = entry.answer {
            let _ = answer.send(result.map(ToOwned::to_owned).map_err(PeerError::Rpc));
        }
    }

    pub(super) fn oldest_unanswered(&self) -> Option<UnansweredRequest> {
        let state = self.lock();
        let mut waiting = state.waiting.values().filter(|entry| Some(entry.since) >= state.answered);
        waiting.next().map(|entry| UnansweredRequest { method: entry.method, since: entry.since })
    }

    /// The first reason wins.
    pub(super) fn close(&self, why: &str) {
        let mut state = self.lock();
        let why = state.ended.get_or_insert_with(|| why.to_owned()).clone();
        for entry in std::mem::take(&mut state.waiting).into_values() {
            let _ = entry.answer.map(|answer| answer.send(Err(PeerError::Ended(why.clone()))));
        }
    }

    pub(super) fn close_reason(&self) -> String {
        self.lock().ended.clone().unwrap_or_default()
    }

    /// Returns whether a caller was still waiting.
    fn abandon(&self, id: u64) -> bool {
        self.lock().waiting.get_mut(&id).is_some_and(|entry| entry.answer.take().is_some())
    }

    fn lock(&self) -> MutexGuard<'_, RpcRequestTable> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl PendingRpcRequests {
    pub(super) fn count(&self) -> usize {
        self.lock().waiting.len()
    }
}

/// The response to a request. Dropping it before the response comes cancels the request.
#[derive(Debug)]
pub struct RpcResponseFuture {
    id: u64,
    receiver: oneshot::Receiver<RpcResult>,
    shared: Weak<RpcPeerInner>,
    is_done: bool,
}

impl Future for RpcResponseFuture {
    type Output = RpcResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<RpcResult> {
        let answered = std::task::ready!(Pin::new(&mut self.receiver).poll(context));
        self.is_done = true;
        Poll::Ready(answered.unwrap_or_else(|_| Err(PeerError::Ended(String::new()))))
    }
}

impl Drop for RpcResponseFuture {
    fn drop(&mut self) {
        if !self.is_done
            && let Some(shared) = self.shared.upgrade()
            && shared.pending.abandon(self.id)
        {
            shared.say(&OutgoingRpcMessage::new(None, "$/cancelRequest", &json!({ "id": self.id })));
        }
    }
}
