//! Decodes a candidate's stream: each chunk has whole parts; adjacent texts of one kind form one part.

use serde::Deserialize;
use serde_json::Value;

use super::super::{StreamDecoder, lenient, parse};
use crate::event::{FinishReason, PartKind, TokenUsage};
use crate::response_builder::{ResponseBuilder, StreamFault, to_raw_json};
use crate::sse;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct GeminiChunk {
    #[serde(deserialize_with = "lenient::list")]
    candidates: Vec<GeminiCandidate>,
    #[serde(deserialize_with = "lenient::maybe")]
    prompt_feedback: Option<GeminiPromptFeedback>,
    #[serde(deserialize_with = "lenient::maybe")]
    usage_metadata: Option<GeminiUsage>,
    error: Value,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct GeminiCandidate {
    #[serde(deserialize_with = "lenient::maybe")]
    content: Option<GeminiCandidateContent>,
    #[serde(deserialize_with = "lenient::text")]
    finish_reason: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct GeminiCandidateContent {
    #[serde(default, deserialize_with = "lenient::list")]
    parts: Vec<GeminiCandidatePart>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct GeminiCandidatePart {
    #[serde(deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(deserialize_with = "lenient::flag")]
    thought: bool,
    #[serde(deserialize_with = "lenient::text")]
    thought_signature: Option<String>,
    #[serde(deserialize_with = "lenient::maybe")]
    function_call: Option<GeminiFunctionCall>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GeminiFunctionCall {
    #[serde(deserialize_with = "lenient::text")]
    id: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    name: Option<String>,
    args: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPromptFeedback {
    #[serde(default, deserialize_with = "lenient::text")]
    block_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct GeminiUsage {
    #[serde(deserialize_with = "lenient::count")]
    prompt_token_count: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    tool_use_prompt_token_count: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cached_content_token_count: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    candidates_token_count: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    thoughts_token_count: Option<u64>,
}

#[derive(Default)]
pub(in crate::wire) struct GeminiDecoder {
    prose: Option<GeminiOpenText>,
}

struct GeminiOpenText {
    kind: PartKind,
    part: usize,
    signature: Option<String>,
}

impl StreamDecoder for GeminiDecoder {
    fn read_message(
        &mut self,
        message: &sse::SseMessage,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        // Not part of this wire, but gateways end every stream with it.
        if message.data.trim() == "[DONE]" {
            answer.is_complete = answer.stop.is_some();
            return Ok(());
        }
        let chunk: GeminiChunk = parse(&message.data)?;
        if !chunk.error.is_null() {
            return Err(error_fault(&chunk.error));
        }
        if let Some(usage) = &chunk.usage_metadata {
            answer.usage = usage_of(usage);
        }
        if chunk.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some() {
            answer.stop = Some(FinishReason::Refused);
        }
        let Some(candidate) = chunk.candidates.into_iter().next() else { return Ok(()) };
        for piece in candidate.content.into_iter().flat_map(|content| content.parts) {
            self.piece(piece, answer)?;
        }
        let named = |reason: &String| !matches!(&**reason, "" | "FINISH_REASON_UNSPECIFIED");
        if let Some(reason) = candidate.finish_reason.filter(named) {
            self.end_prose(answer);
            answer.stop = Some(stop(&reason, candidate.finish_message)?);
        }
        Ok(())
    }
}

impl GeminiDecoder {
    fn piece(&mut self, piece: GeminiCandidatePart, answer: &mut ResponseBuilder) -> Result<(), StreamFault> {
        answer.count_bytes(piece.thought_signature.as_ref().map_or(0, String::len))?;
        if let Some(call) = piece.function_call {
            self.end_prose(answer);
            let part = answer.start_call(call.id.as_deref(), call.name.as_deref().unwrap_or_default())?;
            if !call.args.is_null() {
                answer.push(part, &call.args.to_string())?;
            }
            answer.end_part_with_metadata(
                part,
                piece.thought_signature.and_then(|signature| to_raw_json(&signature)),
            );
            return Ok(());
        }
        let kind = if piece.thought { PartKind::Reasoning } else { PartKind::Text };
        let text = piece.text.unwrap_or_default();
        if text.is_empty() && piece.thought_signature.is_none() {
            return Ok(());
        }
        if self.prose.as_ref().is_none_or(|prose| prose.kind != kind) {
            self.end_prose(answer);
            let part = if piece.thought { answer.start_reasoning()? } else { answer.start_text()? };
            self.prose = Some(GeminiOpenText { kind, part, signature: None });
        }
        if let Some(prose) = &mut self.prose {
            answer.push(prose.part, &text)?;
            prose.signature = piece.thought_signature.or(prose.signature.take());
        }
        Ok(())
    }

    fn end_prose(&mut self, answer: &mut ResponseBuilder) {
        if let Some(prose) = self.prose.take() {
            answer.end_part_with_metadata(
                prose.part,
                prose.signature.and_then(|signature| to_raw_json(&signature)),
            );
        }
    }
}

fn usage_of(usage: &GeminiUsage) -> TokenUsage {
    let count = |count: Option<u64>| count.unwrap_or(0);
    let prompt = count(usage.prompt_token_count).saturating_add(count(usage.tool_use_prompt_token_count));
    let (cache_read, reasoning) =
        (count(usage.cached_content_token_count), count(usage.thoughts_token_count));
    TokenUsage {
        input: prompt.saturating_sub(cache_read),
        output: count(usage.candidates_token_count).saturating_add(reasoning),
        reasoning,
        cache_read,
        cache_write: 0,
    }
}

/// Prefer the numeric code: one status name stands for a rate limit, an empty account and a full server.
fn error_fault(error: &Value) -> StreamFault {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let code = text(&error["code"]).or_else(|| text(&error["status"])).unwrap_or_default();
    let message = text(error).or_else(|| text(&error["message"])).unwrap_or_default();
    StreamFault::ServerError { code, message }
}

/// A malformed call arrives as an empty finish reason; a retry often succeeds.
fn stop(reason: &str, message: Option<String>) -> Result<FinishReason, StreamFault> {
    match reason {
        "MAX_TOKENS" | "CONTINUATION" => Ok(FinishReason::Length),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
            Err(StreamFault::ServerError {
                code: "malformed function call".to_owned(),
                message: message.unwrap_or_default(),
            })
        }
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT" => Ok(FinishReason::Refused),
        _ => Ok(FinishReason::End),
    }
}
