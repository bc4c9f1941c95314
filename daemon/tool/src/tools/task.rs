//! `task`: a subagent does a part of the work, in a session of its own.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use copydesk_metadata::{CallDetail, PermissionAskDetail, TaskAskMetadata, TaskMetadata};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::{PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::subagents::{Subagent, SubagentTask as Given, Subagents, TaskEnd, TaskProgress, TaskReport};
use crate::tool::Tool;

/// The caps on agents in the prompt, and on the description of each.
const MAX_AGENTS: usize = 40;
const MAX_DESCRIPTION_CHARS: usize = 400;

/// The cap on the description of a task: lists show it.
const MAX_TITLE_CHARS: usize = 80;

pub(super) struct TaskTool {
    subagents: Arc<dyn Subagents>,
    prompt: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TaskParameters {
    /// The task in three to five words, for the user.
    description: String,
    /// Everything that the agent has to know and to do.
    prompt: String,
    /// The name of the agent.
    subagent_type: String,
    /// The `task_id` of an earlier task, to go on with it.
    task_id: Option<String>,
}

impl TaskTool {
    pub(super) fn new(subagents: Arc<dyn Subagents>) -> Self {
        let mut prompt = include_str!("task.md").to_owned();
        for Subagent { name, description } in subagents.agents().iter().take(MAX_AGENTS) {
            let _ = writeln!(prompt, "- `{name}`: {}", one_line(description, MAX_DESCRIPTION_CHARS));
        }
        let more = subagents.agents().len().saturating_sub(MAX_AGENTS);
        if more > 0 {
            let _ = writeln!(prompt, "and {more} more.");
        }
        Self { subagents, prompt }
    }

    fn check(&self, parameters: TaskParameters) -> Result<Given, ToolError> {
        let TaskParameters { description, prompt, subagent_type, task_id } = parameters;
        if prompt.trim().is_empty() {
            let message =
                "`prompt` is empty. Say what the agent is to do; it sees nothing of this conversation.";
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        let named = subagent_type.trim().trim_start_matches('@');
        let same = |agent: &&Subagent| agent.name.eq_ignore_ascii_case(named);
        let Some(agent) = self.subagents.agents().iter().find(same) else {
            let names =
                self.subagents.agents().iter().take(MAX_AGENTS).map(|agent| format!("`{}`", agent.name));
            let names = names.collect::<Vec<_>>().join(", ");
            let message = format!(
                "There is no agent `{}` that can be given a task. There are: {names}.",
                one_line(named, MAX_TITLE_CHARS)
            );
            return Err(ToolError::target(message));
        };
        let description = one_line(&description, MAX_TITLE_CHARS);
        let description =
            if description.is_empty() { one_line(&prompt, MAX_TITLE_CHARS) } else { description };
        let resumed = task_id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
        Ok(Given { agent: agent.name.clone(), description, prompt, resumed_session: resumed })
    }
}

impl Tool for TaskTool {
    type Parameters = TaskParameters;

    fn name(&self) -> Cow<'static, str> {
        "task".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        Cow::Owned(self.prompt.clone())
    }

    async fn run(&self, parameters: TaskParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let given = self.check(parameters)?;
        let (agent, description) = (given.agent.clone(), given.description.clone());
        let title = format!("{agent}: {description}");
        let ask = PermissionRequest {
            key: "task".to_owned(),
            patterns: vec![agent.clone()],
            always: vec![agent.clone()],
            title: format!("Give a task to {title}"),
            metadata: PermissionAskDetail::Task(TaskAskMetadata { prompt: given.prompt.clone() }).into(),
            ..PermissionRequest::default()
        };
        context.ask(ask).await?;
        let shown = context.clone();
        let about = (agent.clone(), description.clone());
        let show = move |progress: &TaskProgress| {
            shown.show_progress(CallDetail::Task(metadata(&about.0, &about.1, progress)));
        };
        let report = self.subagents.run_task(given, context, Box::new(show)).await?;
        let metadata = metadata(&agent, &description, &report.progress);
        render_report(report, title, metadata)
    }
}

/// What the user is shown of a task.
fn metadata(agent: &str, description: &str, progress: &TaskProgress) -> TaskMetadata {
    let TaskProgress { session, calls, now, usage, cost } = progress.clone();
    TaskMetadata {
        agent: agent.to_owned(),
        description: description.to_owned(),
        session,
        calls,
        now: Some(now).filter(|now| !now.is_empty()),
        usage,
        cost,
        state: None,
        files: Vec::new(),
    }
}

fn render_report(report: TaskReport, title: String, metadata: TaskMetadata) -> Result<ToolOutput, ToolError> {
    let TaskReport { progress: doings, end, last_text: words, files } = report;
    let metadata = CallDetail::Task(TaskMetadata { now: None, state: Some(end.state()), files, ..metadata });
    let id = &doings.session;
    let head = format!("task_id: {id}\nstate: {end}\n");
    let words = if words.trim().is_empty() { "(The agent said nothing at its end.)" } else { words.trim() };
    let again = format!("Pass `task_id` {id} to go on with it");
    let (kind, why) = match end {
        TaskEnd::Completed => {
            return Ok(ToolOutput {
                title,
                output: format!("{head}\n{words}"),
                metadata: metadata.into(),
                ..ToolOutput::default()
            });
        }
        TaskEnd::StepLimit(steps) => {
            let output =
                format!("{head}It stopped after {steps} steps and would have gone on. {again}.\n\n{words}");
            let metadata = metadata.into();
            return Ok(ToolOutput { title, output, metadata, ..ToolOutput::default() });
        }
        TaskEnd::Cancelled => (ToolErrorKind::Cancelled, "the user ended it before it was done".to_owned()),
        TaskEnd::Rejected => {
            (ToolErrorKind::Denied, "the user said no to something in it, and stopped it".to_owned())
        }
        TaskEnd::Failed(why) => (ToolErrorKind::Failed, format!("it failed: {why}")),
    };
    let rest = format!("What it did until then is done. {again}.\n\nIts last words:\n{words}");
    let message = format!("{title}: {why}\n{head}{rest}");
    Err(ToolError::new(kind, message).with_metadata(metadata))
}

/// Joins a text to one line, capped.
fn one_line(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
