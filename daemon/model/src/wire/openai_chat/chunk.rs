//! One chunk of a completion. Servers may omit any field, or send null or another type.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::lenient;
use crate::event::FinishReason;
use crate::response_builder::{ResponseBuilder, StreamFault};

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct ChatChunk {
    #[serde(deserialize_with = "lenient::list")]
    pub(super) choices: Vec<ChatChoice>,
    #[serde(deserialize_with = "lenient::maybe")]
    pub(super) usage: Option<ChatUsage>,
    error: Value,
    #[serde(deserialize_with = "lenient::text")]
    object: Option<String>,
    message: Value,
    code: Value,
}

#[derive(Deserialize)]
pub(super) struct ChatChoice {
    #[serde(default, deserialize_with = "lenient::maybe")]
    pub(super) delta: Option<ChatDelta>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub(super) finish_reason: Option<String>,
    /// Moonshot puts the usage here.
    #[serde(default, deserialize_with = "lenient::maybe")]
    pub(super) usage: Option<ChatUsage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ChatDelta {
    #[serde(deserialize_with = "lenient::maybe")]
    pub(super) content: Option<ChatDeltaContent>,
    #[serde(deserialize_with = "lenient::text")]
    pub(super) reasoning_content: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub(super) reasoning: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    pub(super) reasoning_details: Vec<Map<String, Value>>,
    #[serde(deserialize_with = "lenient::text")]
    pub(super) refusal: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    pub(super) tool_calls: Vec<ChatCallDelta>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ChatDeltaContent {
    Text(String),
    /// Mistral's reasoning models send typed pieces.
    Pieces(Vec<Value>),
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ChatCallDelta {
    #[serde(deserialize_with = "lenient::count")]
    pub(super) index: Option<u64>,
    #[serde(deserialize_with = "lenient::text")]
    pub(super) id: Option<String>,
    #[serde(deserialize_with = "lenient::maybe")]
    pub(super) function: Option<ChatFunctionDelta>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ChatFunctionDelta {
    #[serde(deserialize_with = "lenient::text")]
    pub(super) name: Option<String>,
    /// A string; some local servers send the object itself.
    pub(super) arguments: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ChatUsage {
    #[serde(deserialize_with = "lenient::count")]
    prompt_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    completion_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    total_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::maybe")]
    prompt_tokens_details: Option<ChatPromptDetails>,
    #[serde(deserialize_with = "lenient::maybe")]
    completion_tokens_details: Option<ChatCompletionDetails>,
    /// Cache reads, as DeepSeek, Moonshot and Mistral name them.
    #[serde(deserialize_with = "lenient::count")]
    prompt_cache_hit_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    num_cached_tokens: Option<u64>,
    /// OpenRouter's cost in US dollars; other servers use the name for other things.
    cost: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ChatPromptDetails {
    #[serde(deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    cache_write_tokens: Option<u64>,
    /// Alibaba's name for cache writes.
    #[serde(deserialize_with = "lenient::count")]
    cache_creation_input_tokens: Option<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ChatCompletionDetails {
    #[serde(deserialize_with = "lenient::count")]
    reasoning_tokens: Option<u64>,
}

impl ChatChunk {
    /// The server's error, in `error` or, from older servers, as the whole event.
    pub(super) fn error_fault(&self, event: &str) -> Option<StreamFault> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let (code, message) = match &self.error {
            Value::String(message) if !message.is_empty() => (None, Some(message.clone())),
            error @ Value::Object(fields) if !fields.is_empty() => {
                (text(&error["code"]).or_else(|| text(&error["type"])), text(&error["message"]))
            }
            _ if event == "error" || self.object.as_deref() == Some("error") => {
                (text(&self.code), text(&self.message))
            }
            _ => return None,
        };
        Some(StreamFault::ServerError {
            code: code.unwrap_or_default(),
            message: message.unwrap_or_default(),
        })
    }
}

impl ChatUsage {
    pub(super) fn write_to(&self, answer: &mut ResponseBuilder) {
        let prompt = self.prompt_tokens.unwrap_or(0);
        let completion = self.completion_tokens.unwrap_or(0);
        let details = self.prompt_tokens_details.as_ref();
        let names = [self.prompt_cache_hit_tokens, self.cached_tokens, self.num_cached_tokens];
        let elsewhere = || names.into_iter().flatten().next();
        let cache_read = details.and_then(|details| details.cached_tokens).or_else(elsewhere).unwrap_or(0);
        let written =
            details.and_then(|details| details.cache_write_tokens.or(details.cache_creation_input_tokens));
        let cache_write = written.unwrap_or(0);
        let reasoning = self.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens).unwrap_or(0);
        // xAI counts reasoning beside the completion, all others inside it; the total shows which.
        let beside = self.total_tokens == Some(prompt.saturating_add(completion).saturating_add(reasoning));
        answer.cost = self.cost.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0);
        answer.usage = crate::event::TokenUsage {
            input: prompt.saturating_sub(cache_read).saturating_sub(cache_write),
            output: if beside { completion.saturating_add(reasoning) } else { completion },
            reasoning,
            cache_read,
            cache_write,
        };
    }
}

/// Some reasons are server failures that a retry cures.
pub(super) fn finish_reason(reason: &str) -> Result<FinishReason, StreamFault> {
    let failed = |code: &str| StreamFault::ServerError {
        code: code.to_owned(),
        message: format!("it ended the response early with finish reason `{reason}`"),
    };
    match reason {
        "tool_calls" | "function_call" => Ok(FinishReason::Calls),
        "length" | "max_tokens" | "model_length" => Ok(FinishReason::Length),
        "model_context_window_exceeded" => Ok(FinishReason::Context),
        "content_filter" | "sensitive" | "refusal" => Ok(FinishReason::Refused),
        // From DeepSeek.
        "insufficient_system_resource" => Err(failed("overloaded")),
        // From OpenRouter and Mistral, and from Z.AI.
        "error" | "network_error" => Err(failed("server error")),
        _ => Ok(FinishReason::End),
    }
}
