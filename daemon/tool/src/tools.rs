//! The desk's own tools: one file for each, its words for the model beside it, and this table of them.
//!
//! Parameters have the names that models know from OpenCode; what a tool does not know among its arguments is ignored.
//!
//! Invariant: a path goes through [`Context::place`](crate::Context::place), and the tool's own ask comes before anything is
//! read for the model, written or run.
//! Invariant: nothing is written over a content that the model has not seen, or that the person was not asked about.

use std::sync::Arc;

use copydesk_workspace::process::{Processes, Shell};

use crate::plan::Plan;
use crate::registry::Limits;
use crate::skills::Skill;
use crate::spill::Spill;
use crate::tool::{AnyTool, typed};

mod bash;
mod change;
mod edit;
mod folder;
mod glob;
mod grep;
mod list;
mod live;
mod media;
mod plan_enter;
mod plan_exit;
mod prefix;
mod question;
mod read;
mod reviewed;
mod skill;
mod target;
#[cfg(test)]
mod tests;
mod todoread;
mod todowrite;
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
    /// Those that the model may load; without any there is no tool for it.
    pub skills: Arc<[Skill]>,
    /// Where the session's plan is written.
    pub plan: Plan,
}

pub fn builtin(options: &Options) -> Vec<Box<dyn AnyTool>> {
    let mut tools = vec![
        typed(bash::Bash::new(options)),
        typed(edit::Edit),
        typed(glob::Glob),
        typed(grep::Grep),
        typed(list::List),
        typed(plan_enter::PlanEnter),
        typed(plan_exit::PlanExit::new(options.plan.clone())),
        typed(question::Questions),
        typed(read::Read::new(options.limits)),
        typed(todoread::Todoread),
        typed(todowrite::Todowrite),
        typed(write::Write),
    ];
    if !options.skills.is_empty() {
        tools.push(typed(skill::Load::new(Arc::clone(&options.skills))));
    }
    tools
}
