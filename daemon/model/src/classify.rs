//! From what a server said to what it means.
//!
//! Servers that speak one wire still fail in many words. The kind is taken from the status first, then from codes and
//! texts that are known; what is not known is not retried.

mod transport;
mod words;

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

pub(crate) use transport::{causes, from_transport};
pub use words::judge;

use crate::error::{Error, ErrorKind};
use crate::provider::Provider;
use crate::retry;

/// An answer that is an error: any status but 200, or a body that is no stream.
pub(crate) fn from_response(
    provider: &Provider,
    model: &str,
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
) -> Error {
    let body = String::from_utf8_lossy(body);
    let json: Option<Value> = serde_json::from_str(&body).ok();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let kind = kind_of(status, &body, json.as_ref());
    let said = json.as_ref().and_then(message_in).unwrap_or_else(|| match (status, header("location")) {
        (300..400, Some(elsewhere)) => format!("it points to {elsewhere}"),
        (_, _) if json.is_some() && status == 200 => "it answers with JSON, not with a stream".to_owned(),
        (_, _) if body.trim_start().starts_with('<') => "it answers with a web page".to_owned(),
        _ => body.chars().take(200).collect(),
    });
    let message = advise(provider, model, kind, Some(status), &said);
    let retry_after =
        retry::retry_after(header, SystemTime::now()).or_else(|| json.as_ref().and_then(retry_delay));
    Error { kind, message, status: Some(status), retry_after }
}

/// An error event inside a stream, which has no status any more. `code` is the wire's own word for it.
pub(crate) fn from_stream(provider: &Provider, model: &str, code: &str, said: &str) -> Error {
    let status: Option<u16> = code.parse().ok().filter(|status| (400..600).contains(status));
    let kind = match status {
        Some(status) => kind_of(status, said, Some(&Value::Null)),
        _ => judge(code).or_else(|| judge(said)).unwrap_or(ErrorKind::BadRequest),
    };
    let said = if said.is_empty() { code } else { said };
    Error { kind, message: advise(provider, model, kind, status, said), status: None, retry_after: None }
}

/// A status is clear except where servers disagree: a 429 may be an empty account, a 400 a context overflow or a passing
/// fault of a server behind the server, a 500 a context overflow.
fn kind_of(status: u16, body: &str, json: Option<&Value>) -> ErrorKind {
    let judged = judge(body);
    match judged {
        // Gemini tells of an empty account and of haste in the same words, but says only to the hasty when to come again.
        Some(ErrorKind::Quota) if json.and_then(retry_delay).is_some() => return ErrorKind::RateLimited,
        Some(kind @ (ErrorKind::ContextOverflow | ErrorKind::Quota)) => return kind,
        _ => {}
    }
    match status {
        // Some gateways report errors under a good status.
        200..=399 => match json.filter(|json| json.get("error").is_some()) {
            Some(_) => judged.unwrap_or(ErrorKind::BadRequest),
            None => ErrorKind::NotAModel,
        },
        401 | 407 => ErrorKind::Key,
        402 => ErrorKind::Quota,
        403 => ErrorKind::Forbidden,
        404 | 405 if json.is_some() => ErrorKind::NotFound,
        404 | 405 => ErrorKind::NotAModel,
        408 | 409 | 425 => ErrorKind::Transient,
        413 => ErrorKind::ContextOverflow,
        429 => ErrorKind::RateLimited,
        503 | 529 => ErrorKind::Overloaded,
        500.. => ErrorKind::Server,
        _ => judged.unwrap_or(ErrorKind::BadRequest),
    }
}

fn advise(provider: &Provider, model: &str, kind: ErrorKind, status: Option<u16>, said: &str) -> String {
    let name = &provider.name;
    let said = tidy(said, provider);
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    let quote = if said.is_empty() { String::new() } else { format!(": {said}") };
    match kind {
        ErrorKind::Key => {
            let which = match &provider.key {
                Some(key) => format!("did not accept the key from {}", key.origin),
                None => "wants a key and has none".to_owned(),
            };
            format!("{name} {which}{status}{quote}\n{}", provider.key_advice())
        }
        ErrorKind::Forbidden => {
            format!(
                "{name} does not allow this{status}{quote}\nThe key may lack the right to use `{model}`. {}",
                provider.key_advice()
            )
        }
        ErrorKind::NotFound => format!(
            "{name} knows no `{model}`{status}{quote}\n`copydesk models` lists what is usable; provider.{}.options.baseURL is {}.",
            provider.id,
            provider.shown_address()
        ),
        ErrorKind::NotAModel => format!(
            "What answers at {} is not a model server{status}{quote}\nCheck provider.{}.options.baseURL and any proxy in between.",
            provider.shown_address(),
            provider.id
        ),
        ErrorKind::Quota => format!("{name} says that the account has no credit left{status}{quote}"),
        ErrorKind::ContextOverflow => {
            format!("The conversation is longer than `{model}` can take{status}{quote}")
        }
        ErrorKind::RateLimited => format!("{name} asks to slow down{status}{quote}"),
        ErrorKind::Overloaded => format!("{name} is overloaded{status}{quote}"),
        ErrorKind::BadRequest => format!("{name} refused the request{status}{quote}"),
        _ => format!("{name} failed{status}{quote}"),
    }
}

/// The server's words on one line, short, without our key in them and without anything that a terminal would obey.
pub(crate) fn tidy(said: &str, provider: &Provider) -> String {
    const LONGEST: usize = 500;
    let is_break = |letter: char| letter.is_whitespace() || letter.is_control();
    let words = said.split(is_break).filter(|word| !word.is_empty());
    let mut text = words.collect::<Vec<_>>().join(" ");
    if let Some(key) = &provider.key
        && !key.secret.expose().is_empty()
    {
        text = text.replace(key.secret.expose(), "(key)");
    }
    if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(cut);
        text.push('…');
    }
    text
}

/// The message in any of the shapes in which servers wrap it.
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
