//! One hop of a fetch: a request, and its redirect or response.

use std::error::Error;

use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Response, StatusCode};
use url::Url;

use super::fetch_policy::{FetchPolicy, ForbiddenHostError};
use super::response_body;
use crate::outcome::{ToolError, ToolErrorKind};

pub(crate) const MAX_PAGE_BYTES: usize = 5 * 1024 * 1024;

/// How much of an error response is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A longer address is rejected.
const MAX_ADDRESS_BYTES: usize = 8 * 1024;

#[derive(Debug)]
pub(crate) enum FetchHop {
    Redirect(Url),
    Response(FetchResponse),
}

#[derive(Debug)]
pub(crate) struct FetchResponse {
    pub(crate) status: StatusCode,
    /// `text/html`, in lower case; empty if the server does not say.
    pub(crate) mime: String,
    pub(crate) charset: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Parses an address, and rejects those that `webfetch` never fetches.
pub(crate) fn address(written: &str) -> Result<Url, ToolError> {
    let wrong = |why: &str| ToolError::new(ToolErrorKind::Arguments, why);
    if written.len() > MAX_ADDRESS_BYTES {
        return Err(wrong("The URL is too long."));
    }
    let url = Url::parse(written.trim()).map_err(|error| {
        wrong(&format!("This is no URL ({error}). Give a whole one, with https:// in front."))
    })?;
    accepted(url).map_err(|(_, why)| wrong(why))
}

/// The address with its host's name as in rules, or why it is rejected.
fn accepted(mut url: Url) -> Result<Url, (Url, &'static str)> {
    if let Err(why) = form(&url) {
        return Err((url, why));
    }
    // A rule would take the same host under another name for another host.
    let name = url.domain().and_then(|name| name.strip_suffix('.')).map(str::to_owned);
    match name {
        Some(name) if url.set_host(Some(&name)).is_err() => Err((url, NO_HOST)),
        _ => Ok(url),
    }
}

const NO_HOST: &str = "The host of a URL has letters, digits, `-`, `_` and single `.`, and nothing else.";

fn form(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("Only http:// and https:// can be fetched. Files are for `read`.");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "A name or password in a URL is not sent. Leave it out; what needs a login cannot be fetched.",
        );
    }
    // "Always" uses the host as a pattern, in which a `*` would match other hosts.
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let is_label = |label: &str| !label.is_empty() && label.chars().all(is_letter);
    match url.domain().map(|name| name.strip_suffix('.').unwrap_or(name)) {
        Some(name) if !name.split('.').all(is_label) => Err(NO_HOST),
        _ => Ok(()),
    }
}

pub(crate) async fn hop(reach: &FetchPolicy, url: &Url, accept: &str) -> Result<FetchHop, ToolError> {
    let client = reach.client(url).await?;
    let request = client.get(url.clone()).header(ACCEPT, accept).header(ACCEPT_LANGUAGE, "en;q=0.9, *;q=0.5");
    let mut response = request.send().await.map_err(|error| unreachable(url, &error))?;
    if let Some(next) = redirect(url, &response)? {
        return Ok(FetchHop::Redirect(next));
    }
    answer(&mut response).await.map(FetchHop::Response)
}

fn redirect(url: &Url, response: &Response) -> Result<Option<Url>, ToolError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location =
        response.headers().get(LOCATION).map(|location| String::from_utf8_lossy(location.as_bytes()));
    let Some(location) = location.filter(|location| location.len() <= MAX_ADDRESS_BYTES) else {
        return Err(ToolError::failed(format!(
            "{url} answered with a redirect ({}) that leads nowhere.",
            response.status()
        )));
    };
    let next = url.join(&location).map_err(|_| {
        let location: String = location.chars().filter(|letter| !letter.is_control()).take(200).collect();
        ToolError::failed(format!("{url} answered with a redirect to `{location}`, which is no URL."))
    })?;
    accepted(next).map(Some).map_err(|(next, why)| {
        ToolError::new(ToolErrorKind::Denied, format!("{url} redirects to {}. {why}", next.scheme()))
    })
}

async fn answer(response: &mut Response) -> Result<FetchResponse, ToolError> {
    let status = response.status();
    let (mime, charset) = kind(response);
    let is_error = status.is_client_error() || status.is_server_error();
    let encoding = response.headers().get(CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
    // The client asked only for gzip, and has removed that header when it decompressed.
    if let Some(encoding) = encoding.filter(|encoding| !encoding.trim().eq_ignore_ascii_case("identity")) {
        let encoding: String = encoding.chars().take(40).collect();
        return Err(ToolError::failed(format!(
            "The answer ({status}) is compressed by `{encoding}`, which was not asked for and cannot be read."
        )));
    }
    let declared = response.content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    if !is_error && declared > MAX_PAGE_BYTES {
        return Err(too_large(&mime, &format!("{declared} bytes")));
    }
    let body = response_body::read(response, if is_error { MAX_ERROR_BYTES } else { MAX_PAGE_BYTES }).await?;
    if body.is_cut && !is_error {
        return Err(too_large(&mime, "more than that"));
    }
    Ok(FetchResponse { status, mime, charset, body: body.bytes })
}

fn too_large(mime: &str, size: &str) -> ToolError {
    let mime = if mime.is_empty() { "of an unknown type" } else { mime };
    ToolError::target(format!(
        "The answer ({mime}) is too large: at most {MAX_PAGE_BYTES} bytes are fetched, and it has {size}. Look for a smaller page, or load it with a command."
    ))
}

/// The content type and character set of the server's header.
fn kind(response: &Response) -> (String, Option<String>) {
    let value = response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let value = value.unwrap_or_default();
    let mut parts = value.split(';').map(str::trim);
    let mime: String =
        parts.next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(100).collect();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    (mime.to_ascii_lowercase(), charset)
}

fn unreachable(url: &Url, error: &reqwest::Error) -> ToolError {
    if let Some(forbidden) = ForbiddenHostError::find_in(error) {
        return forbidden.to_tool_error();
    }
    let host = url.host_str().unwrap_or_default();
    ToolError::failed(format!("{host} cannot be reached: {}.", cause(error)))
}

/// The error of a connection that broke during the response.
pub(super) fn broken(error: &reqwest::Error, bytes: usize) -> ToolError {
    ToolError::failed(format!(
        "The answer broke off after {bytes} bytes: {}. Try again, or another page.",
        cause(error)
    ))
}

/// The innermost error's message: the outer ones contain the whole address.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    let words = innermost.to_string();
    words.trim_end_matches('.').chars().take(300).collect()
}
