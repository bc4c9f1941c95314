//! The stream of a message: blocks by index, each started, filled and stopped.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::super::{Decoder, lenient, parse};
use crate::answer::{Answer, Fault, raw};
use crate::event::Stop;
use crate::sse;

#[derive(Deserialize, Default)]
#[serde(default)]
struct StreamEvent {
    #[serde(deserialize_with = "lenient::text")]
    r#type: Option<String>,
    #[serde(deserialize_with = "lenient::count")]
    index: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    message: Option<Start>,
    #[serde(deserialize_with = "lenient::maybe")]
    content_block: Option<BlockStart>,
    #[serde(deserialize_with = "lenient::maybe")]
    delta: Option<Delta>,
    #[serde(deserialize_with = "lenient::maybe")]
    usage: Option<Usage>,
    error: Value,
}

#[derive(Deserialize)]
struct Start {
    #[serde(default, deserialize_with = "lenient::maybe")]
    usage: Option<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct BlockStart {
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
struct Delta {
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
struct Usage {
    #[serde(deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    output_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "lenient::count")]
    thinking_tokens: Option<u64>,
}

#[derive(Default)]
pub(in crate::wire) struct Decode {
    blocks: HashMap<u64, Block>,
}

struct Block {
    part: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Thinking {
        signature: String,
    },
    Redacted {
        data: String,
    },
    /// `input` is what came with the start: compatible servers put the whole of it there and send no pieces.
    Call {
        input: Value,
    },
}

impl Decoder for Decode {
    fn read(&mut self, message: &sse::Message, answer: &mut Answer) -> Result<(), Fault> {
        let event: StreamEvent = parse(&message.data)?;
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
                answer.stop.get_or_insert(Stop::End);
                answer.complete = true;
            }
            ("error", _) => return Err(told(&event.error)),
            _ => {}
        }
        Ok(())
    }
}

impl Decode {
    fn start(&mut self, index: u64, block: BlockStart, answer: &mut Answer) -> Result<(), Fault> {
        let block = match block.r#type.as_deref() {
            Some("text") => {
                let part = answer.start_text()?;
                answer.push(part, &block.text.unwrap_or_default())?;
                Block { part, kind: Kind::Text }
            }
            Some("thinking") => {
                let part = answer.start_reasoning()?;
                answer.push(part, &block.thinking.unwrap_or_default())?;
                let signature = block.signature.unwrap_or_default();
                answer.count(signature.len())?;
                Block { part, kind: Kind::Thinking { signature } }
            }
            Some("redacted_thinking") => {
                let data = block.data.unwrap_or_default();
                answer.count(data.len())?;
                Block { part: answer.start_reasoning()?, kind: Kind::Redacted { data } }
            }
            Some("tool_use") => {
                let name = block.name.unwrap_or_default();
                let part = answer.start_call(block.id.as_deref(), &name)?;
                Block { part, kind: Kind::Call { input: block.input } }
            }
            // A block of a tool that runs at the provider's.
            _ => return Ok(()),
        };
        self.blocks.insert(index, block);
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta, answer: &mut Answer) -> Result<(), Fault> {
        let Some(block) = self.blocks.get_mut(&index) else { return Ok(()) };
        let text = match delta.r#type.as_deref() {
            Some("text_delta") => delta.text,
            Some("thinking_delta") => delta.thinking,
            Some("input_json_delta") => delta.partial_json,
            Some("signature_delta") => {
                let piece = delta.signature.unwrap_or_default();
                if let Kind::Thinking { signature } = &mut block.kind {
                    signature.push_str(&piece);
                }
                return answer.count(piece.len());
            }
            _ => None,
        };
        answer.push(block.part, &text.unwrap_or_default())
    }

    fn stop(&mut self, index: u64, answer: &mut Answer) -> Result<(), Fault> {
        let Some(Block { part, kind }) = self.blocks.remove(&index) else { return Ok(()) };
        let echo = match kind {
            Kind::Text => None,
            Kind::Thinking { signature } if signature.is_empty() => None,
            Kind::Thinking { signature } => {
                raw(&json!({ "type": "thinking", "thinking": answer.text_of(part), "signature": signature }))
            }
            Kind::Redacted { data } => raw(&json!({ "type": "redacted_thinking", "data": data })),
            Kind::Call { input } => {
                if answer.text_of(part).is_empty() && input.as_object().is_some_and(|input| !input.is_empty())
                {
                    answer.push(part, &input.to_string())?;
                }
                None
            }
        };
        answer.end_with(part, echo);
        Ok(())
    }
}

/// The counts of a later event are totals and replace the earlier ones, except by a zero: compatible servers count in
/// one of the two events only.
fn take_usage(answer: &mut Answer, usage: Option<&Usage>) {
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

/// Compatible servers give the error as an object, or as a text.
fn told(error: &Value) -> Fault {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let code = text(&error["type"]).unwrap_or_default();
    let message = text(error).or_else(|| text(&error["message"])).unwrap_or_default();
    Fault::Told { code, message }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_use" => Stop::Calls,
        "max_tokens" => Stop::Length,
        "model_context_window_exceeded" => Stop::Context,
        "refusal" => Stop::Refused,
        "pause_turn" => Stop::Paused,
        _ => Stop::End,
    }
}
