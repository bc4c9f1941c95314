//! A request as `POST /responses`.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{Encoded, Target, media, names, said};
use crate::catalogue::ReasoningControl;
use crate::error::Error;
use crate::provider::CacheStyle;
use crate::request::{CallResult, Input, Media, Message, Part, Request, ToolChoice};
use crate::schema;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Value,
    /// Said in either case: the server tries strict mode where nothing is said.
    strict: bool,
}

#[derive(Serialize)]
struct Reasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    summary: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Own(OwnItem<'a>),
    Echo(&'a RawValue),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OwnItem<'a> {
    Message {
        role: &'static str,
        content: Vec<Piece<'a>>,
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
        output: Output<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(&'a str),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { image_url: String },
    InputFile { filename: &'a str, file_data: String },
    OutputText { text: &'a str },
}

pub(in crate::wire) fn encode(target: Target<'_>, request: &Request) -> Result<Encoded, Error> {
    let info = target.info;
    let dialect = &target.provider.dialect;
    let tools = request.sorted_tools();
    let reasons = info.reasoning.is_some();
    let effort = request.effort.filter(|_| info.reasoning != Some(ReasoningControl::Always));
    let system: Vec<_> = request.system.iter().filter(|text| !text.is_empty()).map(String::as_str).collect();
    let body = Body {
        model: &info.id,
        instructions: system.join("\n\n"),
        tools: tools
            .iter()
            .map(|tool| {
                let (parameters, strict) = schema::for_dialect(dialect, &tool.parameters);
                Tool {
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
        reasoning: reasons.then(|| Reasoning {
            effort: effort.map(|effort| info.nearest_effort(effort).word()),
            summary: "auto",
        }),
        include: if reasons { vec!["reasoning.encrypted_content"] } else { Vec::new() },
        prompt_cache_key: request.cache_key.as_deref().filter(|_| dialect.cache == CacheStyle::Key),
        store: false,
        stream: true,
    };
    Encoded::new("/responses", &body)
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some("required".into()),
        ToolChoice::None => Some("none".into()),
        ToolChoice::Named(name) => Some(serde_json::json!({ "type": "function", "name": name })),
    }
}

fn items<'a>(target: Target<'_>, message: &'a Message) -> Vec<Item<'a>> {
    match message {
        Message::User(inputs) => {
            let content = inputs.iter().map(|input| input_piece(target, input)).collect();
            vec![Item::Own(OwnItem::Message { role: "user", content, phase: None })]
        }
        Message::Assistant(parts) => said(parts).iter().filter_map(|part| part_item(target, part)).collect(),
        Message::Results(results) => results.iter().map(|result| result_item(target, result)).collect(),
    }
}

/// Reasoning that was not encrypted for us would be looked up at the provider's, where it is not stored.
fn part_item<'a>(target: Target<'_>, part: &'a Part) -> Option<Item<'a>> {
    match part {
        Part::Text(text) if text.text.is_empty() => None,
        Part::Text(text) => {
            let phase = target.own(text.echo.as_ref()).map(|echo| &*echo.data);
            let content = vec![Piece::OutputText { text: &text.text }];
            Some(Item::Own(OwnItem::Message { role: "assistant", content, phase }))
        }
        Part::Reasoning(reasoning) => target.own(reasoning.echo.as_ref()).map(|echo| Item::Echo(&echo.data)),
        Part::Call(call) => Some(Item::Own(OwnItem::FunctionCall {
            call_id: names::id(&call.id, names::ID, |_| true),
            name: names::name(&call.name, names::is_plain),
            arguments: schema::object_text(&call.arguments),
        })),
    }
}

fn result_item<'a>(target: Target<'_>, result: &'a CallResult) -> Item<'a> {
    let output = if result.media.is_empty() {
        Output::Text(&result.output)
    } else {
        let text = Piece::InputText { text: result.output.as_str().into() };
        let media = result.media.iter().map(|media| media_piece(target, media));
        Output::Pieces(std::iter::once(text).chain(media).collect())
    };
    Item::Own(OwnItem::FunctionCallOutput { call_id: names::id(&result.id, names::ID, |_| true), output })
}

fn input_piece<'a>(target: Target<'_>, input: &'a Input) -> Piece<'a> {
    match input {
        Input::Text(text) => Piece::InputText { text: text.as_str().into() },
        Input::Media(media) => media_piece(target, media),
    }
}

fn media_piece<'a>(target: Target<'_>, media: &'a Media) -> Piece<'a> {
    if !target.info.takes(media) {
        Piece::InputText { text: media::note(media).into() }
    } else if media.is_pdf() {
        let filename = media.name.as_deref().unwrap_or("document.pdf");
        Piece::InputFile { filename, file_data: media.data_url() }
    } else {
        Piece::InputImage { image_url: media.data_url() }
    }
}
