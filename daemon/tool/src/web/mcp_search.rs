//! One call of one tool of an MCP server over streamable HTTP: initialize, call, close.
//!
//! The response is JSON, or a stream of events that contains it. Other messages of the server (progress, log) are ignored. So
//! are its requests, because the client declared no capabilities.

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Response, StatusCode};
use serde_json::{Map, Value, json};

use super::fetch::broken;
use super::search_endpoint::{MAX_RESPONSE_BYTES, SearchClient, WebSearchResults};
use super::template::{TemplateValues, fill_map};
use crate::outcome::ToolError;
use crate::time_limits::SEARCH_GOODBYE_TIMEOUT;

const VERSION: &str = "2025-06-18";
const SESSION: &str = "mcp-session-id";
const PROTOCOL_VERSION_HEADER: &str = "mcp-protocol-version";

pub(super) async fn call(
    engine: &SearchClient,
    tool: &str,
    arguments: &Map<String, Value>,
    values: TemplateValues<'_>,
) -> Result<WebSearchResults, ToolError> {
    let mut line = McpConnection { engine, headers: engine.headers.clone() };
    line.initialize().await?;
    let params = json!({ "name": tool, "arguments": fill_map(arguments, values) });
    let result = line.request(2, "tools/call", &params).await;
    line.close_session();
    found(engine, tool, &result?)
}

struct McpConnection<'a> {
    engine: &'a SearchClient,
    headers: HeaderMap,
}

impl McpConnection<'_> {
    async fn initialize(&mut self) -> Result<(), ToolError> {
        let client = json!({ "name": "copydesk", "version": env!("CARGO_PKG_VERSION") });
        let params = json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": client });
        let result = self.request(1, "initialize", &params).await?;
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or(VERSION);
        if let Ok(version) = HeaderValue::try_from(version) {
            self.headers.insert(PROTOCOL_VERSION_HEADER, version);
        }
        let mut response =
            self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        if response.status().is_success() {
            Ok(())
        } else {
            Err(self.engine.response_error(&mut response).await)
        }
    }

    async fn post(&self, message: &Value) -> Result<Response, ToolError> {
        let request = self.engine.client.post(self.engine.url.clone());
        let request = request.header(ACCEPT, "application/json, text/event-stream");
        let request = request.header(CONTENT_TYPE, "application/json").headers(self.headers.clone());
        request.body(message.to_string()).send().await.map_err(|error| self.engine.unreachable(&error))
    }

    async fn request(&mut self, id: u64, method: &str, params: &Value) -> Result<Value, ToolError> {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut response = self.post(&message).await?;
        if response.status() != StatusCode::OK {
            return Err(self.engine.response_error(&mut response).await);
        }
        if let Some(session) = response.headers().get(SESSION) {
            self.headers.insert(SESSION, session.clone());
        }
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_stream = kind.starts_with("text/event-stream");
        let mut answer = self.read(&mut response, id, is_stream).await?;
        if let Some(error) = answer.get("error") {
            let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
            let said = short(error.get("message").and_then(Value::as_str).unwrap_or_default());
            return Err(ToolError::failed(format!(
                "{} refused `{method}` (error {code}): {said}",
                self.engine.host
            )));
        }
        Ok(answer.get_mut("result").map(Value::take).unwrap_or_default())
    }

    /// Reads the response with this id.
    async fn read(&self, response: &mut Response, id: u64, is_stream: bool) -> Result<Value, ToolError> {
        let (mut bytes, mut events, mut total) = (Vec::new(), McpEventParser::default(), 0);
        let host = &self.engine.host;
        loop {
            let chunk = response.chunk().await.map_err(|error| broken(&error, total))?;
            let ended = chunk.is_none();
            let chunk = chunk.unwrap_or_default();
            total += chunk.len();
            if total > MAX_RESPONSE_BYTES {
                return Err(ToolError::failed(format!(
                    "{host} answered with more than {MAX_RESPONSE_BYTES} bytes."
                )));
            }
            if !is_stream {
                bytes.extend_from_slice(&chunk);
            }
            let answer = match (is_stream, ended) {
                (true, _) => {
                    let texts = events.push(if ended { b"\n\n" } else { &chunk });
                    texts.iter().find_map(|text| answers(text.as_bytes(), id))
                }
                (false, true) => answers(&bytes, id),
                (false, false) => None,
            };
            match answer {
                Some(answer) => return Ok(answer),
                None if ended => {
                    return Err(ToolError::failed(format!(
                        "{host} ended without an answer that can be read."
                    )));
                }
                None => {}
            }
        }
    }

    /// Closes the session in the background.
    fn close_session(self) {
        if self.headers.contains_key(SESSION) {
            let request = self.engine.client.delete(self.engine.url.clone()).headers(self.headers);
            let request = request.timeout(SEARCH_GOODBYE_TIMEOUT);
            tokio::spawn(async move { drop(request.send().await) });
        }
    }
}

/// The response to the request with this id, from one message or a batch.
fn answers(bytes: &[u8], id: u64) -> Option<Value> {
    let messages = match serde_json::from_slice(bytes).ok()? {
        Value::Array(messages) => messages,
        message => vec![message],
    };
    let is_answer = |message: &Value| {
        message.get("id").and_then(Value::as_u64) == Some(id) && message.get("method").is_none()
    };
    messages.into_iter().find(is_answer)
}

/// Parses server-sent events: returns the data of each complete event.
#[derive(Default)]
struct McpEventParser {
    line: Vec<u8>,
    data: String,
}

impl McpEventParser {
    fn push(&mut self, chunk: &[u8]) -> Vec<String> {
        let mut texts = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if !piece.ends_with(b"\n") {
                break;
            }
            let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
            let line = line.trim_end_matches(['\n', '\r']);
            if let Some(data) = line.trim_start_matches('\u{feff}').strip_prefix("data:") {
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
                self.data.push('\n');
            } else if line.is_empty() && !self.data.is_empty() {
                texts.push(std::mem::take(&mut self.data));
            }
        }
        texts
    }
}

fn found(engine: &SearchClient, tool: &str, result: &Value) -> Result<WebSearchResults, ToolError> {
    let content = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = content
        .iter()
        .filter_map(|item| item.get("text").or_else(|| item.get("resource")?.get("text"))?.as_str());
    let mut text = texts.collect::<Vec<_>>().join("\n\n");
    if text.is_empty()
        && let Some(structured) = result.get("structuredContent")
    {
        text = serde_json::to_string_pretty(structured).unwrap_or_default();
    }
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return Err(ToolError::failed(format!("`{tool}` of {} failed: {}", engine.host, short(&text))));
    }
    let listed = text.lines().filter(|line| line.to_ascii_lowercase().starts_with("url: ")).count();
    Ok(WebSearchResults { text, count: (listed > 0).then_some(listed) })
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|letter| !letter.is_control()).take(500).collect()
}
