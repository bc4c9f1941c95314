//! Which old outputs of calls the model need not read any more. Pure.
//!
//! Everything behind the first output that is left out is written to the provider's cache anew, so leaving out must save more than
//! that, unless the cache is cold anyway. What was replaced since goes first: a file that was read again or changed, a call that was
//! repeated.
//!
//! Invariant: nothing of the last turns is left out; of a turn with more steps, nothing of its last ones.
//! Invariant: no output is left out if a compaction follows all the same.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::ContextBudget;
use super::context_use::{PartTokens, READ_TOOL};
use super::rule_summary::patched_path;
use crate::data::{CallOutput, CallPart, Part, PartContent};

/// A shorter output is hardly longer than what takes its place.
const MIN_OUTPUT_TOKENS: u64 = 200;
/// The last turns, with the running one.
const KEPT_TURNS: usize = 2;
/// If they have more steps, only the last ones count.
const MAX_KEPT_STEPS: usize = 12;
/// The steps that a session is expected to have yet.
const EXPECTED_STEPS: f64 = 20.0;
/// With a warm cache: fewer tokens, or a smaller share of the window, are not worth it.
const MIN_WARM_TOKENS: u64 = 60_000;
const WARM_SHARE: (u64, u64) = (3, 10);
/// With a cold cache, or without prices for it.
const MIN_COLD_TOKENS: u64 = 10_000;
const COLD_SHARE: (u64, u64) = (1, 10);
/// What may be in use afterwards, of what fits: else a compaction follows soon.
const MAX_REST_SHARE: (u64, u64) = (3, 4);
/// Their outputs are instructions, or words of the user or of a subagent.
const KEPT_TOOLS: [&str; 7] =
    ["skill", "task", "question", "todowrite", "todoread", "plan_enter", "plan_exit"];

/// They name the file that they change.
const EDITING_TOOLS: [&str; 3] = ["edit", "multiedit", "write"];

/// An output that may be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OldOutput {
    /// The index of its part.
    pub(crate) at: usize,
    pub(crate) tokens: u64,
    /// Something newer says the same, or otherwise.
    pub(crate) is_superseded: bool,
}

/// What the provider's cache has of the conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PromptCache {
    Cold,
    /// Prices of a token, in those of one that is not cached.
    Warm {
        read: f64,
        write: f64,
    },
}

/// The state of the context before a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PruningSituation {
    pub(crate) used: u64,
    pub(crate) budget: ContextBudget,
    pub(crate) cache: PromptCache,
}

/// All outputs that may go, in order. `live` is the first part that the model reads, and `counted` has the tokens of every part.
pub(crate) fn old_outputs(
    parts: &[Arc<Part>],
    counted: &[PartTokens],
    live: usize,
    budget: ContextBudget,
) -> Vec<OldOutput> {
    let end = first_protected(parts, counted, live, budget.tail());
    let old = parts.iter().zip(counted).enumerate().take(end).skip(live);
    let mut old: Vec<_> = old
        .filter(|(_, (part, tokens))| tokens.output >= MIN_OUTPUT_TOKENS && may_go(part))
        .map(|(at, (_, tokens))| OldOutput { at, tokens: tokens.output, is_superseded: false })
        .collect();
    if !old.is_empty() {
        mark_superseded(&mut old, parts, live);
    }
    old
}

fn may_go(part: &Part) -> bool {
    finished_call(part).is_some_and(|(call, _)| !KEPT_TOOLS.contains(&call.name.as_str()))
}

fn finished_call(part: &Part) -> Option<(&CallPart, &CallOutput)> {
    match &part.content {
        PartContent::Call(call) if call.parent.is_none() => {
            call.output.as_deref().filter(|output| !output.is_error).map(|output| (call, output))
        }
        _ => None,
    }
}

/// Where the parts begin that stay as they are.
pub(crate) fn first_protected(parts: &[Arc<Part>], counted: &[PartTokens], live: usize, tail: u64) -> usize {
    let (mut turns, mut steps, mut tokens) = (0, 0, 0_u64);
    let (mut is_recent, mut protected) = (true, parts.len());
    for (at, (part, of_part)) in parts.iter().zip(counted).enumerate().skip(live).rev() {
        tokens += of_part.total();
        if !is_recent && tokens > tail {
            break;
        }
        protected = at;
        match &part.content {
            PartContent::Prompt(prompt) if !prompt.steers => turns += 1,
            PartContent::StepStart { .. } => steps += 1,
            _ => {}
        }
        is_recent &= turns < KEPT_TURNS && steps < MAX_KEPT_STEPS;
    }
    protected
}

/// Which lines of a file a `read` shows: the offset and the limit as the model wrote them.
type ReadLines = (Option<u64>, Option<u64>);

/// What later calls did, seen from the end of the session.
#[derive(Default)]
struct LaterCalls {
    changed: HashSet<String>,
    read: HashSet<(String, ReadLines)>,
    made: HashSet<(String, String)>,
}

impl LaterCalls {
    fn supersede(&self, call: &CallPart, arguments: &Map<String, Value>) -> bool {
        if call.name != READ_TOOL {
            return self.made.contains(&(call.name.clone(), call.arguments.clone()));
        }
        let Some(path) = text(arguments, "filePath") else { return false };
        self.changed.contains(path)
            || self.read.contains(&(path.to_owned(), (None, None)))
            || self.read.contains(&(path.to_owned(), lines_of(arguments)))
    }

    fn add(&mut self, call: &CallPart, arguments: &Map<String, Value>) {
        match text(arguments, "filePath") {
            Some(path) if call.name == READ_TOOL => {
                self.read.insert((path.to_owned(), lines_of(arguments)));
            }
            Some(path) if EDITING_TOOLS.contains(&call.name.as_str()) => {
                self.changed.insert(path.to_owned());
            }
            _ => {
                let patch = text(arguments, "patchText").unwrap_or_default();
                self.changed.extend(patch.lines().filter_map(patched_path).map(str::to_owned));
                self.made.insert((call.name.clone(), call.arguments.clone()));
            }
        }
    }
}

fn mark_superseded(old: &mut [OldOutput], parts: &[Arc<Part>], live: usize) {
    let mut later = LaterCalls::default();
    let mut left = old.iter_mut().rev().peekable();
    for (at, part) in parts.iter().enumerate().skip(live).rev() {
        let Some((call, _)) = finished_call(part) else { continue };
        let output = left.next_if(|output| output.at == at);
        let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) else { continue };
        if let Some(output) = output {
            output.is_superseded = later.supersede(call, &arguments);
        }
        later.add(call, &arguments);
    }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn lines_of(arguments: &Map<String, Value>) -> ReadLines {
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    (number("offset"), number("limit"))
}

/// Those that are left out now: the superseded ones if that is enough to pay, else all, else none. `behind` counts the tokens from
/// a part on.
pub(crate) fn choose_outputs(
    old: Vec<OldOutput>,
    situation: PruningSituation,
    behind: impl Fn(usize) -> u64,
) -> Vec<OldOutput> {
    let superseded: Vec<_> = old.iter().filter(|output| output.is_superseded).cloned().collect();
    let pays = |outputs: &[OldOutput]| {
        let Some(first) = outputs.first() else { return false };
        let saved: u64 = outputs.iter().map(|output| output.tokens).sum();
        situation.pays(saved, behind(first.at).saturating_sub(saved))
    };
    [superseded, old].into_iter().find(|outputs| pays(outputs)).unwrap_or_default()
}

impl PruningSituation {
    /// `rewritten` are the tokens behind the first output that goes, without those that go.
    fn pays(&self, saved: u64, rewritten: u64) -> bool {
        let Self { used, budget, cache } = *self;
        let share = |(part, whole): (u64, u64), of: u64| of.saturating_mul(part) / whole;
        if used.saturating_sub(saved) > share(MAX_REST_SHARE, budget.limit) {
            return false;
        }
        if used > budget.limit {
            return true;
        }
        let is_much = |most: u64, part| saved >= most.min(share(part, budget.window));
        match cache {
            PromptCache::Warm { read, write } if write > read => {
                let costs = rewritten as f64 * (write - read);
                is_much(MIN_WARM_TOKENS, WARM_SHARE) && saved as f64 * read * EXPECTED_STEPS > costs
            }
            PromptCache::Cold | PromptCache::Warm { .. } => is_much(MIN_COLD_TOKENS, COLD_SHARE),
        }
    }
}

#[cfg(test)]
mod tests;
