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
use copydesk_rpc::frame::head::{Head, Message};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use copydesk_rpc::transport::Reader;
use ids::Generation;
use memory::Memory;
use outbox::Outbox;
use progress::Progress;
use start::Starter;

mod documents;
pub(crate) mod handover;
mod ids;
mod memory;
mod outbox;
mod progress;
mod reading;
mod say;
pub(crate) mod start;

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
pub(crate) enum End {
    Orderly,
    Abrupt,
}

struct Shim<R> {
    starter: Starter,
    editor: FrameReader<R>,
    to_editor: Outbox,
    desk: Option<Desk>,
    generation: Generation,
    memory: Memory,
    progress: Progress,
    /// Requests of the editor that are not answered yet: id as it is written, and method.
    pending: Vec<(String, String)>,
    shutting_down: bool,
    /// A message of the editor that found no daemon, until the new one has taken over.
    held: Option<Bytes>,
    /// Why there is no daemon, and since when.
    trouble: Option<(String, Instant)>,
    /// How many daemons in a row did not last.
    falls: u32,
}

/// The daemon of the moment.
struct Desk {
    frames: FrameReader<Reader>,
    out: Outbox,
    since: Instant,
    /// It has been greeted in the editor's name, and has not answered yet: until then the editor waits.
    greeted: Option<Instant>,
}

/// Serves one editor until it goes.
pub(crate) async fn run(
    starter: Starter,
    editor: impl AsyncRead + Unpin,
    to_editor: impl AsyncWrite + Send + Unpin + 'static,
) -> End {
    let mut shim = Shim {
        starter,
        editor: FrameReader::new(editor),
        to_editor: Outbox::new(to_editor),
        desk: None,
        generation: Generation::default(),
        memory: Memory::new(),
        progress: Progress::default(),
        pending: Vec::new(),
        shutting_down: false,
        held: None,
        trouble: None,
        falls: 0,
    };
    shim.attach().await;
    let end = loop {
        match shim.read().await {
            reading::Event::Editor(message) => {
                if let Some(end) = shim.take_from_editor(&message).await {
                    break end;
                }
            }
            reading::Event::Desk(message) => shim.take_from_desk(&message),
            reading::Event::DeskGone => shim.lost().await,
            reading::Event::Told => {}
            reading::Event::EditorGone => break End::Abrupt,
        }
    };
    if let Some(desk) = shim.desk {
        desk.out.finish().await;
    }
    shim.to_editor.finish().await;
    end
}

impl<R: AsyncRead + Unpin> Shim<R> {
    async fn take_from_editor(&mut self, message: &Bytes) -> Option<End> {
        let head = match Head::read(message) {
            Ok(head) => head,
            Err(error) => {
                self.to_editor.send(say::unreadable(&error.to_string()));
                return None;
            }
        };
        if let Message::Notification { method: "exit" } = head.message() {
            self.to_desk(message.clone());
            return Some(if self.shutting_down { End::Orderly } else { End::Abrupt });
        }
        self.find_desk().await;
        if self.desk.as_ref().is_some_and(|desk| desk.greeted.is_some()) {
            self.held = Some(message.clone());
            return None;
        }
        match head.message() {
            Message::Request { id, method } => self.request(message, id, method),
            Message::Notification { method } => {
                self.memory.note(method, message);
                self.to_desk(message.clone());
            }
            Message::Answer { id: Some(id) } => {
                if let Some(message) = self.generation.to_desk(message, id) {
                    self.to_desk(message);
                }
            }
            Message::Answer { id: None } => self.to_desk(message.clone()),
        }
        None
    }

    fn request(&mut self, message: &Bytes, id: &str, method: &str) {
        self.shutting_down |= method == "shutdown";
        if method == "initialize" {
            self.memory.greet(id, message);
        }
        match &self.desk {
            Some(desk) => {
                self.pending.push((id.to_owned(), method.to_owned()));
                desk.out.send(message.clone());
            }
            None => {
                if method == "initialize" {
                    // The editor will greet again; nobody does it in its name.
                    self.memory.refused();
                }
                let why = self.trouble.as_ref().map_or("", |(why, _)| why);
                self.to_editor.send(say::no_desk(id, method, why));
            }
        }
    }

    fn take_from_desk(&mut self, message: &Bytes) {
        let Ok(head) = Head::read(message) else {
            self.to_editor.send(say::log("The Copydesk daemon sent something that is no message."));
            return;
        };
        match head.message() {
            Message::Request { id, .. } => self.to_editor.send(self.generation.to_editor(message, id)),
            Message::Notification { method: "$/cancelRequest" } => {
                self.to_editor.send(self.generation.cancel_to_editor(message));
            }
            Message::Notification { method: "$/progress" } => {
                self.progress.note(message);
                self.to_editor.send(message.clone());
            }
            Message::Answer { id: Some(id) } => self.answer(message, id),
            Message::Notification { .. } | Message::Answer { id: None } => {
                self.to_editor.send(message.clone());
            }
        }
    }

    fn answer(&mut self, message: &Bytes, id: &str) {
        if self.memory.is_greeting(id) {
            let answer: serde_json::Value = serde_json::from_slice(message).unwrap_or_default();
            let greeted_again = self.desk.as_mut().and_then(|desk| desk.greeted.take()).is_some();
            match answer.get("result") {
                Some(result) => {
                    let hello = self.memory.answered(result);
                    handover::consider(self.starter.place(), hello);
                }
                None => self.memory.refused(),
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
            self.desk = None;
            return self.in_trouble(refusal.to_owned());
        }
        for message in self.memory.rest() {
            self.to_desk(message);
        }
        self.trouble = None;
        self.to_editor.send(say::restarted());
    }

    /// The daemon is gone: whoever waits is told, and another is looked for.
    async fn lost(&mut self) {
        let brief = self.desk.take().is_some_and(|desk| desk.since.elapsed() < STEADY);
        self.falls = if brief { self.falls + 1 } else { 0 };
        self.generation = self.generation.next();
        self.progress.ends().for_each(|end| self.to_editor.send(end));
        let greeted = self.memory.greeted();
        self.pending.retain(|(id, method)| {
            // The greeting is sent again, and answered then.
            let kept = method == "initialize" && !greeted;
            if !kept {
                self.to_editor.send(say::lost(id, method));
            }
            kept
        });
        if self.shutting_down {
            return;
        }
        if self.falls > MOST_FALLS {
            let why = "The Copydesk daemon ends as soon as it is started; its log may tell why.";
            return self.in_trouble(why.to_owned());
        }
        if self.falls > 1 {
            tokio::time::sleep(Duration::from_millis(50 << self.falls)).await;
        }
        self.attach().await;
    }

    async fn find_desk(&mut self) {
        let tried = self.trouble.as_ref().is_some_and(|(_, when)| when.elapsed() < PAUSE);
        if self.desk.is_none() && !tried && !self.shutting_down {
            self.attach().await;
        }
    }

    async fn attach(&mut self) {
        let connection = match self.starter.attach().await {
            Ok(connection) => connection,
            Err(why) => return self.in_trouble(format!("The Copydesk daemon cannot be reached: {why}")),
        };
        let (reader, writer) = connection.split();
        let (frames, out) = (FrameReader::new(reader), Outbox::new(writer));
        let desk = Desk { frames, out, since: Instant::now(), greeted: None };
        let desk = self.desk.insert(desk);
        if let Some(greeting) = self.memory.greeting() {
            desk.greeted = self.memory.greeted().then(Instant::now);
            desk.out.send(greeting);
        }
    }

    fn in_trouble(&mut self, why: String) {
        // Said once, not on every key that is pressed.
        if self.memory.greeted() && self.trouble.as_ref().is_none_or(|(told, _)| *told != why) {
            self.to_editor.send(say::show(&why));
        }
        // Nobody else would answer a greeting that was kept for the next daemon.
        self.memory.refused();
        for (id, method) in std::mem::take(&mut self.pending) {
            self.to_editor.send(say::no_desk(&id, &method, &why));
        }
        self.trouble = Some((why, Instant::now()));
    }

    fn to_desk(&self, message: Bytes) {
        if let Some(desk) = &self.desk {
            desk.out.send(message);
        }
    }
}
