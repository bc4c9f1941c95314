//! Asks and questions: from a call to the rules, from there to people, and back.
//!
//! Both have the same laws: they wait as long as a person does, the first reply counts, a word that means stop is for all of
//! them, and the end of the turn closes them.

use copydesk_permission::{Action, Ask as Rule, Decision, Outcome, Reply};
use copydesk_tool::{Allowed, Answers, Ask, Question, Refused, Reviewed};
use tokio::sync::oneshot;

use super::Worker;
use super::line::Wanted;
use crate::data::ReviewWhen;
use crate::event::{Asked, Event, Questioned};
use crate::id::Id;

/// What reviewing before and after mean to the rules.
pub(super) fn action(when: ReviewWhen) -> Action {
    match when {
        ReviewWhen::Before => Action::Ask,
        ReviewWhen::After => Action::Allow,
    }
}

impl Worker {
    pub(super) async fn wanted(&mut self, wanted: Wanted) {
        match wanted {
            Wanted::Ask { part, ask, answer } => self.ask(part, ask, answer).await,
            Wanted::Answers { part, questions, answer } => self.question(part, questions, answer).await,
            Wanted::Agent { agent, answer } => drop(answer.send(self.prepare(&agent))),
        }
    }

    /// Who said stop is not asked again, and neither is one who cancelled.
    fn refused(&self) -> Option<Refused> {
        if self.cancel.is_cancelled() {
            return Some(Refused::Cancelled);
        }
        self.stopped.then_some(Refused::ByPerson { reason: None })
    }

    async fn question(&mut self, part: Id, questions: Vec<Question>, answer: oneshot::Sender<Answers>) {
        if let Some(refused) = self.refused() {
            let _ = answer.send(Err(refused));
            return;
        }
        let question = Id::new();
        self.questions.insert(question.clone(), answer);
        self.emit(Event::Questioned(Questioned { question, part, questions })).await;
    }

    /// One that comes for questions that are settled changes nothing: another client was first.
    pub(super) async fn answer(&mut self, question: &Id, answers: Answers) {
        let Some(waiting) = self.questions.remove(question) else { return };
        let stops = matches!(answers, Err(Refused::ByPerson { reason: None }));
        let _ = waiting.send(answers);
        self.emit(Event::Answered { question: question.clone() }).await;
        if stops {
            self.stop().await;
        }
    }

    /// A person wants it to stop: whatever else waits for them does so in vain.
    async fn stop(&mut self) {
        self.stopped = true;
        let settled = self.asks.close();
        self.settle(settled, |_| Allowed::ByRule, |reason| Refused::ByPerson { reason }).await;
        self.close_questions(&Refused::ByPerson { reason: None }).await;
    }

    async fn ask(&mut self, part: Id, ask: Ask, answer: oneshot::Sender<Result<Allowed, Refused>>) {
        if let Some(refused) = self.refused() {
            let _ = answer.send(Err(refused));
            return;
        }
        let review = ask.review;
        let id = Id::new();
        let rule = Rule { key: ask.key, patterns: ask.patterns, always: ask.always };
        if review == Reviewed::First && matches!(self.asks.layers().decide(&rule), Decision::Ask(_)) {
            let _ = answer.send(Ok(Allowed::IfReviewed));
            return;
        }
        match self.asks.ask(id.clone(), &rule) {
            Decision::Allow => drop(answer.send(Ok(Allowed::ByRule))),
            Decision::Deny(denied) => drop(answer.send(Err(Refused::ByRule { why: denied.to_string() }))),
            Decision::Ask(rule) => {
                self.waiting.insert(id.clone(), answer);
                if let Reviewed::In(review) = review {
                    let session = self.setting.session.id.as_str();
                    self.setting.files.reviews().asked(session, review, id.as_str());
                }
                self.emit(Event::Asked(Asked {
                    ask: id,
                    part,
                    key: rule.key,
                    patterns: rule.patterns,
                    always: rule.always,
                    title: ask.title,
                    metadata: ask.metadata,
                }))
                .await;
            }
        }
    }

    pub(super) async fn reply(&mut self, ask: &Id, reply: Reply) {
        let stops = matches!(reply, Reply::Reject { reason: None });
        // An ask that is settled already: another client was first.
        let Ok(settled) = self.asks.reply(ask, reply) else { return };
        // What is allowed along with it nobody has looked at.
        let by = |id: &Id| if id == ask { Allowed::ByPerson } else { Allowed::ByRule };
        self.settle(settled, by, |reason| Refused::ByPerson { reason }).await;
        if stops {
            self.stop().await;
        }
    }

    /// Everything that an ask was about is decided.
    pub(super) async fn reviewed(&mut self, ask: &Id) {
        let Ok(ask) = self.asks.settle(ask) else { return };
        if let Some(waiting) = self.waiting.remove(&ask) {
            let _ = waiting.send(Ok(Allowed::ByReview));
        }
        self.emit(Event::Settled { ask }).await;
    }

    /// From the next edit on; those that wait are made, where a person need not be asked any more.
    pub(super) async fn review(&mut self, when: Option<ReviewWhen>) {
        let settled = self.asks.choose("edit", when.map(action));
        self.settle(settled, |_| Allowed::ByRule, |reason| Refused::ByPerson { reason }).await;
    }

    /// Ends all asks and questions: the turn is over for them.
    pub(super) async fn close_asks(&mut self) {
        let settled = self.asks.close();
        self.settle(settled, |_| Allowed::ByRule, |_| Refused::Cancelled).await;
        self.close_questions(&Refused::Cancelled).await;
    }

    async fn close_questions(&mut self, why: &Refused) {
        for (question, waiting) in std::mem::take(&mut self.questions) {
            let _ = waiting.send(Err(why.clone()));
            self.emit(Event::Answered { question }).await;
        }
    }

    async fn settle(
        &mut self,
        settled: Vec<(Id, Outcome)>,
        by: impl Fn(&Id) -> Allowed,
        refused: impl Fn(Option<String>) -> Refused,
    ) {
        for (id, outcome) in settled {
            let answer = match outcome {
                Outcome::Allowed => Ok(by(&id)),
                Outcome::Rejected { reason } => Err(refused(reason)),
            };
            if let Some(waiting) = self.waiting.remove(&id) {
                let _ = waiting.send(answer);
            }
            self.emit(Event::Settled { ask: id }).await;
        }
    }
}
