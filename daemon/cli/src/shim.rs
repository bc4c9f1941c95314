//! What an editor starts: it pipes LSP between the editor and the user's daemon, and outlives the daemon.
//!
//! When the daemon goes, whoever waits is told, another is found or started, greeted as the editor greeted the first,
//! and given the open documents; then the editor gets `copydesk/restarted`. When the editor goes, the shim ends.
//!
//! Invariant: messages leave in the order in which they came, and nothing reaches a new daemon before it was told what
//! the old one knew.
//! Invariant: every request of the editor is answered once, by a daemon or by the shim.

use std::time::Duration;

use bytes::Bytes;
use copydesk_rpc::frame::FrameReader;
use copydesk_rpc::frame::head::{RpcMessageHead, RpcMessageKind};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use copydesk_rpc::transport::SocketReader;
use daemon_starter::DaemonStarter;
use frame_outbox::FrameOutbox;
use progress_tokens::ProgressTokens;
use replay_state::ReplayState;
use request_ids::DaemonGeneration;

pub(crate) mod daemon_starter;
mod frame_outbox;
pub(crate) mod handover;
mod messages;
mod mirrored_documents;
mod progress_tokens;
mod replay_state;
mod request_ids;
mod shim_events;

/// A new daemon answers its greeting in this time, or it is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where no daemon can be had, it is tried again on the editor's next message, but not more often.
const PAUSE: Duration = Duration::from_secs(1);

/// A daemon that lived longer than this fell for a reason of its own; a shorter life may be our doing.
const STEADY: Duration = Duration::from_secs(10);

/// So many daemons in a row may fall at once; what they are told may be what fells them.
const MOST_FALLS: u32 = 5;

/// How it ended: as the protocol wants it (`shutdown`, then `exit`), or the editor just went.
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
    memory: ReplayState,
    progress: ProgressTokens,
    /// Requests of the editor that are not answered yet: id as it is written, and method.
    pending: Vec<(String, String)>,
    shutting_down: bool,
    /// A message of the editor that found no daemon, until the new one has taken over.
    held: Option<Bytes>,
    /// Why there is no daemon, and since when.
    unavailable: Option<(String, Instant)>,
    /// How many daemons in a row did not last.
    crashes: u32,
}

/// The daemon of the moment.
struct AttachedDaemon {
    frames: FrameReader<SocketReader>,
    out: FrameOutbox,
    since: Instant,
    /// It has been greeted in the editor's name, and has not answered yet: until then the editor waits.
    initialize_sent: Option<Instant>,
}

/// Serves one editor until it goes.
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
        memory: ReplayState::new(),
        progress: ProgressTokens::default(),
        pending: Vec::new(),
        shutting_down: false,
        held: None,
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
    if let Some(desk) = shim.daemon {
        desk.out.finish().await;
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
            self.to_desk(message.clone());
            return Some(if self.shutting_down { ShimExit::Orderly } else { ShimExit::Abrupt });
        }
        self.find_desk().await;
        if self.daemon.as_ref().is_some_and(|desk| desk.initialize_sent.is_some()) {
            self.held = Some(message.clone());
            return None;
        }
        match head.kind() {
            RpcMessageKind::Request { id, method } => self.request(message, id, method),
            RpcMessageKind::Notification { method } => {
                self.memory.note(method, message);
                self.to_desk(message.clone());
            }
            RpcMessageKind::Response { id: Some(id) } => {
                if let Some(message) = self.generation.to_desk(message, id) {
                    self.to_desk(message);
                }
            }
            RpcMessageKind::Response { id: None } => self.to_desk(message.clone()),
        }
        None
    }

    fn request(&mut self, message: &Bytes, id: &str, method: &str) {
        self.shutting_down |= method == "shutdown";
        if method == "initialize" {
            self.memory.record_initialize(id, message);
        }
        match &self.daemon {
            Some(desk) => {
                self.pending.push((id.to_owned(), method.to_owned()));
                desk.out.send(message.clone());
            }
            None => {
                if method == "initialize" {
                    // The editor will greet again; nobody does it in its name.
                    self.memory.forget_initialize();
                }
                let why = self.unavailable.as_ref().map_or("", |(why, _)| why);
                self.to_editor.send(messages::no_daemon_response(id, method, why));
            }
        }
    }

    fn handle_daemon_message(&mut self, message: &Bytes) {
        let Ok(head) = RpcMessageHead::read(message) else {
            self.to_editor.send(messages::log("The Copydesk daemon sent something that is no message."));
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
        if self.memory.is_initialize_id(id) {
            let answer: serde_json::Value = serde_json::from_slice(message).unwrap_or_default();
            let greeted_again = self.daemon.as_mut().and_then(|desk| desk.initialize_sent.take()).is_some();
            match answer.get("result") {
                Some(result) => {
                    let hello = self.memory.record_initialize_result(result);
                    handover::stop_older_daemon(self.starter.address(), hello);
                }
                None => self.memory.forget_initialize(),
            }
            if greeted_again {
                return self.take_over(&answer);
            }
        }
        // An answer to nothing that was asked is nobody's.
        if let Some(at) = self.pending.iter().position(|(pending, _)| pending == id) {
            self.pending.remove(at);
            self.to_editor.send(message.clone());
        }
    }

    /// A new daemon has answered: it is told the rest, or has refused.
    fn take_over(&mut self, answer: &serde_json::Value) {
        if let Some(refusal) = answer.pointer("/error/message").and_then(serde_json::Value::as_str) {
            self.daemon = None;
            return self.report_unavailable(refusal.to_owned());
        }
        for message in self.memory.replay_messages() {
            self.to_desk(message);
        }
        self.unavailable = None;
        self.to_editor.send(messages::restarted_notification());
    }

    /// The daemon is gone: whoever waits is told, and another is looked for.
    async fn handle_daemon_exit(&mut self) {
        let brief = self.daemon.take().is_some_and(|desk| desk.since.elapsed() < STEADY);
        self.crashes = if brief { self.crashes + 1 } else { 0 };
        self.generation = self.generation.next();
        self.progress.ends().for_each(|end| self.to_editor.send(end));
        let greeted = self.memory.is_initialized();
        self.pending.retain(|(id, method)| {
            // The greeting is sent again, and answered then.
            let kept = method == "initialize" && !greeted;
            if !kept {
                self.to_editor.send(messages::daemon_lost_response(id, method));
            }
            kept
        });
        if self.shutting_down {
            return;
        }
        if self.crashes > MOST_FALLS {
            let why = "The Copydesk daemon ends as soon as it is started; its log may tell why.";
            return self.report_unavailable(why.to_owned());
        }
        if self.crashes > 1 {
            tokio::time::sleep(Duration::from_millis(50 << self.crashes)).await;
        }
        self.attach().await;
    }

    async fn find_desk(&mut self) {
        let tried = self.unavailable.as_ref().is_some_and(|(_, when)| when.elapsed() < PAUSE);
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
        let desk = AttachedDaemon { frames, out, since: Instant::now(), initialize_sent: None };
        let desk = self.daemon.insert(desk);
        if let Some(greeting) = self.memory.initialize_message() {
            desk.initialize_sent = self.memory.is_initialized().then(Instant::now);
            desk.out.send(greeting);
        }
    }

    fn report_unavailable(&mut self, why: String) {
        // Said once, not on every key that is pressed.
        if self.memory.is_initialized() && self.unavailable.as_ref().is_none_or(|(told, _)| *told != why) {
            self.to_editor.send(messages::show(&why));
        }
        // Nobody else would answer a greeting that was kept for the next daemon.
        self.memory.forget_initialize();
        for (id, method) in std::mem::take(&mut self.pending) {
            self.to_editor.send(messages::no_daemon_response(&id, &method, &why));
        }
        self.unavailable = Some((why, Instant::now()));
    }

    fn to_desk(&self, message: Bytes) {
        if let Some(desk) = &self.daemon {
            desk.out.send(message);
        }
    }
}
