//! Fetches a page from the web.
//!
//! Redirects are followed here, hop by hop: each is looked at like the first address, no rule is got round, and one to another
//! origin is asked for like it. The time that people take does not count against the call.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use super::fetched::{Format, shown};
use super::target::aside;
use crate::context::{Ask, Context, Reviewed};
use crate::outcome::{Failure, FailureKind, Output};
use crate::tool::Tool;
use crate::web::Web;
use crate::web::fetch::{Answer, Hop, address, hop};
use crate::web::reach::Reach;

const USUAL: u64 = 30;
const LONGEST: u64 = 120;
const MOST_HOPS: usize = 10;

/// Some servers have Markdown of their own.
const ACCEPT: &str = "text/markdown;q=1.0, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5";
const ACCEPT_HTML: &str = "text/html, application/xhtml+xml, */*;q=0.5";

#[derive(Debug)]
pub(super) struct Webfetch {
    reach: Arc<Reach>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The whole address, with https:// or http://.
    url: String,
    /// What an HTML page is given as: markdown, text or html. Default markdown.
    #[serde(default)]
    format: Format,
    /// After how many seconds to give up. Default 30, at most 120.
    timeout: Option<u64>,
}

impl Webfetch {
    pub(super) fn new(web: &Web) -> Self {
        Self { reach: Arc::new(Reach::new(web)) }
    }
}

impl Tool for Webfetch {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "webfetch".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("webfetch.md").into()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let Parameters { url, format, timeout } = parameters;
        let url = address(&url)?;
        context.ask(ask(&url, None)).await?;
        // 0 is what some models write for "as usual".
        let seconds = timeout.filter(|seconds| *seconds > 0).unwrap_or(USUAL).min(LONGEST);
        let mut fetch = Fetch {
            reach: &self.reach,
            context: &context,
            format,
            seconds,
            spent: Duration::ZERO,
            from: Vec::new(),
        };
        tokio::select! {
            biased;
            () = context.cancel.cancelled() => Err(Failure::cancelled()),
            output = fetch.run(url) => output,
        }
    }
}

fn ask(url: &Url, from: Option<&Url>) -> Ask {
    let title = match from {
        Some(from) => format!("Fetch {url}, to which {} redirects", from.host_str().unwrap_or_default()),
        None => format!("Fetch {url}"),
    };
    Ask {
        key: "webfetch".to_owned(),
        patterns: vec![url.to_string()],
        always: vec![format!("{}/*", url.origin().ascii_serialization())],
        title,
        metadata: json!({ "url": url.as_str() }),
        ..Ask::default()
    }
}

/// Who said yes to the one has said yes to the other: the same origin, or the same behind a lock.
fn is_same_place(url: &Url, next: &Url) -> bool {
    let is_locked = url.scheme() == "http" && next.scheme() == "https";
    let is_host = next.host() == url.host() && next.port() == url.port();
    is_host && (next.scheme() == url.scheme() || is_locked)
}

struct Fetch<'a> {
    reach: &'a Reach,
    context: &'a Context,
    format: Format,
    seconds: u64,
    spent: Duration,
    /// Where it has been before.
    from: Vec<Url>,
}

impl Fetch<'_> {
    async fn run(&mut self, url: Url) -> Result<Output, Failure> {
        let (url, answer) = self.follow(url).await?;
        let (format, from) = (self.format, std::mem::take(&mut self.from));
        aside(move || shown(&url, &from, answer, format)).await
    }

    async fn follow(&mut self, mut url: Url) -> Result<(Url, Answer), Failure> {
        loop {
            let next = match self.hop(&url).await? {
                Hop::Answer(answer) => return Ok((url, answer)),
                Hop::To(next) => next,
            };
            if next == url || self.from.contains(&next) {
                return Err(Failure::failed(format!("{url} redirects in a circle. It cannot be fetched.")));
            }
            if self.from.len() >= MOST_HOPS {
                return Err(Failure::failed(format!(
                    "There are more than {MOST_HOPS} redirects; the last one leads to {next}."
                )));
            }
            // At the same place nobody is asked again, but a rule may forbid it.
            let review = if is_same_place(&url, &next) { Reviewed::First } else { Reviewed::Never };
            self.context.ask(Ask { review, ..ask(&next, Some(&url)) }).await?;
            self.from.push(std::mem::replace(&mut url, next));
        }
    }

    async fn hop(&mut self, url: &Url) -> Result<Hop, Failure> {
        let start = Instant::now();
        let left = Duration::from_secs(self.seconds).saturating_sub(self.spent);
        let accept = if self.format == Format::Html { ACCEPT_HTML } else { ACCEPT };
        let hop = timeout(left, hop(self.reach, url, accept)).await;
        self.spent += start.elapsed();
        hop.map_err(|_| {
            let message = format!(
                "{} did not answer within {} seconds. Try again with a longer `timeout`, or another page.",
                url.host_str().unwrap_or_default(),
                self.seconds
            );
            Failure::new(FailureKind::Timeout, message)
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
