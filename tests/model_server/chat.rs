//! OpenAI Chat Completions: unnamed events, one growing choice, `[DONE]`.

use serde_json::{Value, json};

use super::failure::Fault;
use super::plan::{Block, Kind};
use super::render::Voice;
use super::sink::Sink;
use super::turn::{ReasoningField, Stop, Usage};
use super::wire::Asked;

pub(crate) struct Chat {
    asked: Asked,
    usage: Option<Usage>,
    stop: Stop,
    reasoning_field: &'static str,
}

impl Chat {
    pub(crate) fn new(asked: Asked, usage: Option<Usage>, stop: Stop, field: ReasoningField) -> Self {
        let reasoning_field = match field {
            ReasoningField::ReasoningContent => "reasoning_content",
            ReasoningField::Reasoning => "reasoning",
        };
        Self { asked, usage, stop, reasoning_field }
    }

    fn choice(&self, delta: &Value, finish_reason: Option<&str>, out: &mut Sink) {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
        self.chunk(&json!([choice]), &Value::Null, out);
    }

    /// Those who ask for usage get the field in every chunk, null until the last.
    fn chunk(&self, choices: &Value, usage: &Value, out: &mut Sink) {
        let mut chunk = json!({
            "id": format!("chatcmpl-{:04}", self.asked.number), "object": "chat.completion.chunk",
            "created": 1_700_000_000, "model": self.asked.model, "choices": choices,
        });
        if self.asked.include_usage {
            chunk["usage"] = usage.clone();
        }
        out.event(None, &chunk);
    }
}

impl Voice for Chat {
    fn begin(&mut self, out: &mut Sink) {
        self.choice(&json!({ "role": "assistant", "content": "" }), None, out);
    }

    /// Only the first piece of a call names it.
    fn open(&mut self, block: &Block, out: &mut Sink) {
        if let Kind::Call { call_index, id, name, .. } = &block.kind {
            let function = json!({ "name": name, "arguments": "" });
            let call = json!({ "index": call_index, "id": id, "type": "function", "function": function });
            self.choice(&json!({ "tool_calls": [call] }), None, out);
        }
    }

    fn delta(&mut self, block: &Block, text: &str, out: &mut Sink) {
        let delta = match block.kind {
            Kind::Reasoning { .. } => json!({ self.reasoning_field: text }),
            Kind::Redacted { .. } => return,
            Kind::Text => json!({ "content": text }),
            Kind::Call { call_index, .. } => {
                json!({ "tool_calls": [{ "index": call_index, "function": { "arguments": text } }] })
            }
        };
        self.choice(&delta, None, out);
    }

    fn close(&mut self, _block: &Block, _out: &mut Sink) {}

    fn finish(&mut self, out: &mut Sink) {
        let reason = match self.stop {
            Stop::End | Stop::Pause => "stop",
            Stop::Calls => "tool_calls",
            Stop::Length => "length",
            Stop::Refusal => "content_filter",
        };
        self.choice(&json!({}), Some(reason), out);
        if let (true, Some(usage)) = (self.asked.include_usage, self.usage) {
            let usage = json!({
                "prompt_tokens": usage.prompt(), "completion_tokens": usage.output,
                "total_tokens": usage.total(),
                "prompt_tokens_details": {
                    "cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write,
                },
                "completion_tokens_details": { "reasoning_tokens": usage.reasoning },
            });
            self.chunk(&json!([]), &usage, out);
        }
        out.text_event(None, "[DONE]");
    }

    fn error(&mut self, fault: &Fault, out: &mut Sink) {
        out.event(None, &fault.body(self.asked.wire));
    }
}
