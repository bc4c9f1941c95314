//! Decodes a response's stream: output items by index, each added, filled and done.
//!
//! An event is parsed in two steps, type first, because a finished reasoning item is kept as the exact bytes
//! received.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{StreamDecoder, lenient, parse};
use crate::event::{FinishReason, PartKind, TokenUsage};
use crate::response_builder::{ResponseBuilder, StreamFault, to_raw_json};
use crate::sse;

#[derive(Deserialize)]
struct ResponsesEventHead {
    #[serde(default, deserialize_with = "lenient::text")]
    r#type: Option<String>,
}

#[derive(Deserialize)]
struct ResponsesItemEvent {
    #[serde(default, deserialize_with = "lenient::count")]
    output_index: Option<u64>,
    item: Box<RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponsesOutputItem {
    #[serde(deserialize_with = "lenient::text")]
    r#type: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    call_id: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    name: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    arguments: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    content: Vec<ResponsesOutputPart>,
    #[serde(deserialize_with = "lenient::list")]
    summary: Vec<ResponsesOutputPart>,
    #[serde(deserialize_with = "lenient::text")]
    encrypted_content: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    phase: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponsesOutputPart {
    #[serde(deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    refusal: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponsesDeltaEvent {
    #[serde(deserialize_with = "lenient::count")]
    output_index: Option<u64>,
    #[serde(deserialize_with = "lenient::text")]
    delta: Option<String>,
    #[serde(deserialize_with = "lenient::count")]
    summary_index: Option<u64>,
}

#[derive(Deserialize)]
struct ResponsesEndEvent {
    #[serde(default, deserialize_with = "lenient::maybe")]
    response: Option<ResponsesResponse>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponsesResponse {
    #[serde(deserialize_with = "lenient::maybe")]
    usage: Option<ResponsesUsage>,
    #[serde(deserialize_with = "lenient::maybe")]
    incomplete_details: Option<ResponsesIncompleteDetails>,
    error: Value,
}

#[derive(Deserialize)]
struct ResponsesIncompleteDetails {
    #[serde(default, deserialize_with = "lenient::text")]
    reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponsesUsage {
    #[serde(deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    output_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    input_tokens_details: Option<ResponsesInputDetails>,
    #[serde(deserialize_with = "lenient::maybe")]
    output_tokens_details: Option<ResponsesOutputDetails>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponsesInputDetails {
    #[serde(deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct ResponsesOutputDetails {
    #[serde(default, deserialize_with = "lenient::count")]
    reasoning_tokens: Option<u64>,
}

#[derive(Default)]
pub(in crate::wire) struct ResponsesDecoder {
    parts: HashMap<u64, usize>,
    refused: bool,
}

impl StreamDecoder for ResponsesDecoder {
    fn read_message(
        &mut self,
        message: &sse::SseMessage,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let data = &message.data;
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let head: ResponsesEventHead = parse(data)?;
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
            "response.output_item.added" => self.start_item(&parse(data)?, answer),
            "response.reasoning_summary_part.added" => self.next_summary(&parse(data)?, answer),
            "response.output_item.done" => self.finish_item(parse(data)?, answer),
            "response.completed" | "response.incomplete" => {
                let end: ResponsesEndEvent = parse(data)?;
                self.end(&end.response.unwrap_or_default(), answer);
                Ok(())
            }
            "response.failed" => {
                let end: ResponsesEndEvent = parse(data)?;
                Err(error_fault(&end.response.unwrap_or_default().error))
            }
            "error" => Err(error_fault(&parse(data)?)),
            _ => Ok(()),
        }
    }
}

impl ResponsesDecoder {
    fn start_item(
        &mut self,
        event: &ResponsesItemEvent,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let item: ResponsesOutputItem = parse(event.item.get())?;
        let part = match item.r#type.as_deref() {
            Some("message") => answer.start_text()?,
            Some("reasoning") => answer.start_reasoning()?,
            Some("function_call") => {
                answer.start_call(item.call_id.as_deref(), item.name.as_deref().unwrap_or_default())?
            }
            // An item of a server-side tool.
            _ => return Ok(()),
        };
        self.parts.insert(event.output_index.unwrap_or(0), part);
        Ok(())
    }

    /// `kind` is the kind of item the event belongs to: compatible servers do not always announce it first.
    fn delta(
        &mut self,
        event: &ResponsesDeltaEvent,
        kind: Option<PartKind>,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
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

    fn next_summary(
        &self,
        event: &ResponsesDeltaEvent,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        match self.parts.get(&event.output_index.unwrap_or(0)) {
            Some(part) if event.summary_index > Some(0) => answer.push(*part, "\n\n"),
            _ => Ok(()),
        }
    }

    fn finish_item(
        &mut self,
        event: ResponsesItemEvent,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let index = event.output_index.unwrap_or(0);
        if !self.parts.contains_key(&index) {
            self.start_item(&event, answer)?;
        }
        let Some(part) = self.parts.remove(&index) else { return Ok(()) };
        let item: ResponsesOutputItem = parse(event.item.get())?;
        // A server without deltas sends everything here.
        if answer.part_text(part).is_empty() {
            answer.push(part, &full_text(&item))?;
        }
        let echo = match item.r#type.as_deref() {
            Some("reasoning") if item.encrypted_content.is_some() => {
                answer.count_bytes(event.item.get().len())?;
                Some(event.item)
            }
            Some("message") => item.phase.and_then(|phase| to_raw_json(&phase)),
            _ => None,
        };
        answer.end_part_with_metadata(part, echo);
        Ok(())
    }

    fn end(&mut self, response: &ResponsesResponse, answer: &mut ResponseBuilder) {
        if let Some(usage) = &response.usage {
            answer.usage = usage_of(usage);
        }
        let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
        answer.stop = Some(match reason {
            Some("max_output_tokens") => FinishReason::Length,
            Some("content_filter") => FinishReason::Refused,
            _ if self.refused => FinishReason::Refused,
            _ => FinishReason::End,
        });
        answer.is_complete = true;
    }
}

fn full_text(item: &ResponsesOutputItem) -> String {
    if let Some(arguments) = &item.arguments {
        return arguments.clone();
    }
    let pieces = item.content.iter().chain(&item.summary);
    let texts: Vec<_> =
        pieces.filter_map(|piece| piece.text.as_deref().or(piece.refusal.as_deref())).collect();
    texts.join("\n\n")
}

fn usage_of(usage: &ResponsesUsage) -> TokenUsage {
    let details = usage.input_tokens_details.as_ref();
    let cache_read = details.and_then(|details| details.cached_tokens).unwrap_or(0);
    let cache_write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    TokenUsage {
        input: usage.input_tokens.unwrap_or(0).saturating_sub(cache_read).saturating_sub(cache_write),
        output: usage.output_tokens.unwrap_or(0),
        reasoning: usage.output_tokens_details.as_ref().and_then(|d| d.reasoning_tokens).unwrap_or(0),
        cache_read,
        cache_write,
    }
}

/// The error is the event itself or, through gateways, nested under `error`; some send only a text.
fn error_fault(error: &Value) -> StreamFault {
    let error = if error["error"].is_null() { error } else { &error["error"] };
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let kind = || text(&error["type"]).filter(|kind| kind != "error");
    // A failure without a code counts as the server's.
    let code = text(&error["code"]).or_else(kind).unwrap_or_else(|| "server error".to_owned());
    let message = text(error).or_else(|| text(&error["message"])).unwrap_or_default();
    StreamFault::ServerError { code, message }
}
