//! The stream of a candidate: each chunk has whole parts; texts of one kind belong together.

use serde::Deserialize;
use serde_json::Value;

use super::super::{Decoder, parse};
use crate::answer::{Answer, Fault, raw};
use crate::event::{PartKind, Stop, Usage};
use crate::sse;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<UsageMetadata>,
    error: Option<Told>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Piece>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Piece {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    thought_signature: Option<String>,
    function_call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    id: Option<String>,
    #[serde(default)]
    name: String,
    args: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct UsageMetadata {
    prompt_token_count: u64,
    tool_use_prompt_token_count: u64,
    cached_content_token_count: u64,
    candidates_token_count: u64,
    thoughts_token_count: u64,
}

#[derive(Deserialize)]
struct Told {
    code: Option<u64>,
    status: Option<String>,
    message: Option<String>,
}

#[derive(Default)]
pub(in crate::wire) struct Decode {
    prose: Option<Prose>,
}

struct Prose {
    kind: PartKind,
    part: usize,
    signature: Option<String>,
}

impl Decoder for Decode {
    fn read(&mut self, message: &sse::Message, answer: &mut Answer) -> Result<(), Fault> {
        let chunk: Chunk = parse(&message.data)?;
        if let Some(error) = chunk.error {
            let code = error.status.or_else(|| error.code.map(|code| code.to_string()));
            return Err(Fault::Told {
                code: code.unwrap_or_default(),
                message: error.message.unwrap_or_default(),
            });
        }
        if let Some(usage) = &chunk.usage_metadata {
            answer.usage = usage_of(usage);
        }
        if chunk.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some() {
            answer.stop = Some(Stop::Refused);
        }
        let Some(candidate) = chunk.candidates.into_iter().flatten().next() else { return Ok(()) };
        for piece in candidate.content.and_then(|content| content.parts).into_iter().flatten() {
            self.piece(piece, answer)?;
        }
        if let Some(reason) = candidate.finish_reason {
            self.end_prose(answer);
            answer.stop = Some(stop(&reason, candidate.finish_message)?);
        }
        Ok(())
    }
}

impl Decode {
    fn piece(&mut self, piece: Piece, answer: &mut Answer) -> Result<(), Fault> {
        answer.count(piece.thought_signature.as_ref().map_or(0, String::len))?;
        if let Some(call) = piece.function_call {
            self.end_prose(answer);
            let part = answer.start_call(call.id.as_deref(), &call.name);
            if let Some(args) = call.args.filter(|args| !args.is_null()) {
                answer.push(part, &args.to_string())?;
            }
            answer.end_with(part, piece.thought_signature.and_then(|signature| raw(&signature)));
            return Ok(());
        }
        let kind = if piece.thought { PartKind::Reasoning } else { PartKind::Text };
        let text = piece.text.unwrap_or_default();
        if text.is_empty() && piece.thought_signature.is_none() {
            return Ok(());
        }
        if self.prose.as_ref().is_none_or(|prose| prose.kind != kind) {
            self.end_prose(answer);
            let part = if piece.thought { answer.start_reasoning() } else { answer.start_text() };
            self.prose = Some(Prose { kind, part, signature: None });
        }
        if let Some(prose) = &mut self.prose {
            answer.push(prose.part, &text)?;
            prose.signature = piece.thought_signature.or(prose.signature.take());
        }
        Ok(())
    }

    fn end_prose(&mut self, answer: &mut Answer) {
        if let Some(prose) = self.prose.take() {
            answer.end_with(prose.part, prose.signature.and_then(|signature| raw(&signature)));
        }
    }
}

fn usage_of(usage: &UsageMetadata) -> Usage {
    let prompt = usage.prompt_token_count.saturating_add(usage.tool_use_prompt_token_count);
    Usage {
        input: prompt.saturating_sub(usage.cached_content_token_count),
        output: usage.candidates_token_count.saturating_add(usage.thoughts_token_count),
        reasoning: usage.thoughts_token_count,
        cache_read: usage.cached_content_token_count,
        cache_write: 0,
    }
}

/// A call that the model wrote wrongly comes as a reason to stop, with nothing in it: another try often succeeds.
fn stop(reason: &str, message: Option<String>) -> Result<Stop, Fault> {
    match reason {
        "MAX_TOKENS" | "CONTINUATION" => Ok(Stop::Length),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => Err(Fault::Told {
            code: "malformed function call".to_owned(),
            message: message.unwrap_or_default(),
        }),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => Ok(Stop::Refused),
        _ => Ok(Stop::End),
    }
}
