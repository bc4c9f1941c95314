//! All tools by name, and everything about a call that is the same for each of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use copydesk_text::{self as text, Keep};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::arguments;
use crate::context::Context;
use crate::off::OFF;
use crate::outcome::{Failure, FailureKind, Outcome, Output, one_line};
use crate::spill::Spill;
use crate::tool::{AnyTool, Touches};

/// How long a tool may take to end after it was cancelled, before it is left to itself.
const GRACE: Duration = Duration::from_secs(5);

/// How much of an output goes to the model.
pub type Limits = text::Limits;

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    pub name: String,
    pub prompt: String,
    pub parameters: Arc<Value>,
}

#[derive(Clone)]
pub struct Registry {
    tools: BTreeMap<String, Arc<dyn AnyTool>>,
    limits: Limits,
    spill: Spill,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("tools", &self.tools.keys()).finish_non_exhaustive()
    }
}

impl Registry {
    pub fn new(limits: Limits, spill: Spill) -> Self {
        Self { tools: BTreeMap::new(), limits, spill }
    }

    /// Adds a tool, or replaces the one of its name.
    pub fn add(&mut self, tool: Box<dyn AnyTool>) {
        self.tools.insert(tool.name().into_owned(), tool.into());
    }

    /// The tools of whose key `wanted` says yes, sorted by name.
    pub fn specs(&self, wanted: impl Fn(&str) -> bool) -> Vec<Spec> {
        let tools = self.tools.iter().filter(|(_, tool)| tool.key() != OFF && wanted(&tool.key()));
        let spec = |(name, tool): (&String, &Arc<dyn AnyTool>)| Spec {
            name: name.clone(),
            prompt: tool.prompt().into_owned(),
            parameters: tool.parameters(),
        };
        tools.map(spec).collect()
    }

    /// What a call will touch, to keep calls of one step apart.
    pub fn touches(&self, name: &str, arguments: &str, context: &Context) -> Touches {
        let tool = self.find(name).ok();
        let arguments = arguments::parse(name, arguments).ok();
        tool.zip(arguments).map_or(Touches::Nothing, |(tool, arguments)| tool.touches(&arguments, context))
    }

    /// Runs a call to its end.
    pub async fn run(&self, name: &str, arguments: &str, context: Context) -> Outcome {
        let start = Instant::now();
        let result = match self.find(name) {
            Ok(tool) => self.run_tool(tool, arguments, context.clone()).await,
            Err(failure) => Err(failure),
        };
        let name = self.find(name).map_or_else(|_| name.to_owned(), |tool| tool.name().into_owned());
        let elapsed = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let milliseconds = elapsed.saturating_sub(context.waited.load(Ordering::Relaxed));
        match result {
            Ok(output) => {
                let Output { title, output, metadata, media, keep_end } = output;
                let keep = if keep_end { Keep::Tail } else { Keep::Head };
                let (title, output) = (one_line(&title), self.fit(&context.call, output, keep).await);
                Outcome { name, title, output, metadata, media, failure: None, milliseconds }
            }
            Err(Failure { kind, message, metadata }) => {
                let title = one_line(&message);
                let output = self.fit(&context.call, message, Keep::Head).await;
                Outcome {
                    name,
                    title,
                    output,
                    metadata,
                    media: Vec::new(),
                    failure: Some(kind),
                    milliseconds,
                }
            }
        }
    }

    async fn run_tool(
        &self,
        tool: Arc<dyn AnyTool>,
        arguments: &str,
        context: Context,
    ) -> Result<Output, Failure> {
        if context.cancel.is_cancelled() {
            return Err(Failure::cancelled());
        }
        let arguments = arguments::parse(&tool.name(), arguments)?;
        let name = tool.name().into_owned();
        let cancel = context.cancel.clone();
        // A task of its own: a panic in it is caught there.
        let mut task = Abort(tokio::spawn(async move { tool.run(arguments, context).await }));
        let ended = tokio::select! {
            ended = &mut task.0 => ended,
            () = cancel.cancelled() => match timeout(GRACE, &mut task.0).await {
                Ok(ended) => ended,
                Err(_) => return Err(Failure::cancelled()),
            },
        };
        ended.unwrap_or_else(|error| {
            let why = if error.is_panic() { "it broke down" } else { "it was stopped" };
            let message =
                format!("`{name}` did not finish: {why}. This is a fault of Copydesk, not of the call.");
            Err(Failure::new(FailureKind::Broken, message))
        })
    }

    /// By its name, or by the name in other letters' case: models write `Read` for `read`.
    fn find(&self, name: &str) -> Result<Arc<dyn AnyTool>, Failure> {
        let exact = self.tools.get(name);
        let other_case =
            || self.tools.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, tool)| tool);
        exact.or_else(other_case).cloned().ok_or_else(|| {
            let on = self.tools.iter().filter(|(_, tool)| tool.key() != OFF).map(|(own, _)| own.as_str());
            let names = on.clone();
            let nearest =
                names.map(|own| (strsim::jaro_winkler(own, name), own)).max_by(|a, b| a.0.total_cmp(&b.0));
            let hint = nearest
                .filter(|(likeness, _)| *likeness > 0.8)
                .map(|(_, own)| format!(" Did you mean `{own}`?"));
            let all = on.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!("There is no tool `{name}`.{} There are: {all}.", hint.unwrap_or_default());
            Failure::new(FailureKind::Unknown, message)
        })
    }

    /// Cuts an output to its limit and says where the rest is.
    async fn fit(&self, call: &str, output: String, keep: Keep) -> String {
        let cut = text::truncate(&output, self.limits, keep);
        if cut.is_whole() {
            return output;
        }
        let whole = match self.spill.keep(call, &output).await {
            Some(path) => {
                format!("The whole is in {}: read it with offset and limit, or search it.", path.display())
            }
            None => "The rest could not be kept.".to_owned(),
        };
        let left_out =
            format!("[{} lines ({} bytes) are left out. {whole}]", cut.omitted_lines, cut.omitted_bytes);
        match keep {
            Keep::Head => format!("{}\n\n{left_out}", cut.text.trim_end_matches('\n')),
            Keep::Tail => format!("{left_out}\n\n{}", cut.text),
        }
    }
}

/// A task that ends when nobody waits for it any more.
struct Abort(JoinHandle<Result<Output, Failure>>);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests;
