//! Classifies a server's errors.
//!
//! Servers that share a wire protocol still word their errors differently. The status decides first, then
//! known codes and texts. An unknown error is not retried.

mod error_phrases;
mod stated_limit;
mod transport;

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

pub use error_phrases::classify_text;
pub use stated_limit::stated_limit;
pub(crate) use transport::{causes, from_transport};

use crate::error::{ModelError, ModelErrorKind};
use crate::provider::Provider;
use crate::retry;

/// For an error response: any status but 200, or a body that is not a stream.
pub(crate) fn from_response(
    provider: &Provider,
    model: &str,
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
) -> ModelError {
    let body = String::from_utf8_lossy(body);
    let json: Option<Value> = serde_json::from_str(&body).ok();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let kind = kind_of(status, &body, json.as_ref());
    let server_text =
        json.as_ref().and_then(message_in).unwrap_or_else(|| match (status, header("location")) {
            (300..400, Some(elsewhere)) => format!("it redirects to {elsewhere}"),
            (_, _) if json.is_some() && status == 200 => "it returns JSON, not a stream".to_owned(),
            (_, _) if body.trim_start().starts_with('<') => "it returns a web page".to_owned(),
            _ => body.chars().take(200).collect(),
        });
    let message = error_message(provider, model, kind, Some(status), &server_text);
    let retry_after =
        retry::retry_after(header, SystemTime::now()).or_else(|| json.as_ref().and_then(retry_delay));
    ModelError { kind, message, status: Some(status), retry_after }
}

/// For an error event inside a stream, where the HTTP status no longer applies. `code` is the wire's own
/// error code.
pub(crate) fn from_stream(provider: &Provider, model: &str, code: &str, server_text: &str) -> ModelError {
    let status: Option<u16> = code.parse().ok().filter(|status| (400..600).contains(status));
    let kind = match status {
        Some(status) => kind_of(status, server_text, Some(&Value::Null)),
        _ => classify_text(code).or_else(|| classify_text(server_text)).unwrap_or(ModelErrorKind::BadRequest),
    };
    let server_text = if server_text.is_empty() { code } else { server_text };
    ModelError {
        kind,
        message: error_message(provider, model, kind, status, server_text),
        status: None,
        retry_after: None,
    }
}

/// The status is clear except where servers disagree: a 429 may be an empty account, a 400 a context overflow
/// or a transient fault of an upstream server, a 500 a context overflow.
fn kind_of(status: u16, body: &str, json: Option<&Value>) -> ModelErrorKind {
    let text_kind = classify_text(body);
    match text_kind {
        // Gemini words an empty account and a rate limit alike, but only a rate limit says when to retry.
        Some(ModelErrorKind::Quota) if json.and_then(retry_delay).is_some() => {
            return ModelErrorKind::RateLimited;
        }
        Some(kind @ (ModelErrorKind::ContextOverflow | ModelErrorKind::Quota)) => return kind,
        _ => {}
    }
    match status {
        // Some gateways report errors under a success status.
        200..=399 => match json.filter(|json| json.get("error").is_some()) {
            Some(_) => text_kind.unwrap_or(ModelErrorKind::BadRequest),
            None => ModelErrorKind::NotAModel,
        },
        401 | 407 => ModelErrorKind::Key,
        402 => ModelErrorKind::Quota,
        403 => ModelErrorKind::Forbidden,
        404 | 405 if json.is_some() => ModelErrorKind::NotFound,
        404 | 405 => ModelErrorKind::NotAModel,
        408 | 409 | 425 => ModelErrorKind::Transient,
        413 => ModelErrorKind::ContextOverflow,
        429 => ModelErrorKind::RateLimited,
        503 | 529 => ModelErrorKind::Overloaded,
        500.. => ModelErrorKind::Server,
        _ => text_kind.unwrap_or(ModelErrorKind::BadRequest),
    }
}

fn error_message(
    provider: &Provider,
    model: &str,
    kind: ModelErrorKind,
    status: Option<u16>,
    server_text: &str,
) -> String {
    let name = &provider.name;
    let server_text = sanitize_message(server_text, provider);
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    let quote = if server_text.is_empty() { String::new() } else { format!(": {server_text}") };
    match kind {
        ModelErrorKind::Key => {
            let which = match &provider.key {
                Some(key) => format!("rejected the key from {}", key.origin),
                None => "needs a key, and none is set".to_owned(),
            };
            format!("{name} {which}{status}{quote}\n{}", provider.key_advice())
        }
        ModelErrorKind::Forbidden => {
            format!(
                "{name} refused access{status}{quote}\nThe key may lack the right to use `{model}`. {}",
                provider.key_advice()
            )
        }
        ModelErrorKind::NotFound => format!(
            "{name} has no model `{model}`{status}{quote}\n`copydesk models` lists what is usable; provider.{}.options.baseURL is {}.",
            provider.id,
            provider.redacted_address()
        ),
        ModelErrorKind::NotAModel => format!(
            "The server at {} is not a model server{status}{quote}\nCheck provider.{}.options.baseURL and any proxy in between.",
            provider.redacted_address(),
            provider.id
        ),
        ModelErrorKind::Quota => format!("{name} reports that the account has no credit left{status}{quote}"),
        ModelErrorKind::ContextOverflow => {
            format!("The conversation no longer fits the context window of `{model}`{status}{quote}")
        }
        ModelErrorKind::RateLimited => format!("{name} reports a rate limit{status}{quote}"),
        ModelErrorKind::Overloaded => format!("{name} is overloaded{status}{quote}"),
        ModelErrorKind::BadRequest => format!("{name} rejected the request{status}{quote}"),
        _ => format!("{name} failed{status}{quote}"),
    }
}

/// The server's text on one line, shortened, without our secrets and without terminal control characters.
pub(crate) fn sanitize_message(server_text: &str, provider: &Provider) -> String {
    const MAX_CHARS: usize = 500;
    let is_break = |letter: char| letter.is_whitespace() || letter.is_control();
    let words = server_text.split(is_break).filter(|word| !word.is_empty());
    let mut text = words.collect::<Vec<_>>().join(" ");
    for secret in provider.sent_secrets() {
        text = text.replace(secret, "(key)");
    }
    if let Some((cut, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(cut);
        text.push('…');
    }
    text
}

/// Finds the message in any of the shapes that servers use.
fn message_in(json: &Value) -> Option<String> {
    let json = json.as_array().and_then(|list| list.first()).unwrap_or(json);
    let places = ["/error/message", "/error", "/message", "/detail", "/error/code", "/errors/0/message"];
    let texts = places.iter().filter_map(|place| json.pointer(place)?.as_str());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).next()
}

/// Gemini's `RetryInfo`: `"retryDelay": "34.5s"` among the details.
fn retry_delay(json: &Value) -> Option<Duration> {
    let json = json.as_array().and_then(|list| list.first()).unwrap_or(json);
    let delay = json
        .pointer("/error/details")?
        .as_array()?
        .iter()
        .find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests;
