//! The shim that an editor starts: it pipes LSP between the editor and the user's daemon, and outlives the
//! daemon.
//!
//! When the daemon is gone, the shim rejects pending requests, finds or starts another daemon, replays
//! `initialize` and the open documents, and sends `copydesk/restarted` to the editor. When the editor is gone,
//! the shim ends.
//!
//! Invariant: messages leave in the order of arrival, and no message reaches a new daemon before the replay.
//! Invariant: every request of the editor is answered once, by a daemon or by the shim.

use bytes::Bytes;
use copydesk_rpc::frame::FrameReader;
use copydesk_rpc::frame::head::{RpcMessageHead, RpcMessageKind};
use copydesk_rpc::transport::SocketReader;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use daemon_starter::DaemonStarter;
use frame_outbox::FrameOutbox;
use progress_tokens::ProgressTokens;
use replay_state::ReplayState;
use request_ids::DaemonGeneration;

use crate::time_limits::{CRASH_PAUSE, INITIALIZE_TIMEOUT, RETRY_PAUSE, STEADY_UPTIME};

pub(crate) mod daemon_starter;
mod frame_outbox;
pub(crate) mod handover;
mod messages;
mod mirrored_documents;
mod progress_tokens;
mod replay_state;
mod request_ids;
mod shim_events;

/// So many short-lived daemons in a row are replaced; then the replay itself may be the cause.
const MAX_CRASHES: u32 = 5;

/// Orderly: `shutdown`, then `exit`. Abrupt: the editor just disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShimExit {
    Orderly,
    Abrupt,
}

struct Shim<R> {
    starter: DaemonStarter,
    editor: FrameReader<R>,
    to_editor: FrameOutbox,
    daemon: Option<AttachedDaemon>,
    generation: DaemonGeneration,
    replay: ReplayState,
    progress: ProgressTokens,
    /// Unanswered requests of the editor: id as JSON text, and method.
    pending: Vec<(String, String)>,
    shutting_down: bool,
    /// An editor's message that waits until the new daemon has taken over.
    deferred: Option<Bytes>,
    /// Why and since when there is no daemon.
    unavailable: Option<(String, Instant)>,
    /// Short-lived daemons in a row.
    crashes: u32,
}

struct AttachedDaemon {
    frames: FrameReader<SocketReader>,
    out: FrameOutbox,
    since: Instant,
    /// Set while a replayed `initialize` is unanswered; until then the editor's messages wait.
    initialize_sent: Option<Instant>,
}

/// Serves one editor until it disconnects.
pub(crate) async fn run(
    starter: DaemonStarter,
    editor: impl AsyncRead + Unpin,
    to_editor: impl AsyncWrite + Send + Unpin + 'static,
) -> ShimExit {
    let mut shim = Shim {
        starter,
        editor: FrameReader::new(editor),
        to_editor: FrameOutbox::new(to_editor),
        daemon: None,
        generation: DaemonGeneration::default(),
        replay: ReplayState::new(),
        progress: ProgressTokens::default(),
        pending: Vec::new(),
        shutting_down: false,
        deferred: None,
        unavailable: None,
        crashes: 0,
    };
    shim.attach().await;
    let end = loop {
        match shim.read().await {
            shim_events::ShimEvent::Editor(message) => {
                if let Some(end) = shim.handle_editor_message(&message).await {
                    break end;
                }
            }
            shim_events::ShimEvent::Daemon(message) => shim.handle_daemon_message(&message),
            shim_events::ShimEvent::DaemonGone => shim.handle_daemon_exit().await,
            shim_events::ShimEvent::Handled => {}
            shim_events::ShimEvent::EditorGone => break ShimExit::Abrupt,
        }
    };
    if let Some(daemon) = shim.daemon {
        daemon.out.finish().await;
    }
    shim.to_editor.finish().await;
    end
}

impl<R: AsyncRead + Unpin> Shim<R> {
    async fn handle_editor_message(&mut self, message: &Bytes) -> Option<ShimExit> {
        let head = match RpcMessageHead::read(message) {
            Ok(head) => head,
            Err(error) => {
                self.to_editor.send(messages::unreadable(&error.to_string()));
                return None;
            }
        };
        if let RpcMessageKind::Notification { method: "exit" } = head.kind() {
            self.to_daemon(message.clone());
            return Some(if self.shutting_down { ShimExit::Orderly } else { ShimExit::Abrupt });
        }
        self.ensure_daemon().await;
        if self.daemon.as_ref().is_some_and(|daemon| daemon.initialize_sent.is_some()) {
            self.deferred = Some(message.clone());
            return None;
        }
        match head.kind() {
            RpcMessageKind::Request { id, method } => self.request(message, id, method),
            RpcMessageKind::Notification { method } => {
                self.replay.note(method, message);
                self.to_daemon(message.clone());
            }
            RpcMessageKind::Response { id: Some(id) } => {
                if let Some(message) = self.generation.to_daemon(message, id) {
                    self.to_daemon(message);
                }
            }
            RpcMessageKind::Response { id: None } => self.to_daemon(message.clone()),
        }
        None
    }

    fn request(&mut self, message: &Bytes, id: &str, method: &str) {
        self.shutting_down |= method == "shutdown";
        if method == "initialize" {
            self.replay.record_initialize(id, message);
        }
        match &self.daemon {
            Some(daemon) => {
                self.pending.push((id.to_owned(), method.to_owned()));
                daemon.out.send(message.clone());
            }
            None => {
                if method == "initialize" {
                    // The editor has to send it again; the shim must not.
                    self.replay.forget_initialize();
                }
                let why = self.unavailable.as_ref().map_or("", |(why, _)| why);
                self.to_editor.send(messages::no_daemon_response(id, method, why));
            }
        }
    }

    fn handle_daemon_message(&mut self, message: &Bytes) {
        let Ok(head) = RpcMessageHead::read(message) else {
            self.to_editor.send(messages::log("The Copydesk daemon sent a message that cannot be parsed."));
            return;
        };
        match head.kind() {
            RpcMessageKind::Request { id, .. } => self.to_editor.send(self.generation.to_editor(message, id)),
            RpcMessageKind::Notification { method: "$/cancelRequest" } => {
                self.to_editor.send(self.generation.cancel_to_editor(message));
            }
            RpcMessageKind::Notification { method: "$/progress" } => {
                self.progress.note(message);
                self.to_editor.send(message.clone());
            }
            RpcMessageKind::Response { id: Some(id) } => self.answer(message, id),
            RpcMessageKind::Notification { .. } | RpcMessageKind::Response { id: None } => {
                self.to_editor.send(message.clone());
            }
        }
    }

    fn answer(&mut self, message: &Bytes, id: &str) {
        if self.replay.is_initialize_id(id) {
            let response: serde_json::Value = serde_json::from_slice(message).unwrap_or_default();
            let is_replay = self.daemon.as_mut().and_then(|daemon| daemon.initialize_sent.take()).is_some();
            match response.get("result") {
                Some(result) => {
                    let hello = self.replay.record_initialize_result(result);
                    handover::stop_older_daemon(self.starter.address(), hello);
                }
                None => self.replay.forget_initialize(),
            }
            if is_replay {
                return self.take_over(&response);
            }
        }
        // Drop a response that matches no request.
        if let Some(index) = self.pending.iter().position(|(pending, _)| pending == id) {
            self.pending.remove(index);
            self.to_editor.send(message.clone());
        }
    }

    /// A new daemon answered `initialize`: replay the rest, or report its refusal.
    fn take_over(&mut self, response: &serde_json::Value) {
        if let Some(refusal) = response.pointer("/error/message").and_then(serde_json::Value::as_str) {
            self.daemon = None;
            return self.report_unavailable(refusal.to_owned());
        }
        for message in self.replay.replay_messages() {
            self.to_daemon(message);
        }
        self.unavailable = None;
        self.to_editor.send(messages::restarted_notification());
    }

    /// The daemon is gone: reject pending requests, and find another.
    async fn handle_daemon_exit(&mut self) {
        // One that never answered `initialize` may be blocked by the replay, however long it lived.
        let is_brief = self
            .daemon
            .take()
            .is_some_and(|daemon| daemon.initialize_sent.is_some() || daemon.since.elapsed() < STEADY_UPTIME);
        self.crashes = if is_brief { self.crashes + 1 } else { 0 };
        self.generation = self.generation.next();
        self.progress.ends().for_each(|end| self.to_editor.send(end));
        let is_initialized = self.replay.is_initialized();
        self.pending.retain(|(id, method)| {
            // `initialize` is replayed, and answered then.
            let kept = method == "initialize" && !is_initialized;
            if !kept {
                self.to_editor.send(messages::daemon_lost_response(id, method));
            }
            kept
        });
        if self.shutting_down {
            return;
        }
        if self.crashes > MAX_CRASHES {
            let why = "The Copydesk daemon ends right after each start; see its log.";
            return self.report_unavailable(why.to_owned());
        }
        if self.crashes > 1 {
            tokio::time::sleep(CRASH_PAUSE * (1 << self.crashes)).await;
        }
        self.attach().await;
    }

    async fn ensure_daemon(&mut self) {
        let tried = self.unavailable.as_ref().is_some_and(|(_, when)| when.elapsed() < RETRY_PAUSE);
        if self.daemon.is_none() && !tried && !self.shutting_down {
            self.attach().await;
        }
    }

    async fn attach(&mut self) {
        let connection = match self.starter.connect_or_start().await {
            Ok(connection) => connection,
            Err(why) => {
                return self.report_unavailable(format!("The Copydesk daemon cannot be reached: {why}"));
            }
        };
        let (reader, writer) = connection.split();
        let (frames, out) = (FrameReader::new(reader), FrameOutbox::new(writer));
        let daemon = AttachedDaemon { frames, out, since: Instant::now(), initialize_sent: None };
        let daemon = self.daemon.insert(daemon);
        if let Some(initialize) = self.replay.initialize_message() {
            daemon.initialize_sent = self.replay.is_initialized().then(Instant::now);
            daemon.out.send(initialize);
        }
    }

    fn report_unavailable(&mut self, why: String) {
        // Shown once, not with every key press.
        if self.replay.is_initialized() && self.unavailable.as_ref().is_none_or(|(shown, _)| *shown != why) {
            self.to_editor.send(messages::show(&why));
        }
        // Otherwise an `initialize` kept for the next daemon would stay unanswered.
        self.replay.forget_initialize();
        for (id, method) in std::mem::take(&mut self.pending) {
            self.to_editor.send(messages::no_daemon_response(&id, &method, &why));
        }
        self.unavailable = Some((why, Instant::now()));
    }

    fn to_daemon(&self, message: Bytes) {
        if let Some(daemon) = &self.daemon {
            daemon.out.send(message);
        }
    }
}
