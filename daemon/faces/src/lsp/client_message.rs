//! One message of a client: notifications about documents are applied from their text, everything else is parsed for
//! the framework.
//!
//! Invariant: what becomes a tree has a limit, and the sender of more is told so.

use copydesk_protocol::error::ErrorCode;
use copydesk_rpc::frame::{FrameError, head::RpcMessageHead};
use copydesk_rpc::value_limit;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Id, Request, Response};

use super::ordered_sync::ApplyNotification;

pub(super) enum ClientMessage {
    Request(Request),
    Response(Response),
    /// It was applied while it was read.
    Applied,
}

#[derive(Deserialize)]
struct ClientEnvelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A member that is `null` is present.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl ClientMessage {
    /// Reads one message, and applies it if `apply` does; or returns the error response to send.
    pub(super) fn read(message: &[u8], apply: &ApplyNotification) -> Result<Self, Value> {
        let envelope = envelope(message)?;
        let id = || envelope.id.map_or(Value::Null, id_value);
        let wrong = |error: serde_json::Error| refusal(id(), ErrorCode::InvalidRequest, &error.to_string());
        let Some(method) = envelope.method else { return envelope.response().map_err(wrong) };
        let method: String = serde_json::from_str(method.get()).map_err(wrong)?;
        if envelope.id.is_none() && apply(&method, envelope.params.unwrap_or(RawValue::NULL)) {
            return Ok(Self::Applied);
        }
        envelope.request(method).map_err(wrong)
    }
}

impl ClientEnvelope<'_> {
    fn request(&self, method: String) -> Result<ClientMessage, serde_json::Error> {
        let mut request = Request::build(method);
        if let Some(params) = self.params {
            request = request.params(value_limit::parse::<Value>(params)?);
        }
        if let Some(id) = self.id {
            request = request.id(serde_json::from_str::<Id>(id.get())?);
        }
        Ok(ClientMessage::Request(request.finish()))
    }

    fn response(&self) -> Result<ClientMessage, serde_json::Error> {
        let missing = || serde_json::Error::custom("it has neither `method` nor `result` nor `error`");
        let id = serde_json::from_str(self.id.ok_or_else(missing)?.get())?;
        Ok(ClientMessage::Response(match (self.result, self.error) {
            (Some(result), _) => Response::from_ok(id, value_limit::parse(result)?),
            (None, Some(error)) => Response::from_error(id, value_limit::parse(error)?),
            (None, None) => return Err(missing()),
        }))
    }
}

fn envelope(message: &[u8]) -> Result<ClientEnvelope<'_>, Value> {
    let told = |code| move |error: serde_json::Error| refusal(Value::Null, code, &error.to_string());
    if !message.trim_ascii_start().starts_with(b"{") {
        // Serde would read a list as members by position.
        serde_json::from_slice::<IgnoredAny>(message).map_err(told(ErrorCode::ParseError))?;
        return Err(refusal(Value::Null, ErrorCode::InvalidRequest, "a message is a JSON object"));
    }
    serde_json::from_slice(message).map_err(|error: serde_json::Error| {
        told(if error.is_data() { ErrorCode::InvalidRequest } else { ErrorCode::ParseError })(error)
    })
}

fn id_value(id: &RawValue) -> Value {
    value_limit::parse(id).unwrap_or_default()
}

/// The response to a frame that contains no message.
pub(super) fn frame_refusal(error: &FrameError) -> Value {
    let id = match error {
        FrameError::TooLong { head, .. } => {
            RpcMessageHead::guess(head).id.and_then(|id| serde_json::from_str(id).ok())
        }
        FrameError::Garbage { .. } | FrameError::Truncated => None,
    };
    refusal(id.unwrap_or(Value::Null), ErrorCode::ParseError, &error.to_string())
}

fn refusal(id: Value, code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.code(), "message": message } })
}
