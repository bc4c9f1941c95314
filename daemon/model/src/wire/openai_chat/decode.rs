//! The stream of a completion: deltas of one message, then why it stopped, then what it used.
//!
//! The wire does not say where a part ends: text and reasoning end where the other begins, calls when the reason to stop
//! comes. Servers differ in more than the dialect says, so everything is optional and read generously.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::{Decoder, parse};
use super::details::Details;
use crate::answer::{Answer, Fault, raw};
use crate::event::{PartKind, Stop};
use crate::sse;

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Content>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_details: Option<Vec<Map<String, Value>>>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    /// Mistral's reasoning models send typed pieces.
    Pieces(Vec<Value>),
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    /// Text; some local servers send the object itself.
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's name for what was read from the cache.
    prompt_cache_hit_tokens: Option<u64>,
    /// OpenRouter's own account, in US dollars.
    cost: Option<f64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

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
    part: usize,
}

impl Decoder for Decode {
    fn read(&mut self, message: &sse::Message, answer: &mut Answer) -> Result<(), Fault> {
        if message.data.trim() == "[DONE]" {
            answer.stop.get_or_insert(Stop::End);
            answer.complete = true;
            self.close(answer);
            return Ok(());
        }
        let chunk: Chunk = parse(&message.data)?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(told(&error));
        }
        if let Some(usage) = &chunk.usage {
            take_usage(answer, usage);
        }
        for choice in chunk.choices.into_iter().flatten().take(1) {
            if let Some(delta) = choice.delta {
                self.delta(delta, answer)?;
            }
            if let Some(reason) = choice.finish_reason {
                answer.stop = Some(stop(&reason));
                self.close(answer);
            }
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
        for piece in delta.reasoning_details.into_iter().flatten() {
            let open =
                self.prose.as_ref().filter(|(kind, _)| *kind == PartKind::Reasoning).map(|(_, part)| *part);
            self.detailed = self.detailed.or(open).or_else(|| Some(answer.start_reasoning()));
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
        for piece in delta.tool_calls.into_iter().flatten() {
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
                let part = match kind {
                    PartKind::Reasoning => reopened.unwrap_or_else(|| answer.start_reasoning()),
                    _ => answer.start_text(),
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
        let (name, arguments) = match piece.function {
            Some(function) => (function.name, function.arguments),
            None => (None, None),
        };
        let id = piece.id.filter(|id| !id.is_empty());
        let index = piece.index.unwrap_or_else(|| self.implied_index(id.as_deref(), name.is_some()));
        // Some servers give every call the index 0 and tell them apart by id alone.
        let open = self.calls.iter().rev().find(|call| call.index == index);
        let open = open.filter(|call| id.is_none() || call.id.as_deref() == id.as_deref());
        let part = match open {
            Some(call) => call.part,
            None => {
                self.end_prose(answer);
                let part = answer.start_call(id.as_deref(), name.as_deref().unwrap_or_default());
                self.calls.push(OpenCall { index, id, part });
                part
            }
        };
        match arguments {
            None | Some(Value::Null) => Ok(()),
            Some(Value::String(text)) => answer.push(part, &text),
            Some(other) => answer.push(part, &other.to_string()),
        }
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

    fn close(&mut self, answer: &mut Answer) {
        self.end_prose(answer);
        if let Some(part) = self.detailed.take() {
            let echo = if self.details.is_empty() { None } else { raw(&self.details.blocks()) };
            answer.end_with(part, echo);
        }
        answer.end_all();
        self.calls.clear();
    }
}

fn take_usage(answer: &mut Answer, usage: &Usage) {
    let prompt = usage.prompt_tokens.unwrap_or(0);
    let completion = usage.completion_tokens.unwrap_or(0);
    let cached = usage.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
    let written =
        usage.prompt_tokens_details.as_ref().and_then(|details| details.cache_write_tokens).unwrap_or(0);
    let cache_read = cached.or(usage.prompt_cache_hit_tokens).unwrap_or(0);
    let reasoning = usage.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens).unwrap_or(0);
    // xAI counts reasoning beside the completion, all others inside it; the total tells.
    let beside = usage.total_tokens == Some(prompt.saturating_add(completion).saturating_add(reasoning));
    answer.cost = usage.cost.filter(|cost| cost.is_finite() && *cost >= 0.0);
    answer.usage = crate::event::Usage {
        input: prompt.saturating_sub(cache_read).saturating_sub(written),
        output: if beside { completion.saturating_add(reasoning) } else { completion },
        reasoning,
        cache_read,
        cache_write: written,
    };
}

fn told(error: &Value) -> Fault {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let code = text(&error["code"]).or_else(|| text(&error["type"])).unwrap_or_default();
    let message = text(error).or_else(|| text(&error["message"])).unwrap_or_default();
    Fault::Told { code, message }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_calls" | "function_call" => Stop::Calls,
        "length" => Stop::Length,
        "content_filter" => Stop::Refused,
        _ => Stop::End,
    }
}
