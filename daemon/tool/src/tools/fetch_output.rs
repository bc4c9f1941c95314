//! The output of `webfetch` by content type: a page, a text, an image or PDF, or an error.

use copydesk_metadata::{CallDetail, CallMetadata, WebPageMetadata};
use copydesk_text::sniff;
use encoding_rs::{UTF_16BE, UTF_16LE};
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use super::media;
use super::target_file::count;
use crate::outcome::{ToolError, ToolOutput};
use crate::page::{self, PageFormat};
use crate::web::charset;
use crate::web::fetch::FetchResponse;

/// How much of an error page the model reads.
const MAX_EXCERPT_CHARS: usize = 500;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum WebFetchFormat {
    #[default]
    Markdown,
    Text,
    Html,
}

/// The kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WebContentKind {
    Page,
    Text,
    Media(&'static str),
    Other,
}

pub(super) fn render_response(
    url: &Url,
    from: &[Url],
    answer: FetchResponse,
    format: WebFetchFormat,
) -> Result<ToolOutput, ToolError> {
    let FetchResponse { status, mime, charset, body } = answer;
    let kind = kind(&mime, charset.as_deref(), &body);
    let host = url.host_str().unwrap_or_default();
    let metadata = |title: Option<&str>| -> CallMetadata {
        let page = WebPageMetadata {
            url: url.to_string(),
            title: title.map(str::to_owned),
            mime: mime.clone(),
            bytes: body.len() as u64,
            status: status.as_u16(),
        };
        CallDetail::WebPage(page).into()
    };
    if !status.is_success() {
        let text = match kind {
            WebContentKind::Page => page::read(&decoded(&body, &charset, true), url, PageFormat::Text).text,
            WebContentKind::Text => decoded(&body, &charset, false),
            WebContentKind::Media(_) | WebContentKind::Other => String::new(),
        };
        let message = format!("{url} answered {status}.{}{}", redirect_note(from), excerpt(&text));
        return Err(ToolError::failed(message).with_metadata(metadata(None)));
    }
    let size = count(body.len(), "byte");
    if body.is_empty() {
        let output = format!("{url} is empty.{}", redirect_note(from));
        return Ok(ToolOutput {
            title: host.to_owned(),
            output,
            metadata: metadata(None),
            ..ToolOutput::default()
        });
    }
    let (title, text, note) = match kind {
        WebContentKind::Media(mime) => {
            let media = vec![media::media(url.path(), mime, &body)?];
            let output = format!("{url} is shown with this ({mime}, {size}).{}", redirect_note(from));
            return Ok(ToolOutput {
                title: host.to_owned(),
                output,
                metadata: metadata(None),
                media,
                ..ToolOutput::default()
            });
        }
        WebContentKind::Other => {
            let mime = if mime.is_empty() { "no type" } else { &mime };
            let message = format!(
                "{url} is nothing that can be shown: {mime}, {size}. Text, HTML, JSON, images (PNG, JPEG, GIF, WebP) and PDFs can be; load anything else with a command.{}",
                redirect_note(from)
            );
            return Err(ToolError::target(message).with_metadata(metadata(None)));
        }
        WebContentKind::Text => (None, decoded(&body, &charset, false), ""),
        WebContentKind::Page => page(url, &decoded(&body, &charset, true), format),
    };
    let named = title.as_ref().map(|title| format!("“{title}”, ")).unwrap_or_default();
    let output = format!("({url}: {named}{size}.{}{note})\n\n{text}", redirect_note(from));
    let metadata = metadata(title.as_deref());
    let title = title.map_or_else(|| host.to_owned(), |title| format!("{title} ({host})"));
    Ok(ToolOutput { title, output, metadata, ..ToolOutput::default() })
}

fn page(url: &Url, html: &str, format: WebFetchFormat) -> (Option<String>, String, &'static str) {
    let form = if format == WebFetchFormat::Markdown { PageFormat::Markdown } else { PageFormat::Text };
    let page = page::read(html, url, form);
    if format == WebFetchFormat::Html {
        return (page.title, html.to_owned(), "");
    }
    let note = match (page.text.is_empty(), page.is_cut) {
        (true, _) => " It has no text; it may be one that scripts fill in a browser.",
        (_, true) => " It is too much, and the rest is left out.",
        _ => "",
    };
    (page.title, page.text, note)
}

fn decoded(body: &[u8], charset: &Option<String>, is_html: bool) -> String {
    charset::decode(body, charset.as_deref(), is_html)
}

fn kind(mime: &str, charset: Option<&str>, body: &[u8]) -> WebContentKind {
    if let Some(kind) = media::kind(body) {
        return WebContentKind::Media(kind);
    }
    let is_html = matches!(mime, "text/html" | "application/xhtml+xml");
    // UTF-16 is text, although half of its bytes are zero.
    let is_wide =
        charset::named(body, charset, is_html).is_some_and(|named| [UTF_16LE, UTF_16BE].contains(&named));
    if !is_wide && sniff(body).is_some() {
        return WebContentKind::Other;
    }
    match mime {
        _ if is_html => WebContentKind::Page,
        "" | "application/octet-stream" | "binary/octet-stream" => {
            let beginning = body.get(..512).unwrap_or(body).to_ascii_lowercase();
            let beginning = String::from_utf8_lossy(&beginning);
            let beginning = beginning.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
            if mime.is_empty() && (beginning.starts_with("<!doctype html") || beginning.starts_with("<html"))
            {
                WebContentKind::Page
            } else if is_wide || std::str::from_utf8(body).is_ok() {
                WebContentKind::Text
            } else {
                WebContentKind::Other
            }
        }
        _ if is_text(mime) => WebContentKind::Text,
        _ => WebContentKind::Other,
    }
}

fn is_text(mime: &str) -> bool {
    const TEXTS: [&str; 13] = [
        "json",
        "xml",
        "javascript",
        "ecmascript",
        "typescript",
        "x-ndjson",
        "jsonl",
        "yaml",
        "x-yaml",
        "toml",
        "sql",
        "graphql",
        "x-sh",
    ];
    let (class, name) = mime.split_once('/').unwrap_or_default();
    let last = name.rsplit('+').next().unwrap_or_default();
    class == "text"
        || class == "message"
        || TEXTS.contains(&last)
        || TEXTS.contains(&name.trim_start_matches("x-"))
}

/// The note about redirects.
fn redirect_note(from: &[Url]) -> String {
    match from.first() {
        Some(first) => format!(" {first} redirected to it."),
        None => String::new(),
    }
}

fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().filter(|letter| !letter.is_control()).take(MAX_EXCERPT_CHARS).collect();
    match short.len() {
        0 => String::new(),
        same if same == line.len() => format!(" It says: {short}"),
        _ => format!(" It says: {short}…"),
    }
}
