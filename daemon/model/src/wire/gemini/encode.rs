//! Encodes a request as `POST /models/MODEL:streamGenerateContent`.
//!
//! Thought signatures belong to the parts they came with and return with them. Newer models reject a call
//! without one; for calls of another model the wire accepts a placeholder.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{EncodedRequest, RequestTarget, call_names, media};
use crate::catalogue::ReasoningControl;
use crate::error::ModelError;
use crate::request::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ReasoningEffort, ToolChoice, ToolResultPart,
    UserPart,
};
use crate::schema;

/// Accepted instead of a signature for history that this model did not write.
const SKIP_SIGNATURE: &str = "\"skip_thought_signature_validator\"";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<GeminiContent<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<GeminiTools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    contents: Vec<GeminiContent<'a>>,
    generation_config: GeminiGenerationConfig,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiTools<'a> {
    function_declarations: Vec<GeminiFunctionDeclaration<'a>>,
}

#[derive(Serialize)]
struct GeminiFunctionDeclaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

#[derive(Serialize)]
struct GeminiContent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<GeminiPart<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPart<'a> {
    #[serde(flatten)]
    body: GeminiPartBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum GeminiPartBody<'a> {
    Text(Cow<'a, str>),
    #[serde(rename_all = "camelCase")]
    InlineData {
        mime_type: &'a str,
        data: &'a str,
    },
    FunctionCall {
        id: &'a str,
        name: Cow<'a, str>,
        args: Value,
    },
    FunctionResponse {
        id: &'a str,
        name: Cow<'a, str>,
        response: GeminiFunctionResponse<'a>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum GeminiFunctionResponse<'a> {
    Output(&'a str),
    Error(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiGenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Value>,
}

pub(in crate::wire) fn encode(
    target: RequestTarget<'_>,
    request: &ModelRequest,
) -> Result<EncodedRequest, ModelError> {
    let info = target.info;
    let not_signed = RawValue::from_string(SKIP_SIGNATURE.to_owned()).ok();
    let signs = info.reasoning == Some(ReasoningControl::Level);
    let stand_in = not_signed.as_deref().filter(|_| signs);
    let contents = request.messages.iter().map(|message| content(target, message, stand_in));
    let system: Vec<_> = request.system.iter().filter(|text| !text.is_empty()).map(text_piece).collect();
    let tools = request.sorted_tools();
    let declarations = tools.iter().map(|tool| GeminiFunctionDeclaration {
        name: &tool.name,
        description: &tool.description,
        parameters: schema::gemini(&tool.parameters),
    });
    let body = GeminiRequest {
        system_instruction: (!system.is_empty()).then_some(GeminiContent { role: None, parts: system }),
        tool_config: choice(&request.tool_choice).filter(|_| !tools.is_empty()),
        tools: if tools.is_empty() {
            Vec::new()
        } else {
            vec![GeminiTools { function_declarations: declarations.collect() }]
        },
        contents: contents.filter(|content| !content.parts.is_empty()).collect(),
        generation_config: GeminiGenerationConfig {
            max_output_tokens: request.max_output.map(|limit| limit.min(info.output).max(1)),
            temperature: request.temperature.filter(|_| info.temperature),
            top_p: request.top_p.filter(|_| info.temperature),
            thinking_config: thinking(target, request.effort),
        },
    };
    EncodedRequest::new(format!("/models/{}:streamGenerateContent?alt=sse", info.id), &body)
}

fn thinking(target: RequestTarget<'_>, effort: Option<ReasoningEffort>) -> Option<Value> {
    match (target.info.reasoning?, effort) {
        (ReasoningControl::Level, Some(effort)) => {
            let level = match target.info.nearest_effort(effort) {
                ReasoningEffort::Off | ReasoningEffort::Minimal => "MINIMAL",
                ReasoningEffort::Low => "LOW",
                ReasoningEffort::Medium => "MEDIUM",
                ReasoningEffort::High | ReasoningEffort::XHigh | ReasoningEffort::Max => "HIGH",
            };
            Some(serde_json::json!({ "includeThoughts": true, "thinkingLevel": level }))
        }
        (ReasoningControl::Budget, Some(effort)) => {
            let budget = match effort {
                ReasoningEffort::Off if target.info.efforts.contains(&ReasoningEffort::Off) => 0,
                // The minimum that every model with a budget accepts.
                ReasoningEffort::Off | ReasoningEffort::Minimal => 512,
                ReasoningEffort::Low => 2_048,
                ReasoningEffort::Medium => 8_192,
                ReasoningEffort::High | ReasoningEffort::XHigh | ReasoningEffort::Max => 24_576,
            };
            Some(serde_json::json!({ "includeThoughts": budget > 0, "thinkingBudget": budget }))
        }
        _ => Some(serde_json::json!({ "includeThoughts": true })),
    }
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    let config = match choice {
        ToolChoice::Auto => return None,
        ToolChoice::Required => serde_json::json!({ "mode": "ANY" }),
        ToolChoice::None => serde_json::json!({ "mode": "NONE" }),
        ToolChoice::Named(name) => serde_json::json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
    };
    Some(serde_json::json!({ "functionCallingConfig": config }))
}

fn content<'a>(
    target: RequestTarget<'_>,
    message: &'a ModelMessage,
    stand_in: Option<&'a RawValue>,
) -> GeminiContent<'a> {
    match message {
        ModelMessage::User(inputs) => {
            let parts = inputs.iter().filter_map(|input| match input {
                UserPart::Text(text) | UserPart::Note(text) => (!text.is_empty()).then(|| text_piece(text)),
                UserPart::Media(media) => Some(media_piece(target, media)),
            });
            GeminiContent { role: Some("user"), parts: parts.collect() }
        }
        ModelMessage::Assistant(parts) => {
            GeminiContent { role: Some("model"), parts: model_pieces(target, parts, stand_in) }
        }
        ModelMessage::Results(results) => {
            // One response per call, side by side; their media follow.
            let media = results.iter().flat_map(|result| result_media(target, result));
            GeminiContent {
                role: Some("user"),
                parts: results.iter().map(result_piece).chain(media).collect(),
            }
        }
    }
}

/// Thoughts themselves are not returned. Of parallel calls only the first carries a signature.
fn model_pieces<'a>(
    target: RequestTarget<'_>,
    parts: &'a [AssistantPart],
    stand_in: Option<&'a RawValue>,
) -> Vec<GeminiPart<'a>> {
    let mut stand_in = stand_in;
    let mut pieces = Vec::new();
    for part in parts {
        match part {
            AssistantPart::Reasoning(_) => {}
            AssistantPart::Text(text) => {
                let thought_signature = target.own_metadata(text.echo.as_ref()).map(|echo| &*echo.data);
                if !text.text.is_empty() || thought_signature.is_some() {
                    pieces.push(GeminiPart {
                        body: GeminiPartBody::Text(text.text.as_str().into()),
                        thought_signature,
                    });
                }
            }
            AssistantPart::Call(call) => {
                let own = target.own_metadata(call.echo.as_ref()).map(|echo| &*echo.data);
                let thought_signature = own.or(stand_in);
                stand_in = None;
                let body = GeminiPartBody::FunctionCall {
                    id: &call.id,
                    name: call_names::adapt_name(&call.name, call_names::is_common),
                    args: schema::object(&call.arguments),
                };
                pieces.push(GeminiPart { body, thought_signature });
            }
        }
    }
    pieces
}

fn result_piece(result: &ToolResultPart) -> GeminiPart<'_> {
    let response = if result.is_error {
        GeminiFunctionResponse::Error(&result.output)
    } else {
        GeminiFunctionResponse::Output(&result.output)
    };
    let body = GeminiPartBody::FunctionResponse {
        id: &result.id,
        name: call_names::adapt_name(&result.name, call_names::is_common),
        response,
    };
    GeminiPart { body, thought_signature: None }
}

fn result_media<'a>(target: RequestTarget<'_>, result: &'a ToolResultPart) -> Vec<GeminiPart<'a>> {
    let pair = |media| [text_piece(media::origin_note(media, result)), media_piece(target, media)];
    result.media.iter().flat_map(pair).collect()
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> GeminiPart<'a> {
    GeminiPart { body: GeminiPartBody::Text(text.into()), thought_signature: None }
}

fn media_piece<'a>(target: RequestTarget<'_>, media: &'a MediaPart) -> GeminiPart<'a> {
    if !target.info.accepts_media(media) {
        return text_piece(media::unsupported_note(media));
    }
    GeminiPart {
        body: GeminiPartBody::InlineData { mime_type: &media.mime, data: &media.base64 },
        thought_signature: None,
    }
}
