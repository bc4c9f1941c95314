//! A request as `POST /models/MODEL:streamGenerateContent`.
//!
//! Signatures of thought stand on the parts they came with and go back with them. Newer models refuse a call without
//! one; for calls that another model made, the wire has a word that stands for a signature.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{Encoded, Target, media, names};
use crate::catalogue::ReasoningControl;
use crate::error::Error;
use crate::request::{CallResult, Effort, Input, Media, Message, Part, Request, ToolChoice};
use crate::schema;

/// Accepted in the place of a signature for history that this model did not write.
const NOT_SIGNED: &str = "\"skip_thought_signature_validator\"";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    contents: Vec<Content<'a>>,
    generation_config: GenerationConfig,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Piece<'a> {
    #[serde(flatten)]
    body: PieceBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum PieceBody<'a> {
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
        response: Response<'a>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Response<'a> {
    Output(&'a str),
    Error(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Value>,
}

pub(in crate::wire) fn encode(target: Target<'_>, request: &Request) -> Result<Encoded, Error> {
    let info = target.info;
    let not_signed = RawValue::from_string(NOT_SIGNED.to_owned()).ok();
    let signs = info.reasoning == Some(ReasoningControl::Level);
    let stand_in = not_signed.as_deref().filter(|_| signs);
    let contents = request.messages.iter().map(|message| content(target, message, stand_in));
    let system: Vec<_> = request.system.iter().filter(|text| !text.is_empty()).map(text_piece).collect();
    let tools = request.sorted_tools();
    let declarations = tools.iter().map(|tool| Declaration {
        name: &tool.name,
        description: &tool.description,
        parameters: schema::gemini(&tool.parameters),
    });
    let body = Body {
        system_instruction: (!system.is_empty()).then_some(Content { role: None, parts: system }),
        tool_config: choice(&request.tool_choice).filter(|_| !tools.is_empty()),
        tools: if tools.is_empty() {
            Vec::new()
        } else {
            vec![Tools { function_declarations: declarations.collect() }]
        },
        contents: contents.filter(|content| !content.parts.is_empty()).collect(),
        generation_config: GenerationConfig {
            max_output_tokens: request.max_output.map(|limit| limit.min(info.output).max(1)),
            temperature: request.temperature.filter(|_| info.temperature),
            top_p: request.top_p.filter(|_| info.temperature),
            thinking_config: thinking(target, request.effort),
        },
    };
    Encoded::new(format!("/models/{}:streamGenerateContent?alt=sse", info.id), &body)
}

fn thinking(target: Target<'_>, effort: Option<Effort>) -> Option<Value> {
    match (target.info.reasoning?, effort) {
        (ReasoningControl::Level, Some(effort)) => {
            let level = match target.info.nearest_effort(effort) {
                Effort::Off | Effort::Minimal => "MINIMAL",
                Effort::Low => "LOW",
                Effort::Medium => "MEDIUM",
                Effort::High | Effort::XHigh | Effort::Max => "HIGH",
            };
            Some(serde_json::json!({ "includeThoughts": true, "thinkingLevel": level }))
        }
        (ReasoningControl::Budget, Some(effort)) => {
            let budget = match effort {
                Effort::Off if target.info.efforts.contains(&Effort::Off) => 0,
                // The least that every model with a budget takes.
                Effort::Off | Effort::Minimal => 512,
                Effort::Low => 2_048,
                Effort::Medium => 8_192,
                Effort::High | Effort::XHigh | Effort::Max => 24_576,
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

fn content<'a>(target: Target<'_>, message: &'a Message, stand_in: Option<&'a RawValue>) -> Content<'a> {
    match message {
        Message::User(inputs) => {
            let parts = inputs.iter().filter_map(|input| match input {
                Input::Text(text) => (!text.is_empty()).then(|| text_piece(text)),
                Input::Media(media) => Some(media_piece(target, media)),
            });
            Content { role: Some("user"), parts: parts.collect() }
        }
        Message::Assistant(parts) => {
            Content { role: Some("model"), parts: model_pieces(target, parts, stand_in) }
        }
        Message::Results(results) => {
            // As many answers as there were calls, side by side; what they showed follows.
            let media = results.iter().flat_map(|result| result_media(target, result));
            Content { role: Some("user"), parts: results.iter().map(result_piece).chain(media).collect() }
        }
    }
}

/// Thoughts themselves do not go back. Of calls made side by side only the first bears a signature.
fn model_pieces<'a>(target: Target<'_>, parts: &'a [Part], stand_in: Option<&'a RawValue>) -> Vec<Piece<'a>> {
    let mut stand_in = stand_in;
    let mut pieces = Vec::new();
    for part in parts {
        match part {
            Part::Reasoning(_) => {}
            Part::Text(text) => {
                let thought_signature = target.own(text.echo.as_ref()).map(|echo| &*echo.data);
                if !text.text.is_empty() || thought_signature.is_some() {
                    pieces
                        .push(Piece { body: PieceBody::Text(text.text.as_str().into()), thought_signature });
                }
            }
            Part::Call(call) => {
                let own = target.own(call.echo.as_ref()).map(|echo| &*echo.data);
                let thought_signature = own.or(stand_in);
                stand_in = None;
                let body = PieceBody::FunctionCall {
                    id: &call.id,
                    name: names::name(&call.name, names::is_common),
                    args: schema::object(&call.arguments),
                };
                pieces.push(Piece { body, thought_signature });
            }
        }
    }
    pieces
}

fn result_piece(result: &CallResult) -> Piece<'_> {
    let response =
        if result.is_error { Response::Error(&result.output) } else { Response::Output(&result.output) };
    let body = PieceBody::FunctionResponse {
        id: &result.id,
        name: names::name(&result.name, names::is_common),
        response,
    };
    Piece { body, thought_signature: None }
}

fn result_media<'a>(target: Target<'_>, result: &'a CallResult) -> Vec<Piece<'a>> {
    let pair = |media| [text_piece(media::origin(media, result)), media_piece(target, media)];
    result.media.iter().flat_map(pair).collect()
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece { body: PieceBody::Text(text.into()), thought_signature: None }
}

fn media_piece<'a>(target: Target<'_>, media: &'a Media) -> Piece<'a> {
    if !target.info.takes(media) {
        return text_piece(media::note(media));
    }
    Piece {
        body: PieceBody::InlineData { mime_type: &media.mime, data: &media.base64 },
        thought_signature: None,
    }
}
