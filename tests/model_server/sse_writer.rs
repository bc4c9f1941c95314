//! The result of rendering: bytes of server-sent events, and actions between them.

use std::fmt;

use serde_json::Value;

use super::turn::BodyChunking;

/// One action of the connection. A list without a final action ends the body properly.
pub(crate) enum ConnectionStep {
    /// One HTTP chunk.
    Write(Vec<u8>),
    Gate(String),
    /// This action and the following ones are final.
    Stall(String),
    Reset,
    Truncate,
    Forever(Box<dyn FnMut() -> Vec<u8> + Send>),
}

impl fmt::Debug for ConnectionStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(bytes) => write!(f, "Write({:?})", String::from_utf8_lossy(bytes)),
            Self::Gate(name) => write!(f, "Gate({name})"),
            Self::Stall(name) => write!(f, "Stall({name})"),
            Self::Reset => f.write_str("Reset"),
            Self::Truncate => f.write_str("Truncate"),
            Self::Forever(_) => f.write_str("Forever"),
        }
    }
}

/// Collects events, and splits them into writes as the turn says.
#[derive(Debug)]
pub(crate) struct SseWriter {
    writes: BodyChunking,
    newline: &'static str,
    pending: Vec<u8>,
    steps: Vec<ConnectionStep>,
}

impl SseWriter {
    pub(crate) fn new(writes: BodyChunking, newline: &'static str) -> Self {
        Self { writes, newline, pending: Vec::new(), steps: Vec::new() }
    }

    pub(crate) fn event(&mut self, name: Option<&str>, data: &Value) {
        self.begin(name);
        serde_json::to_writer(&mut self.pending, data).expect("a Value is JSON");
        self.end();
    }

    /// An event whose data need not be JSON.
    pub(crate) fn text_event(&mut self, name: Option<&str>, data: &str) {
        self.begin(name);
        self.pending.extend_from_slice(data.as_bytes());
        self.end();
    }

    pub(crate) fn comment(&mut self, text: &str) {
        self.pending.extend_from_slice(b": ");
        self.pending.extend_from_slice(text.as_bytes());
        self.end();
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        self.finish_event();
    }

    pub(crate) fn step(&mut self, step: ConnectionStep) {
        self.flush();
        self.steps.push(step);
    }

    pub(crate) fn into_steps(mut self) -> Vec<ConnectionStep> {
        self.flush();
        self.steps
    }

    /// All bytes in one piece, for repetition.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.pending
    }

    fn begin(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.pending.extend_from_slice(b"event: ");
            self.pending.extend_from_slice(name.as_bytes());
            self.pending.extend_from_slice(self.newline.as_bytes());
        }
        self.pending.extend_from_slice(b"data: ");
    }

    fn end(&mut self) {
        self.pending.extend_from_slice(self.newline.as_bytes());
        self.pending.extend_from_slice(self.newline.as_bytes());
        self.finish_event();
    }

    fn finish_event(&mut self) {
        if matches!(self.writes, BodyChunking::Event) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let bytes = std::mem::take(&mut self.pending);
        if let BodyChunking::Bytes(count) = self.writes {
            self.steps.extend(bytes.chunks(count).map(|part| ConnectionStep::Write(part.to_vec())));
        } else if !bytes.is_empty() {
            self.steps.push(ConnectionStep::Write(bytes));
        }
    }
}
