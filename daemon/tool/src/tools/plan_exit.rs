//! Asks the user to approve the plan; then the session continues as the agent `build`.

use std::borrow::Cow;

use copydesk_metadata::{AgentSwitchMetadata, CallDetail, PermissionAskDetail, PlanAskMetadata};
use copydesk_text::FileText;
use copydesk_workspace::reviews::{DecisionTarget, FeedbackKind, HunkVerdict, ReviewSnapshot, UserDecision};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan_enter::PLAN;
use super::target_file::{file_error, load_content, run_blocking};
use crate::context::{PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::plan_file::PlanFile;
use crate::tool::{Tool, TouchedFiles};

pub(super) const BUILD: &str = "build";

/// How much of a plan the user sees.
const MAX_PLAN_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct PlanExitTool {
    plan: PlanFile,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlanExitParameters {}

impl PlanExitTool {
    pub(super) fn new(plan: PlanFile) -> Self {
        Self { plan }
    }
}

impl Tool for PlanExitTool {
    type Parameters = PlanExitParameters;

    fn name(&self) -> Cow<'static, str> {
        "plan_exit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("plan_exit.md").into()
    }

    /// Edits of the plan run before it is shown, or after it is approved.
    fn touched_files(&self, _parameters: &PlanExitParameters, _context: &ToolContext) -> TouchedFiles {
        TouchedFiles::Everything
    }

    async fn run(
        &self,
        _parameters: PlanExitParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        if context.agent != PLAN {
            return Err(ToolError::target("You are not planning; nothing is to be approved. Go on."));
        }
        let (plan, root) = (self.plan.clone(), context.files.root().to_owned());
        let found = run_blocking(move || Ok(plan.find(&root))).await?;
        // A symlink out of the workspace is no plan.
        let Some(path) = found.filter(|path| context.files.resolve(path).is_in_workspace) else {
            let message = format!(
                "There is no plan yet. Write it to `{}`, with a NAME of two or three words, then call this again.",
                self.plan.example()
            );
            return Err(ToolError::target(message));
        };
        let place = context.files.resolve(&path);
        let content = load_content(&context, &place).await.map_err(|error| file_error(&error))?;
        let stamp = content.stamp;
        let text = FileText::decode(content.bytes).map(|file| file.text().to_owned()).unwrap_or_default();
        if text.trim().is_empty() {
            return Err(ToolError::target(format!(
                "The plan in `{path}` is empty. Write it, then call this again."
            )));
        }
        let shown = match text.get(..text.floor_char_boundary(MAX_PLAN_BYTES)) {
            Some(shown) if shown.len() < text.len() => format!("{shown}\n[The rest is in {path}.]"),
            _ => text,
        };
        let approving = context.ask(PermissionRequest {
            key: "plan_exit".to_owned(),
            patterns: vec![path.clone()],
            title: format!("Carry out the plan in {path}?"),
            metadata: PermissionAskDetail::Plan(PlanAskMetadata { plan: shown }).into(),
            ..PermissionRequest::default()
        });
        approving.await.map_err(|failure| match failure.kind {
            ToolErrorKind::Denied => ToolError {
                message: format!("{} You are still planning: change the plan in `{path}`.", failure.message),
                ..failure
            },
            _ => failure,
        })?;
        let still = load_content(&context, &place).await.map_err(|error| file_error(&error))?;
        if still.stamp != stamp {
            return Err(ToolError::target(format!(
                "The plan changed: `{path}` is no longer what the user was shown. Call this again, so that they see it as it is."
            )));
        }
        context.switch_agent(BUILD).await?;
        accept(&context, &path).await;
        let output = format!(
            "The user approved the plan in `{path}`. From the next step on you are the agent `{BUILD}`: carry it out, all of it. Keep to it; where it turns out to be wrong, say so."
        );
        let switch = AgentSwitchMetadata { path: Some(path.clone()), agent: BUILD.to_owned() };
        let metadata = CallDetail::AgentSwitch(switch).into();
        Ok(ToolOutput { title: format!("Approved {path}"), output, metadata, ..ToolOutput::default() })
    }
}

/// Accepts the hunks of the approved plan, so that the user need not review them and the model is not told twice. Hunks that
/// cannot be accepted now stay for later.
async fn accept(context: &ToolContext, path: &str) {
    let reviews = context.files.reviews().list_reviews(&context.session, None, 0);
    let decision = |review: ReviewSnapshot| UserDecision {
        review: review.id,
        target: DecisionTarget::Everything,
        expected: review.print,
        verdict: HunkVerdict::Accept,
        lines: None,
        text: None,
        comment: None,
        is_confirmed: true,
    };
    let decisions: Vec<_> =
        reviews.into_iter().filter(|review| review.display_path == path).map(decision).collect();
    context.files.decide(&context.session, &decisions).await;
    let mut news = context.files.reviews().take_feedback(&context.session);
    news.items.retain(|item| item.shown != path || item.happened != FeedbackKind::Accepted);
    context.files.reviews().return_feedback(&context.session, news);
}
