//! OpenAI Chat Completions: unnamed events, one growing choice, `[DONE]`.

use serde_json::{Value, json};

use super::failure::ScriptedError;
use super::plan::{PlannedBlock, PlannedBlockKind};
use super::render::WireRenderer;
use super::sse_writer::SseWriter;
use super::turn::{ReasoningField, ScriptedStop, ScriptedUsage};
use super::wire::RequestSummary;

pub(crate) struct ChatRenderer {
    asked: RequestSummary,
    usage: Option<ScriptedUsage>,
    stop: ScriptedStop,
    reasoning_field: &'static str,
}

impl ChatRenderer {
    pub(crate) fn new(
        asked: RequestSummary,
        usage: Option<ScriptedUsage>,
        stop: ScriptedStop,
        field: ReasoningField,
    ) -> Self {
        let reasoning_field = match field {
            ReasoningField::ReasoningContent => "reasoning_content",
            ReasoningField::Reasoning => "reasoning",
        };
        Self { asked, usage, stop, reasoning_field }
    }

    fn choice(&self, delta: &Value, finish_reason: Option<&str>, out: &mut SseWriter) {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
        self.chunk(&json!([choice]), &Value::Null, out);
    }

    /// A client that requests usage gets the field in every chunk, null until the last.
    fn chunk(&self, choices: &Value, usage: &Value, out: &mut SseWriter) {
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

impl WireRenderer for ChatRenderer {
    fn begin(&mut self, out: &mut SseWriter) {
        self.choice(&json!({ "role": "assistant", "content": "" }), None, out);
    }

    /// Only the first delta of a call names it.
    fn open(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        if let PlannedBlockKind::Call { call_index, id, name, .. } = &block.kind {
            let function = json!({ "name": name, "arguments": "" });
            let call = json!({ "index": call_index, "id": id, "type": "function", "function": function });
            self.choice(&json!({ "tool_calls": [call] }), None, out);
        }
    }

    fn delta(&mut self, block: &PlannedBlock, text: &str, out: &mut SseWriter) {
        let delta = match block.kind {
            PlannedBlockKind::Reasoning { .. } => json!({ self.reasoning_field: text }),
            PlannedBlockKind::Redacted { .. } => return,
            PlannedBlockKind::Text => json!({ "content": text }),
            PlannedBlockKind::Call { call_index, .. } => {
                json!({ "tool_calls": [{ "index": call_index, "function": { "arguments": text } }] })
            }
        };
        self.choice(&delta, None, out);
    }

    fn close(&mut self, _block: &PlannedBlock, _out: &mut SseWriter) {}

    fn finish(&mut self, out: &mut SseWriter) {
        let reason = match self.stop {
            ScriptedStop::End | ScriptedStop::Pause => "stop",
            ScriptedStop::Calls => "tool_calls",
            ScriptedStop::Length => "length",
            ScriptedStop::Refusal => "content_filter",
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

    fn error(&mut self, fault: &ScriptedError, out: &mut SseWriter) {
        out.event(None, &fault.body(self.asked.wire));
    }
}
