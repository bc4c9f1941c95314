//! The line from a call to its session: what it wants of the person or of the session, and the way back.

use copydesk_permission::Action;
use copydesk_tool::{Allowed, Answer, Answering, Answers, Ask, Asker, Question, Refused, Switching};
use tokio::sync::{mpsc, oneshot};

use crate::id::Id;

pub(super) type Answered = Result<Allowed, Refused>;

/// What a call wants, on its way to the session.
#[derive(Debug)]
pub(super) enum Wanted {
    Ask {
        part: Id,
        ask: Ask,
        /// What the rules of a session that works for this one have said.
        said: Option<Action>,
        answer: oneshot::Sender<Answered>,
    },
    /// An ask that was passed on has come back.
    CameBack(Id, Answered),
    Answers {
        part: Id,
        /// Who asks, where it works for this session.
        agent: Option<String>,
        questions: Vec<Question>,
        answer: oneshot::Sender<Answers>,
    },
    /// Questions that were passed on have come back.
    AnswersCameBack(Answers, oneshot::Sender<Answers>),
    /// To go on as another agent.
    Agent { agent: String, answer: oneshot::Sender<Result<(), String>> },
}

pub(super) struct Line {
    pub(super) wanted: mpsc::Sender<Wanted>,
    pub(super) part: Id,
}

impl Line {
    /// A session that is gone answers nothing: the call ends as if cancelled.
    async fn want<T>(
        &self,
        wanted: impl FnOnce(Id, oneshot::Sender<Result<T, Refused>>) -> Wanted,
    ) -> Result<T, Refused> {
        let (answer, answered) = oneshot::channel();
        self.wanted.send(wanted(self.part.clone(), answer)).await.map_err(|_| Refused::Cancelled)?;
        answered.await.unwrap_or(Err(Refused::Cancelled))
    }
}

impl Asker for Line {
    fn ask<'a>(&'a self, _call: &'a str, ask: Ask) -> Answer<'a> {
        Box::pin(self.want(|part, answer| Wanted::Ask { part, ask, said: None, answer }))
    }

    fn ask_for<'a>(&'a self, _call: &'a str, ask: Ask, said: Action) -> Answer<'a> {
        Box::pin(self.want(move |part, answer| Wanted::Ask { part, ask, said: Some(said), answer }))
    }

    fn question<'a>(&'a self, _call: &'a str, questions: Vec<Question>) -> Answering<'a> {
        Box::pin(self.want(|part, answer| Wanted::Answers { part, agent: None, questions, answer }))
    }

    fn question_for<'a>(&'a self, _call: &'a str, agent: String, questions: Vec<Question>) -> Answering<'a> {
        let agent = Some(agent);
        Box::pin(self.want(|part, answer| Wanted::Answers { part, agent, questions, answer }))
    }

    fn go_on_as<'a>(&'a self, agent: &'a str) -> Switching<'a> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let gone = || "the session is ending".to_owned();
            let wanted = Wanted::Agent { agent: agent.to_owned(), answer };
            self.wanted.send(wanted).await.map_err(|_| gone())?;
            answered.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}
