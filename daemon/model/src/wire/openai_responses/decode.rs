//! The stream of a response: output items by index, each added, filled and done.
//!
//! An event is read in two steps, its type first, because a finished reasoning item is kept as the very bytes that came.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{Decoder, lenient, parse};
use crate::answer::{Answer, Fault, raw};
use crate::event::{PartKind, Stop, Usage};
use crate::sse;

#[derive(Deserialize)]
struct Head {
    #[serde(default, deserialize_with = "lenient::text")]
    r#type: Option<String>,
}

#[derive(Deserialize)]
struct ItemEvent {
    #[serde(default, deserialize_with = "lenient::count")]
    output_index: Option<u64>,
    item: Box<RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Item {
    #[serde(deserialize_with = "lenient::text")]
    r#type: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    call_id: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    name: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    arguments: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    content: Vec<ContentPiece>,
    #[serde(deserialize_with = "lenient::list")]
    summary: Vec<ContentPiece>,
    #[serde(deserialize_with = "lenient::text")]
    encrypted_content: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    phase: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ContentPiece {
    #[serde(deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    refusal: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct DeltaEvent {
    #[serde(deserialize_with = "lenient::count")]
    output_index: Option<u64>,
    #[serde(deserialize_with = "lenient::text")]
    delta: Option<String>,
    #[serde(deserialize_with = "lenient::count")]
    summary_index: Option<u64>,
}

#[derive(Deserialize)]
struct EndEvent {
    #[serde(default, deserialize_with = "lenient::maybe")]
    response: Option<Response>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response {
    #[serde(deserialize_with = "lenient::maybe")]
    usage: Option<ResponseUsage>,
    #[serde(deserialize_with = "lenient::maybe")]
    incomplete_details: Option<Incomplete>,
    error: Value,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default, deserialize_with = "lenient::text")]
    reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponseUsage {
    #[serde(deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    output_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    input_tokens_details: Option<InputDetails>,
    #[serde(deserialize_with = "lenient::maybe")]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InputDetails {
    #[serde(deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "lenient::count")]
    reasoning_tokens: Option<u64>,
}

#[derive(Default)]
pub(in crate::wire) struct Decode {
    parts: HashMap<u64, usize>,
    refused: bool,
}

impl Decoder for Decode {
    fn read(&mut self, message: &sse::Message, answer: &mut Answer) -> Result<(), Fault> {
        let data = &message.data;
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let head: Head = parse(data)?;
        match head.r#type.as_deref().unwrap_or(&message.event) {
            "response.output_text.delta" => self.delta(&parse(data)?, Some(PartKind::Text), answer),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.delta(&parse(data)?, Some(PartKind::Reasoning), answer)
            }
            "response.function_call_arguments.delta" => self.delta(&parse(data)?, None, answer),
            "response.refusal.delta" => {
                self.refused = true;
                self.delta(&parse(data)?, Some(PartKind::Text), answer)
            }
            "response.output_item.added" => self.added(&parse(data)?, answer),
            "response.reasoning_summary_part.added" => self.next_summary(&parse(data)?, answer),
            "response.output_item.done" => self.done(parse(data)?, answer),
            "response.completed" | "response.incomplete" => {
                let end: EndEvent = parse(data)?;
                self.end(&end.response.unwrap_or_default(), answer);
                Ok(())
            }
            "response.failed" => {
                let end: EndEvent = parse(data)?;
                Err(told(&end.response.unwrap_or_default().error))
            }
            "error" => Err(told(&parse(data)?)),
            _ => Ok(()),
        }
    }
}

impl Decode {
    fn added(&mut self, event: &ItemEvent, answer: &mut Answer) -> Result<(), Fault> {
        let item: Item = parse(event.item.get())?;
        let part = match item.r#type.as_deref() {
            Some("message") => answer.start_text()?,
            Some("reasoning") => answer.start_reasoning()?,
            Some("function_call") => {
                answer.start_call(item.call_id.as_deref(), item.name.as_deref().unwrap_or_default())?
            }
            // An item of a tool that runs at the provider's.
            _ => return Ok(()),
        };
        self.parts.insert(event.output_index.unwrap_or(0), part);
        Ok(())
    }

    /// `kind` is what the event is a piece of: compatible servers do not always announce the item first.
    fn delta(
        &mut self,
        event: &DeltaEvent,
        kind: Option<PartKind>,
        answer: &mut Answer,
    ) -> Result<(), Fault> {
        let index = event.output_index.unwrap_or(0);
        let part = match (self.parts.get(&index), kind) {
            (Some(part), _) => *part,
            (None, Some(PartKind::Text)) => answer.start_text()?,
            (None, Some(PartKind::Reasoning)) => answer.start_reasoning()?,
            (None, _) => return Ok(()),
        };
        self.parts.insert(index, part);
        answer.push(part, event.delta.as_deref().unwrap_or_default())
    }

    fn next_summary(&self, event: &DeltaEvent, answer: &mut Answer) -> Result<(), Fault> {
        match self.parts.get(&event.output_index.unwrap_or(0)) {
            Some(part) if event.summary_index > Some(0) => answer.push(*part, "\n\n"),
            _ => Ok(()),
        }
    }

    fn done(&mut self, event: ItemEvent, answer: &mut Answer) -> Result<(), Fault> {
        let index = event.output_index.unwrap_or(0);
        if !self.parts.contains_key(&index) {
            self.added(&event, answer)?;
        }
        let Some(part) = self.parts.remove(&index) else { return Ok(()) };
        let item: Item = parse(event.item.get())?;
        // A server that sends no deltas has everything here.
        if answer.text_of(part).is_empty() {
            answer.push(part, &whole(&item))?;
        }
        let echo = match item.r#type.as_deref() {
            Some("reasoning") if item.encrypted_content.is_some() => {
                answer.count(event.item.get().len())?;
                Some(event.item)
            }
            Some("message") => item.phase.and_then(|phase| raw(&phase)),
            _ => None,
        };
        answer.end_with(part, echo);
        Ok(())
    }

    fn end(&mut self, response: &Response, answer: &mut Answer) {
        if let Some(usage) = &response.usage {
            answer.usage = usage_of(usage);
        }
        let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
        answer.stop = Some(match reason {
            Some("max_output_tokens") => Stop::Length,
            Some("content_filter") => Stop::Refused,
            _ if self.refused => Stop::Refused,
            _ => Stop::End,
        });
        answer.complete = true;
    }
}

fn whole(item: &Item) -> String {
    if let Some(arguments) = &item.arguments {
        return arguments.clone();
    }
    let pieces = item.content.iter().chain(&item.summary);
    let texts: Vec<_> =
        pieces.filter_map(|piece| piece.text.as_deref().or(piece.refusal.as_deref())).collect();
    texts.join("\n\n")
}

fn usage_of(usage: &ResponseUsage) -> Usage {
    let details = usage.input_tokens_details.as_ref();
    let cache_read = details.and_then(|details| details.cached_tokens).unwrap_or(0);
    let cache_write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    Usage {
        input: usage.input_tokens.unwrap_or(0).saturating_sub(cache_read).saturating_sub(cache_write),
        output: usage.output_tokens.unwrap_or(0),
        reasoning: usage.output_tokens_details.as_ref().and_then(|d| d.reasoning_tokens).unwrap_or(0),
        cache_read,
        cache_write,
    }
}

/// The error stands in the event itself or, through gateways, once more under `error`; some give a text alone.
fn told(error: &Value) -> Fault {
    let error = if error["error"].is_null() { error } else { &error["error"] };
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let kind = || text(&error["type"]).filter(|kind| kind != "error");
    // A failure without a word is the server's.
    let code = text(&error["code"]).or_else(kind).unwrap_or_else(|| "server error".to_owned());
    let message = text(error).or_else(|| text(&error["message"])).unwrap_or_default();
    Fault::Told { code, message }
}
