//! Encodes a request as `POST /messages`.
//!
//! Cache breakpoints (the wire allows four): the first and the last block of the system prompt, the last also
//! covering the tools before it, and the ends of our last two messages. The next request reads the newer one,
//! this request the older.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{EncodedRequest, RequestTarget, call_names, media, without_trailing_reasoning};
use super::thinking::{AnthropicOutputConfig, AnthropicThinking, thinking_config};
use crate::error::ModelError;
use crate::request::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ToolChoice, ToolResultPart, UserPart,
};
use crate::schema;

/// Default response limit: enough for a long file, far below a runaway.
const DEFAULT_OUTPUT: u64 = 32_000;

#[derive(Serialize)]
struct AnthropicRequest<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<AnthropicBlock<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<AnthropicTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<AnthropicToolChoice<'a>>,
    messages: Vec<AnthropicMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<AnthropicThinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<AnthropicOutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    stream: bool,
}

#[derive(Serialize)]
struct AnthropicTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Value,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum AnthropicToolChoice<'a> {
    Any,
    None,
    Tool { name: &'a str },
}

#[derive(Serialize)]
struct AnthropicMessage<'a> {
    role: &'static str,
    content: Vec<AnthropicBlock<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum AnthropicBlock<'a> {
    Own(AnthropicTypedBlock<'a>),
    Echo(&'a RawValue),
}

#[derive(Serialize)]
struct AnthropicTypedBlock<'a> {
    #[serde(flatten)]
    content: AnthropicContent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<AnthropicCacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum AnthropicContent<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: AnthropicSource<'a>,
    },
    Document {
        source: AnthropicSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Value,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: Vec<AnthropicBlock<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct AnthropicSource<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct AnthropicCacheControl {
    r#type: &'static str,
}

pub(in crate::wire) fn encode(
    target: RequestTarget<'_>,
    request: &ModelRequest,
) -> Result<EncodedRequest, ModelError> {
    let info = target.info;
    let max_tokens = request.max_output.unwrap_or(DEFAULT_OUTPUT).min(info.output).max(1);
    let (thinking, output_config) = thinking_config(target, request, max_tokens);
    // A thinking model accepts no sampling parameters.
    let samples = info.temperature && matches!(thinking, None | Some(AnthropicThinking::Disabled));
    let interleaved =
        matches!(thinking, Some(AnthropicThinking::Enabled { .. })) && !request.tools.is_empty();
    let mut messages: Vec<_> = request.messages.iter().map(|message| turn(target, message)).collect();
    messages.retain(|turn| !turn.content.is_empty());
    let mut system: Vec<_> =
        request.system.iter().filter(|text| !text.trim().is_empty()).map(|text| text_block(text)).collect();
    if info.caching {
        mark_for_cache(system.first_mut());
        mark_for_cache(system.last_mut());
        // The end, and where the request before this one ended: a mark that is many blocks behind the cached one does not find it.
        let answer = messages.iter().rposition(|turn| turn.role == "assistant").unwrap_or_default();
        let (before, after) = messages.split_at_mut(answer);
        for turns in [before, after] {
            let last = turns.iter_mut().rev().find(|turn| turn.role == "user");
            mark_for_cache(last.and_then(|turn| turn.content.last_mut()));
        }
    }
    let tools = request.sorted_tools();
    let body = AnthropicRequest {
        model: &info.id,
        max_tokens,
        system,
        tools: tools
            .iter()
            .map(|tool| AnthropicTool {
                name: &tool.name,
                description: &tool.description,
                input_schema: schema::plain(&tool.parameters),
            })
            .collect(),
        tool_choice: choice(&request.tool_choice, info.forced_tool).filter(|_| !tools.is_empty()),
        messages,
        thinking,
        output_config,
        temperature: request.temperature.filter(|_| samples),
        top_p: request.top_p.filter(|_| samples),
        stream: true,
    };
    let mut encoded = EncodedRequest::new("/messages", &body)?;
    encoded.headers.push(("anthropic-version", "2023-06-01".to_owned()));
    if interleaved {
        encoded.headers.push(("anthropic-beta", "interleaved-thinking-2025-05-14".to_owned()));
    }
    Ok(encoded)
}

/// A model that cannot be forced chooses itself.
fn choice(choice: &ToolChoice, can_force: bool) -> Option<AnthropicToolChoice<'_>> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required | ToolChoice::Named(_) if !can_force => None,
        ToolChoice::Required => Some(AnthropicToolChoice::Any),
        ToolChoice::None => Some(AnthropicToolChoice::None),
        ToolChoice::Named(name) => Some(AnthropicToolChoice::Tool { name }),
    }
}

fn turn<'a>(target: RequestTarget<'_>, message: &'a ModelMessage) -> AnthropicMessage<'a> {
    match message {
        ModelMessage::User(inputs) => AnthropicMessage {
            role: "user",
            content: inputs.iter().filter_map(|input| input_block(target, input)).collect(),
        },
        ModelMessage::Assistant(parts) => AnthropicMessage {
            role: "assistant",
            content: without_trailing_reasoning(parts)
                .iter()
                .filter_map(|part| part_block(target, part))
                .collect(),
        },
        ModelMessage::Results(results) => AnthropicMessage {
            role: "user",
            content: results.iter().map(|result| result_block(target, result)).collect(),
        },
    }
}

fn typed_block(content: AnthropicContent<'_>) -> AnthropicBlock<'_> {
    AnthropicBlock::Own(AnthropicTypedBlock { content, cache_control: None })
}

fn text_block(text: &str) -> AnthropicBlock<'_> {
    typed_block(AnthropicContent::Text { text: text.into() })
}

/// The wire rejects empty text blocks.
fn input_block<'a>(target: RequestTarget<'_>, input: &'a UserPart) -> Option<AnthropicBlock<'a>> {
    match input {
        UserPart::Text(text) | UserPart::Note(text) => (!text.trim().is_empty()).then(|| text_block(text)),
        UserPart::Media(media) => Some(media_block(target, media)),
    }
}

fn media_block<'a>(target: RequestTarget<'_>, media: &'a MediaPart) -> AnthropicBlock<'a> {
    if !target.info.accepts_media(media) {
        return typed_block(AnthropicContent::Text { text: media::unsupported_note(media).into() });
    }
    let source = AnthropicSource { r#type: "base64", media_type: &media.mime, data: &media.base64 };
    typed_block(if media.is_pdf() {
        AnthropicContent::Document { source, title: media.name.as_deref() }
    } else {
        AnthropicContent::Image { source }
    })
}

/// The wire rejects reasoning without its signature, so omit it.
fn part_block<'a>(target: RequestTarget<'_>, part: &'a AssistantPart) -> Option<AnthropicBlock<'a>> {
    match part {
        AssistantPart::Text(text) => (!text.text.trim().is_empty()).then(|| text_block(&text.text)),
        AssistantPart::Reasoning(reasoning) => {
            target.own_metadata(reasoning.echo.as_ref()).map(|echo| AnthropicBlock::Echo(&echo.data))
        }
        AssistantPart::Call(call) => Some(typed_block(AnthropicContent::ToolUse {
            id: call_names::adapt_id(&call.id, call_names::MAX_ID, call_names::is_plain),
            name: call_names::adapt_name(&call.name, call_names::is_plain),
            input: schema::object(&call.arguments),
        })),
    }
}

fn result_block<'a>(target: RequestTarget<'_>, result: &'a ToolResultPart) -> AnthropicBlock<'a> {
    let text = (!result.output.trim().is_empty()).then(|| text_block(&result.output));
    let media = result.media.iter().map(|media| media_block(target, media));
    typed_block(AnthropicContent::ToolResult {
        tool_use_id: call_names::adapt_id(&result.id, call_names::MAX_ID, call_names::is_plain),
        content: text.into_iter().chain(media).collect(),
        is_error: result.is_error,
    })
}

fn mark_for_cache(block: Option<&mut AnthropicBlock<'_>>) {
    if let Some(AnthropicBlock::Own(block)) = block {
        block.cache_control = Some(AnthropicCacheControl { r#type: "ephemeral" });
    }
}
