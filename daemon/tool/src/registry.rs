//! All tools by name, and what every call goes through.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use copydesk_text::{self as text, KeepSide};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::arguments::{ArgumentsCompleteness, Repair};
use crate::context::ToolContext;
use crate::disabled_tools::DISABLED_KEY;
use crate::outcome::{CallOutcome, ToolError, ToolErrorKind, ToolOutput, one_line};
use crate::output_spill::OutputSpill;
use crate::prepared_call::{self, PreparedCall, RawCall};
use crate::time_limits::CANCELLED_TOOL_GRACE;
use crate::tool::{AnyTool, TouchedFiles};

/// Around the path of a file with the whole of an output that was cut.
const WHOLE_FILE_BEGIN: &str = "The whole is in ";
const WHOLE_FILE_END: &str = ": read it with offset and limit, or search it.";

/// The cap of an output.
pub type ToolOutputLimits = text::TruncateLimits;

/// A tool as the model is offered it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    pub name: String,
    pub prompt: String,
    pub parameters: Arc<Value>,
}

#[derive(Clone)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Arc<dyn AnyTool>>,
    limits: ToolOutputLimits,
    spill: OutputSpill,
}

impl std::fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolRegistry").field("tools", &self.tools.keys()).finish_non_exhaustive()
    }
}

impl ToolRegistry {
    pub fn new(limits: ToolOutputLimits, spill: OutputSpill) -> Self {
        Self { tools: BTreeMap::new(), limits, spill }
    }

    /// Adds a tool, or replaces the one of its name.
    pub fn add(&mut self, tool: Box<dyn AnyTool>) {
        self.tools.insert(tool.name().into_owned(), tool.into());
    }

    /// The tools whose permission key `is_key_offered` accepts, sorted by name.
    pub fn definitions(&self, is_key_offered: impl Fn(&str) -> bool) -> Vec<ToolDefinition> {
        let tools = self.tools.iter().filter(|(_, tool)| {
            tool.permission_key() != DISABLED_KEY && is_key_offered(&tool.permission_key())
        });
        let spec = |(name, tool): (&String, &Arc<dyn AnyTool>)| ToolDefinition {
            name: name.clone(),
            prompt: tool.prompt().into_owned(),
            parameters: tool.parameters(),
        };
        tools.map(spec).collect()
    }

    /// The file with the whole of an output, which is written unless a longer one was cut to this. `None` if that fails.
    pub async fn store_whole_output(&self, name: &str, output: &str) -> Option<PathBuf> {
        let named = output.rfind(WHOLE_FILE_BEGIN).and_then(|at| output.get(at + WHOLE_FILE_BEGIN.len()..));
        let named =
            named.and_then(|rest| rest.split_once(WHOLE_FILE_END)).map(|(path, _)| PathBuf::from(path));
        match named.filter(|path| path.starts_with(self.spill.folder()) && path.is_file()) {
            Some(path) => Some(path),
            None => self.spill.store_output(name, output).await,
        }
    }

    /// Finds the tool and parses the arguments. `is_key_offered` says which permission keys the model was offered.
    pub fn prepare(&self, call: &RawCall<'_>, is_key_offered: impl Fn(&str) -> bool) -> PreparedCall {
        prepared_call::prepare(&self.tools, call, is_key_offered)
    }

    /// The files that a call will touch.
    pub fn touched_files(&self, name: &str, arguments: &str, context: &ToolContext) -> TouchedFiles {
        let written = RawCall { name, arguments, completeness: ArgumentsCompleteness::Complete };
        self.prepare(&written, |_| true).touched_files(context)
    }

    /// Prepares a call and runs it to its end.
    pub async fn run_raw_call(&self, name: &str, arguments: &str, context: ToolContext) -> CallOutcome {
        let written = RawCall { name, arguments, completeness: ArgumentsCompleteness::Complete };
        self.run_call(self.prepare(&written, |_| true), context).await
    }

    /// Runs a call to its end.
    pub async fn run_call(&self, call: PreparedCall, context: ToolContext) -> CallOutcome {
        let start = Instant::now();
        let (name, told) = (call.name(), call.repair_note());
        let repairs = call.repairs.clone();
        let result = self.run_tool(call, context.clone()).await;
        let elapsed = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let milliseconds = elapsed.saturating_sub(context.waited.load(Ordering::Relaxed));
        let mut outcome = match result {
            Ok(output) => {
                let ToolOutput { title, output, metadata, media, keep_end } = output;
                let keep = if keep_end { KeepSide::Tail } else { KeepSide::Head };
                let (title, output) = (one_line(&title), self.fit(&context.call, output, keep).await);
                CallOutcome { name, title, output, metadata, media, error_kind: None, keep_end, milliseconds }
            }
            Err(ToolError { kind, message, title, metadata }) => {
                let title = one_line(title.as_deref().unwrap_or(&message));
                let output = self.fit(&context.call, message, KeepSide::Head).await;
                CallOutcome {
                    name,
                    title,
                    output,
                    metadata,
                    media: Vec::new(),
                    error_kind: Some(kind),
                    keep_end: false,
                    milliseconds,
                }
            }
        };
        outcome.output.push_str(&told);
        outcome.metadata.notes.repaired = repairs.iter().map(Repair::to_string).collect();
        outcome
    }

    async fn run_tool(&self, call: PreparedCall, context: ToolContext) -> Result<ToolOutput, ToolError> {
        if context.cancel.is_cancelled() {
            let message = "The user cancelled this call before it began. Nothing of it was carried out.";
            return Err(ToolError::new(ToolErrorKind::Cancelled, message).with_title("cancelled"));
        }
        let name = call.name();
        let PreparedCall { tool, arguments, prior_ask: first, .. } = call;
        if let Some(first) = first {
            first.ask(&context).await?;
        }
        let cancel = context.cancel.clone();
        // In its own task, which catches a panic.
        let work = async move { tool.run(arguments, context).await };
        let mut task = AbortOnDrop(tokio::spawn(work.in_current_span()));
        let ended = tokio::select! {
            ended = &mut task.0 => ended,
            () = cancel.cancelled() => match timeout(CANCELLED_TOOL_GRACE, &mut task.0).await {
                Ok(ended) => ended,
                Err(_) => return Err(ToolError::cancelled()),
            },
        };
        ended.unwrap_or_else(|error| {
            let why = if error.is_panic() { "it broke down" } else { "it was stopped" };
            let message =
                format!("`{name}` did not finish: {why}. This is a fault of Copydesk, not of the call.");
            Err(ToolError::new(ToolErrorKind::Broken, message))
        })
    }

    pub(crate) fn limits(&self) -> ToolOutputLimits {
        self.limits
    }

    async fn fit(&self, call: &str, output: String, keep: KeepSide) -> String {
        self.fit_to(call, output, keep, self.limits).await
    }

    /// Truncates an output to its limit and says where the rest is.
    pub(crate) async fn fit_to(
        &self,
        call: &str,
        output: String,
        keep: KeepSide,
        limits: ToolOutputLimits,
    ) -> String {
        let cut = text::truncate(&output, limits, keep);
        if cut.is_whole() {
            return output;
        }
        let whole = match self.spill.store_output(call, &output).await {
            Some(path) => {
                format!("{WHOLE_FILE_BEGIN}{}{WHOLE_FILE_END}", path.display())
            }
            None => "The rest could not be kept.".to_owned(),
        };
        let left_out =
            format!("[{} lines ({} bytes) are left out. {whole}]", cut.omitted_lines, cut.omitted_bytes);
        match keep {
            KeepSide::Head => format!("{}\n\n{left_out}", cut.text.trim_end_matches('\n')),
            KeepSide::Tail => format!("{left_out}\n\n{}", cut.text),
        }
    }
}

/// A task that ends when its owner is dropped.
struct AbortOnDrop(JoinHandle<Result<ToolOutput, ToolError>>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests;
