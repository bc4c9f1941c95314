//! Decodes a message stream: blocks by index, each with start, deltas and stop.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::super::{StreamDecoder, lenient, parse};
use crate::event::FinishReason;
use crate::response_builder::{ResponseBuilder, StreamFault, to_raw_json};
use crate::sse;

#[derive(Deserialize, Default)]
#[serde(default)]
struct AnthropicStreamEvent {
    #[serde(deserialize_with = "lenient::text")]
    r#type: Option<String>,
    #[serde(deserialize_with = "lenient::count")]
    index: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    message: Option<AnthropicMessageStart>,
    #[serde(deserialize_with = "lenient::maybe")]
    content_block: Option<AnthropicBlockStart>,
    #[serde(deserialize_with = "lenient::maybe")]
    delta: Option<AnthropicDelta>,
    #[serde(deserialize_with = "lenient::maybe")]
    usage: Option<AnthropicUsage>,
    error: Value,
}

#[derive(Deserialize)]
struct AnthropicMessageStart {
    #[serde(default, deserialize_with = "lenient::maybe")]
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AnthropicBlockStart {
    #[serde(deserialize_with = "lenient::text")]
    r#type: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    thinking: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    signature: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    data: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    id: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    name: Option<String>,
    input: Value,
}

/// Of a block or of the message.
#[derive(Deserialize, Default)]
#[serde(default)]
struct AnthropicDelta {
    #[serde(deserialize_with = "lenient::text")]
    r#type: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    thinking: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    signature: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    partial_json: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    stop_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AnthropicUsage {
    #[serde(deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    output_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    output_tokens_details: Option<AnthropicOutputDetails>,
}

#[derive(Deserialize)]
struct AnthropicOutputDetails {
    #[serde(default, deserialize_with = "lenient::count")]
    thinking_tokens: Option<u64>,
}

#[derive(Default)]
pub(in crate::wire) struct AnthropicDecoder {
    blocks: HashMap<u64, AnthropicOpenBlock>,
}

struct AnthropicOpenBlock {
    part: usize,
    kind: AnthropicBlockKind,
}

enum AnthropicBlockKind {
    Text,
    Thinking {
        signature: String,
    },
    Redacted {
        data: String,
    },
    /// `input` came with the start: compatible servers put all of it there and send no deltas.
    Call {
        input: Value,
    },
}

impl StreamDecoder for AnthropicDecoder {
    fn read_message(
        &mut self,
        message: &sse::SseMessage,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let event: AnthropicStreamEvent = parse(&message.data)?;
        let kind = event.r#type.as_deref().unwrap_or(&message.event);
        let index = event.index.unwrap_or(0);
        match (kind, event.delta) {
            ("message_start", _) => take_usage(answer, event.message.and_then(|start| start.usage).as_ref()),
            ("content_block_start", _) => {
                self.start(index, event.content_block.unwrap_or_default(), answer)?;
            }
            ("content_block_delta", Some(delta)) => self.delta(index, delta, answer)?,
            ("content_block_stop", _) => self.stop(index, answer)?,
            ("message_delta", delta) => {
                take_usage(answer, event.usage.as_ref());
                if let Some(reason) = delta.and_then(|delta| delta.stop_reason) {
                    answer.stop = Some(stop(&reason));
                }
            }
            ("message_stop", _) => {
                answer.stop.get_or_insert(FinishReason::End);
                answer.is_complete = true;
            }
            ("error", _) => return Err(error_fault(&event.error)),
            _ => {}
        }
        Ok(())
    }
}

impl AnthropicDecoder {
    fn start(
        &mut self,
        index: u64,
        block: AnthropicBlockStart,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let block = match block.r#type.as_deref() {
            Some("text") => {
                let part = answer.start_text()?;
                answer.push(part, &block.text.unwrap_or_default())?;
                AnthropicOpenBlock { part, kind: AnthropicBlockKind::Text }
            }
            Some("thinking") => {
                let part = answer.start_reasoning()?;
                answer.push(part, &block.thinking.unwrap_or_default())?;
                let signature = block.signature.unwrap_or_default();
                answer.count_bytes(signature.len())?;
                AnthropicOpenBlock { part, kind: AnthropicBlockKind::Thinking { signature } }
            }
            Some("redacted_thinking") => {
                let data = block.data.unwrap_or_default();
                answer.count_bytes(data.len())?;
                AnthropicOpenBlock {
                    part: answer.start_reasoning()?,
                    kind: AnthropicBlockKind::Redacted { data },
                }
            }
            Some("tool_use") => {
                let name = block.name.unwrap_or_default();
                let part = answer.start_call(block.id.as_deref(), &name)?;
                AnthropicOpenBlock { part, kind: AnthropicBlockKind::Call { input: block.input } }
            }
            // A block of a server-side tool.
            _ => return Ok(()),
        };
        self.blocks.insert(index, block);
        Ok(())
    }

    fn delta(
        &mut self,
        index: u64,
        delta: AnthropicDelta,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let Some(block) = self.blocks.get_mut(&index) else { return Ok(()) };
        let text = match delta.r#type.as_deref() {
            Some("text_delta") => delta.text,
            Some("thinking_delta") => delta.thinking,
            Some("input_json_delta") => delta.partial_json,
            Some("signature_delta") => {
                let piece = delta.signature.unwrap_or_default();
                if let AnthropicBlockKind::Thinking { signature } = &mut block.kind {
                    signature.push_str(&piece);
                }
                return answer.count_bytes(piece.len());
            }
            _ => None,
        };
        answer.push(block.part, &text.unwrap_or_default())
    }

    fn stop(&mut self, index: u64, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        let Some(AnthropicOpenBlock { part, kind }) = self.blocks.remove(&index) else { return Ok(()) };
        let echo = match kind {
            AnthropicBlockKind::Text => None,
            AnthropicBlockKind::Thinking { signature } if signature.is_empty() => None,
            AnthropicBlockKind::Thinking { signature } => to_raw_json(
                &json!({ "type": "thinking", "thinking": answer.part_text(part), "signature": signature }),
            ),
            AnthropicBlockKind::Redacted { data } => {
                to_raw_json(&json!({ "type": "redacted_thinking", "data": data }))
            }
            AnthropicBlockKind::Call { input } => {
                if answer.part_text(part).is_empty()
                    && input.as_object().is_some_and(|input| !input.is_empty())
                {
                    answer.push(part, &input.to_string())?;
                }
                None
            }
        };
        answer.end_part_with_metadata(part, echo);
        Ok(())
    }
}

/// Counts of a later event are totals and replace the earlier ones, except for zeros: compatible servers fill
/// in only one of the two events.
fn take_usage(answer: &mut ResponseBuilder, usage: Option<&AnthropicUsage>) {
    let Some(usage) = usage else { return };
    let total = &mut answer.usage;
    let counted = |count: &u64| *count > 0;
    total.input = usage.input_tokens.filter(counted).unwrap_or(total.input);
    total.output = usage.output_tokens.filter(counted).unwrap_or(total.output);
    total.cache_read = usage.cache_read_input_tokens.filter(counted).unwrap_or(total.cache_read);
    total.cache_write = usage.cache_creation_input_tokens.filter(counted).unwrap_or(total.cache_write);
    let thinking = usage.output_tokens_details.as_ref().and_then(|details| details.thinking_tokens);
    total.reasoning = thinking.unwrap_or(total.reasoning);
}

/// Compatible servers send the error as an object or as a text.
fn error_fault(error: &Value) -> StreamFault {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let code = text(&error["type"]).unwrap_or_default();
    let message = text(error).or_else(|| text(&error["message"])).unwrap_or_default();
    StreamFault::ServerError { code, message }
}

fn stop(reason: &str) -> FinishReason {
    match reason {
        "tool_use" => FinishReason::Calls,
        "max_tokens" => FinishReason::Length,
        "model_context_window_exceeded" => FinishReason::Context,
        "refusal" => FinishReason::Refused,
        "pause_turn" => FinishReason::Paused,
        _ => FinishReason::End,
    }
}
