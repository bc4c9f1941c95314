//! A request as `POST /chat/completions`. What differs between servers is read from the dialect.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::super::{Encoded, Target, media, names};
use crate::catalogue::ReasoningControl;
use crate::error::Error;
use crate::provider::{CacheStyle, CallId, Dialect, EffortField, ReasoningEcho, TokenLimit};
use crate::request::{CallResult, Effort, Input, Media, Message, Part, Request, ToolChoice};
use crate::schema;

#[derive(Serialize, Default)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enable_thinking: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strict: bool,
}

#[derive(Serialize, Default)]
struct Turn<'a> {
    role: &'static str,
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<&'a serde_json::value::RawValue>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
struct Piece<'a> {
    #[serde(flatten)]
    body: PieceBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum PieceBody<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
    File { file: File<'a> },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct File<'a> {
    filename: &'a str,
    file_data: String,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

pub(in crate::wire) fn encode(target: Target<'_>, request: &Request) -> Result<Encoded, Error> {
    let info = target.info;
    let dialect = &target.provider.dialect;
    let limit = request.max_output.map(|limit| limit.min(info.output).max(1));
    let tools = request.sorted_tools();
    let mut body = Body {
        model: &info.id,
        messages: turns(target, request),
        tools: tools
            .iter()
            .map(|tool| {
                let (parameters, strict) = schema::for_dialect(dialect, &tool.parameters);
                let function =
                    Function { name: &tool.name, description: &tool.description, parameters, strict };
                Tool { r#type: "function", function }
            })
            .collect(),
        tool_choice: choice(&request.tool_choice).filter(|_| !tools.is_empty()),
        temperature: request.temperature.filter(|_| info.temperature),
        top_p: request.top_p.filter(|_| info.temperature),
        prompt_cache_key: request.cache_key.as_deref().filter(|_| dialect.cache == CacheStyle::Key),
        stream: true,
        stream_options: dialect.stream_usage.0.then(|| serde_json::json!({ "include_usage": true })),
        ..Body::default()
    };
    match dialect.token_limit {
        TokenLimit::MaxTokens => body.max_tokens = limit,
        TokenLimit::MaxCompletionTokens => body.max_completion_tokens = limit,
    }
    set_effort(&mut body, target, request.effort);
    Encoded::new("/chat/completions", &body)
}

/// A model that is known not to take an effort is not asked for one; an unknown one is, since the person asked.
fn set_effort(body: &mut Body<'_>, target: Target<'_>, effort: Option<Effort>) {
    let info = target.info;
    let Some(effort) = effort else { return };
    if info.known && matches!(info.reasoning, None | Some(ReasoningControl::Always)) {
        return;
    }
    let effort = info.nearest_effort(effort);
    let on = effort != Effort::Off;
    // Beside a switch the effort is sent only where the model is known to read it.
    let beside = (on && !info.efforts.is_empty()).then_some(effort.word());
    match target.provider.dialect.effort {
        EffortField::ReasoningEffort => body.reasoning_effort = Some(effort.word()),
        EffortField::ReasoningObject => body.reasoning = Some(serde_json::json!({ "effort": effort.word() })),
        EffortField::Thinking => {
            let state = if on { "enabled" } else { "disabled" };
            body.thinking = Some(serde_json::json!({ "type": state }));
            body.reasoning_effort = beside;
        }
        EffortField::EnableThinking => {
            body.enable_thinking = Some(on);
            body.reasoning_effort = beside;
        }
        EffortField::None => {}
    }
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some("required".into()),
        ToolChoice::None => Some("none".into()),
        ToolChoice::Named(name) => {
            Some(serde_json::json!({ "type": "function", "function": { "name": name } }))
        }
    }
}

fn turns<'a>(target: Target<'_>, request: &'a Request) -> Vec<Turn<'a>> {
    let dialect = &target.provider.dialect;
    let mut turns: Vec<Turn<'a>> = Vec::new();
    let system =
        request.system.iter().filter(|text| !text.is_empty()).map(String::as_str).collect::<Vec<_>>();
    if !system.is_empty() {
        let role = if dialect.developer_role { "developer" } else { "system" };
        turns.push(Turn {
            role,
            content: Some(Content::Text(system.join("\n\n").into())),
            ..Turn::default()
        });
    }
    for message in &request.messages {
        match message {
            Message::User(inputs) => {
                let pieces: Vec<_> = inputs.iter().map(|input| input_piece(target, input)).collect();
                push_user(&mut turns, dialect, pieces);
            }
            Message::Assistant(parts) => turns.extend(assistant(target, parts)),
            Message::Results(results) => push_results(&mut turns, target, results),
        }
    }
    if dialect.cache == CacheStyle::Anthropic && target.info.caching {
        mark_for_cache(&mut turns);
    }
    turns
}

/// Text alone is sent as a plain string: many servers of models without eyes know nothing else.
fn push_user<'a>(turns: &mut Vec<Turn<'a>>, dialect: &Dialect, pieces: Vec<Piece<'a>>) {
    let after_tool = turns.last().is_some_and(|turn| turn.role == "tool");
    if after_tool && dialect.after_tool == crate::provider::AfterTool::Assistant {
        turns.push(Turn {
            role: "assistant",
            content: Some(Content::Text("(continuing)".into())),
            ..Turn::default()
        });
    }
    if pieces.is_empty() {
        return;
    }
    let content = content(pieces);
    turns.push(Turn { role: "user", content: Some(content), ..Turn::default() });
}

fn content(mut pieces: Vec<Piece<'_>>) -> Content<'_> {
    let text = |piece: &mut Piece<'_>| match &mut piece.body {
        PieceBody::Text { text } => Some(std::mem::take(text).into_owned()),
        _ => None,
    };
    match pieces.as_mut_slice() {
        [Piece { body: PieceBody::Text { text }, .. }] => Content::Text(std::mem::take(text)),
        all if all.iter().all(|piece| matches!(piece.body, PieceBody::Text { .. })) => {
            Content::Text(all.iter_mut().filter_map(text).collect::<Vec<_>>().join("\n\n").into())
        }
        _ => Content::Pieces(pieces),
    }
}

fn assistant<'a>(target: Target<'_>, parts: &'a [Part]) -> Option<Turn<'a>> {
    let dialect = &target.provider.dialect;
    let mut turn = Turn { role: "assistant", ..Turn::default() };
    let mut text = String::new();
    let mut reasoning = String::new();
    for part in parts {
        match part {
            Part::Text(part) => text.push_str(&part.text),
            Part::Reasoning(part) => {
                if let Some(echo) = target.own(part.echo.as_ref()) {
                    reasoning.push_str(&part.text);
                    turn.reasoning_details = Some(&echo.data);
                }
            }
            Part::Call(call) => turn.tool_calls.push(ToolCall {
                id: call_id(dialect, &call.id),
                r#type: "function",
                function: CalledFunction {
                    name: names::name(&call.name, names::is_common),
                    arguments: schema::object_text(&call.arguments),
                },
            }),
        }
    }
    let details = turn.reasoning_details.take().filter(|details| details.get() != "null");
    let reasoning = (!reasoning.is_empty()).then_some(reasoning);
    match dialect.reasoning_echo {
        ReasoningEcho::None => {}
        // DeepSeek wants the field beside calls even when there is nothing to put in it.
        ReasoningEcho::ReasoningContent if !turn.tool_calls.is_empty() => {
            turn.reasoning_content = Some(reasoning.unwrap_or_default());
        }
        ReasoningEcho::ReasoningContent => turn.reasoning_content = reasoning,
        ReasoningEcho::Reasoning => turn.reasoning = reasoning,
        ReasoningEcho::ReasoningDetails => turn.reasoning_details = details,
    }
    if text.is_empty() && turn.tool_calls.is_empty() {
        return None;
    }
    let empty = dialect.empty_content == crate::provider::EmptyContent::Empty;
    turn.content = (!text.is_empty() || empty).then(|| Content::Text(text.into()));
    Some(turn)
}

fn push_results<'a>(turns: &mut Vec<Turn<'a>>, target: Target<'_>, results: &'a [CallResult]) {
    let dialect = &target.provider.dialect;
    let mut followers = Vec::new();
    for result in results {
        let mut inside = Vec::new();
        for media in &result.media {
            if dialect.tool_media || !target.info.takes(media) {
                inside.push(media_piece(target, media));
            } else {
                followers.push(text_piece(media::origin(media, result)));
                followers.push(media_piece(target, media));
            }
        }
        inside.insert(0, text_piece(result.output.as_str()));
        let content = content(inside);
        let tool_call_id = Some(call_id(dialect, &result.id));
        turns.push(Turn { role: "tool", content: Some(content), tool_call_id, ..Turn::default() });
    }
    push_user(turns, dialect, followers);
}

fn input_piece<'a>(target: Target<'_>, input: &'a Input) -> Piece<'a> {
    match input {
        Input::Text(text) => text_piece(text.as_str()),
        Input::Media(media) => media_piece(target, media),
    }
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece { body: PieceBody::Text { text: text.into() }, cache_control: None }
}

fn media_piece<'a>(target: Target<'_>, media: &'a Media) -> Piece<'a> {
    if !target.info.takes(media) {
        return text_piece(media::note(media));
    }
    let body = if media.is_pdf() {
        let filename = media.name.as_deref().unwrap_or("document.pdf");
        PieceBody::File { file: File { filename, file_data: media.data_url() } }
    } else {
        PieceBody::ImageUrl { image_url: ImageUrl { url: media.data_url() } }
    };
    Piece { body, cache_control: None }
}

/// The system prompt and the ends of our last two messages, as on Anthropic's own wire.
fn mark_for_cache(turns: &mut [Turn<'_>]) {
    let (system, rest) = match turns.split_first_mut() {
        Some((first, rest)) if first.role != "user" => (Some(first), rest),
        _ => (None, turns),
    };
    let ours = rest.iter_mut().rev().filter(|turn| turn.role == "user" || turn.role == "tool").take(2);
    for turn in system.into_iter().chain(ours) {
        let mut pieces = match turn.content.take() {
            Some(Content::Text(text)) => vec![text_piece(text)],
            Some(Content::Pieces(pieces)) => pieces,
            None => continue,
        };
        if let Some(last) = pieces.last_mut() {
            last.cache_control = Some(serde_json::json!({ "type": "ephemeral" }));
        }
        turn.content = Some(Content::Pieces(pieces));
    }
}

/// An id in the form that the server takes; the same id always becomes the same.
fn call_id<'a>(dialect: &Dialect, id: &'a str) -> Cow<'a, str> {
    match dialect.call_id {
        CallId::Any => names::id(id, names::CHAT_ID, |_| true),
        CallId::Alnum9 if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) => id.into(),
        CallId::Alnum9 => names::digest(id, 9).into(),
    }
}
