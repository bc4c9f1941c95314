//! The answer as it grows: what every wire's decoder writes into, and the only maker of part events.
//!
//! Holds what is the same on all wires: numbers of parts, whole contents beside the pieces, unique ids of calls, the
//! size cap, and how the last word is read.

use std::collections::HashSet;
use std::mem;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::event::{Event, PartKind, Stop, Usage};
use crate::request::{Call, Echo, Part, Reasoning, Text};

/// Why a stream cannot be read on. The one who knows provider and model makes an error of it.
#[derive(Debug)]
pub(crate) enum Fault {
    Malformed(String),
    /// The server reports an error inside the stream.
    Told {
        code: String,
        message: String,
    },
    TooLarge,
}

/// What every part and block counts towards the cap beside its contents: a server may begin them without end.
pub(crate) const PART: usize = 1024;

#[derive(Debug)]
pub(crate) struct Answer {
    provider: String,
    model: String,
    events: Vec<Event>,
    open: Vec<Open>,
    next_part: usize,
    call_ids: HashSet<String>,
    calls_ended: usize,
    /// Bytes that may still come.
    room: usize,
    pub(crate) usage: Usage,
    /// US dollars, where the server itself says what it took.
    pub(crate) cost: Option<f64>,
    /// The reason given for stopping, once it is known.
    pub(crate) stop: Option<Stop>,
    /// Nothing of interest follows.
    pub(crate) complete: bool,
}

#[derive(Debug)]
struct Open {
    part: usize,
    kind: PartKind,
    text: String,
}

impl Answer {
    /// `first_part` numbers the first part; `limit` bounds the bytes of all contents together.
    pub(crate) fn new(provider: &str, model: &str, first_part: usize, limit: usize) -> Self {
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            events: Vec::new(),
            open: Vec::new(),
            next_part: first_part,
            call_ids: HashSet::new(),
            calls_ended: 0,
            room: limit,
            usage: Usage::default(),
            cost: None,
            stop: None,
            complete: false,
        }
    }

    pub(crate) fn start_text(&mut self) -> Result<usize, Fault> {
        self.start(PartKind::Text)
    }

    pub(crate) fn start_reasoning(&mut self) -> Result<usize, Fault> {
        self.start(PartKind::Reasoning)
    }

    /// A server's id is kept where it is fit: given, and not given twice. Local servers leave it out, and some models
    /// repeat it, which another request would be refused for.
    pub(crate) fn start_call(&mut self, id: Option<&str>, name: &str) -> Result<usize, Fault> {
        self.count(id.map_or(0, str::len).saturating_add(name.len()))?;
        let fit = id.filter(|id| !id.is_empty() && !self.call_ids.contains(*id));
        let id = fit.map_or_else(new_call_id, str::to_owned);
        self.call_ids.insert(id.clone());
        self.start(PartKind::Call { id, name: name.to_owned() })
    }

    fn start(&mut self, kind: PartKind) -> Result<usize, Fault> {
        self.count(PART)?;
        let part = self.next_part;
        self.next_part += 1;
        self.events.push(Event::Started { part, kind: kind.clone() });
        self.open.push(Open { part, kind, text: String::new() });
        Ok(part)
    }

    pub(crate) fn push(&mut self, part: usize, text: &str) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        self.count(text.len())?;
        if let Some(open) = self.open.iter_mut().find(|open| open.part == part) {
            open.text.push_str(text);
            self.events.push(Event::Delta { part, text: text.to_owned() });
        }
        Ok(())
    }

    /// Counts bytes that a decoder keeps itself (signatures) towards the cap.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<(), Fault> {
        self.room = self.room.checked_sub(bytes).ok_or(Fault::TooLarge)?;
        Ok(())
    }

    /// What the part holds so far.
    pub(crate) fn text_of(&self, part: usize) -> &str {
        self.open.iter().find(|open| open.part == part).map_or("", |open| open.text.as_str())
    }

    pub(crate) fn end(&mut self, part: usize) {
        self.end_with(part, None);
    }

    /// Ends a part that carries something of the provider's own.
    pub(crate) fn end_with(&mut self, part: usize, echo: Option<Box<RawValue>>) {
        let Some(at) = self.open.iter().position(|open| open.part == part) else { return };
        let Open { kind, text, .. } = self.open.remove(at);
        let echo = echo.map(|data| Echo { provider: self.provider.clone(), model: self.model.clone(), data });
        let content = match kind {
            PartKind::Text => Part::Text(Text { text, echo }),
            PartKind::Reasoning => Part::Reasoning(Reasoning { text, echo }),
            PartKind::Call { id, name } => {
                self.calls_ended += 1;
                let arguments = if text.trim().is_empty() { "{}".to_owned() } else { text };
                Part::Call(Call { id, name, arguments, echo })
            }
        };
        self.events.push(Event::Ended { part, content });
    }

    pub(crate) fn end_all(&mut self) {
        while let Some(part) = self.open.first().map(|open| open.part) {
            self.end(part);
        }
    }

    pub(crate) fn has_complete_call(&self) -> bool {
        self.calls_ended > 0
    }

    pub(crate) fn next_part(&self) -> usize {
        self.next_part
    }

    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        mem::take(&mut self.events)
    }

    /// Closes what is open and reads the last word: servers say `stop` after calls and `tool_calls` without one.
    pub(crate) fn close(&mut self) -> Stop {
        self.end_all();
        match self.stop.clone().unwrap_or(Stop::End) {
            Stop::End | Stop::Calls => {
                if self.has_complete_call() {
                    Stop::Calls
                } else {
                    Stop::End
                }
            }
            other => other,
        }
    }
}

pub(crate) fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

/// Letters and digits only: the strictest server takes nothing else.
fn new_call_id() -> String {
    let random: String = std::iter::repeat_with(fastrand::alphanumeric).take(20).collect();
    format!("call{random}")
}
