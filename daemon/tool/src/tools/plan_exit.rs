//! Has the person approve the plan; then the session goes on as the agent that builds.

use std::borrow::Cow;

use copydesk_text::FileText;
use copydesk_workspace::reviews::{Decision, Happened, Subject, Verdict, View};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::plan_enter::PLAN;
use super::target::{aside, file_failure, look};
use crate::context::{Ask, Context};
use crate::outcome::{Failure, FailureKind, Output};
use crate::plan::Plan;
use crate::tool::{Tool, Touches};

/// Who carries plans out.
pub(super) const BUILD: &str = "build";

/// What of a plan a person is shown; nobody reads more of one at once.
const LONGEST: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct PlanExit {
    plan: Plan,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Parameters {}

impl PlanExit {
    pub(super) fn new(plan: Plan) -> Self {
        Self { plan }
    }
}

impl Tool for PlanExit {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "plan_exit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("plan_exit.md").into()
    }

    /// What changes the plan comes before it is shown, or after it is approved.
    fn touches(&self, _parameters: &Parameters, _context: &Context) -> Touches {
        Touches::Everything
    }

    async fn run(&self, _parameters: Parameters, context: Context) -> Result<Output, Failure> {
        if context.agent != PLAN {
            return Err(Failure::target("You are not planning; nothing is to be approved. Go on."));
        }
        let (plan, root) = (self.plan.clone(), context.files.root().to_owned());
        let found = aside(move || Ok(plan.find(&root))).await?;
        // A link out of the workspace is nobody's plan.
        let Some(path) = found.filter(|path| context.files.resolve(path).inside) else {
            let message = format!(
                "There is no plan yet. Write it to `{}`, with a NAME of two or three words, then call this again.",
                self.plan.example()
            );
            return Err(Failure::target(message));
        };
        let place = context.files.resolve(&path);
        let content = look(&context, &place).await.map_err(|error| file_failure(&error))?;
        let stamp = content.stamp;
        let text = FileText::decode(content.bytes).map(|file| file.text().to_owned()).unwrap_or_default();
        if text.trim().is_empty() {
            return Err(Failure::target(format!(
                "The plan in `{path}` is empty. Write it, then call this again."
            )));
        }
        let shown = match text.get(..text.floor_char_boundary(LONGEST)) {
            Some(shown) if shown.len() < text.len() => format!("{shown}\n[The rest is in {path}.]"),
            _ => text,
        };
        let approving = context.ask(Ask {
            key: "plan_exit".to_owned(),
            patterns: vec![path.clone()],
            title: format!("Carry out the plan in {path}?"),
            metadata: json!({ "plan": shown }),
            ..Ask::default()
        });
        approving.await.map_err(|failure| match failure.kind {
            FailureKind::Denied => Failure {
                message: format!("{} You are still planning: change the plan in `{path}`.", failure.message),
                ..failure
            },
            _ => failure,
        })?;
        let still = look(&context, &place).await.map_err(|error| file_failure(&error))?;
        if still.stamp != stamp {
            return Err(Failure::target(format!(
                "The plan changed: `{path}` is no longer what the person was shown. Call this again, so that they see it as it is."
            )));
        }
        context.go_on_as(BUILD).await?;
        accept(&context, &path).await;
        let output = format!(
            "The person approved the plan in `{path}`. From the next step on you are the agent `{BUILD}`: carry it out, all of it. Keep to it; where it turns out to be wrong, say so."
        );
        let metadata = json!({ "path": path, "agent": BUILD });
        Ok(Output { title: format!("Approved {path}"), output, metadata, ..Output::default() })
    }
}

/// Who approved the plan need not accept its lines once more, and the model need not be told twice. What cannot be accepted
/// now they can decide later.
async fn accept(context: &Context, path: &str) {
    let reviews = context.files.reviews().list(&context.session, None, 0);
    let decision = |review: View| Decision {
        review: review.id,
        subject: Subject::Everything,
        expected: review.print,
        verdict: Verdict::Accept,
        lines: None,
        text: None,
        comment: None,
        confirmed: true,
    };
    let decisions: Vec<_> = reviews.into_iter().filter(|review| review.shown == path).map(decision).collect();
    context.files.decide(&context.session, &decisions).await;
    let mut news = context.files.reviews().news(&context.session);
    news.items.retain(|item| item.shown != path || item.happened != Happened::Accepted);
    context.files.reviews().untold(&context.session, news);
}
