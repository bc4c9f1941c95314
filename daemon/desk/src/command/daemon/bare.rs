//! A host that serves what the daemon needs for itself: greetings, its state, its end. No sessions.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use copydesk_protocol::desk::{StatusResult, StopParams, StopResult};
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::hello::{ClientHello, DeskHello};
use copydesk_protocol::method::Request as _;
use copydesk_protocol::table::{Status, Stop};
use copydesk_protocol::{PROTOCOL, lenient};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::frame::{self, FrameError, FrameReader};
use crate::life::{BoxFuture, Host, Life};
use crate::transport::Connection;

#[derive(Debug)]
pub(super) struct Bare {
    turns: watch::Sender<usize>,
    started: u64,
}

/// What a request comes to.
type Answer = Result<Value, (ErrorCode, String)>;

impl Bare {
    pub(super) fn new() -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self { turns: watch::Sender::new(0), started: u64::try_from(started).unwrap_or_default() }
    }
}

impl Host for Bare {
    fn serve(&self, connection: Connection, life: Life) -> BoxFuture<()> {
        let started = self.started;
        let (reader, mut writer) = connection.split();
        let mut reader = FrameReader::new(reader);
        Box::pin(async move {
            loop {
                let read = tokio::select! {
                    () = life.ending().cancelled() => return,
                    read = reader.next() => read,
                };
                let Ok(Some(message)) = read else { return };
                let Some(answer) = answer(message, &life, started) else { continue };
                if frame::write(&mut writer, answer.to_string().as_bytes()).await.is_err() {
                    return;
                }
            }
        })
    }

    fn turns(&self) -> watch::Receiver<usize> {
        self.turns.subscribe()
    }
}

fn answer(message: Result<Bytes, FrameError>, life: &Life, started: u64) -> Option<Value> {
    let parsed = match message {
        Ok(message) => serde_json::from_slice::<Value>(&message).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let (id, answer) = match parsed {
        Err(error) => (Value::Null, Err((ErrorCode::ParseError, error))),
        Ok(mut message) => {
            let mut take = |name: &str| message.get_mut(name).map(Value::take).unwrap_or_default();
            let (id, method, params) = (take("id"), take("method"), take("params"));
            // A notification, or an answer: nothing was asked.
            let method = method.as_str().filter(|_| !id.is_null())?;
            (id, result(method, params, life, started))
        }
    };
    Some(match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.code(), "message": message } })
        }
    })
}

fn result(method: &str, params: Value, life: &Life, started: u64) -> Answer {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let pid = std::process::id();
    let internal = |error: serde_json::Error| (ErrorCode::InternalError, error.to_string());
    let invalid = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    match method {
        "initialize" => {
            if let Some(hello) = ClientHello::find(params.get("initializationOptions")).map_err(invalid)? {
                hello.check().map_err(|error| (ErrorCode::ProtocolMismatch, error.to_string()))?;
            }
            let hello = DeskHello { protocol: PROTOCOL, version, pid };
            Ok(json!({ "capabilities": { "experimental": { "copydesk": hello } } }))
        }
        "shutdown" => Ok(Value::Null),
        Status::METHOD => {
            let clients = u32::try_from(life.clients()).unwrap_or(u32::MAX);
            let status = StatusResult {
                version,
                protocol: PROTOCOL,
                pid,
                started,
                clients,
                sessions: vec![],
                documents: 0,
            };
            serde_json::to_value(status).map_err(internal)
        }
        Stop::METHOD => {
            let StopParams { when } = lenient::decode(params).map_err(invalid)?;
            life.stop(when);
            serde_json::to_value(StopResult { waiting_for: 0 }).map_err(internal)
        }
        _ => Err((ErrorCode::MethodNotFound, format!("there is no method {method}"))),
    }
}
