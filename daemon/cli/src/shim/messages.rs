//! Messages that the shim itself sends.

use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::method::NotificationMethod as _;
use copydesk_protocol::table::Restarted;
use serde_json::{Value, json};

/// Tells an extension to load its sessions again.
pub(super) fn restarted_notification() -> String {
    notification(Restarted::METHOD, &json!({}))
}

/// The response to a request that the daemon did not answer before it ended.
pub(super) fn daemon_lost_response(id: &str, method: &str) -> String {
    refusal(id, method, "The Copydesk daemon ended before it answered. Send the request again.")
}

/// The response to a request that came without a daemon.
pub(super) fn no_daemon_response(id: &str, method: &str, reason: &str) -> String {
    refusal(id, method, reason)
}

/// The response to a message that cannot be parsed.
pub(super) fn unreadable(reason: &str) -> String {
    error("null", ErrorCode::ParseError, reason)
}

/// Shows a text to the user.
pub(super) fn show(text: &str) -> String {
    notification("window/showMessage", &json!({ "type": 1, "message": text }))
}

/// Writes to the editor's log.
pub(super) fn log(text: &str) -> String {
    notification("window/logMessage", &json!({ "type": 2, "message": text }))
}

/// `id` is JSON text.
pub(super) fn error(id: &str, code: ErrorCode, message: &str) -> String {
    let error = json!({ "code": code.code(), "message": message });
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// `shutdown` succeeds: without a daemon nothing is left to shut down.
fn refusal(id: &str, method: &str, reason: &str) -> String {
    match method {
        "shutdown" => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#),
        _ => error(id, ErrorCode::RequestFailed, reason),
    }
}

/// To the daemon, on behalf of the editor.
pub(super) fn did_close(uri: &str) -> String {
    notification("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }))
}

fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}
