//! OpenAI Responses: named and numbered events, output items that are added, grow and complete.

use serde_json::{Value, json};

use super::failure::ScriptedError;
use super::plan::{PlannedBlock, PlannedBlockKind};
use super::render::WireRenderer;
use super::sse_writer::SseWriter;
use super::turn::{ScriptedStop, ScriptedUsage};
use super::wire::RequestSummary;

pub(crate) struct ResponsesRenderer {
    asked: RequestSummary,
    usage: ScriptedUsage,
    stop: ScriptedStop,
    sequence_number: u64,
    /// The completed items.
    output: Vec<Value>,
}

impl ResponsesRenderer {
    pub(crate) fn new(asked: RequestSummary, usage: Option<ScriptedUsage>, stop: ScriptedStop) -> Self {
        Self { asked, usage: usage.unwrap_or_default(), stop, sequence_number: 0, output: Vec::new() }
    }

    /// Writes an event; `fields` follow its type and number.
    fn event(&mut self, kind: &str, fields: Value, out: &mut SseWriter) {
        let mut data = json!({ "type": kind, "sequence_number": self.sequence_number });
        self.sequence_number += 1;
        if let (Value::Object(data), Value::Object(fields)) = (&mut data, fields) {
            data.extend(fields);
        }
        out.event(Some(kind), &data);
    }

    /// Writes an event about the inside of an item.
    fn item_event(&mut self, kind: &str, block: &PlannedBlock, fields: Value, out: &mut SseWriter) {
        let mut data = json!({ "item_id": self.item_id(block), "output_index": block.index });
        if let (Value::Object(data), Value::Object(fields)) = (&mut data, fields) {
            data.extend(fields);
        }
        self.event(kind, data, out);
    }

    fn item_id(&self, block: &PlannedBlock) -> String {
        let prefix = match block.kind {
            PlannedBlockKind::Reasoning { .. } | PlannedBlockKind::Redacted { .. } => "rs",
            PlannedBlockKind::Text => "msg",
            PlannedBlockKind::Call { .. } => "fc",
        };
        format!("{prefix}_{:04}_{}", self.asked.number, block.index)
    }

    fn item(&self, block: &PlannedBlock, done: bool) -> Value {
        let id = self.item_id(block);
        let status = if done { "completed" } else { "in_progress" };
        let content = if done { block.content.as_str() } else { "" };
        match &block.kind {
            PlannedBlockKind::Reasoning { signature } => {
                let summary: Vec<Value> =
                    Some(summary_part(content)).filter(|_| !content.is_empty()).into_iter().collect();
                let mut item = json!({ "id": id, "type": "reasoning", "summary": summary });
                if let (true, Some(signature)) = (done, signature) {
                    item["encrypted_content"] = json!(signature);
                }
                item
            }
            PlannedBlockKind::Redacted { data } => {
                let mut item = json!({ "id": id, "type": "reasoning", "summary": [] });
                if done {
                    item["encrypted_content"] = json!(data);
                }
                item
            }
            PlannedBlockKind::Text => {
                let parts: Vec<Value> = done.then(|| text_part(content)).into_iter().collect();
                json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": parts })
            }
            PlannedBlockKind::Call { id: call_id, name, .. } => json!({
                "id": id, "type": "function_call", "status": status,
                "call_id": call_id, "name": name, "arguments": content,
            }),
        }
    }

    fn response(&self, status: &str) -> Value {
        json!({
            "id": format!("resp_{:04}", self.asked.number), "object": "response", "created_at": 1_700_000_000,
            "status": status, "error": null, "incomplete_details": null, "instructions": null,
            "metadata": {}, "model": self.asked.model, "output": self.output, "parallel_tool_calls": true,
            "temperature": null, "tool_choice": "auto", "tools": [], "top_p": null, "usage": null,
        })
    }
}

impl WireRenderer for ResponsesRenderer {
    fn begin(&mut self, out: &mut SseWriter) {
        let response = self.response("in_progress");
        self.event("response.created", json!({ "response": response }), out);
        self.event("response.in_progress", json!({ "response": response }), out);
    }

    fn open(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        let item = self.item(block, false);
        self.event("response.output_item.added", json!({ "output_index": block.index, "item": item }), out);
        match &block.kind {
            // Reasoning without a summary has no parts.
            PlannedBlockKind::Reasoning { .. } if !block.content.is_empty() => {
                let fields = json!({ "summary_index": 0, "part": summary_part("") });
                self.item_event("response.reasoning_summary_part.added", block, fields, out);
            }
            PlannedBlockKind::Text => {
                let fields = json!({ "content_index": 0, "part": text_part("") });
                self.item_event("response.content_part.added", block, fields, out);
            }
            PlannedBlockKind::Reasoning { .. }
            | PlannedBlockKind::Redacted { .. }
            | PlannedBlockKind::Call { .. } => {}
        }
    }

    fn delta(&mut self, block: &PlannedBlock, text: &str, out: &mut SseWriter) {
        let (kind, fields) = match block.kind {
            PlannedBlockKind::Reasoning { .. } => {
                ("response.reasoning_summary_text.delta", json!({ "summary_index": 0, "delta": text }))
            }
            PlannedBlockKind::Redacted { .. } => return,
            PlannedBlockKind::Text => {
                ("response.output_text.delta", json!({ "content_index": 0, "delta": text, "logprobs": [] }))
            }
            PlannedBlockKind::Call { .. } => {
                ("response.function_call_arguments.delta", json!({ "delta": text }))
            }
        };
        self.item_event(kind, block, fields, out);
    }

    fn close(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        let content = &block.content;
        match &block.kind {
            PlannedBlockKind::Reasoning { .. } if !content.is_empty() => {
                let fields = json!({ "summary_index": 0, "text": content });
                self.item_event("response.reasoning_summary_text.done", block, fields, out);
                let fields = json!({ "summary_index": 0, "part": summary_part(content) });
                self.item_event("response.reasoning_summary_part.done", block, fields, out);
            }
            PlannedBlockKind::Text => {
                let fields = json!({ "content_index": 0, "text": content, "logprobs": [] });
                self.item_event("response.output_text.done", block, fields, out);
                let fields = json!({ "content_index": 0, "part": text_part(content) });
                self.item_event("response.content_part.done", block, fields, out);
            }
            PlannedBlockKind::Call { name, .. } => {
                let fields = json!({ "name": name, "arguments": content });
                self.item_event("response.function_call_arguments.done", block, fields, out);
            }
            PlannedBlockKind::Reasoning { .. } | PlannedBlockKind::Redacted { .. } => {}
        }
        let item = self.item(block, true);
        self.event("response.output_item.done", json!({ "output_index": block.index, "item": item }), out);
        self.output.push(item);
    }

    fn finish(&mut self, out: &mut SseWriter) {
        let (status, reason) = match self.stop {
            ScriptedStop::End | ScriptedStop::Calls | ScriptedStop::Pause => ("completed", None),
            ScriptedStop::Length => ("incomplete", Some("max_output_tokens")),
            ScriptedStop::Refusal => ("incomplete", Some("content_filter")),
        };
        let mut response = self.response(status);
        if let Some(reason) = reason {
            response["incomplete_details"] = json!({ "reason": reason });
        }
        let usage = self.usage;
        response["usage"] = json!({
            "input_tokens": usage.prompt(),
            "input_tokens_details": { "cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write },
            "output_tokens": usage.output,
            "output_tokens_details": { "reasoning_tokens": usage.reasoning },
            "total_tokens": usage.total(),
        });
        self.event(&format!("response.{status}"), json!({ "response": response }), out);
    }

    fn error(&mut self, fault: &ScriptedError, out: &mut SseWriter) {
        let (code, message) = (fault.code(self.asked.wire), &fault.message);
        if fault.bare {
            self.event("error", json!({ "code": code, "message": message, "param": null }), out);
        } else {
            let mut response = self.response("failed");
            response["error"] = json!({ "code": code, "message": message });
            self.event("response.failed", json!({ "response": response }), out);
        }
    }

    fn delta_name(&self) -> Option<&'static str> {
        Some("response.output_text.delta")
    }
}

fn summary_part(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text })
}
