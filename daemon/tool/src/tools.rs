//! The desk's own tools: one file for each, its words for the model beside it, and this table of them.
//!
//! Parameters have the names that models know from OpenCode; what a tool does not know among its arguments is ignored.
//!
//! Invariant: a path goes through [`Context::place`](crate::Context::place), or through `open.rs` where it is only looked at, and
//! the tool's own ask comes before anything is read for the model, written or run.
//! Invariant: nothing is written over a content that the model has not seen, or that the person was not asked about.

use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::{Processes, Shell};

use crate::plan::Plan;
use crate::registry::Limits;
use crate::skills::Skill;
use crate::spill::Spill;
use crate::subagents::Subagents;
use crate::tool::{AnyTool, typed};
use crate::web::{Endpoint, Web};
use engine::Engine;
use open::Open;

mod apply_patch;
mod bash;
mod batch;
mod change;
mod checking;
mod codesearch;
mod edit;
mod engine;
mod fetched;
mod folder;
mod formatting;
mod glob;
mod grep;
mod job;
mod list;
mod live;
mod make;
mod media;
mod multiedit;
mod open;
mod patched;
mod plan_enter;
mod plan_exit;
mod prefix;
mod question;
mod read;
mod replacing;
mod reviewed;
mod skill;
mod target;
mod task;
#[cfg(test)]
mod tests;
mod todoread;
mod todowrite;
mod webfetch;
mod websearch;
mod write;

pub use media::attachment;

/// What the tools need beside a call's context.
#[derive(Debug, Clone)]
pub struct Options {
    /// Those of the registry: `read` and `bash` keep within them by themselves, since they know best how to go on.
    pub limits: Limits,
    /// Where the whole of a command's output goes when it is too long.
    pub spill: Spill,
    /// The session's: what a command leaves running ends with it.
    pub processes: Processes,
    pub shell: Shell,
    /// How long a search may take.
    pub patience: Duration,
    pub web: Web,
    /// Those that the model may load; without any there is no tool for it.
    pub skills: Arc<[Skill]>,
    /// Where the session's plan is written.
    pub plan: Plan,
}

/// Whether a tool changes files by patches, or else by texts in the place of others; nothing of one that changes none.
pub fn edits_by_patch(tool: &str) -> Option<bool> {
    match tool {
        "apply_patch" => Some(true),
        "edit" | "multiedit" | "write" => Some(false),
        _ => None,
    }
}

/// The tools whose work one can do as well: where one of them is switched off, so is it.
pub fn does_as(tool: &str) -> &'static [&'static str] {
    match tool {
        "apply_patch" => &["edit", "write"],
        "multiedit" => &["edit"],
        _ => &[],
    }
}

pub fn builtin(options: &Options) -> Vec<Box<dyn AnyTool>> {
    let open = Open::new(options);
    let mut tools = vec![
        typed(apply_patch::ApplyPatch),
        typed(bash::Bash::new(options)),
        typed(batch::Batch),
        typed(edit::Edit),
        typed(glob::Glob { patience: options.patience, open: open.clone() }),
        typed(grep::Grep { patience: options.patience, open: open.clone() }),
        typed(job::Jobs::new(options)),
        typed(list::List { open: open.clone() }),
        typed(multiedit::MultiEdit),
        typed(plan_enter::PlanEnter),
        typed(plan_exit::PlanExit::new(options.plan.clone())),
        typed(question::Questions),
        typed(read::Read::new(options.limits, open)),
        typed(todoread::Todoread),
        typed(todowrite::Todowrite),
        typed(webfetch::Webfetch::new(&options.web)),
        typed(write::Write),
    ];
    if !options.skills.is_empty() {
        tools.push(typed(skill::Load::new(Arc::clone(&options.skills))));
    }
    let web = &options.web;
    let engine =
        |endpoint: &Endpoint, what| Engine { what, endpoint: endpoint.clone(), proxies: web.proxies.clone() };
    let websearch = web.websearch.as_ref().map(|one| typed(websearch::Websearch(engine(one, "the web"))));
    let codesearch =
        web.codesearch.as_ref().map(|one| typed(codesearch::Codesearch(engine(one, "public code"))));
    tools.extend(websearch.into_iter().chain(codesearch));
    tools
}

/// The tool `task`, for a session whose agent may have others work for it.
pub fn task(subagents: Arc<dyn Subagents>) -> Box<dyn AnyTool> {
    typed(task::Task::new(subagents))
}
