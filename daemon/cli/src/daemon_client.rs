//! The command line's own client of the daemon: it sends requests, and receives what the daemon sends by itself.
//!
//! Everything ends with the connection: pending requests fail, and the inbox closes.

use std::sync::Arc;

use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::handshake::{ClientHello, DaemonHello};
use copydesk_protocol::{PROTOCOL, lenient, method};
use copydesk_rpc::frame;
use copydesk_rpc::peer::{PeerError, RpcError, RpcHandler, RpcPeer, RpcResponder};
use copydesk_rpc::transport::SocketConnection;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

mod inbox;
#[cfg(test)]
mod tests;

pub(crate) use inbox::DaemonInbox;
use inbox::InboxSender;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DaemonClientError {
    #[error("the connection to the daemon was lost")]
    Ended,
    #[error(
        "the message is too long for the daemon: {length} bytes; at most {} are possible",
        frame::MAX_MESSAGE_BYTES
    )]
    TooLong { length: usize },
    #[error("{message}")]
    Refused { code: Option<ErrorCode>, message: String },
    #[error("cannot read the daemon's response to {method}: {error}")]
    Odd { method: &'static str, error: serde_json::Error },
}

/// What the daemon sends by itself.
#[derive(Debug)]
pub(crate) enum DaemonMessage {
    Notification {
        method: String,
        params: Value,
    },
    /// Dropping `responder` tells the daemon that this client does not answer the request.
    Request {
        method: String,
        params: Value,
        responder: RpcResponder,
    },
}

/// Sends requests to the daemon. The connection ends when this is dropped.
#[derive(Debug)]
pub(crate) struct DaemonClient {
    peer: RpcPeer,
    inbox: InboxSender,
    /// The daemon's hello; missing if the process is not our daemon.
    daemon_hello: Option<DaemonHello>,
}

/// How the client introduces itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientKind {
    /// As one of ours. A daemon with another protocol version rejects it.
    Copydesk,
    /// As an ordinary LSP client. That is enough to stop a daemon of any version.
    Plain,
}

/// Puts what the daemon sends into the inbox.
struct InboxHandler(InboxSender);

impl RpcHandler for InboxHandler {
    fn request(&self, method: &str, _params: &RawValue) -> Result<Value, RpcError> {
        Err(RpcError::method_not_found(method))
    }

    fn request_async(&self, method: &str, params: &RawValue, responder: RpcResponder) {
        let (method, params) = (method.to_owned(), value(params));
        self.0.push(DaemonMessage::Request { method, params, responder });
    }

    fn notification(&self, method: &str, params: &RawValue) {
        self.0.push(DaemonMessage::Notification { method: method.to_owned(), params: value(params) });
    }

    /// The daemon logs it.
    fn malformed(&self, _seen: &str) {}

    fn closed(&self, _why: &str) {
        self.0.close();
    }
}

fn value(params: &RawValue) -> Value {
    serde_json::from_str(params.get()).unwrap_or_default()
}

impl DaemonClient {
    pub(crate) async fn initialize(
        connection: SocketConnection,
        kind: ClientKind,
    ) -> Result<(Self, DaemonInbox), DaemonClientError> {
        let (reader, writer) = connection.split();
        let (sender, inbox) = inbox::inbox();
        let peer = RpcPeer::start(reader, writer, Arc::new(InboxHandler(sender.clone())));
        let mut client = Self { peer, inbox: sender, daemon_hello: None };
        let (name, version) = ("copydesk", env!("CARGO_PKG_VERSION"));
        let hello = ClientHello { protocol: PROTOCOL, client: name.to_owned(), version: version.to_owned() };
        let options = (kind == ClientKind::Copydesk).then(|| json!({ "copydesk": hello }));
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": name, "version": version },
            "rootUri": null,
            "capabilities": {},
            "initializationOptions": options,
        });
        let mut answer = client.ask("initialize", &params).await?;
        let hello = answer.pointer_mut("/capabilities/experimental/copydesk").map(Value::take);
        client.daemon_hello = hello.and_then(|hello| lenient::decode(hello).ok());
        client.peer.notify("initialized", &json!({}));
        Ok((client, inbox))
    }

    pub(crate) fn daemon_hello(&self) -> Option<&DaemonHello> {
        self.daemon_hello.as_ref()
    }

    pub(crate) async fn request<R: method::RequestMethod>(
        &self,
        params: &R::Params,
    ) -> Result<R::Result, DaemonClientError> {
        let odd = |error| DaemonClientError::Odd { method: R::METHOD, error };
        let params = serde_json::value::to_raw_value(params).map_err(odd)?;
        if params.get().len() > frame::MAX_MESSAGE_BYTES {
            return Err(DaemonClientError::TooLong { length: params.get().len() });
        }
        lenient::decode(self.ask(R::METHOD, &params).await?).map_err(odd)
    }

    /// Waits until the daemon closes the connection.
    pub(crate) async fn wait_closed(&self) {
        self.inbox.wait_closed().await;
    }

    async fn ask(&self, method: &'static str, params: &impl Serialize) -> Result<Value, DaemonClientError> {
        match self.peer.request(method, params).await {
            Ok(result) => Ok(value(&result)),
            Err(PeerError::Rpc(RpcError { code, message })) => {
                Err(DaemonClientError::Refused { code: ErrorCode::from_code(code), message })
            }
            Err(PeerError::Ended(_)) => Err(DaemonClientError::Ended),
        }
    }
}
