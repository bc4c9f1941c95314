//! Decodes a completion's stream: deltas of one message, then the finish reason, then the usage.
//!
//! The wire does not mark the end of a part: text and reasoning end where the other begins, calls end with
//! the finish reason. Servers differ beyond what the dialect covers, so every field is optional and read
//! leniently.

use serde_json::Value;

use super::super::{StreamDecoder, parse};
use super::chunk::{ChatCallDelta, ChatChunk, ChatDelta, ChatDeltaContent, ChatFunctionDelta, finish_reason};
use super::reasoning_details::ChatReasoningDetails;
use crate::event::{FinishReason, PartKind};
use crate::response_builder::{PART_OVERHEAD, ResponseBuilder, StreamFault, to_raw_json};
use crate::sse;

#[derive(Default)]
pub(in crate::wire) struct ChatDecoder {
    /// The open text or reasoning part.
    prose: Option<(PartKind, usize)>,
    calls: Vec<ChatOpenCall>,
    details: ChatReasoningDetails,
    /// The part that owns `details`; it stays open to the end, because they may come late.
    details_part: Option<usize>,
}

struct ChatOpenCall {
    index: u64,
    /// The server's id.
    id: Option<String>,
    /// `None` until the name is known.
    part: Option<usize>,
    /// Arguments that came before the name.
    early_arguments: String,
}

impl StreamDecoder for ChatDecoder {
    fn read_message(
        &mut self,
        message: &sse::SseMessage,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        if message.data.trim() == "[DONE]" {
            answer.stop.get_or_insert(FinishReason::End);
            answer.is_complete = true;
            return self.finish_parts(answer);
        }
        let chunk: ChatChunk = parse(&message.data)?;
        if let Some(fault) = chunk.error_fault(&message.event) {
            return Err(fault);
        }
        for choice in chunk.choices.into_iter().take(1) {
            if let Some(usage) = &choice.usage {
                usage.write_to(answer);
            }
            if let Some(delta) = choice.delta {
                self.delta(delta, answer)?;
            }
            // Some servers send this field, empty, in every chunk.
            if let Some(reason) = choice.finish_reason.filter(|reason| !matches!(&**reason, "" | "null")) {
                answer.stop = Some(finish_reason(&reason)?);
                self.finish_parts(answer)?;
            }
        }
        if let Some(usage) = &chunk.usage {
            usage.write_to(answer);
        }
        Ok(())
    }
}

impl ChatDecoder {
    fn delta(&mut self, delta: ChatDelta, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        // Servers in transition send the same text under both names; use one.
        if let Some(text) = delta.reasoning_content.filter(|text| !text.is_empty()).or(delta.reasoning) {
            self.prose(PartKind::Reasoning, &text, answer)?;
        }
        for piece in delta.reasoning_details {
            let open =
                self.prose.as_ref().filter(|(kind, _)| *kind == PartKind::Reasoning).map(|(_, part)| *part);
            self.details_part = match self.details_part.or(open) {
                Some(part) => Some(part),
                None => Some(answer.start_reasoning()?),
            };
            self.details.push(piece, answer)?;
        }
        match delta.content {
            Some(ChatDeltaContent::Text(text)) => self.prose(PartKind::Text, &text, answer)?,
            Some(ChatDeltaContent::Pieces(pieces)) => self.pieces(&pieces, answer)?,
            None => {}
        }
        if let Some(text) = delta.refusal {
            self.prose(PartKind::Text, &text, answer)?;
        }
        for piece in delta.tool_calls {
            self.call(piece, answer)?;
        }
        Ok(())
    }

    fn prose(&mut self, kind: PartKind, text: &str, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        if text.is_empty() {
            return Ok(());
        }
        let part = match &self.prose {
            Some((open, part)) if *open == kind => *part,
            _ => {
                self.end_prose(answer);
                let reopened = self.details_part.filter(|_| kind == PartKind::Reasoning);
                let part = match (kind.clone(), reopened) {
                    (PartKind::Reasoning, Some(part)) => part,
                    (PartKind::Reasoning, None) => answer.start_reasoning()?,
                    _ => answer.start_text()?,
                };
                self.prose = Some((kind, part));
                part
            }
        };
        answer.push(part, text)
    }

    fn pieces(&mut self, pieces: &[Value], answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        for piece in pieces {
            if let Some(text) = piece["text"].as_str() {
                self.prose(PartKind::Text, text, answer)?;
            }
            for thought in piece["thinking"].as_array().into_iter().flatten() {
                self.prose(PartKind::Reasoning, thought["text"].as_str().unwrap_or_default(), answer)?;
            }
        }
        Ok(())
    }

    fn call(&mut self, piece: ChatCallDelta, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        let ChatFunctionDelta { name, arguments } = piece.function.unwrap_or_default();
        let name = name.filter(|name| !name.is_empty());
        let id = piece.id.filter(|id| !id.is_empty());
        let index = piece.index.unwrap_or_else(|| self.implied_index(id.as_deref(), name.is_some()));
        let at = match self.calls.iter().rposition(|call| call.index == index) {
            Some(at) if !self.is_new_call(at, id.as_deref(), name.as_deref()) => at,
            _ => {
                self.end_prose(answer);
                answer.count_bytes(PART_OVERHEAD)?;
                self.calls.push(ChatOpenCall { index, id: None, part: None, early_arguments: String::new() });
                self.calls.len() - 1
            }
        };
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        call.id = call.id.take().or(id);
        if let (None, Some(name)) = (call.part, &name) {
            call.begin(name, answer)?;
        }
        let arguments = match arguments {
            Value::Null => return Ok(()),
            Value::String(text) => text,
            other => other.to_string(),
        };
        match call.part {
            Some(part) => answer.push(part, &arguments),
            None => {
                call.early_arguments.push_str(&arguments);
                answer.count_bytes(arguments.len())
            }
        }
    }

    /// Some servers give every call the index 0 and distinguish calls only by id; others give each piece its
    /// own id, but the name only once.
    fn is_new_call(&self, at: usize, id: Option<&str>, name: Option<&str>) -> bool {
        let known = self.calls.get(at).and_then(|call| call.id.as_deref());
        name.is_some() && id.is_some() && known.is_some() && known != id
    }

    /// Without an index, a piece with a function name or another id starts a call; any other continues the
    /// last.
    fn implied_index(&self, id: Option<&str>, named: bool) -> u64 {
        let last = self.calls.last();
        let goes_on = last.is_some_and(|call| if id.is_some() { call.id.as_deref() == id } else { !named });
        match last {
            Some(call) if goes_on => call.index,
            Some(call) => call.index.saturating_add(1),
            None => 0,
        }
    }

    fn end_prose(&mut self, answer: &mut ResponseBuilder) {
        match self.prose.take() {
            // The echo only marks the owner; the text itself goes back.
            Some((PartKind::Reasoning, part)) if self.details_part != Some(part) => {
                answer.end_part_with_metadata(part, to_raw_json(&Value::Null));
            }
            Some((PartKind::Text, part)) => answer.end_part(part),
            _ => {}
        }
    }

    fn finish_parts(&mut self, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        self.end_prose(answer);
        if let Some(part) = self.details_part.take() {
            let echo = if self.details.is_empty() { None } else { to_raw_json(&self.details.blocks()) };
            answer.end_part_with_metadata(part, echo);
        }
        // Emit a call without a name too: the model then learns that there is no such tool.
        for mut call in self.calls.drain(..).filter(|call| call.part.is_none()) {
            call.begin("", answer)?;
        }
        answer.end_all();
        Ok(())
    }
}

impl ChatOpenCall {
    fn begin(&mut self, name: &str, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        let part = answer.start_call(self.id.as_deref(), name)?;
        self.part = Some(part);
        answer.push(part, &std::mem::take(&mut self.early_arguments))
    }
}
