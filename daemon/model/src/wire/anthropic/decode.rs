//! The stream of a message: blocks by index, each started, filled and stopped.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::super::{Decoder, parse};
use crate::answer::{Answer, Fault, raw};
use crate::event::Stop;
use crate::sse;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamEvent {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: BlockStart,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<Usage>,
    },
    MessageStop,
    Error {
        error: Told,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Start {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockStart {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: Option<String>,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: String },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageDelta {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct OutputDetails {
    thinking_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Told {
    r#type: Option<String>,
    message: Option<String>,
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
        match parse(&message.data)? {
            StreamEvent::MessageStart { message } => take_usage(answer, message.usage.as_ref()),
            StreamEvent::ContentBlockStart { index, content_block } => {
                self.start(index, content_block, answer)?;
            }
            StreamEvent::ContentBlockDelta { index, delta } => self.delta(index, delta, answer)?,
            StreamEvent::ContentBlockStop { index } => self.stop(index, answer)?,
            StreamEvent::MessageDelta { delta, usage } => {
                take_usage(answer, usage.as_ref());
                if let Some(reason) = delta.stop_reason {
                    answer.stop = Some(stop(&reason));
                }
            }
            StreamEvent::MessageStop => {
                answer.stop.get_or_insert(Stop::End);
                answer.complete = true;
            }
            StreamEvent::Error { error } => {
                return Err(Fault::Told {
                    code: error.r#type.unwrap_or_default(),
                    message: error.message.unwrap_or_default(),
                });
            }
            StreamEvent::Unknown => {}
        }
        Ok(())
    }
}

impl Decode {
    fn start(&mut self, index: u64, block: BlockStart, answer: &mut Answer) -> Result<(), Fault> {
        let block = match block {
            BlockStart::Text { text } => {
                let part = answer.start_text();
                answer.push(part, &text)?;
                Block { part, kind: Kind::Text }
            }
            BlockStart::Thinking { thinking, signature } => {
                let part = answer.start_reasoning();
                answer.push(part, &thinking)?;
                Block { part, kind: Kind::Thinking { signature } }
            }
            BlockStart::RedactedThinking { data } => {
                Block { part: answer.start_reasoning(), kind: Kind::Redacted { data } }
            }
            BlockStart::ToolUse { id, name, input } => {
                Block { part: answer.start_call(id.as_deref(), &name), kind: Kind::Call { input } }
            }
            // A block of a tool that runs at the provider's.
            BlockStart::Unknown => return Ok(()),
        };
        self.blocks.insert(index, block);
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta, answer: &mut Answer) -> Result<(), Fault> {
        let Some(block) = self.blocks.get_mut(&index) else { return Ok(()) };
        match delta {
            Delta::Text { text } => answer.push(block.part, &text),
            Delta::Thinking { thinking } => answer.push(block.part, &thinking),
            Delta::Input { partial_json } => answer.push(block.part, &partial_json),
            Delta::Signature { signature: piece } => {
                if let Kind::Thinking { signature } = &mut block.kind {
                    signature.push_str(&piece);
                }
                answer.count(piece.len())
            }
            Delta::Unknown => Ok(()),
        }
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

/// The counts of a later event are totals and replace the earlier ones.
fn take_usage(answer: &mut Answer, usage: Option<&Usage>) {
    let Some(usage) = usage else { return };
    let total = &mut answer.usage;
    total.input = usage.input_tokens.unwrap_or(total.input);
    total.output = usage.output_tokens.unwrap_or(total.output);
    total.cache_read = usage.cache_read_input_tokens.unwrap_or(total.cache_read);
    total.cache_write = usage.cache_creation_input_tokens.unwrap_or(total.cache_write);
    let thinking = usage.output_tokens_details.as_ref().and_then(|details| details.thinking_tokens);
    total.reasoning = thinking.unwrap_or(total.reasoning);
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
