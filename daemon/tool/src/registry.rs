//! All tools by name, and everything about a call that is the same for each of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use copydesk_text::{self as text, Keep};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::arguments::Ending;
use crate::context::Context;
use crate::off::OFF;
use crate::outcome::{Failure, FailureKind, Outcome, Output, one_line};
use crate::prepared::{self, Prepared, Written};
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

    /// A call as it is understood. `wanted` says which tools, by their keys, the model was told of.
    pub fn prepare(&self, call: &Written<'_>, wanted: impl Fn(&str) -> bool) -> Prepared {
        prepared::prepare(&self.tools, call, wanted)
    }

    /// What a call will touch, as a model wrote it.
    pub fn touches(&self, name: &str, arguments: &str, context: &Context) -> Touches {
        let written = Written { name, arguments, ending: Ending::Whole };
        self.prepare(&written, |_| true).touches(context)
    }

    /// Runs a call to its end, as a model wrote it.
    pub async fn run(&self, name: &str, arguments: &str, context: Context) -> Outcome {
        let written = Written { name, arguments, ending: Ending::Whole };
        self.carry_out(self.prepare(&written, |_| true), context).await
    }

    /// Runs a call to its end.
    pub async fn carry_out(&self, call: Prepared, context: Context) -> Outcome {
        let start = Instant::now();
        let (name, told) = (call.name(), call.told());
        let repairs = call.repairs.clone();
        let result = self.run_tool(call, context.clone()).await;
        let elapsed = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let milliseconds = elapsed.saturating_sub(context.waited.load(Ordering::Relaxed));
        let mut outcome = match result {
            Ok(output) => {
                let Output { title, output, metadata, media, keep_end } = output;
                let keep = if keep_end { Keep::Tail } else { Keep::Head };
                let (title, output) = (one_line(&title), self.fit(&context.call, output, keep).await);
                Outcome { name, title, output, metadata, media, failure: None, keep_end, milliseconds }
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
                    keep_end: false,
                    milliseconds,
                }
            }
        };
        outcome.output.push_str(&told);
        prepared::record(&mut outcome.metadata, &repairs);
        outcome
    }

    async fn run_tool(&self, call: Prepared, context: Context) -> Result<Output, Failure> {
        if context.cancel.is_cancelled() {
            let message = "The person cancelled this call before it began. Nothing of it was carried out.";
            return Err(Failure::new(FailureKind::Cancelled, message));
        }
        let name = call.name();
        let Prepared { tool, arguments, first, .. } = call;
        if let Some(first) = first {
            first.ask(&context).await?;
        }
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

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    async fn fit(&self, call: &str, output: String, keep: Keep) -> String {
        self.fit_to(call, output, keep, self.limits).await
    }

    /// Cuts an output to its limit and says where the rest is.
    pub(crate) async fn fit_to(&self, call: &str, output: String, keep: Keep, limits: Limits) -> String {
        let cut = text::truncate(&output, limits, keep);
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
