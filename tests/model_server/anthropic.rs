//! Anthropic Messages: named events, content blocks that start, grow and stop by index.

use serde_json::{Value, json};

use super::failure::ScriptedError;
use super::plan::{PlannedBlock, PlannedBlockKind};
use super::render::WireRenderer;
use super::sse_writer::SseWriter;
use super::turn::{ScriptedStop, ScriptedUsage};
use super::wire::RequestSummary;

pub(crate) struct AnthropicRenderer {
    asked: RequestSummary,
    usage: ScriptedUsage,
    stop: ScriptedStop,
}

impl AnthropicRenderer {
    pub(crate) fn new(asked: RequestSummary, usage: Option<ScriptedUsage>, stop: ScriptedStop) -> Self {
        Self { asked, usage: usage.unwrap_or_default(), stop }
    }

    fn stop_reason(&self) -> &'static str {
        match self.stop {
            ScriptedStop::End => "end_turn",
            ScriptedStop::Calls => "tool_use",
            ScriptedStop::Length => "max_tokens",
            ScriptedStop::Refusal => "refusal",
            ScriptedStop::Pause => "pause_turn",
        }
    }
}

impl WireRenderer for AnthropicRenderer {
    fn begin(&mut self, out: &mut SseWriter) {
        let ScriptedUsage { input, cache_read, cache_write, .. } = self.usage;
        event(
            out,
            &json!({ "type": "message_start", "message": {
                "id": format!("msg_{:04}", self.asked.number), "type": "message", "role": "assistant",
                "model": self.asked.model, "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {
                    "input_tokens": input, "cache_creation_input_tokens": cache_write,
                    "cache_read_input_tokens": cache_read,
                    "cache_creation": { "ephemeral_5m_input_tokens": cache_write, "ephemeral_1h_input_tokens": 0 },
                    // The real server has counted its first token by now; `message_delta` replaces the number.
                    "output_tokens": 1, "service_tier": "standard",
                },
            } }),
        );
    }

    fn open(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        let start = match &block.kind {
            PlannedBlockKind::Reasoning { .. } => {
                json!({ "type": "thinking", "thinking": "", "signature": "" })
            }
            PlannedBlockKind::Redacted { data } => json!({ "type": "redacted_thinking", "data": data }),
            PlannedBlockKind::Text => json!({ "type": "text", "text": "" }),
            PlannedBlockKind::Call { id, name, .. } => {
                let caller = json!({ "type": "direct" });
                json!({ "type": "tool_use", "id": id, "name": name, "input": {}, "caller": caller })
            }
        };
        event(out, &json!({ "type": "content_block_start", "index": block.index, "content_block": start }));
        // The real stream begins every input with an empty delta.
        if matches!(block.kind, PlannedBlockKind::Call { .. }) {
            self.delta(block, "", out);
        }
    }

    fn delta(&mut self, block: &PlannedBlock, text: &str, out: &mut SseWriter) {
        let delta = match block.kind {
            PlannedBlockKind::Reasoning { .. } => json!({ "type": "thinking_delta", "thinking": text }),
            PlannedBlockKind::Redacted { .. } => return,
            PlannedBlockKind::Text => json!({ "type": "text_delta", "text": text }),
            PlannedBlockKind::Call { .. } => json!({ "type": "input_json_delta", "partial_json": text }),
        };
        event(out, &json!({ "type": "content_block_delta", "index": block.index, "delta": delta }));
    }

    fn close(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        let index = block.index;
        if let PlannedBlockKind::Reasoning { signature: Some(signature) } = &block.kind {
            let delta = json!({ "type": "signature_delta", "signature": signature });
            event(out, &json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        event(out, &json!({ "type": "content_block_stop", "index": index }));
    }

    fn finish(&mut self, out: &mut SseWriter) {
        let ScriptedUsage { input, output, cache_read, cache_write, reasoning } = self.usage;
        // Sent a second time, as a total: a client that adds them up counts double.
        let mut usage = json!({
            "input_tokens": input, "cache_creation_input_tokens": cache_write,
            "cache_read_input_tokens": cache_read, "output_tokens": output,
        });
        if reasoning > 0 {
            usage["output_tokens_details"] = json!({ "thinking_tokens": reasoning });
        }
        let delta = json!({ "stop_reason": self.stop_reason(), "stop_sequence": null });
        event(out, &json!({ "type": "message_delta", "delta": delta, "usage": usage }));
        event(out, &json!({ "type": "message_stop" }));
    }

    fn error(&mut self, fault: &ScriptedError, out: &mut SseWriter) {
        event(out, &fault.body(self.asked.wire));
    }

    fn ping(&mut self, out: &mut SseWriter) {
        event(out, &json!({ "type": "ping" }));
    }

    fn delta_name(&self) -> Option<&'static str> {
        Some("content_block_delta")
    }
}

/// The event's name is the type of its data.
fn event(out: &mut SseWriter, data: &Value) {
    out.event(data["type"].as_str(), data);
}
