//! One client: its requests are routed, recorded and answered one after another until it or the script ends the
//! connection.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::failure::{ScriptedError, ScriptedErrorKind};
use super::http::{TestHttpConnection, TestHttpReadError, TestHttpRequest};
use super::recorded_request::RecordedRequest;
use super::render::render;
use super::script::{ModelScript, ScriptDecision};
use super::sse_writer::ConnectionStep;
use super::turn::{ScriptedBody, ScriptedResponse, ScriptedTurn};
use super::wire::{RequestSummary, ScriptedWire};

/// A client may hang up; that is no error, and gates see it.
pub(crate) async fn serve(stream: TcpStream, script: Arc<ModelScript>) {
    let Ok(mut connection) = TestHttpConnection::new(stream) else { return };
    loop {
        let request = match connection.read_request().await {
            Ok(request) => request,
            Err(TestHttpReadError::HungUp) => return,
            Err(TestHttpReadError::Bad(problem)) => {
                script.report_problem(format!("not HTTP as we know it: {problem}"));
                return;
            }
        };
        let last = request.is_last();
        match answer(connection, request, &script).await {
            Ok(Some(open)) if !last => connection = open,
            Ok(_) | Err(_) => return,
        }
    }
}

/// Returns the connection if it can be reused.
async fn answer(
    mut connection: TestHttpConnection,
    request: TestHttpRequest,
    script: &ModelScript,
) -> io::Result<Option<TestHttpConnection>> {
    let request = record(request);
    let Some(wire) = request.wire else {
        let page = if request.method == "GET" { script.page(&request.path) } else { None };
        let missing =
            json!({ "error": { "message": format!("no such page: {} {}", request.method, request.path) } });
        let (status, body) = page.map_or((404, missing), |page| (page.status, page.body));
        script.record_other_request(request);
        respond_json(&mut connection, status, &body, &[]).await?;
        return Ok(Some(connection));
    };
    match script.decide_request(request) {
        ScriptDecision::Play(turn, asked) => play(connection, *turn, &asked, script).await,
        ScriptDecision::Refuse { status, message } => {
            let body =
                ScriptedError::new(ScriptedErrorKind::Invalid, format!("scripted model server: {message}"))
                    .body(wire);
            respond_json(&mut connection, status, &body, &[]).await?;
            Ok(Some(connection))
        }
    }
}

fn record(request: TestHttpRequest) -> RecordedRequest {
    let arrived = Instant::now();
    let TestHttpRequest { method, target, headers, body, begun } = request;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    RecordedRequest {
        wire: ScriptedWire::from_path(path).filter(|_| method == "POST"),
        path: path.to_owned(),
        query: query.to_owned(),
        method,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        raw: body,
        begun,
        arrived,
    }
}

async fn play(
    mut connection: TestHttpConnection,
    turn: ScriptedTurn,
    asked: &RequestSummary,
    script: &ModelScript,
) -> io::Result<Option<TestHttpConnection>> {
    if let Some(gate) = &turn.hold
        && !wait(&mut connection, gate, script).await
    {
        return Ok(None);
    }
    let extra: Vec<(&str, &str)> =
        turn.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let steps = match &turn.answer {
        None => render(&turn, asked),
        Some(ScriptedResponse::EndlessBody) => {
            vec![
                ConnectionStep::Write(b"data: ".to_vec()),
                ConnectionStep::Forever(Box::new(|| vec![b'x'; 64 * 1024])),
            ]
        }
        Some(ScriptedResponse::HangUp) => {
            connection.reset()?;
            return Ok(None);
        }
        Some(ScriptedResponse::Failure(fault)) => {
            let (status, body) = (fault.status(asked.wire), fault.body(asked.wire));
            respond_json(&mut connection, status, &body, &extra).await?;
            return Ok(Some(connection));
        }
        Some(ScriptedResponse::Status { status, body }) => {
            respond(&mut connection, *status, body, &extra).await?;
            return Ok(Some(connection));
        }
    };
    let mut headers =
        vec![("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache")];
    headers.extend(extra);
    let gates: Vec<String> = steps.iter().filter_map(gate_name).collect();
    let played = match connection.begin_chunks(&headers).await {
        Ok(()) => stream(connection, steps, script, asked.number).await,
        Err(error) => Err(error),
    };
    if played.is_err() {
        // The client is gone: wake the tests that wait for that at a gate we never reached.
        gates.iter().for_each(|name| script.gates.mark_closed(name));
    }
    played
}

async fn stream(
    mut connection: TestHttpConnection,
    steps: Vec<ConnectionStep>,
    script: &ModelScript,
    number: usize,
) -> io::Result<Option<TestHttpConnection>> {
    let mut last_write = Instant::now();
    for step in steps {
        match step {
            ConnectionStep::Write(bytes) => {
                last_write = Instant::now();
                connection.chunk(&bytes).await?;
            }
            ConnectionStep::Gate(name) => {
                if !wait(&mut connection, &name, script).await {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
            }
            ConnectionStep::Stall(name) => {
                script.gates.excuse(&name);
                script.gates.reach(&name);
                connection.wait_for_hangup().await;
                script.gates.mark_closed(&name);
                return Ok(None);
            }
            ConnectionStep::Reset => {
                connection.reset()?;
                return Ok(None);
            }
            ConnectionStep::Truncate => return Ok(None),
            ConnectionStep::Forever(mut more) => loop {
                connection.chunk(&more()).await?;
                // A client that reads as fast as we write must not starve the other connections.
                tokio::task::yield_now().await;
            },
        }
    }
    script.record_answer_time(number, last_write);
    connection.end_chunks().await?;
    Ok(Some(connection))
}

/// Whether the gate was opened; if not, the client hung up.
async fn wait(connection: &mut TestHttpConnection, gate: &str, script: &ModelScript) -> bool {
    script.gates.reach(gate);
    tokio::select! {
        // An open gate is passed even if the client is gone.
        biased;
        () = script.gates.wait_until_opened(gate) => true,
        () = connection.wait_for_hangup() => {
            script.gates.mark_closed(gate);
            false
        }
    }
}

fn gate_name(step: &ConnectionStep) -> Option<String> {
    match step {
        ConnectionStep::Gate(name) | ConnectionStep::Stall(name) => Some(name.clone()),
        _ => None,
    }
}

async fn respond(
    connection: &mut TestHttpConnection,
    status: u16,
    body: &ScriptedBody,
    extra: &[(&str, &str)],
) -> io::Result<()> {
    let (kind, bytes) = match body {
        ScriptedBody::Json(json) => return respond_json(connection, status, json, extra).await,
        ScriptedBody::Text(text) => ("text/plain; charset=utf-8", text.as_bytes()),
        ScriptedBody::Html(text) => ("text/html; charset=utf-8", text.as_bytes()),
    };
    let headers: Vec<(&str, &str)> =
        [("content-type", kind)].into_iter().chain(extra.iter().copied()).collect();
    connection.respond(status, &headers, bytes).await
}

async fn respond_json(
    connection: &mut TestHttpConnection,
    status: u16,
    body: &Value,
    extra: &[(&str, &str)],
) -> io::Result<()> {
    let headers: Vec<(&str, &str)> =
        [("content-type", "application/json")].into_iter().chain(extra.iter().copied()).collect();
    connection.respond(status, &headers, body.to_string().as_bytes()).await
}
