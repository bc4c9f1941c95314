//! The built-in tools: one file for each with its prompt beside it, and this table of them.
//!
//! Parameters have the names that models know from OpenCode; a tool ignores unknown ones.
//!
//! Invariant: a path goes through [`ToolContext::resolve_path`](crate::ToolContext::resolve_path), or through
//! `readable_folders.rs` if it is only read, and the tool asks before it reads for the model, writes or runs anything.
//! Invariant: a tool never overwrites content that the model has not seen, or that the user's ask was not about.

use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::sandbox::CommandSandbox;
use copydesk_workspace::process::{Processes, Shell};

use crate::output_spill::OutputSpill;
use crate::plan_file::PlanFile;
use crate::registry::ToolOutputLimits;
use crate::skills::Skill;
use crate::subagents::Subagents;
use crate::tool::{AnyTool, box_tool};
use crate::web::{SearchEndpoint, WebAccess};
use endpoint_search::EndpointSearch;
use readable_folders::ReadableFolders;

mod apply_changes;
mod apply_patch;
mod bash;
mod batch;
mod change;
mod change_summary;
mod codesearch;
mod command_files;
mod command_paths;
mod command_sandbox;
mod diagnostics;
mod edit;
mod endpoint_search;
mod fetch_output;
mod folder_listing;
mod formatting;
mod glob;
mod grep;
mod hard_links;
mod job;
mod list;
mod live_output;
mod lsp;
mod media;
mod multiedit;
mod outside_commands;
mod patch_files;
mod plan_enter;
mod plan_exit;
mod planned_changes;
mod private_keys;
mod question;
mod read;
mod readable_folders;
mod refactor;
mod replace_text;
mod review_outcome;
mod rule_names;
mod server_loading;
mod skill;
mod target_file;
mod task;
#[cfg(test)]
mod tests;
mod todoread;
mod todowrite;
mod unshown_text;
mod webfetch;
mod websearch;
mod write;

pub use command_sandbox::CommandPlacement;
pub use media::attachment;
pub use rule_names::rule_names;

/// What the tools need besides a call's context.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    /// The registry's limits: `read` and `bash` apply them themselves, because they know best how the model continues.
    pub limits: ToolOutputLimits,
    /// Stores the whole output of a command if it is too long.
    pub spill: OutputSpill,
    /// The session's processes: what a command leaves running ends with the session.
    pub processes: Processes,
    /// Where commands run.
    pub sandbox: CommandSandbox,
    pub shell: Shell,
    /// The timeout of a search.
    pub search_timeout: Duration,
    pub web: WebAccess,
    /// The skills that the model may load; if there are none, neither is the tool.
    pub skills: Arc<[Skill]>,
    pub plan: PlanFile,
}

/// What a tool that changes files states about itself, for the choice of a session's tools.
struct EditingTool {
    name: &'static str,
    /// Whether it is for models that edit by patch (`true`) or by text replacement (`false`); none if it is for all models.
    by_patch: Option<bool>,
    /// The tools whose work it can also do: if one of them is disabled, so is this one.
    equivalent: &'static [&'static str],
}

/// Every tool with the permission key `edit`. A test compares them.
const EDITING_TOOLS: [EditingTool; 5] = [
    EditingTool { name: "apply_patch", by_patch: Some(true), equivalent: &["edit", "write"] },
    EditingTool { name: "edit", by_patch: Some(false), equivalent: &[] },
    EditingTool { name: "multiedit", by_patch: Some(false), equivalent: &["edit"] },
    EditingTool { name: "refactor", by_patch: None, equivalent: &["edit"] },
    EditingTool { name: "write", by_patch: Some(false), equivalent: &[] },
];

fn editing_tool(name: &str) -> Option<&'static EditingTool> {
    EDITING_TOOLS.iter().find(|tool| tool.name == name)
}

/// Whether a tool edits by patch (`true`) or by text replacement (`false`); none if it is for all models.
pub fn edits_by_patch(tool: &str) -> Option<bool> {
    editing_tool(tool)?.by_patch
}

/// The tools whose work this tool can also do: if one of them is disabled, so is this one.
pub fn equivalent_tools(tool: &str) -> &'static [&'static str] {
    editing_tool(tool).map_or(&[], |tool| tool.equivalent)
}

pub fn builtin_tools(options: &ToolOptions) -> Vec<Box<dyn AnyTool>> {
    let readable_folders = ReadableFolders::new(options);
    let timeout = options.search_timeout;
    let mut tools = vec![
        box_tool(apply_patch::ApplyPatchTool),
        box_tool(bash::BashTool::new(options)),
        box_tool(batch::BatchTool),
        box_tool(edit::EditTool),
        box_tool(glob::GlobTool { timeout, readable_folders: readable_folders.clone() }),
        box_tool(grep::GrepTool { timeout, readable_folders: readable_folders.clone() }),
        box_tool(job::JobTool::new(options)),
        box_tool(list::ListTool { readable_folders: readable_folders.clone() }),
        box_tool(lsp::LspTool),
        box_tool(multiedit::MultiEditTool),
        box_tool(plan_enter::PlanEnterTool),
        box_tool(plan_exit::PlanExitTool::new(options.plan.clone())),
        box_tool(question::QuestionTool),
        box_tool(read::ReadTool::new(options.limits, readable_folders)),
        box_tool(refactor::RefactorTool),
        box_tool(todoread::TodoReadTool),
        box_tool(todowrite::TodoWriteTool),
        box_tool(webfetch::WebFetchTool::new(&options.web)),
        box_tool(write::WriteTool),
    ];
    if !options.skills.is_empty() {
        tools.push(box_tool(skill::SkillTool::new(Arc::clone(&options.skills))));
    }
    let web = &options.web;
    let engine = |endpoint: &SearchEndpoint, what| EndpointSearch {
        what,
        endpoint: endpoint.clone(),
        proxies: web.proxies.clone(),
    };
    let websearch =
        web.websearch.as_ref().map(|one| box_tool(websearch::WebSearchTool(engine(one, "the web"))));
    let codesearch =
        web.codesearch.as_ref().map(|one| box_tool(codesearch::CodeSearchTool(engine(one, "public code"))));
    tools.extend(websearch.into_iter().chain(codesearch));
    tools
}

/// The tool `task`, for a session whose agent may use subagents.
pub fn task_tool(subagents: Arc<dyn Subagents>) -> Box<dyn AnyTool> {
    box_tool(task::TaskTool::new(subagents))
}
