//! Fetches a page from the web.
//!
//! The tool follows redirects itself, hop by hop: rules apply to each hop, and another origin needs its own ask. The user's
//! time does not count against the timeout.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use copydesk_metadata::{FetchAskMetadata, PermissionAskDetail};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;
use url::Url;

use super::fetch_output::{WebFetchFormat, render_response};
use super::target_file::run_blocking;
use crate::context::{AskUserMode, PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::time_limits::{DEFAULT_FETCH_TIMEOUT, MAX_FETCH_TIMEOUT};
use crate::tool::Tool;
use crate::web::WebAccess;
use crate::web::fetch::{FetchHop, FetchResponse, address, hop};
use crate::web::fetch_policy::FetchPolicy;

const MAX_REDIRECTS: usize = 10;

/// Some servers offer Markdown.
const ACCEPT: &str = "text/markdown;q=1.0, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5";
const ACCEPT_HTML: &str = "text/html, application/xhtml+xml, */*;q=0.5";

#[derive(Debug)]
pub(super) struct WebFetchTool {
    policy: Arc<FetchPolicy>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebFetchParameters {
    /// The whole address, with https:// or http://.
    url: String,
    /// What an HTML page is given as: markdown, text or html. Default markdown.
    #[serde(default)]
    format: WebFetchFormat,
    /// After how many seconds to give up. Default 30, at most 120.
    timeout: Option<u64>,
}

impl WebFetchTool {
    pub(super) fn new(web: &WebAccess) -> Self {
        Self { policy: Arc::new(FetchPolicy::new(web)) }
    }
}

impl Tool for WebFetchTool {
    type Parameters = WebFetchParameters;

    fn name(&self) -> Cow<'static, str> {
        "webfetch".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("webfetch.md").into()
    }

    async fn run(
        &self,
        parameters: WebFetchParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let WebFetchParameters { url, format, timeout } = parameters;
        let url = address(&url)?;
        context.ask(ask(&url, None)).await?;
        // Some models write 0 for the default.
        let limit = timeout.filter(|seconds| *seconds > 0).map(Duration::from_secs);
        let limit = limit.unwrap_or(DEFAULT_FETCH_TIMEOUT).min(MAX_FETCH_TIMEOUT);
        let mut fetch = PageFetcher {
            policy: &self.policy,
            context: &context,
            format,
            limit,
            spent: Duration::ZERO,
            redirects: Vec::new(),
        };
        tokio::select! {
            biased;
            () = context.cancel.cancelled() => Err(ToolError::cancelled()),
            output = fetch.run(url) => output,
        }
    }
}

fn ask(url: &Url, from: Option<&Url>) -> PermissionRequest {
    let title = match from {
        Some(from) => format!("Fetch {url}, to which {} redirects", from.host_str().unwrap_or_default()),
        None => format!("Fetch {url}"),
    };
    PermissionRequest {
        key: "webfetch".to_owned(),
        patterns: vec![url.to_string()],
        always: vec![format!("{}/*", url.origin().ascii_serialization())],
        title,
        metadata: PermissionAskDetail::Fetch(FetchAskMetadata { url: url.to_string() }).into(),
        ..PermissionRequest::default()
    }
}

/// Whether a reply for one URL covers the other: the same origin, or the same host upgraded to https.
fn is_same_place(url: &Url, next: &Url) -> bool {
    let is_locked = url.scheme() == "http" && next.scheme() == "https";
    let is_host = next.host() == url.host() && next.port() == url.port();
    is_host && (next.scheme() == url.scheme() || is_locked)
}

struct PageFetcher<'a> {
    policy: &'a FetchPolicy,
    context: &'a ToolContext,
    format: WebFetchFormat,
    limit: Duration,
    spent: Duration,
    /// The URLs before redirects.
    redirects: Vec<Url>,
}

impl PageFetcher<'_> {
    async fn run(&mut self, url: Url) -> Result<ToolOutput, ToolError> {
        let (url, answer) = self.follow(url).await?;
        let (format, from) = (self.format, std::mem::take(&mut self.redirects));
        run_blocking(move || render_response(&url, &from, answer, format)).await
    }

    async fn follow(&mut self, mut url: Url) -> Result<(Url, FetchResponse), ToolError> {
        loop {
            let next = match self.hop(&url).await? {
                FetchHop::Response(answer) => return Ok((url, answer)),
                FetchHop::Redirect(next) => next,
            };
            if next == url || self.redirects.contains(&next) {
                return Err(ToolError::failed(format!("{url} redirects in a circle. It cannot be fetched.")));
            }
            if self.redirects.len() >= MAX_REDIRECTS {
                return Err(ToolError::failed(format!(
                    "There are more than {MAX_REDIRECTS} redirects; the last one leads to {next}."
                )));
            }
            // For the same origin the user is not asked again, but a rule may deny it.
            let ask_user = if is_same_place(&url, &next) { AskUserMode::Never } else { AskUserMode::Whole };
            self.context.ask(PermissionRequest { ask_user, ..ask(&next, Some(&url)) }).await?;
            self.redirects.push(std::mem::replace(&mut url, next));
        }
    }

    async fn hop(&mut self, url: &Url) -> Result<FetchHop, ToolError> {
        let start = Instant::now();
        let left = self.limit.saturating_sub(self.spent);
        let accept = if self.format == WebFetchFormat::Html { ACCEPT_HTML } else { ACCEPT };
        let hop = timeout(left, hop(self.policy, url, accept)).await;
        self.spent += start.elapsed();
        hop.map_err(|_| {
            let message = format!(
                "{} did not answer within {} seconds. Try again with a longer `timeout`, or another page.",
                url.host_str().unwrap_or_default(),
                self.limit.as_secs()
            );
            ToolError::new(ToolErrorKind::Timeout, message)
        })?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_stays_at_its_place_only_with_its_origin_or_behind_a_lock() {
        for (from, to, is_same) in [
            ("https://a.test/x", "https://a.test/y", true),
            ("http://a.test/x", "https://a.test/x", true),
            ("http://a.test:80/", "https://a.test:443/", true),
            ("https://a.test/x", "http://a.test/x", false),
            ("https://a.test/", "https://a.test:8443/", false),
            ("http://a.test/", "https://a.test:8443/", false),
            ("https://a.test/", "https://b.a.test/", false),
        ] {
            let [from, to] = [from, to].map(|url| Url::parse(url).unwrap());
            assert_eq!(is_same_place(&from, &to), is_same, "{from} {to}");
        }
    }
}
