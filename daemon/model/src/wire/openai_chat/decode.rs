//! The stream of a completion: deltas of one message, then why it stopped, then what it used.
//!
//! The wire does not say where a part ends: text and reasoning end where the other begins, calls when the reason to stop
//! comes. Servers differ in more than the dialect says, so everything is optional and read generously.

use serde_json::Value;

use super::super::{Decoder, parse};
use super::chunk::{CallPiece, Chunk, Content, Delta, FunctionPiece, stop};
use super::details::Details;
use crate::answer::{Answer, Fault, PART, raw};
use crate::event::{PartKind, Stop};
use crate::sse;

#[derive(Default)]
pub(in crate::wire) struct Decode {
    /// The text or reasoning being written.
    prose: Option<(PartKind, usize)>,
    calls: Vec<OpenCall>,
    details: Details,
    /// The part that `details` belong to: it stays open to the end, since they may come late.
    detailed: Option<usize>,
}

struct OpenCall {
    index: u64,
    /// As the server gave it.
    id: Option<String>,
    /// Begun once its name is known.
    part: Option<usize>,
    /// Arguments that came before the name.
    held: String,
}

impl Decoder for Decode {
    fn read(&mut self, message: &sse::Message, answer: &mut Answer) -> Result<(), Fault> {
        if message.data.trim() == "[DONE]" {
            answer.stop.get_or_insert(Stop::End);
            answer.complete = true;
            return self.close(answer);
        }
        let chunk: Chunk = parse(&message.data)?;
        if let Some(fault) = chunk.told(&message.event) {
            return Err(fault);
        }
        for choice in chunk.choices.into_iter().take(1) {
            if let Some(usage) = &choice.usage {
                usage.write(answer);
            }
            if let Some(delta) = choice.delta {
                self.delta(delta, answer)?;
            }
            // Some servers have the field, empty, in every chunk.
            if let Some(reason) = choice.finish_reason.filter(|reason| !matches!(&**reason, "" | "null")) {
                answer.stop = Some(stop(&reason)?);
                self.close(answer)?;
            }
        }
        if let Some(usage) = &chunk.usage {
            usage.write(answer);
        }
        Ok(())
    }
}

impl Decode {
    fn delta(&mut self, delta: Delta, answer: &mut Answer) -> Result<(), Fault> {
        // Both names for the same text come from servers in transition: one is enough.
        if let Some(text) = delta.reasoning_content.filter(|text| !text.is_empty()).or(delta.reasoning) {
            self.prose(PartKind::Reasoning, &text, answer)?;
        }
        for piece in delta.reasoning_details {
            let open =
                self.prose.as_ref().filter(|(kind, _)| *kind == PartKind::Reasoning).map(|(_, part)| *part);
            self.detailed = match self.detailed.or(open) {
                Some(part) => Some(part),
                None => Some(answer.start_reasoning()?),
            };
            self.details.push(piece, answer)?;
        }
        match delta.content {
            Some(Content::Text(text)) => self.prose(PartKind::Text, &text, answer)?,
            Some(Content::Pieces(pieces)) => self.pieces(&pieces, answer)?,
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

    fn prose(&mut self, kind: PartKind, text: &str, answer: &mut Answer) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        let part = match &self.prose {
            Some((open, part)) if *open == kind => *part,
            _ => {
                self.end_prose(answer);
                let reopened = self.detailed.filter(|_| kind == PartKind::Reasoning);
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

    fn pieces(&mut self, pieces: &[Value], answer: &mut Answer) -> Result<(), Fault> {
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

    fn call(&mut self, piece: CallPiece, answer: &mut Answer) -> Result<(), Fault> {
        let FunctionPiece { name, arguments } = piece.function.unwrap_or_default();
        let name = name.filter(|name| !name.is_empty());
        let id = piece.id.filter(|id| !id.is_empty());
        let index = piece.index.unwrap_or_else(|| self.implied_index(id.as_deref(), name.is_some()));
        let at = match self.calls.iter().rposition(|call| call.index == index) {
            Some(at) if !self.is_another(at, id.as_deref(), name.as_deref()) => at,
            _ => {
                self.end_prose(answer);
                answer.count(PART)?;
                self.calls.push(OpenCall { index, id: None, part: None, held: String::new() });
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
                call.held.push_str(&arguments);
                answer.count(arguments.len())
            }
        }
    }

    /// Some servers give every call the index 0 and tell them apart by id alone; others give every piece an id of its
    /// own, but the name only once.
    fn is_another(&self, at: usize, id: Option<&str>, name: Option<&str>) -> bool {
        let known = self.calls.get(at).and_then(|call| call.id.as_deref());
        name.is_some() && id.is_some() && known.is_some() && known != id
    }

    /// Without an index, a piece that names a function or another id begins a call, any other goes on with the last.
    fn implied_index(&self, id: Option<&str>, named: bool) -> u64 {
        let last = self.calls.last();
        let goes_on = last.is_some_and(|call| if id.is_some() { call.id.as_deref() == id } else { !named });
        match last {
            Some(call) if goes_on => call.index,
            Some(call) => call.index.saturating_add(1),
            None => 0,
        }
    }

    fn end_prose(&mut self, answer: &mut Answer) {
        match self.prose.take() {
            // It carries nothing but whose it is: the text itself is what goes back.
            Some((PartKind::Reasoning, part)) if self.detailed != Some(part) => {
                answer.end_with(part, raw(&Value::Null));
            }
            Some((PartKind::Text, part)) => answer.end(part),
            _ => {}
        }
    }

    fn close(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        self.end_prose(answer);
        if let Some(part) = self.detailed.take() {
            let echo = if self.details.is_empty() { None } else { raw(&self.details.blocks()) };
            answer.end_with(part, echo);
        }
        // One that was never named is given out too: the model is told that there is no such tool.
        for mut call in self.calls.drain(..).filter(|call| call.part.is_none()) {
            call.begin("", answer)?;
        }
        answer.end_all();
        Ok(())
    }
}

impl OpenCall {
    fn begin(&mut self, name: &str, answer: &mut Answer) -> Result<(), Fault> {
        let part = answer.start_call(self.id.as_deref(), name)?;
        self.part = Some(part);
        answer.push(part, &std::mem::take(&mut self.held))
    }
}
