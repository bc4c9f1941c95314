//! A peer that speaks lines of JSON: orders go out, answers and events come in.
//!
//! A thread reads its lines, so that every wait has a limit, whatever the peer does.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than any wait of the peers themselves, which say what they wait for. Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct JsonPeer {
    name: &'static str,
    orders: Box<dyn Write + Send>,
    lines: Receiver<Value>,
    /// Events, in order, that no test has waited for yet.
    unread_events: VecDeque<Value>,
    next: u64,
}

impl JsonPeer {
    pub(crate) fn new(
        name: &'static str,
        orders: impl Write + Send + 'static,
        lines: impl Read + Send + 'static,
    ) -> Self {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(lines);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                let value = serde_json::from_slice(&line)
                    .unwrap_or_else(|error| panic!("{name}: {error}: {}", String::from_utf8_lossy(&line)));
                if sender.send(value).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Self { name, orders: Box::new(orders), lines: receiver, unread_events: VecDeque::new(), next: 0 }
    }

    /// Sends an order without waiting; returns its number.
    pub(crate) fn send(&mut self, mut order: Value) -> u64 {
        self.next += 1;
        order["id"] = self.next.into();
        // If the peer has ended, the wait for its answer says so.
        let _ = writeln!(self.orders, "{order}");
        self.next
    }

    /// Waits for the answer to an order: its result, or what the peer says went wrong.
    pub(crate) fn wait_for_answer(&mut self, id: u64) -> Result<Value, String> {
        let mut line = self.take("an answer", |line| line["id"] == id)?;
        let result = line["result"].take();
        if line["ok"] == true { Ok(result) } else { Err(result.as_str().unwrap_or_default().to_owned()) }
    }

    /// Waits for an event of this kind.
    pub(crate) fn wait_for_event(&mut self, kind: &str) -> Result<Value, String> {
        Ok(self.take(kind, |line| line["event"] == kind)?["value"].take())
    }

    /// The first matching line, already received or yet to come.
    fn take(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value, String> {
        if let Some(at) = self.unread_events.iter().position(&wanted) {
            return Ok(self.unread_events.remove(at).unwrap());
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if wanted(&line) => return Ok(line),
                Ok(line) => self.unread_events.push_back(line),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("{}: waited {PATIENCE:?} for {what}", self.name));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{} has ended; the test waits for {what}", self.name));
                }
            }
        }
    }
}
