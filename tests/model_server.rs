//! A scripted model server: real HTTP, four wires, turns from data, and a test that decides when each chunk leaves.
//!
//! ```ignore
//! let server = ScriptedModelServer::start();
//! server.queue_turn(ScriptedTurn::new().text("Hel").gate("half").text("lo"));
//! // … the client connects to server.base_url(ScriptedWire::Anthropic) and sends a request …
//! server.wait_for_gate("half").await; // everything up to "Hel" is on its way
//! server.open_gate("half");
//! assert_eq!(server.requests()[0].comparable(), json!({ … }));
//! ```
//!
//! Contract: requests get turns in order of arrival (`on_request` and `on_each_request` come first); every request is
//! recorded; nothing sleeps. Dropping the server ends all connections and then panics if the script was not followed:
//! a turn unplayed, a request too many, a gate left waiting.
//!
//! It has its own thread and runtime, so that it serves a test that blocks its thread or pauses its clock.
//!
//! Beside `tests/main.rs` it is `mod model_server;`. Elsewhere its folder has to be named, because `#[path]` on the
//! module itself would look for the children in the wrong place:
//! `#[path = "../../../tests"] mod shared { pub(crate) mod model_server; }`.

// Tests and benchmarks each use a part of it.
#![allow(dead_code, unused_imports)]

mod anthropic;
mod builder;
mod chat;
mod connection;
mod failure;
mod gates;
mod gemini;
mod http;
mod plan;
mod recorded_request;
mod render;
mod responses;
mod script;
mod sse_writer;
#[cfg(test)]
mod tests;
mod turn;
mod wire;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};

pub(crate) use failure::{ScriptedError, ScriptedErrorKind};
pub(crate) use recorded_request::RecordedRequest;
pub(crate) use turn::{
    BodyChunking, ReasoningField, ScriptedBody, ScriptedCall, ScriptedPiece, ScriptedReasoning,
    ScriptedResponse, ScriptedStop, ScriptedTurn, ScriptedUsage,
};
pub(crate) use wire::ScriptedWire;

use script::{ModelScript, ScriptRule, ScriptedPage};

/// How long a test may wait for what should happen at once. Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug)]
pub(crate) struct ScriptedModelServer {
    address: SocketAddr,
    script: Arc<ModelScript>,
    runtime: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedModelServer {
    /// Listens on a free port of 127.0.0.1.
    pub(crate) fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a local port is free");
        listener.set_nonblocking(true).expect("a socket need not block");
        let address = listener.local_addr().expect("a bound socket has an address");
        let script = Arc::new(ModelScript::default());
        let (stop, stopped) = oneshot::channel();
        let handle = runtime.handle().clone();
        let shared = Arc::clone(&script);
        let thread = std::thread::Builder::new().name("model server".to_owned()).spawn(move || {
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("a socket joins the runtime");
                run(listener, shared, stopped).await;
            });
        });
        let thread = thread.expect("a thread starts");
        let server = Self { address, script, runtime: handle, stop: Some(stop), thread: Some(thread) };
        server.models(&["script-1"]);
        server.page("/api/version", 200, json!({ "version": "0.0.0" }));
        server
    }

    /// Starts with these turns queued.
    pub(crate) fn start_with(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        let server = Self::start();
        turns.into_iter().for_each(|turn| server.queue_turn(turn));
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The `baseURL` that a user would configure.
    pub(crate) fn base_url(&self, wire: ScriptedWire) -> String {
        format!("http://{}{}", self.address, wire.base_path())
    }

    /// Queues a turn for the next request that no rule takes.
    pub(crate) fn queue_turn(&self, turn: ScriptedTurn) {
        self.script.push(turn);
    }

    /// Plays a turn for the first matching request; there must be one.
    pub(crate) fn on_request(
        &self,
        matches: impl Fn(&RecordedRequest) -> bool + Send + 'static,
        turn: ScriptedTurn,
    ) {
        self.script.push_rule(ScriptRule { matches: Box::new(matches), turn, always: false });
    }

    /// Plays a turn for every matching request, if any.
    pub(crate) fn on_each_request(
        &self,
        matches: impl Fn(&RecordedRequest) -> bool + Send + 'static,
        turn: ScriptedTurn,
    ) {
        self.script.push_rule(ScriptRule { matches: Box::new(matches), turn, always: true });
    }

    /// Sets the response of GET `…/models`.
    pub(crate) fn models(&self, models: &[&str]) {
        self.page("/models", 200, script::model_list(models));
    }

    /// Sets the response of GET for paths with this end.
    pub(crate) fn page(&self, path: impl Into<String>, status: u16, body: Value) {
        self.script.push_page(ScriptedPage { path: path.into(), status, body });
    }

    /// Opens a gate, reached or not.
    pub(crate) fn open_gate(&self, gate: &str) {
        self.script.gates.open(gate);
    }

    /// Waits until the stream is at the gate and everything before it is written to the socket.
    pub(crate) async fn wait_for_gate(&self, gate: &str) {
        let name = gate.to_owned();
        self.wait_with_timeout(format!("gate {gate} to be reached"), |script| async move {
            script.gates.wait_until_reached(&name).await;
        })
        .await;
    }

    /// Waits until the client has hung up at the gate, or before it.
    pub(crate) async fn wait_for_hangup(&self, gate: &str) {
        self.script.gates.excuse(gate);
        let name = gate.to_owned();
        self.wait_with_timeout(format!("the client to hang up at gate {gate}"), |script| async move {
            script.gates.wait_until_closed(&name).await;
        })
        .await;
    }

    /// Waits for the `number`th model request, from 1.
    pub(crate) async fn request_arrived(&self, number: usize) -> RecordedRequest {
        self.wait_with_timeout(format!("request {number}"), |script| async move {
            script.wait_for_request(number).await
        })
        .await
    }

    /// The model requests so far, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.script.requests()
    }

    /// When the last write of the response to the `number`th model request, from 1, began. `None` for one that was
    /// cut short.
    pub(crate) fn answer_time(&self, number: usize) -> Option<Instant> {
        self.script.answer_time(number)
    }

    /// The model requests and all others, such as those for the list of models.
    pub(crate) fn all_requests(&self) -> Vec<RecordedRequest> {
        self.script.all_requests()
    }

    /// Ends all connections; panics if the script was not followed. Dropping does the same.
    pub(crate) fn finish(self) {
        drop(self);
    }

    /// Waits on our runtime, whose clock is never paused.
    async fn wait_with_timeout<T, F>(&self, what: String, wait: impl FnOnce(Arc<ModelScript>) -> F) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let waiting = wait(Arc::clone(&self.script));
        let waited = self.runtime.spawn(async move { tokio::time::timeout(PATIENCE, waiting).await });
        match waited.await.expect("the server's runtime lives as long as the server") {
            Ok(value) => value,
            Err(_) => {
                let complaints = self.script.complaints().join("\n  ");
                let gates = self.script.gates.describe();
                panic!("waited {PATIENCE:?} for {what}{gates}\n  {complaints}");
            }
        }
    }
}

impl Drop for ScriptedModelServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // It may have ended by itself: its panic is reported below.
            let _ = stop.send(());
        }
        let ended = self.thread.take().map_or(Ok(()), JoinHandle::join);
        if std::thread::panicking() {
            return;
        }
        assert!(ended.is_ok(), "the model server's thread panicked");
        let complaints = self.script.complaints();
        assert!(complaints.is_empty(), "the script was not kept to:\n- {}", complaints.join("\n- "));
    }
}

/// Serves until told to stop, and then awaits every connection, so that no panic goes unnoticed.
async fn run(listener: TcpListener, script: Arc<ModelScript>, mut stopped: oneshot::Receiver<()>) {
    let mut clients = JoinSet::new();
    let note = |ended: Result<(), JoinError>| {
        if let Err(error) = ended
            && error.is_panic()
        {
            script.report_problem(format!("a connection's task died: {error}"));
        }
    };
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            client = listener.accept() => match client {
                Ok((stream, _)) => drop(clients.spawn(connection::serve(stream, Arc::clone(&script)))),
                Err(error) => script.report_problem(format!("accept: {error}")),
            },
            Some(ended) = clients.join_next() => note(ended),
        }
    }
    clients.abort_all();
    while let Some(ended) = clients.join_next().await {
        note(ended);
    }
}
