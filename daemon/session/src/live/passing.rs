//! Asks of a session that works for another: what its own rules do not forbid is asked above, where the person is.

use std::sync::Arc;

use copydesk_permission::{Action, Ask as Rule, Decision};
use copydesk_tool::{Answers, Ask, Question, Refused};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use super::line::{Answered, Wanted};
use super::{Above, Worker};
use crate::id::Id;

/// An ask that is answered above. Dropped, it is not asked any more, and the call that waits is cancelled.
pub(super) struct Passed {
    pub(super) part: Id,
    answer: oneshot::Sender<Answered>,
    _asking: AbortOnDropHandle<()>,
}

impl Worker {
    /// Also what our rules allow: a person may have chosen otherwise for the session above.
    pub(super) fn pass_on(
        &mut self,
        above: &Above,
        part: Id,
        ask: Ask,
        said: Option<Action>,
        answer: oneshot::Sender<Answered>,
    ) {
        let rule =
            Rule { key: ask.key.clone(), patterns: ask.patterns.clone(), always: ask.always.clone(), said };
        let said = match self.asks.layers().decide(&rule) {
            Decision::Deny(denied) => {
                let _ = answer.send(Err(Refused::ByRule { why: denied.to_string() }));
                return;
            }
            Decision::Allow => Action::Allow,
            Decision::Ask(_) => Action::Ask,
        };
        let ask = self.signed(ask);
        let (id, asker, wanted) = (Id::new(), above.asker.clone(), self.wanted_in.clone());
        let (asked, call) = (id.clone(), part.to_string());
        let asking = tokio::spawn(async move {
            let answered = asker.ask_for(&call, ask, said).await;
            let _ = wanted.send(Wanted::CameBack(asked, answered)).await;
        });
        self.passed.insert(id, Passed { part, answer, _asking: AbortOnDropHandle::new(asking) });
    }

    /// The person is where the session above is. `agent` is who asks, where it works for this one.
    pub(super) fn pass_question_on(
        &self,
        above: &Above,
        part: &Id,
        agent: Option<&str>,
        questions: Vec<Question>,
        mut answer: oneshot::Sender<Answers>,
    ) {
        let own = &self.setting.agent.name;
        let agent = agent.map_or_else(|| own.clone(), |agent| format!("{own}: {agent}"));
        let (asker, call, cancel) = (Arc::clone(&above.asker), part.to_string(), self.cancel.clone());
        let wanted = self.wanted_in.clone();
        tokio::spawn(async move {
            let asking = cancel.run_until_cancelled(asker.question_for(&call, agent, questions));
            let answers = tokio::select! {
                answers = asking => answers.unwrap_or(Err(Refused::Cancelled)),
                // The call is over: nobody need answer any more.
                () = answer.closed() => return,
            };
            let _ = wanted.send(Wanted::AnswersCameBack(answers, answer)).await;
        });
    }

    pub(super) fn answers_came_back(&mut self, answers: Answers, answer: oneshot::Sender<Answers>) {
        self.stopped |= means_stop(&answers);
        let _ = answer.send(answers);
    }

    /// So that a person knows who asks.
    fn signed(&self, ask: Ask) -> Ask {
        let mut metadata = if ask.metadata.is_object() { ask.metadata } else { json!({}) };
        if let Value::Object(fields) = &mut metadata {
            fields.insert("session".to_owned(), json!(self.setting.session.id));
        }
        Ask { title: format!("{}: {}", self.setting.agent.name, ask.title), metadata, ..ask }
    }

    pub(super) fn came_back(&mut self, ask: &Id, answered: Answered) {
        let Some(passed) = self.passed.remove(ask) else { return };
        self.stopped |= means_stop(&answered);
        let _ = passed.answer.send(answered);
    }
}

/// Who said stop to the session above said it to this one.
fn means_stop<T>(answered: &Result<T, Refused>) -> bool {
    matches!(answered, Err(Refused::ByPerson { reason: None }))
}
