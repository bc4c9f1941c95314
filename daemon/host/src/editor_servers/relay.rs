//! Forwards the judge's messages for an editor's language server to the editor, and the responses back.

use std::sync::Arc;

use copydesk_protocol::server::{EditorServerMessageParams, ServerDocumentVersion};
use copydesk_rpc::peer::{RpcError, RpcHandler, RpcPeer, RpcResponder};
use copydesk_servers::{EXPECTED_DOCUMENT, TAKES_EDITS};
use futures_util::FutureExt as _;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::DuplexStream;

/// LSP's `RequestFailed`.
const REQUEST_FAILED: i64 = -32803;

struct ServerRelay {
    server: u32,
    link: Arc<dyn super::EditorServerLink>,
}

pub(super) fn start(server: u32, link: Arc<dyn super::EditorServerLink>, stream: DuplexStream) -> RpcPeer {
    let (reader, writer) = tokio::io::split(stream);
    RpcPeer::start(reader, writer, Arc::new(ServerRelay { server, link }))
}

impl ServerRelay {
    fn message(&self, id: Option<u64>, method: &str, params: &RawValue) -> EditorServerMessageParams {
        let mut params: Value = serde_json::from_str(params.get()).unwrap_or_default();
        let document = params.as_object_mut().and_then(|params| params.remove(EXPECTED_DOCUMENT));
        let document =
            document.and_then(|document| serde_json::from_value::<ServerDocumentVersion>(document).ok());
        let takes_edits = params.as_object_mut().and_then(|params| params.remove(TAKES_EDITS));
        EditorServerMessageParams {
            server: self.server,
            id,
            method: method.to_owned(),
            params,
            document,
            takes_edits: takes_edits.is_some(),
        }
    }
}

impl RpcHandler for ServerRelay {
    fn request(&self, method: &str, _params: &RawValue) -> Result<Value, RpcError> {
        Err(RpcError::method_not_found(method))
    }

    fn request_async(&self, method: &str, params: &RawValue, responder: RpcResponder) {
        let (link, params) =
            (Arc::clone(&self.link), self.message(responder.id().parse().ok(), method, params));
        send_in_order(async move {
            let failed = |why: String| RpcError { code: REQUEST_FAILED, message: why };
            responder.respond(match link.request(params).await {
                Ok(response) => match response.error {
                    None => Ok(response.result),
                    Some(error) => Err(RpcError { code: error.code, message: error.message }),
                },
                Err(error) => Err(failed(error.to_string())),
            });
        });
    }

    fn notification(&self, method: &str, params: &RawValue) {
        let mut message = self.message(None, method, params);
        if method == "$/cancelRequest" {
            message.id = message.params.get("id").and_then(Value::as_u64);
        }
        let link = Arc::clone(&self.link);
        send_in_order(async move {
            // A disconnected editor needs no message.
            let _ = link.notify(message).await;
        });
    }

    // The daemon writes both ends.
    fn malformed(&self, _seen: &str) {}

    fn closed(&self, _why: &str) {}
}

/// Sends at once if the editor's queue has room; then messages keep their order.
pub(super) fn send_in_order(sending: impl Future<Output = ()> + Send + 'static) {
    let mut sending = Box::pin(sending);
    // Without a runtime the daemon is shutting down, and the connection closes.
    if (&mut sending).now_or_never().is_none()
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn(sending);
    }
}
