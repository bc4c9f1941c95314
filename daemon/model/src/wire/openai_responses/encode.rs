//! Encodes a request as `POST /responses`.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{EncodedRequest, RequestTarget, call_names, media, without_trailing_reasoning};
use crate::catalogue::ReasoningControl;
use crate::error::ModelError;
use crate::provider::CacheStyle;
use crate::request::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ToolChoice, ToolResultPart, UserPart,
};
use crate::schema;

#[derive(Serialize)]
struct ResponsesRequest<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    input: Vec<ResponsesInputItem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<ResponsesReasoning>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct ResponsesTool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Value,
    /// Always sent: by default the server tries strict mode.
    strict: bool,
}

#[derive(Serialize)]
struct ResponsesReasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    summary: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResponsesInputItem<'a> {
    Own(ResponsesTypedItem<'a>),
    Echo(&'a RawValue),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponsesTypedItem<'a> {
    Message {
        role: &'static str,
        content: Vec<ResponsesPart<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<&'a RawValue>,
    },
    FunctionCall {
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: Cow<'a, str>,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: ResponsesCallOutput<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResponsesCallOutput<'a> {
    Text(&'a str),
    Pieces(Vec<ResponsesPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponsesPart<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { image_url: String },
    InputFile { filename: &'a str, file_data: String },
    OutputText { text: &'a str },
}

pub(in crate::wire) fn encode(
    target: RequestTarget<'_>,
    request: &ModelRequest,
) -> Result<EncodedRequest, ModelError> {
    let info = target.info;
    let dialect = &target.provider.dialect;
    let tools = request.sorted_tools();
    let reasons = info.reasoning.is_some();
    let effort = request.effort.filter(|_| info.reasoning != Some(ReasoningControl::Always));
    let system: Vec<_> = request.system.iter().filter(|text| !text.is_empty()).map(String::as_str).collect();
    let body = ResponsesRequest {
        model: &info.id,
        instructions: system.join("\n\n"),
        tools: tools
            .iter()
            .map(|tool| {
                let (parameters, strict) = schema::for_dialect(dialect, &tool.parameters);
                ResponsesTool {
                    r#type: "function",
                    name: &tool.name,
                    description: &tool.description,
                    parameters,
                    strict,
                }
            })
            .collect(),
        tool_choice: choice(&request.tool_choice).filter(|_| !tools.is_empty()),
        input: request.messages.iter().flat_map(|message| items(target, message)).collect(),
        max_output_tokens: request.max_output.map(|limit| limit.clamp(16, info.output.max(16))),
        temperature: request.temperature.filter(|_| info.temperature),
        top_p: request.top_p.filter(|_| info.temperature),
        reasoning: reasons.then(|| ResponsesReasoning {
            effort: effort.map(|effort| info.nearest_effort(effort).as_str()),
            summary: "auto",
        }),
        include: if reasons { vec!["reasoning.encrypted_content"] } else { Vec::new() },
        prompt_cache_key: request.cache_key.as_deref().filter(|_| dialect.cache == CacheStyle::Key),
        store: false,
        stream: true,
    };
    EncodedRequest::new("/responses", &body)
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some("required".into()),
        ToolChoice::None => Some("none".into()),
        ToolChoice::Named(name) => Some(serde_json::json!({ "type": "function", "name": name })),
    }
}

fn items<'a>(target: RequestTarget<'_>, message: &'a ModelMessage) -> Vec<ResponsesInputItem<'a>> {
    match message {
        ModelMessage::User(inputs) => {
            let content = inputs.iter().map(|input| input_piece(target, input)).collect();
            vec![ResponsesInputItem::Own(ResponsesTypedItem::Message { role: "user", content, phase: None })]
        }
        ModelMessage::Assistant(parts) => {
            without_trailing_reasoning(parts).iter().filter_map(|part| part_item(target, part)).collect()
        }
        ModelMessage::Results(results) => results.iter().map(|result| result_item(target, result)).collect(),
    }
}

/// Omits reasoning that was not encrypted for us: the provider would look it up, but stores nothing.
fn part_item<'a>(target: RequestTarget<'_>, part: &'a AssistantPart) -> Option<ResponsesInputItem<'a>> {
    match part {
        AssistantPart::Text(text) if text.text.is_empty() => None,
        AssistantPart::Text(text) => {
            let phase = target.own_metadata(text.echo.as_ref()).map(|echo| &*echo.data);
            let content = vec![ResponsesPart::OutputText { text: &text.text }];
            Some(ResponsesInputItem::Own(ResponsesTypedItem::Message { role: "assistant", content, phase }))
        }
        AssistantPart::Reasoning(reasoning) => {
            target.own_metadata(reasoning.echo.as_ref()).map(|echo| ResponsesInputItem::Echo(&echo.data))
        }
        AssistantPart::Call(call) => Some(ResponsesInputItem::Own(ResponsesTypedItem::FunctionCall {
            call_id: call_names::adapt_id(&call.id, call_names::MAX_ID, |_| true),
            name: call_names::adapt_name(&call.name, call_names::is_plain),
            arguments: schema::object_text(&call.arguments),
        })),
    }
}

fn result_item<'a>(target: RequestTarget<'_>, result: &'a ToolResultPart) -> ResponsesInputItem<'a> {
    let output = if result.media.is_empty() {
        ResponsesCallOutput::Text(&result.output)
    } else {
        let text = ResponsesPart::InputText { text: result.output.as_str().into() };
        let media = result.media.iter().map(|media| media_piece(target, media));
        ResponsesCallOutput::Pieces(std::iter::once(text).chain(media).collect())
    };
    ResponsesInputItem::Own(ResponsesTypedItem::FunctionCallOutput {
        call_id: call_names::adapt_id(&result.id, call_names::MAX_ID, |_| true),
        output,
    })
}

fn input_piece<'a>(target: RequestTarget<'_>, input: &'a UserPart) -> ResponsesPart<'a> {
    match input {
        UserPart::Text(text) | UserPart::Note(text) => {
            ResponsesPart::InputText { text: text.as_str().into() }
        }
        UserPart::Media(media) => media_piece(target, media),
    }
}

fn media_piece<'a>(target: RequestTarget<'_>, media: &'a MediaPart) -> ResponsesPart<'a> {
    if !target.info.accepts_media(media) {
        ResponsesPart::InputText { text: media::unsupported_note(media).into() }
    } else if media.is_pdf() {
        let filename = media.name.as_deref().unwrap_or("document.pdf");
        ResponsesPart::InputFile { filename, file_data: media.data_url() }
    } else {
        ResponsesPart::InputImage { image_url: media.data_url() }
    }
}
