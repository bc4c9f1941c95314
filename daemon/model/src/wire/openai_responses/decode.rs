//! The stream of a response: output items by index, each added, filled and done.
//!
//! An event is read in two steps, its type first, because a finished reasoning item is kept as the very bytes that came.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::{Decoder, parse};
use crate::answer::{Answer, Fault, raw};
use crate::event::{Stop, Usage};
use crate::sse;

#[derive(Deserialize)]
struct Head {
    r#type: String,
}

#[derive(Deserialize)]
struct ItemEvent {
    #[serde(default)]
    output_index: u64,
    item: Box<RawValue>,
}

#[derive(Deserialize)]
struct Item {
    r#type: String,
    call_id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
    content: Option<Vec<ContentPiece>>,
    summary: Option<Vec<ContentPiece>>,
    encrypted_content: Option<String>,
    phase: Option<String>,
}

#[derive(Deserialize)]
struct ContentPiece {
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct DeltaEvent {
    #[serde(default)]
    output_index: u64,
    #[serde(default)]
    delta: String,
}

#[derive(Deserialize)]
struct SummaryPart {
    #[serde(default)]
    output_index: u64,
    #[serde(default)]
    summary_index: u64,
}

#[derive(Deserialize)]
struct EndEvent {
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    usage: Option<ResponseUsage>,
    incomplete_details: Option<Incomplete>,
    error: Option<Told>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct ResponseUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

#[derive(Deserialize, Default)]
struct Told {
    code: Option<String>,
    message: Option<String>,
    /// Gateways nest the error once more.
    error: Option<Box<Told>>,
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
        match head.r#type.as_str() {
            "response.output_text.delta"
            | "response.reasoning_summary_text.delta"
            | "response.reasoning_text.delta"
            | "response.function_call_arguments.delta" => self.delta(&parse(data)?, answer),
            "response.refusal.delta" => {
                self.refused = true;
                self.delta(&parse(data)?, answer)
            }
            "response.output_item.added" => self.added(&parse(data)?, answer),
            "response.reasoning_summary_part.added" => self.next_summary(&parse(data)?, answer),
            "response.output_item.done" => self.done(parse(data)?, answer),
            "response.completed" | "response.incomplete" => {
                let end: EndEvent = parse(data)?;
                self.end(&end.response, answer);
                Ok(())
            }
            "response.failed" => {
                let end: EndEvent = parse(data)?;
                Err(told(end.response.error.unwrap_or_default()))
            }
            "error" => Err(told(parse(data)?)),
            _ => Ok(()),
        }
    }
}

impl Decode {
    fn added(&mut self, event: &ItemEvent, answer: &mut Answer) -> Result<(), Fault> {
        let item: Item = parse(event.item.get())?;
        let part = match item.r#type.as_str() {
            "message" => answer.start_text(),
            "reasoning" => answer.start_reasoning(),
            "function_call" => {
                answer.start_call(item.call_id.as_deref(), item.name.as_deref().unwrap_or_default())
            }
            // An item of a tool that runs at the provider's.
            _ => return Ok(()),
        };
        self.parts.insert(event.output_index, part);
        Ok(())
    }

    fn delta(&self, event: &DeltaEvent, answer: &mut Answer) -> Result<(), Fault> {
        match self.parts.get(&event.output_index) {
            Some(part) => answer.push(*part, &event.delta),
            None => Ok(()),
        }
    }

    fn next_summary(&self, event: &SummaryPart, answer: &mut Answer) -> Result<(), Fault> {
        match self.parts.get(&event.output_index) {
            Some(part) if event.summary_index > 0 => answer.push(*part, "\n\n"),
            _ => Ok(()),
        }
    }

    fn done(&mut self, event: ItemEvent, answer: &mut Answer) -> Result<(), Fault> {
        if !self.parts.contains_key(&event.output_index) {
            self.added(&event, answer)?;
        }
        let Some(part) = self.parts.remove(&event.output_index) else { return Ok(()) };
        let item: Item = parse(event.item.get())?;
        // A server that sends no deltas has everything here.
        if answer.text_of(part).is_empty() {
            answer.push(part, &whole(&item))?;
        }
        let echo = match item.r#type.as_str() {
            "reasoning" if item.encrypted_content.is_some() => {
                answer.count(event.item.get().len())?;
                Some(event.item)
            }
            "message" => item.phase.and_then(|phase| raw(&phase)),
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
    let pieces = item.content.iter().chain(&item.summary).flatten();
    let texts: Vec<_> =
        pieces.filter_map(|piece| piece.text.as_deref().or(piece.refusal.as_deref())).collect();
    texts.join("\n\n")
}

fn usage_of(usage: &ResponseUsage) -> Usage {
    let details = usage.input_tokens_details.as_ref();
    let cache_read = details.and_then(|details| details.cached_tokens).unwrap_or(0);
    let cache_write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    Usage {
        input: usage.input_tokens.saturating_sub(cache_read).saturating_sub(cache_write),
        output: usage.output_tokens,
        reasoning: usage.output_tokens_details.as_ref().and_then(|d| d.reasoning_tokens).unwrap_or(0),
        cache_read,
        cache_write,
    }
}

fn told(told: Told) -> Fault {
    let told = match told.error {
        Some(inner) => *inner,
        None => told,
    };
    Fault::Told { code: told.code.unwrap_or_default(), message: told.message.unwrap_or_default() }
}
