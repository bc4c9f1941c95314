//! What the shim itself says, to the editor and for it.

use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::method::NotificationMethod as _;
use copydesk_protocol::table::Restarted;
use serde_json::{Value, json};

/// Tells an extension to load its sessions again.
pub(super) fn restarted_notification() -> String {
    notification(Restarted::METHOD, &json!({}))
}

/// To a request that a daemon took along when it went.
pub(super) fn daemon_lost_response(id: &str, method: &str) -> String {
    refusal(id, method, "The Copydesk daemon has ended before it could answer. Ask again.")
}

/// To a request that no daemon is there for.
pub(super) fn no_daemon_response(id: &str, method: &str, why: &str) -> String {
    refusal(id, method, why)
}

/// To something that cannot be read.
pub(super) fn unreadable(why: &str) -> String {
    error("null", ErrorCode::ParseError, why)
}

/// For a person.
pub(super) fn show(text: &str) -> String {
    notification("window/showMessage", &json!({ "type": 1, "message": text }))
}

/// For whoever looks.
pub(super) fn log(text: &str) -> String {
    notification("window/logMessage", &json!({ "type": 2, "message": text }))
}

/// `id` as it is written.
pub(super) fn error(id: &str, code: ErrorCode, message: &str) -> String {
    let error = json!({ "code": code.code(), "message": message });
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// An editor that wants to end may: nothing is left to shut down.
fn refusal(id: &str, method: &str, why: &str) -> String {
    match method {
        "shutdown" => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#),
        _ => error(id, ErrorCode::RequestFailed, why),
    }
}

/// To the daemon, in the editor's name.
pub(super) fn did_close(uri: &str) -> String {
    notification("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }))
}

fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}
