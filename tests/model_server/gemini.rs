//! Gemini: each event is a whole response with the new parts; a call comes in one part.
//!
//! A thought's signature comes on the part after the thought.

use serde_json::{Value, json};

use super::failure::ScriptedError;
use super::plan::{PlannedBlock, PlannedBlockKind};
use super::render::WireRenderer;
use super::sse_writer::SseWriter;
use super::turn::{ScriptedStop, ScriptedUsage};
use super::wire::RequestSummary;

pub(crate) struct GeminiRenderer {
    asked: RequestSummary,
    usage: Option<ScriptedUsage>,
    stop: ScriptedStop,
    /// Waits for the next part that is not a thought.
    signature: Option<String>,
    /// Arguments that are no JSON object. The real API never sends them: it drops the call.
    malformed: Option<String>,
}

impl GeminiRenderer {
    pub(crate) fn new(asked: RequestSummary, usage: Option<ScriptedUsage>, stop: ScriptedStop) -> Self {
        Self { asked, usage, stop, signature: None, malformed: None }
    }

    /// Keeps a signature for the next part. One that still waits gets an empty part of its own.
    fn sign(&mut self, signature: &str, out: &mut SseWriter) {
        if self.signature.is_some() {
            self.part(json!({ "text": "" }), out);
        }
        self.signature = Some(signature.to_owned());
    }

    fn part(&mut self, mut part: Value, out: &mut SseWriter) {
        if let Some(signature) = self.signature.take() {
            part["thoughtSignature"] = json!(signature);
        }
        self.unsigned_part(&part, out);
    }

    fn unsigned_part(&self, part: &Value, out: &mut SseWriter) {
        let content = json!({ "parts": [part], "role": "model" });
        self.chunk(&json!({ "content": content, "index": 0 }), false, out);
    }

    fn chunk(&self, candidate: &Value, last: bool, out: &mut SseWriter) {
        let mut chunk = json!({ "candidates": [candidate] });
        if let Some(usage) = self.usage {
            chunk["usageMetadata"] = usage_metadata(usage, last);
        }
        chunk["modelVersion"] = json!(self.asked.model);
        chunk["responseId"] = json!(format!("response_{:04}", self.asked.number));
        out.event(None, &chunk);
    }

    fn call(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        let PlannedBlockKind::Call { id, name, signature, .. } = &block.kind else { return };
        let Ok(args @ Value::Object(_)) = serde_json::from_str(&block.content) else {
            self.malformed = Some(format!("Malformed function call: {name}({})", block.content));
            return;
        };
        let mut call = json!({ "name": name, "args": args });
        if !id.is_empty() {
            call["id"] = json!(id);
        }
        if let Some(signature) = signature {
            self.sign(signature, out);
        }
        self.part(json!({ "functionCall": call }), out);
    }
}

impl WireRenderer for GeminiRenderer {
    fn begin(&mut self, _out: &mut SseWriter) {}

    fn open(&mut self, _block: &PlannedBlock, _out: &mut SseWriter) {}

    fn delta(&mut self, block: &PlannedBlock, text: &str, out: &mut SseWriter) {
        match block.kind {
            PlannedBlockKind::Reasoning { .. } => {
                self.unsigned_part(&json!({ "text": text, "thought": true }), out);
            }
            PlannedBlockKind::Text => self.part(json!({ "text": text }), out),
            // Sent whole, when it is closed.
            PlannedBlockKind::Call { .. } | PlannedBlockKind::Redacted { .. } => {}
        }
    }

    fn close(&mut self, block: &PlannedBlock, out: &mut SseWriter) {
        match &block.kind {
            PlannedBlockKind::Reasoning { signature: Some(data) } | PlannedBlockKind::Redacted { data } => {
                self.sign(data, out);
            }
            PlannedBlockKind::Call { .. } => self.call(block, out),
            PlannedBlockKind::Reasoning { signature: None } | PlannedBlockKind::Text => {}
        }
    }

    fn finish(&mut self, out: &mut SseWriter) {
        let reason = match self.stop {
            ScriptedStop::End | ScriptedStop::Calls | ScriptedStop::Pause => "STOP",
            ScriptedStop::Length => "MAX_TOKENS",
            ScriptedStop::Refusal => "SAFETY",
        };
        let mut part = json!({ "text": "" });
        if let Some(signature) = self.signature.take() {
            part["thoughtSignature"] = json!(signature);
        }
        let content = json!({ "parts": [part], "role": "model" });
        let mut candidate = json!({ "content": content, "finishReason": reason, "index": 0 });
        if let Some(message) = self.malformed.take() {
            candidate["finishReason"] = json!("MALFORMED_FUNCTION_CALL");
            candidate["finishMessage"] = json!(message);
        }
        self.chunk(&candidate, true, out);
    }

    fn error(&mut self, fault: &ScriptedError, out: &mut SseWriter) {
        out.event(None, &fault.body(self.asked.wire));
    }
}

/// The prompt tokens are known from the first chunk on, the rest with the last.
fn usage_metadata(usage: ScriptedUsage, last: bool) -> Value {
    let mut metadata = json!({ "promptTokenCount": usage.prompt() });
    if usage.cache_read > 0 {
        metadata["cachedContentTokenCount"] = json!(usage.cache_read);
    }
    if !last {
        metadata["totalTokenCount"] = json!(usage.prompt());
        return metadata;
    }
    metadata["candidatesTokenCount"] = json!(usage.output - usage.reasoning);
    if usage.reasoning > 0 {
        metadata["thoughtsTokenCount"] = json!(usage.reasoning);
    }
    metadata["totalTokenCount"] = json!(usage.total());
    metadata
}
