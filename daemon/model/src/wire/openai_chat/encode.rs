//! Encodes a request as `POST /chat/completions`. The dialect describes the differences between servers.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::super::{EncodedRequest, RequestTarget, call_names, media};
use crate::catalogue::ReasoningControl;
use crate::error::ModelError;
use crate::provider::{CacheStyle, CallIdFormat, Dialect, EffortField, ReasoningEcho, TokenLimitField};
use crate::request::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ReasoningEffort, ToolChoice, ToolResultPart,
    UserPart,
};
use crate::schema;

#[derive(Serialize, Default)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatTool<'a>>,
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
struct ChatTool<'a> {
    r#type: &'static str,
    function: ChatFunction<'a>,
}

#[derive(Serialize)]
struct ChatFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strict: bool,
}

#[derive(Serialize, Default)]
struct ChatMessage<'a> {
    role: &'static str,
    content: Option<ChatContent<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ChatToolCall<'a>>,
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
enum ChatContent<'a> {
    Text(Cow<'a, str>),
    Pieces(Vec<ChatContentPart<'a>>),
}

#[derive(Serialize)]
struct ChatContentPart<'a> {
    #[serde(flatten)]
    body: ChatPartBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ChatPartBody<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ChatImageUrl },
    File { file: ChatFile<'a> },
}

#[derive(Serialize)]
struct ChatImageUrl {
    url: String,
}

#[derive(Serialize)]
struct ChatFile<'a> {
    filename: &'a str,
    file_data: String,
}

#[derive(Serialize)]
struct ChatToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: ChatCalledFunction<'a>,
}

#[derive(Serialize)]
struct ChatCalledFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

pub(in crate::wire) fn encode(
    target: RequestTarget<'_>,
    request: &ModelRequest,
) -> Result<EncodedRequest, ModelError> {
    let info = target.info;
    let dialect = &target.provider.dialect;
    let limit = request.max_output.map(|limit| limit.min(info.output).max(1));
    let tools = request.sorted_tools();
    let mut body = ChatRequest {
        model: &info.id,
        messages: turns(target, request),
        tools: tools
            .iter()
            .map(|tool| {
                let (parameters, strict) = schema::for_dialect(dialect, &tool.parameters);
                let function =
                    ChatFunction { name: &tool.name, description: &tool.description, parameters, strict };
                ChatTool { r#type: "function", function }
            })
            .collect(),
        tool_choice: choice(&request.tool_choice).filter(|_| !tools.is_empty()),
        temperature: request.temperature.filter(|_| info.temperature),
        top_p: request.top_p.filter(|_| info.temperature),
        prompt_cache_key: request.cache_key.as_deref().filter(|_| dialect.cache == CacheStyle::Key),
        stream: true,
        stream_options: dialect.stream_usage.0.then(|| serde_json::json!({ "include_usage": true })),
        ..ChatRequest::default()
    };
    match dialect.token_limit {
        TokenLimitField::MaxTokens => body.max_tokens = limit,
        TokenLimitField::MaxCompletionTokens => body.max_completion_tokens = limit,
    }
    set_effort(&mut body, target, request.effort);
    EncodedRequest::new("/chat/completions", &body)
}

/// Omits the effort for a model that is known not to accept one; an unknown model gets it, because the user
/// asked.
fn set_effort(body: &mut ChatRequest<'_>, target: RequestTarget<'_>, effort: Option<ReasoningEffort>) {
    let info = target.info;
    let Some(effort) = effort else { return };
    if info.known && matches!(info.reasoning, None | Some(ReasoningControl::Always)) {
        return;
    }
    let effort = info.nearest_effort(effort);
    let on = effort != ReasoningEffort::Off;
    // Beside an on/off switch, send the effort only if the model is known to read it.
    let beside = (on && !info.efforts.is_empty()).then_some(effort.as_str());
    match target.provider.dialect.effort {
        EffortField::ReasoningEffort => body.reasoning_effort = Some(effort.as_str()),
        EffortField::ReasoningObject => {
            body.reasoning = Some(serde_json::json!({ "effort": effort.as_str() }));
        }
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

fn turns<'a>(target: RequestTarget<'_>, request: &'a ModelRequest) -> Vec<ChatMessage<'a>> {
    let dialect = &target.provider.dialect;
    let mut turns: Vec<ChatMessage<'a>> = Vec::new();
    let system =
        request.system.iter().filter(|text| !text.is_empty()).map(String::as_str).collect::<Vec<_>>();
    if !system.is_empty() {
        let role = if dialect.developer_role { "developer" } else { "system" };
        turns.push(ChatMessage {
            role,
            content: Some(ChatContent::Text(system.join("\n\n").into())),
            ..ChatMessage::default()
        });
    }
    for message in &request.messages {
        match message {
            ModelMessage::User(inputs) => {
                let pieces: Vec<_> = inputs.iter().map(|input| input_piece(target, input)).collect();
                push_user(&mut turns, dialect, pieces);
            }
            ModelMessage::Assistant(parts) => turns.extend(assistant(target, parts)),
            ModelMessage::Results(results) => push_results(&mut turns, target, results),
        }
    }
    if dialect.cache == CacheStyle::Anthropic && target.info.caching {
        mark_for_cache(&mut turns);
    }
    turns
}

/// Sends pure text as a plain string: many servers of text-only models accept nothing else.
fn push_user<'a>(turns: &mut Vec<ChatMessage<'a>>, dialect: &Dialect, pieces: Vec<ChatContentPart<'a>>) {
    let after_tool = turns.last().is_some_and(|turn| turn.role == "tool");
    if after_tool && dialect.after_tool == crate::provider::AfterToolRole::Assistant {
        turns.push(ChatMessage {
            role: "assistant",
            content: Some(ChatContent::Text("(continuing)".into())),
            ..ChatMessage::default()
        });
    }
    if pieces.is_empty() {
        return;
    }
    let content = content(pieces);
    turns.push(ChatMessage { role: "user", content: Some(content), ..ChatMessage::default() });
}

fn content(mut pieces: Vec<ChatContentPart<'_>>) -> ChatContent<'_> {
    let text = |piece: &mut ChatContentPart<'_>| match &mut piece.body {
        ChatPartBody::Text { text } => Some(std::mem::take(text).into_owned()),
        _ => None,
    };
    match pieces.as_mut_slice() {
        [ChatContentPart { body: ChatPartBody::Text { text }, .. }] => {
            ChatContent::Text(std::mem::take(text))
        }
        all if all.iter().all(|piece| matches!(piece.body, ChatPartBody::Text { .. })) => {
            ChatContent::Text(all.iter_mut().filter_map(text).collect::<Vec<_>>().join("\n\n").into())
        }
        _ => ChatContent::Pieces(pieces),
    }
}

fn assistant<'a>(target: RequestTarget<'_>, parts: &'a [AssistantPart]) -> Option<ChatMessage<'a>> {
    let dialect = &target.provider.dialect;
    let mut turn = ChatMessage { role: "assistant", ..ChatMessage::default() };
    let mut text = String::new();
    let mut reasoning = String::new();
    for part in parts {
        match part {
            AssistantPart::Text(part) => text.push_str(&part.text),
            AssistantPart::Reasoning(part) => {
                if let Some(echo) = target.own_metadata(part.echo.as_ref()) {
                    reasoning.push_str(&part.text);
                    turn.reasoning_details = Some(&echo.data);
                }
            }
            AssistantPart::Call(call) => turn.tool_calls.push(ChatToolCall {
                id: call_id(dialect, &call.id),
                r#type: "function",
                function: ChatCalledFunction {
                    name: call_names::adapt_name(&call.name, call_names::is_common),
                    arguments: schema::object_text(&call.arguments),
                },
            }),
        }
    }
    let details = turn.reasoning_details.take().filter(|details| details.get() != "null");
    let reasoning = (!reasoning.is_empty()).then_some(reasoning);
    match dialect.reasoning_echo {
        ReasoningEcho::None => {}
        // DeepSeek wants the field beside calls even if it is empty.
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
    turn.content = (!text.is_empty() || empty).then(|| ChatContent::Text(text.into()));
    Some(turn)
}

fn push_results<'a>(
    turns: &mut Vec<ChatMessage<'a>>,
    target: RequestTarget<'_>,
    results: &'a [ToolResultPart],
) {
    let dialect = &target.provider.dialect;
    let mut followers = Vec::new();
    for result in results {
        let mut inside = Vec::new();
        for media in &result.media {
            if dialect.tool_media || !target.info.accepts_media(media) {
                inside.push(media_piece(target, media));
            } else {
                followers.push(text_piece(media::origin_note(media, result)));
                followers.push(media_piece(target, media));
            }
        }
        inside.insert(0, text_piece(result.output.as_str()));
        let content = content(inside);
        let tool_call_id = Some(call_id(dialect, &result.id));
        turns.push(ChatMessage {
            role: "tool",
            content: Some(content),
            tool_call_id,
            ..ChatMessage::default()
        });
    }
    push_user(turns, dialect, followers);
}

fn input_piece<'a>(target: RequestTarget<'_>, input: &'a UserPart) -> ChatContentPart<'a> {
    match input {
        UserPart::Text(text) | UserPart::Note(text) => text_piece(text.as_str()),
        UserPart::Media(media) => media_piece(target, media),
    }
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> ChatContentPart<'a> {
    ChatContentPart { body: ChatPartBody::Text { text: text.into() }, cache_control: None }
}

fn media_piece<'a>(target: RequestTarget<'_>, media: &'a MediaPart) -> ChatContentPart<'a> {
    if !target.info.accepts_media(media) {
        return text_piece(media::unsupported_note(media));
    }
    let body = if media.is_pdf() {
        let filename = media.name.as_deref().unwrap_or("document.pdf");
        ChatPartBody::File { file: ChatFile { filename, file_data: media.data_url() } }
    } else {
        ChatPartBody::ImageUrl { image_url: ChatImageUrl { url: media.data_url() } }
    };
    ChatContentPart { body, cache_control: None }
}

/// Marks the system prompt and the ends of our last two messages, as on Anthropic's own wire.
fn mark_for_cache(turns: &mut [ChatMessage<'_>]) {
    let (system, rest) = match turns.split_first_mut() {
        Some((first, rest)) if first.role != "user" => (Some(first), rest),
        _ => (None, turns),
    };
    let ours = rest.iter_mut().rev().filter(|turn| turn.role == "user" || turn.role == "tool").take(2);
    for turn in system.into_iter().chain(ours) {
        let mut pieces = match turn.content.take() {
            Some(ChatContent::Text(text)) => vec![text_piece(text)],
            Some(ChatContent::Pieces(pieces)) => pieces,
            None => continue,
        };
        if let Some(last) = pieces.last_mut() {
            last.cache_control = Some(serde_json::json!({ "type": "ephemeral" }));
        }
        turn.content = Some(ChatContent::Pieces(pieces));
    }
}

/// The id in the server's format; the same id always maps to the same.
fn call_id<'a>(dialect: &Dialect, id: &'a str) -> Cow<'a, str> {
    match dialect.call_id {
        CallIdFormat::Any => call_names::adapt_id(id, call_names::MAX_CHAT_ID, |_| true),
        CallIdFormat::Alnum9 if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            id.into()
        }
        CallIdFormat::Alnum9 => call_names::digest(id, 9).into(),
    }
}
