//! Suggests to the user that the session continues as the agent `plan`.

use std::borrow::Cow;

use copydesk_metadata::{AgentSwitchMetadata, CallDetail};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan_exit::BUILD;
use super::question::{line, unanswered};
use crate::context::{PermissionRequest, ToolContext};
use crate::denial::PermissionDenial;
use crate::outcome::{ToolError, ToolOutput};
use crate::question::{Question, QuestionOption};
use crate::tool::Tool;

pub(super) const PLAN: &str = "plan";

const YES: &str = "Plan first";
const NO: &str = "Go on without a plan";

/// How much of a reason the user sees.
const MAX_REASON_CHARS: usize = 500;

#[derive(Debug)]
pub(super) struct PlanEnterTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlanEnterParameters {
    /// Why a plan is worth it here, in one sentence for the user.
    reason: Option<String>,
}

impl Tool for PlanEnterTool {
    type Parameters = PlanEnterParameters;

    fn name(&self) -> Cow<'static, str> {
        "plan_enter".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("plan_enter.md").into()
    }

    async fn run(
        &self,
        parameters: PlanEnterParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        if context.agent == PLAN {
            return Err(ToolError::target("You are planning already. `plan_exit` shows the user the plan."));
        }
        // After the plan the session continues as `build`, which may have more rights than this agent.
        if context.agent != BUILD {
            let message = format!("Only the agent `{BUILD}` can plan first. Go on without a plan.");
            return Err(ToolError::target(message));
        }
        let reason = line(parameters.reason.as_deref().unwrap_or_default(), MAX_REASON_CHARS);
        let title = "Plan first, before anything is changed?".to_owned();
        let ask = PermissionRequest {
            key: "plan_enter".to_owned(),
            title: title.clone(),
            ..PermissionRequest::default()
        };
        context.ask(ask).await?;
        let text = if reason.is_empty() { title } else { format!("{title} {reason}") };
        let choice = |label: &str, description: &str| QuestionOption {
            label: label.into(),
            description: description.into(),
        };
        let options =
            vec![choice(YES, "only the plan is written, and you approve it"), choice(NO, "as it was")];
        let question = Question { header: "Plan".into(), text, options, multiple: false, custom: true };
        let output = |title: &str, output: String, agent: &str| {
            let switch = AgentSwitchMetadata { path: None, agent: agent.to_owned() };
            Ok(ToolOutput {
                title: title.to_owned(),
                output,
                metadata: CallDetail::AgentSwitch(switch).into(),
                ..ToolOutput::default()
            })
        };
        let answer = match context.ask_questions(vec![question]).await {
            Ok(answers) => answers.into_iter().flatten().next().unwrap_or_else(|| NO.to_owned()),
            Err(PermissionDenial::ByUser { reason: Some(why) }) => {
                return output(NO, format!("{why} Go on without a plan."), &context.agent);
            }
            Err(refused) => return Err(unanswered(refused)),
        };
        match answer.as_str() {
            YES => {
                context.switch_agent(PLAN).await?;
                let told = "The user wants a plan first. From the next step on you are the agent `plan`.";
                output(YES, told.to_owned(), PLAN)
            }
            NO => output(NO, "The user wants you to go on without a plan.".to_owned(), &context.agent),
            words => output(words, format!("The user answered: {words}"), &context.agent),
        }
    }
}
