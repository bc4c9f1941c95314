//! Builds the response as it streams in. Every wire's decoder writes into it, and only it emits part events.
//!
//! It holds what all wires share: part numbers, whole contents beside the deltas, unique call ids, the size
//! cap, and how to interpret the finish reason.

use std::collections::HashSet;
use std::mem;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::event::{FinishReason, ModelEvent, PartKind, TokenUsage};
use crate::request::{AssistantPart, ProviderMetadata, ReasoningPart, TextPart, ToolCallPart};

/// Why the stream cannot be read further. The caller, who knows provider and model, turns it into an error.
#[derive(Debug)]
pub(crate) enum StreamFault {
    Malformed(String),
    /// The server reports an error inside the stream.
    ServerError {
        code: String,
        message: String,
    },
    TooLarge,
}

/// Counted towards the cap for each part and block besides its contents: a server could open many empty ones.
pub(crate) const PART_OVERHEAD: usize = 1024;

#[derive(Debug)]
pub(crate) struct ResponseBuilder {
    provider: String,
    model: String,
    events: Vec<ModelEvent>,
    open_parts: Vec<OpenPart>,
    next_part: usize,
    call_ids: HashSet<String>,
    calls_ended: usize,
    /// Bytes left until the cap.
    remaining_bytes: usize,
    pub(crate) usage: TokenUsage,
    /// US dollars, if the server reports its own cost.
    pub(crate) cost: Option<f64>,
    /// The finish reason, once known.
    pub(crate) stop: Option<FinishReason>,
    /// Nothing of interest follows.
    pub(crate) is_complete: bool,
}

#[derive(Debug)]
struct OpenPart {
    part: usize,
    kind: PartKind,
    text: String,
}

impl ResponseBuilder {
    /// `first_part` is the number of the first part; `limit` caps the bytes of all contents together.
    pub(crate) fn new(provider: &str, model: &str, first_part: usize, limit: usize) -> Self {
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            events: Vec::new(),
            open_parts: Vec::new(),
            next_part: first_part,
            call_ids: HashSet::new(),
            calls_ended: 0,
            remaining_bytes: limit,
            usage: TokenUsage::default(),
            cost: None,
            stop: None,
            is_complete: false,
        }
    }

    pub(crate) fn start_text(&mut self) -> Result<usize, StreamFault> {
        self.start(PartKind::Text)
    }

    pub(crate) fn start_reasoning(&mut self) -> Result<usize, StreamFault> {
        self.start(PartKind::Reasoning)
    }

    /// Keeps the server's id if it has one and it is new. Local servers omit ids and some models repeat them;
    /// the next request would be rejected for a duplicate.
    pub(crate) fn start_call(&mut self, id: Option<&str>, name: &str) -> Result<usize, StreamFault> {
        self.count_bytes(id.map_or(0, str::len).saturating_add(name.len()))?;
        let fit = id.filter(|id| !id.is_empty() && !self.call_ids.contains(*id));
        let id = fit.map_or_else(new_call_id, str::to_owned);
        self.call_ids.insert(id.clone());
        self.start(PartKind::Call { id, name: name.to_owned() })
    }

    fn start(&mut self, kind: PartKind) -> Result<usize, StreamFault> {
        self.count_bytes(PART_OVERHEAD)?;
        let part = self.next_part;
        self.next_part += 1;
        self.events.push(ModelEvent::PartStarted { part, kind: kind.clone() });
        self.open_parts.push(OpenPart { part, kind, text: String::new() });
        Ok(part)
    }

    pub(crate) fn push(&mut self, part: usize, text: &str) -> Result<(), StreamFault> {
        if text.is_empty() {
            return Ok(());
        }
        self.count_bytes(text.len())?;
        if let Some(open) = self.open_parts.iter_mut().find(|open| open.part == part) {
            open.text.push_str(text);
            match self.events.last_mut() {
                Some(ModelEvent::PartDelta { part: last, text: joined }) if *last == part => {
                    joined.push_str(text);
                }
                _ => self.events.push(ModelEvent::PartDelta { part, text: text.to_owned() }),
            }
        }
        Ok(())
    }

    /// Counts bytes that a decoder stores itself (signatures) towards the cap.
    pub(crate) fn count_bytes(&mut self, bytes: usize) -> Result<(), StreamFault> {
        self.remaining_bytes = self.remaining_bytes.checked_sub(bytes).ok_or(StreamFault::TooLarge)?;
        Ok(())
    }

    /// The part's text so far.
    pub(crate) fn part_text(&self, part: usize) -> &str {
        self.open_parts.iter().find(|open| open.part == part).map_or("", |open| open.text.as_str())
    }

    pub(crate) fn end_part(&mut self, part: usize) {
        self.end_part_with_metadata(part, None);
    }

    /// Ends a part that carries provider data.
    pub(crate) fn end_part_with_metadata(&mut self, part: usize, echo: Option<Box<RawValue>>) {
        let Some(at) = self.open_parts.iter().position(|open| open.part == part) else { return };
        let OpenPart { kind, text, .. } = self.open_parts.remove(at);
        let echo = echo.map(|data| ProviderMetadata {
            provider: self.provider.clone(),
            model: self.model.clone(),
            data,
        });
        let content = match kind {
            PartKind::Text => AssistantPart::Text(TextPart { text, echo }),
            PartKind::Reasoning => AssistantPart::Reasoning(ReasoningPart { text, echo }),
            PartKind::Call { id, name } => {
                self.calls_ended += 1;
                let arguments = if text.trim().is_empty() { "{}".to_owned() } else { text };
                AssistantPart::Call(ToolCallPart { id, name, arguments, echo })
            }
        };
        self.events.push(ModelEvent::PartEnded { part, content });
    }

    pub(crate) fn end_all(&mut self) {
        while let Some(part) = self.open_parts.first().map(|open| open.part) {
            self.end_part(part);
        }
    }

    pub(crate) fn has_complete_call(&self) -> bool {
        self.calls_ended > 0
    }

    pub(crate) fn next_part(&self) -> usize {
        self.next_part
    }

    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    pub(crate) fn take_events(&mut self) -> Vec<ModelEvent> {
        mem::take(&mut self.events)
    }

    /// Ends every open part and settles the finish reason: servers say `stop` after calls, and `tool_calls`
    /// without one.
    pub(crate) fn finish(&mut self) -> FinishReason {
        self.end_all();
        match self.stop.clone().unwrap_or(FinishReason::End) {
            FinishReason::End | FinishReason::Calls => {
                if self.has_complete_call() {
                    FinishReason::Calls
                } else {
                    FinishReason::End
                }
            }
            other => other,
        }
    }
}

pub(crate) fn to_raw_json(value: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

/// Letters and digits only, for the strictest server.
fn new_call_id() -> String {
    let random: String = std::iter::repeat_with(fastrand::alphanumeric).take(20).collect();
    format!("call{random}")
}
