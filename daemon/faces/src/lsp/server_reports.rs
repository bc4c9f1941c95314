//! A client's reports about its own language servers, applied at once and in order.

use copydesk_host::editor_servers::EditorServers;
use copydesk_protocol::lenient;
use copydesk_protocol::method::NotificationMethod;
use copydesk_protocol::server::{ServerEndedParams, ServerReceivedParams};
use copydesk_protocol::table::{ServerDocument, ServerEnded, ServerReceived, ServerStarted, ServerWatched};
use copydesk_rpc::value_limit;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Whether the notification is such a report.
pub(super) fn is_report(method: &str) -> bool {
    [
        ServerStarted::METHOD,
        ServerDocument::METHOD,
        ServerWatched::METHOD,
        ServerReceived::METHOD,
        ServerEnded::METHOD,
    ]
    .contains(&method)
}

/// Applies one. A report that cannot be read is logged: what it was about stays unproven.
pub(super) fn apply(servers: &EditorServers, method: &str, params: &RawValue) {
    let applied = match method {
        ServerStarted::METHOD => decode(params).map(|params| servers.started(params)),
        ServerDocument::METHOD => decode(params).map(|params| servers.document(&params)),
        ServerWatched::METHOD => decode(params).map(|params| servers.watched(params)),
        ServerReceived::METHOD => {
            decode(params).map(|params: ServerReceivedParams| servers.received(&params))
        }
        _ => decode(params).map(|params: ServerEndedParams| servers.ended(params.server)),
    };
    if let Err(error) = applied {
        tracing::warn!(method, %error, "a report about a language server cannot be read");
    }
}

fn decode<T: DeserializeOwned>(params: &RawValue) -> Result<T, serde_json::Error> {
    value_limit::parse(params).and_then(lenient::decode)
}
