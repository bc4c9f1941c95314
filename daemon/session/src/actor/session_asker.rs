//! The channel from a call to its session: asks, questions, agent switches, and their answers.

use copydesk_permission::PermissionAction;
use copydesk_tool::{
    AskFuture, Asker, PermissionDenial, PermissionGrant, PermissionRequest, Question, QuestionAnswers,
    QuestionFuture, SwitchAgentFuture,
};
use tokio::sync::{mpsc, oneshot};

use crate::id::Id;

pub(super) type PermissionOutcome = Result<PermissionGrant, PermissionDenial>;

/// A request of a call to its session.
#[derive(Debug)]
pub(super) enum CallRequest {
    Ask {
        part: Id,
        ask: PermissionRequest,
        /// What the rules of the subagent session decided.
        rule_action: Option<PermissionAction>,
        answer: oneshot::Sender<PermissionOutcome>,
    },
    /// The parent answered a forwarded ask.
    ForwardedAskAnswered(Id, PermissionOutcome),
    Questions {
        part: Id,
        /// Who asks, if it is a subagent.
        agent: Option<String>,
        questions: Vec<Question>,
        answer: oneshot::Sender<QuestionAnswers>,
    },
    /// The parent answered forwarded questions.
    ForwardedQuestionsAnswered(QuestionAnswers, oneshot::Sender<QuestionAnswers>),
    SwitchAgent {
        agent: String,
        answer: oneshot::Sender<Result<(), String>>,
    },
}

pub(super) struct SessionAsker {
    pub(super) requests: mpsc::Sender<CallRequest>,
    pub(super) part: Id,
}

impl SessionAsker {
    /// If the session has ended, the call ends as cancelled.
    async fn request<T>(
        &self,
        wanted: impl FnOnce(Id, oneshot::Sender<Result<T, PermissionDenial>>) -> CallRequest,
    ) -> Result<T, PermissionDenial> {
        let (answer, answered) = oneshot::channel();
        self.requests
            .send(wanted(self.part.clone(), answer))
            .await
            .map_err(|_| PermissionDenial::Cancelled)?;
        answered.await.unwrap_or(Err(PermissionDenial::Cancelled))
    }
}

impl Asker for SessionAsker {
    fn ask<'a>(&'a self, _call: &'a str, ask: PermissionRequest) -> AskFuture<'a> {
        Box::pin(self.request(|part, answer| CallRequest::Ask { part, ask, rule_action: None, answer }))
    }

    fn ask_for_subagent<'a>(
        &'a self,
        _call: &'a str,
        ask: PermissionRequest,
        said: PermissionAction,
    ) -> AskFuture<'a> {
        Box::pin(self.request(move |part, answer| CallRequest::Ask {
            part,
            ask,
            rule_action: Some(said),
            answer,
        }))
    }

    fn ask_questions<'a>(&'a self, _call: &'a str, questions: Vec<Question>) -> QuestionFuture<'a> {
        Box::pin(self.request(|part, answer| CallRequest::Questions { part, agent: None, questions, answer }))
    }

    fn ask_questions_for_subagent<'a>(
        &'a self,
        _call: &'a str,
        agent: String,
        questions: Vec<Question>,
    ) -> QuestionFuture<'a> {
        let agent = Some(agent);
        Box::pin(self.request(|part, answer| CallRequest::Questions { part, agent, questions, answer }))
    }

    fn switch_agent<'a>(&'a self, agent: &'a str) -> SwitchAgentFuture<'a> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let gone = || "the session is ending".to_owned();
            let wanted = CallRequest::SwitchAgent { agent: agent.to_owned(), answer };
            self.requests.send(wanted).await.map_err(|_| gone())?;
            answered.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}
