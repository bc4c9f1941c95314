//! A request as `POST /messages`.
//!
//! Cache breakpoints (the wire takes four): the first and the last block of the system prompt, the last of which also
//! covers the tools before it, and the ends of the last two messages of ours: the newer is what the next request will
//! read, the older what this one reads.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{Encoded, Target, media, names, said};
use super::thinking::{OutputConfig, Thinking, thinking};
use crate::error::Error;
use crate::request::{CallResult, Input, Media, Message, Part, Request, ToolChoice};
use crate::schema;

/// What an answer may have where nobody said: enough for a long file, and far from a runaway.
const DEFAULT_OUTPUT: u64 = 32_000;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Value,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Choice<'a> {
    Any,
    None,
    Tool { name: &'a str },
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Own(OwnBlock<'a>),
    Echo(&'a RawValue),
}

#[derive(Serialize)]
struct OwnBlock<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    Document {
        source: Source<'a>,
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
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

pub(in crate::wire) fn encode(target: Target<'_>, request: &Request) -> Result<Encoded, Error> {
    let info = target.info;
    let max_tokens = request.max_output.unwrap_or(DEFAULT_OUTPUT).min(info.output).max(1);
    let (thinking, output_config) = thinking(target, request, max_tokens);
    // A thinking model takes no sampling parameters.
    let samples = info.temperature && matches!(thinking, None | Some(Thinking::Disabled));
    let interleaved = matches!(thinking, Some(Thinking::Enabled { .. })) && !request.tools.is_empty();
    let mut messages: Vec<_> = request.messages.iter().map(|message| turn(target, message)).collect();
    messages.retain(|turn| !turn.content.is_empty());
    let mut system: Vec<_> =
        request.system.iter().filter(|text| !text.trim().is_empty()).map(|text| text_block(text)).collect();
    if info.caching {
        mark(system.first_mut());
        mark(system.last_mut());
        let ours = messages.iter_mut().rev().filter(|turn| turn.role == "user").take(2);
        ours.for_each(|turn| mark(turn.content.last_mut()));
    }
    let tools = request.sorted_tools();
    let body = Body {
        model: &info.id,
        max_tokens,
        system,
        tools: tools
            .iter()
            .map(|tool| Tool {
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
    let mut encoded = Encoded::new("/messages", &body)?;
    encoded.headers.push(("anthropic-version", "2023-06-01".to_owned()));
    if interleaved {
        encoded.headers.push(("anthropic-beta", "interleaved-thinking-2025-05-14".to_owned()));
    }
    Ok(encoded)
}

/// Where a model cannot be forced, it is left the choice.
fn choice(choice: &ToolChoice, can_force: bool) -> Option<Choice<'_>> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required | ToolChoice::Named(_) if !can_force => None,
        ToolChoice::Required => Some(Choice::Any),
        ToolChoice::None => Some(Choice::None),
        ToolChoice::Named(name) => Some(Choice::Tool { name }),
    }
}

fn turn<'a>(target: Target<'_>, message: &'a Message) -> Turn<'a> {
    match message {
        Message::User(inputs) => Turn {
            role: "user",
            content: inputs.iter().filter_map(|input| input_block(target, input)).collect(),
        },
        Message::Assistant(parts) => Turn {
            role: "assistant",
            content: said(parts).iter().filter_map(|part| part_block(target, part)).collect(),
        },
        Message::Results(results) => Turn {
            role: "user",
            content: results.iter().map(|result| result_block(target, result)).collect(),
        },
    }
}

fn own(content: Content<'_>) -> Block<'_> {
    Block::Own(OwnBlock { content, cache_control: None })
}

fn text_block(text: &str) -> Block<'_> {
    own(Content::Text { text: text.into() })
}

/// The wire refuses text blocks without text.
fn input_block<'a>(target: Target<'_>, input: &'a Input) -> Option<Block<'a>> {
    match input {
        Input::Text(text) => (!text.trim().is_empty()).then(|| text_block(text)),
        Input::Media(media) => Some(media_block(target, media)),
    }
}

fn media_block<'a>(target: Target<'_>, media: &'a Media) -> Block<'a> {
    if !target.info.takes(media) {
        return own(Content::Text { text: media::note(media).into() });
    }
    let source = Source { r#type: "base64", media_type: &media.mime, data: &media.base64 };
    own(if media.is_pdf() {
        Content::Document { source, title: media.name.as_deref() }
    } else {
        Content::Image { source }
    })
}

/// Reasoning without its signature is not accepted back, so it is left out.
fn part_block<'a>(target: Target<'_>, part: &'a Part) -> Option<Block<'a>> {
    match part {
        Part::Text(text) => (!text.text.trim().is_empty()).then(|| text_block(&text.text)),
        Part::Reasoning(reasoning) => target.own(reasoning.echo.as_ref()).map(|echo| Block::Echo(&echo.data)),
        Part::Call(call) => Some(own(Content::ToolUse {
            id: names::id(&call.id, names::ID, names::is_plain),
            name: names::name(&call.name, names::is_plain),
            input: schema::object(&call.arguments),
        })),
    }
}

fn result_block<'a>(target: Target<'_>, result: &'a CallResult) -> Block<'a> {
    let text = (!result.output.trim().is_empty()).then(|| text_block(&result.output));
    let media = result.media.iter().map(|media| media_block(target, media));
    own(Content::ToolResult {
        tool_use_id: names::id(&result.id, names::ID, names::is_plain),
        content: text.into_iter().chain(media).collect(),
        is_error: result.is_error,
    })
}

fn mark(block: Option<&mut Block<'_>>) {
    if let Some(Block::Own(block)) = block {
        block.cache_control = Some(CacheControl { r#type: "ephemeral" });
    }
}
