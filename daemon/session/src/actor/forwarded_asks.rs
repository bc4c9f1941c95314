//! Asks of a subagent session: what its own rules do not deny goes to the parent, where the user is.

use std::sync::Arc;

use copydesk_permission::{Ask as Rule, PermissionAction, PermissionDecision};
use copydesk_tool::{PermissionDenial, PermissionRequest, Question, QuestionAnswers};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use super::session_asker::{CallRequest, PermissionOutcome};
use super::{ParentSession, SessionActor};
use crate::id::Id;

/// An ask that the parent answers. Dropping it withdraws the ask and cancels the waiting call.
pub(super) struct ForwardedAsk {
    pub(super) part: Id,
    answer: oneshot::Sender<PermissionOutcome>,
    _asking: AbortOnDropHandle<()>,
}

impl SessionActor {
    /// Forwards also what our rules allow: the user may have chosen review before edits in the parent.
    pub(super) fn forward_ask(
        &mut self,
        above: &ParentSession,
        part: Id,
        ask: PermissionRequest,
        said: Option<PermissionAction>,
        answer: oneshot::Sender<PermissionOutcome>,
    ) {
        let rule = Rule {
            key: ask.key.clone(),
            patterns: ask.patterns.clone(),
            commands: ask.commands.clone(),
            always_patterns: ask.always.clone(),
            prior_action: said,
            is_sandboxed: ask.is_sandboxed,
        };
        let said = match self.asks.layers().decide(&rule) {
            PermissionDecision::Deny(denied) => {
                let _ = answer.send(Err(PermissionDenial::ByRule { why: denied.to_string() }));
                return;
            }
            PermissionDecision::Allow => PermissionAction::Allow,
            PermissionDecision::Ask(_) => PermissionAction::Ask,
        };
        let ask = self.label_with_agent(ask);
        let (id, asker, wanted) = (Id::new(), above.asker.clone(), self.call_requests_tx.clone());
        let (asked, call) = (id.clone(), part.to_string());
        let asking = tokio::spawn(async move {
            let answered = asker.ask_for_subagent(&call, ask, said).await;
            let _ = wanted.send(CallRequest::ForwardedAskAnswered(asked, answered)).await;
        });
        self.forwarded_asks
            .insert(id, ForwardedAsk { part, answer, _asking: AbortOnDropHandle::new(asking) });
    }

    /// Forwards questions to the parent. `agent` is who asks, if that is a subagent of this session.
    pub(super) fn forward_questions(
        &self,
        above: &ParentSession,
        part: &Id,
        agent: Option<&str>,
        questions: Vec<Question>,
        mut answer: oneshot::Sender<QuestionAnswers>,
    ) {
        let own = &self.deps.agent.name;
        let agent = agent.map_or_else(|| own.clone(), |agent| format!("{own}: {agent}"));
        let (asker, call, cancel) = (Arc::clone(&above.asker), part.to_string(), self.cancel.clone());
        let wanted = self.call_requests_tx.clone();
        tokio::spawn(async move {
            let asking =
                cancel.run_until_cancelled(asker.ask_questions_for_subagent(&call, agent, questions));
            let answers = tokio::select! {
                answers = asking => answers.unwrap_or(Err(PermissionDenial::Cancelled)),
                // The call has ended and needs no answer.
                () = answer.closed() => return,
            };
            let _ = wanted.send(CallRequest::ForwardedQuestionsAnswered(answers, answer)).await;
        });
    }

    pub(super) fn settle_forwarded_questions(
        &mut self,
        answers: QuestionAnswers,
        answer: oneshot::Sender<QuestionAnswers>,
    ) {
        self.is_stopped_by_user |= is_user_stop(&answers);
        let _ = answer.send(answers);
    }

    /// Names the agent, so that the user knows who asks.
    fn label_with_agent(&self, ask: PermissionRequest) -> PermissionRequest {
        let metadata = ask.metadata.with_session(self.deps.session.id.as_str());
        PermissionRequest { title: format!("{}: {}", self.deps.agent.name, ask.title), metadata, ..ask }
    }

    pub(super) fn settle_forwarded_ask(&mut self, ask: &Id, answered: PermissionOutcome) {
        let Some(passed) = self.forwarded_asks.remove(ask) else { return };
        self.is_stopped_by_user |= is_user_stop(&answered);
        let _ = passed.answer.send(answered);
    }
}

/// A user who stops the parent stops this session.
fn is_user_stop<T>(answered: &Result<T, PermissionDenial>) -> bool {
    matches!(answered, Err(PermissionDenial::ByUser { reason: None }))
}
