//! Prepares a call: finds the tool by the name that the model wrote and parses the arguments, or makes it a call of
//! `invalid_tool` with the reason.
//!
//! A disabled tool accepts any arguments: it answers that it is disabled.

mod invalid_tool;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use copydesk_metadata::{CallMetadata, CallNotes};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use crate::arguments::{self, ArgumentsCompleteness, ParsedArguments, Repair};
use crate::context::{PermissionRequest, ToolContext};
use crate::disabled_tools::DISABLED_KEY;
use crate::outcome::{ToolError, ToolErrorKind};
use crate::tool::{AnyTool, TouchedFiles};
use crate::tool_names::{self, ToolNameMatch};
use invalid_tool::invalid_call;

type ToolMap = BTreeMap<String, Arc<dyn AnyTool>>;

const MAX_BATCH_CALLS: usize = 25;

/// A call as a model wrote it.
#[derive(Debug, Clone, Copy)]
pub struct RawCall<'a> {
    pub name: &'a str,
    pub arguments: &'a str,
    pub completeness: ArgumentsCompleteness,
}

#[derive(Clone)]
pub struct PreparedCall {
    pub(crate) tool: Arc<dyn AnyTool>,
    pub(crate) arguments: Value,
    /// They differ from what the model wrote.
    pub(crate) is_changed: bool,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) prior_ask: Option<PriorAsk>,
    inner: Vec<PreparedCall>,
    surplus: usize,
}

/// An ask before the call runs, and what the model reads in addition if it is denied. Clones share one ask: the first asks,
/// and the reply counts for all.
#[derive(Debug, Clone)]
pub(crate) struct PriorAsk {
    ask: PermissionRequest,
    denial_note: &'static str,
    answer: Arc<OnceCell<Result<(), ToolError>>>,
}

impl PriorAsk {
    pub(crate) async fn ask(self, context: &ToolContext) -> Result<(), ToolError> {
        let key = self.ask.key.clone();
        let refused = |failure: ToolError| match failure.kind {
            ToolErrorKind::Denied => {
                let message = format!("{} {}", self.denial_note, failure.message);
                let notes = CallNotes { refused: Some(key), ..CallNotes::default() };
                ToolError::new(failure.kind, message).with_metadata(CallMetadata::default().with_notes(notes))
            }
            _ => failure,
        };
        let asking = async { context.ask(self.ask.clone()).await.map(drop).map_err(refused) };
        self.answer.get_or_init(|| asking).await.clone()
    }
}

impl fmt::Debug for PreparedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedCall").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl PreparedCall {
    pub(crate) fn new(
        tool: Arc<dyn AnyTool>,
        arguments: Value,
        is_changed: bool,
        repairs: Vec<Repair>,
    ) -> Self {
        Self { tool, arguments, is_changed, repairs, prior_ask: None, inner: Vec::new(), surplus: 0 }
    }

    /// The tool's own name, whatever the model wrote.
    pub fn name(&self) -> String {
        self.tool.name().into_owned()
    }

    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The repaired arguments, if they differ from what the model wrote.
    pub fn rewritten_arguments(&self) -> Option<String> {
        self.is_changed.then(|| self.arguments.to_string())
    }

    /// Runs the call only if this is allowed. If not, the model reads `otherwise` and the reason.
    #[must_use]
    pub fn with_prior_ask(mut self, ask: PermissionRequest, otherwise: &'static str) -> Self {
        self.prior_ask = Some(PriorAsk { ask, denial_note: otherwise, answer: Arc::default() });
        self
    }

    /// Shares the ask of `other`, the batch that this call belongs to.
    #[must_use]
    pub fn with_prior_ask_of(mut self, other: &Self) -> Self {
        self.prior_ask = other.prior_ask.clone();
        self
    }

    /// The calls of a batch, which run instead of it, up to the cap.
    pub fn take_inner_calls(&mut self) -> Vec<PreparedCall> {
        std::mem::take(&mut self.inner)
    }

    /// How many calls of the batch are over the cap.
    pub fn surplus(&self) -> usize {
        self.surplus
    }

    /// The files that it will touch, for the scheduling of the step's calls.
    pub fn touched_files(&self, context: &ToolContext) -> TouchedFiles {
        self.tool.touched_files(&self.arguments, context)
    }

    /// The note about repairs that follows the output.
    pub(crate) fn repair_note(&self) -> String {
        let told: Vec<_> =
            self.repairs.iter().filter(|repair| repair.matters()).map(Repair::to_string).collect();
        if told.is_empty() {
            String::new()
        } else {
            format!("\n\n(Repaired in this call: {}.)", told.join("; "))
        }
    }
}

pub(crate) fn prepare(
    tools: &ToolMap,
    call: &RawCall<'_>,
    is_key_offered: impl Fn(&str) -> bool,
) -> PreparedCall {
    let mut outer = prepare_single(tools, call, &is_key_offered);
    let inner = outer.tool.inner_calls(&outer.arguments);
    outer.surplus = inner.len().saturating_sub(MAX_BATCH_CALLS);
    for inner in inner.into_iter().take(MAX_BATCH_CALLS) {
        let arguments = inner.arguments.to_string();
        let written = RawCall {
            name: &inner.name,
            arguments: &arguments,
            completeness: ArgumentsCompleteness::Complete,
        };
        let one = prepare_single(tools, &written, &is_key_offered);
        let is_nested = !one.tool.inner_calls(&one.arguments).is_empty();
        outer.inner.push(if is_nested { nested_batch_call(&written) } else { one });
    }
    outer
}

fn nested_batch_call(call: &RawCall<'_>) -> PreparedCall {
    let message = format!("`{}` cannot be nested; put all calls in one list.", call.name);
    invalid_call(call.name, call.arguments, ToolErrorKind::Arguments, message)
}

fn prepare_single(
    tools: &ToolMap,
    call: &RawCall<'_>,
    is_key_offered: impl Fn(&str) -> bool,
) -> PreparedCall {
    let found = tool_names::match_tool_name(call.name, tools.keys().map(String::as_str));
    let (name, is_near) = match found {
        Some(ToolNameMatch::Spelled(name)) => (name, false),
        Some(ToolNameMatch::Near(name)) => (name, true),
        None => return unknown_tool_call(tools, call, is_key_offered),
    };
    let Some(tool) = tools.get(name) else { return unknown_tool_call(tools, call, is_key_offered) };
    let is_off = tool.permission_key() == DISABLED_KEY;
    let understood = match parse_call_arguments(tool.as_ref(), call) {
        // A misspelled name and arguments that do not fit: the model meant another tool.
        Err(_) if is_near => return unknown_tool_call(tools, call, is_key_offered),
        Err(_) if is_off => ParsedArguments { value: Value::Object(Map::new()), repairs: Vec::new() },
        Err(message) => return invalid_call(name, call.arguments, ToolErrorKind::Arguments, message),
        Ok(understood) => understood,
    };
    let ParsedArguments { value, mut repairs } = understood;
    let is_changed = !repairs.is_empty();
    if is_near {
        repairs.push(Repair::Tool { from: call.name.to_owned(), to: name.to_owned() });
    }
    PreparedCall::new(Arc::clone(tool), value, is_changed, repairs)
}

fn parse_call_arguments(tool: &dyn AnyTool, call: &RawCall<'_>) -> Result<ParsedArguments, String> {
    let (name, schema) = (tool.name(), tool.parameters());
    let understood = arguments::parse_arguments(call.arguments, &schema, call.completeness)
        .map_err(|why| arguments::unreadable(&name, &why, &schema))?;
    tool.check(&understood.value).map_err(|problem| arguments::mismatch_message(&name, &problem, &schema))?;
    Ok(understood)
}

fn unknown_tool_call(
    tools: &ToolMap,
    call: &RawCall<'_>,
    is_key_offered: impl Fn(&str) -> bool,
) -> PreparedCall {
    let offered: Vec<_> = tools
        .iter()
        .filter(|(_, tool)| tool.permission_key() != DISABLED_KEY && is_key_offered(&tool.permission_key()))
        .map(|(name, _)| name.as_str())
        .collect();
    let name: String = call.name.chars().take(100).collect();
    let hint = tool_names::suggest_tool_name(&name, offered.iter().copied()).map(|own| {
        let takes = tools.get(own).map(|tool| arguments::expected(&tool.parameters()));
        format!(" Did you mean `{own}`? It takes: {}.", takes.unwrap_or_default())
    });
    let all = offered.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let message = format!("There is no tool `{name}`.{} There are: {all}.", hint.unwrap_or_default());
    invalid_call(&name, call.arguments, ToolErrorKind::Unknown, message)
}
