//! A call as it was understood: from the name and the arguments that a model wrote to a tool and what it takes, or to
//! `invalid` with the reason.
//!
//! A tool that is switched off answers for itself, whatever its arguments are.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::OnceCell;

use crate::arguments::{self, Arguments, Ending, Repair};
use crate::context::{Ask, Context};
use crate::invalid::invalid;
use crate::names::{self, Found};
use crate::off::OFF;
use crate::outcome::{Failure, FailureKind};
use crate::tool::{AnyTool, Touches};

type Tools = BTreeMap<String, Arc<dyn AnyTool>>;

/// Calls within one call.
const MOST: usize = 25;

/// A call as a model wrote it.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    pub name: &'a str,
    pub arguments: &'a str,
    pub ending: Ending,
}

#[derive(Clone)]
pub struct Prepared {
    pub(crate) tool: Arc<dyn AnyTool>,
    pub(crate) arguments: Value,
    /// They are others than those that the model wrote.
    pub(crate) is_changed: bool,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) first: Option<First>,
    inner: Vec<Prepared>,
    surplus: usize,
}

/// What has to be asked before the call is made, and what the model is told besides if the answer is no. Clones are one ask:
/// whoever comes first asks it, and the answer is for all of them.
#[derive(Debug, Clone)]
pub(crate) struct First {
    ask: Ask,
    otherwise: &'static str,
    answer: Arc<OnceCell<Result<(), Failure>>>,
}

impl First {
    pub(crate) async fn ask(self, context: &Context) -> Result<(), Failure> {
        let key = self.ask.key.clone();
        let refused = |failure: Failure| match failure.kind {
            FailureKind::Denied => {
                let message = format!("{} {}", self.otherwise, failure.message);
                Failure::new(failure.kind, message).with_metadata(json!({ "refused": key }))
            }
            _ => failure,
        };
        let asking = async { context.ask(self.ask.clone()).await.map(drop).map_err(refused) };
        self.answer.get_or_init(|| asking).await.clone()
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Prepared {
    pub(crate) fn new(
        tool: Arc<dyn AnyTool>,
        arguments: Value,
        is_changed: bool,
        repairs: Vec<Repair>,
    ) -> Self {
        Self { tool, arguments, is_changed, repairs, first: None, inner: Vec::new(), surplus: 0 }
    }

    /// The tool's own name, however the model spelled it.
    pub fn name(&self) -> String {
        self.tool.name().into_owned()
    }

    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The arguments as they were understood, where the model wrote others.
    pub fn rewritten(&self) -> Option<String> {
        self.is_changed.then(|| self.arguments.to_string())
    }

    /// It is made only if the answer to this is yes. Else the model is told so, after `otherwise`.
    #[must_use]
    pub fn asking_first(mut self, ask: Ask, otherwise: &'static str) -> Self {
        self.first = Some(First { ask, otherwise, answer: Arc::default() });
        self
    }

    /// With what is asked before another: one that stands for this one.
    #[must_use]
    pub fn asking_like(mut self, other: &Self) -> Self {
        self.first = other.first.clone();
        self
    }

    /// The calls that it stands for: they are made instead of it. Those that are too many are left out.
    pub fn take_inner(&mut self) -> Vec<Prepared> {
        std::mem::take(&mut self.inner)
    }

    /// How many calls it stands for that are not made.
    pub fn surplus(&self) -> usize {
        self.surplus
    }

    /// What it will touch, to keep calls of one step apart.
    pub fn touches(&self, context: &Context) -> Touches {
        self.tool.touches(&self.arguments, context)
    }

    /// What the model should know of the repairs, behind an output.
    pub(crate) fn told(&self) -> String {
        let told: Vec<_> =
            self.repairs.iter().filter(|repair| repair.matters()).map(Repair::to_string).collect();
        if told.is_empty() {
            String::new()
        } else {
            format!("\n\n(Repaired in this call: {}.)", told.join("; "))
        }
    }
}

/// Says in a call's metadata what was repaired.
pub(crate) fn record(metadata: &mut Value, repairs: &[Repair]) {
    if repairs.is_empty() {
        return;
    }
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    if let Value::Object(metadata) = metadata {
        let repairs: Vec<_> = repairs.iter().map(Repair::to_string).collect();
        metadata.insert("repaired".to_owned(), json!(repairs));
    }
}

pub(crate) fn prepare(tools: &Tools, call: &Written<'_>, wanted: impl Fn(&str) -> bool) -> Prepared {
    let mut outer = alone(tools, call, &wanted);
    let inner = outer.tool.inner(&outer.arguments);
    outer.surplus = inner.len().saturating_sub(MOST);
    for inner in inner.into_iter().take(MOST) {
        let arguments = inner.arguments.to_string();
        let written = Written { name: &inner.name, arguments: &arguments, ending: Ending::Whole };
        let one = alone(tools, &written, &wanted);
        let is_nested = !one.tool.inner(&one.arguments).is_empty();
        outer.inner.push(if is_nested { nested(&written) } else { one });
    }
    outer
}

fn nested(call: &Written<'_>) -> Prepared {
    let message = format!("`{}` cannot stand in another one: give its calls in one list.", call.name);
    invalid(call.name, call.arguments, FailureKind::Arguments, message)
}

fn alone(tools: &Tools, call: &Written<'_>, wanted: impl Fn(&str) -> bool) -> Prepared {
    let found = names::find(call.name, tools.keys().map(String::as_str));
    let (name, is_near) = match found {
        Some(Found::Spelled(name)) => (name, false),
        Some(Found::Near(name)) => (name, true),
        None => return unknown(tools, call, wanted),
    };
    let Some(tool) = tools.get(name) else { return unknown(tools, call, wanted) };
    let is_off = tool.key() == OFF;
    let understood = match understand(tool.as_ref(), call) {
        // A slip in the name and other arguments than it takes: another tool was meant.
        Err(_) if is_near => return unknown(tools, call, wanted),
        Err(_) if is_off => Arguments { value: Value::Object(Map::new()), repairs: Vec::new() },
        Err(message) => return invalid(name, call.arguments, FailureKind::Arguments, message),
        Ok(understood) => understood,
    };
    let Arguments { value, mut repairs } = understood;
    let is_changed = !repairs.is_empty();
    if is_near {
        repairs.push(Repair::Tool { from: call.name.to_owned(), to: name.to_owned() });
    }
    Prepared::new(Arc::clone(tool), value, is_changed, repairs)
}

fn understand(tool: &dyn AnyTool, call: &Written<'_>) -> Result<Arguments, String> {
    let (name, schema) = (tool.name(), tool.parameters());
    let understood = arguments::prepare(call.arguments, &schema, call.ending)
        .map_err(|why| arguments::unreadable(&name, &why, &schema))?;
    tool.check(&understood.value).map_err(|problem| arguments::unfit(&name, &problem, &schema))?;
    Ok(understood)
}

fn unknown(tools: &Tools, call: &Written<'_>, wanted: impl Fn(&str) -> bool) -> Prepared {
    let offered: Vec<_> = tools
        .iter()
        .filter(|(_, tool)| tool.key() != OFF && wanted(&tool.key()))
        .map(|(name, _)| name.as_str())
        .collect();
    let name: String = call.name.chars().take(100).collect();
    let hint = names::proposal(&name, offered.iter().copied()).map(|own| {
        let takes = tools.get(own).map(|tool| arguments::expected(&tool.parameters()));
        format!(" Did you mean `{own}`? It takes: {}.", takes.unwrap_or_default())
    });
    let all = offered.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let message = format!("There is no tool `{name}`.{} There are: {all}.", hint.unwrap_or_default());
    invalid(&name, call.arguments, FailureKind::Unknown, message)
}
