//! Asks and questions: from a call to the rules, from there to people, and back.
//!
//! Both have the same laws: they wait as long as a person does, the first reply counts, a word that means stop is for all of
//! them, and the end of the turn closes them.

use copydesk_permission::{Action, Ask as Rule, Decision, Outcome, Reply};
use copydesk_tool::{Allowed, Answers, Ask, Question, Refused, Reviewed};
use tokio::sync::oneshot;

use super::Worker;
use super::line::{Answered, Wanted};
use crate::data::ReviewWhen;
use crate::event::{Asked, Event, Questioned};
use crate::id::Id;

/// A call that waits for a reply, or for answers.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    part: Id,
    answer: oneshot::Sender<T>,
}

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
            Wanted::Ask { part, ask, said, answer } => self.ask(part, ask, said, answer).await,
            Wanted::CameBack(id, answered) => self.came_back(&id, answered),
            Wanted::Answers { part, agent, questions, answer } => {
                self.question(part, agent, questions, answer).await;
            }
            Wanted::AnswersCameBack(answers, answer) => self.answers_came_back(answers, answer),
            Wanted::Agent { agent, answer } => drop(answer.send(self.prepare(&agent).await)),
        }
    }

    /// Who said stop is not asked again, and neither is one who cancelled.
    fn refused(&self) -> Option<Refused> {
        if self.cancel.is_cancelled() {
            return Some(Refused::Cancelled);
        }
        self.stopped.then_some(Refused::ByPerson { reason: None })
    }

    async fn question(
        &mut self,
        part: Id,
        agent: Option<String>,
        questions: Vec<Question>,
        answer: oneshot::Sender<Answers>,
    ) {
        if let Some(refused) = self.refused() {
            let _ = answer.send(Err(refused));
            return;
        }
        if let Some(above) = self.setting.above.clone() {
            return self.pass_question_on(&above, &part, agent.as_deref(), questions, answer);
        }
        let question = Id::new();
        self.questions.insert(question.clone(), Waiting { part: part.clone(), answer });
        self.emit(Event::Questioned(Questioned { question, part, agent, questions })).await;
    }

    /// One that comes for questions that are settled changes nothing: another client was first.
    pub(super) async fn answer(&mut self, question: &Id, answers: Answers) {
        let Some(waiting) = self.questions.remove(question) else { return };
        let stops = matches!(answers, Err(Refused::ByPerson { reason: None }));
        let _ = waiting.answer.send(answers);
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

    async fn ask(&mut self, part: Id, ask: Ask, said: Option<Action>, answer: oneshot::Sender<Answered>) {
        if let Some(refused) = self.refused() {
            let _ = answer.send(Err(refused));
            return;
        }
        if let Some(above) = self.setting.above.clone() {
            return self.pass_on(&above, part, ask, said, answer);
        }
        let review = ask.review;
        let id = Id::new();
        let rule = Rule { key: ask.key, patterns: ask.patterns, always: ask.always, said };
        if review == Reviewed::First && matches!(self.asks.layers().decide(&rule), Decision::Ask(_)) {
            let _ = answer.send(Ok(Allowed::IfReviewed));
            return;
        }
        match self.asks.ask(id.clone(), &rule) {
            Decision::Allow => drop(answer.send(Ok(Allowed::ByRule))),
            Decision::Deny(denied) => drop(answer.send(Err(Refused::ByRule { why: denied.to_string() }))),
            Decision::Ask(rule) => {
                self.waiting.insert(id.clone(), Waiting { part: part.clone(), answer });
                if let Reviewed::In(reviews) = review {
                    let session = self.setting.session.id.as_str();
                    self.setting.files.reviews().asked(session, &reviews, id.as_str());
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
            let _ = waiting.answer.send(Ok(Allowed::ByReview));
        }
        self.emit(Event::Settled { ask }).await;
    }

    /// From the next edit on; those that wait are made, where a person need not be asked any more.
    pub(super) async fn review(&mut self, when: Option<ReviewWhen>) {
        let settled = self.asks.choose("edit", when.map(action));
        self.settle(settled, |_| Allowed::ByRule, |reason| Refused::ByPerson { reason }).await;
    }

    /// Nobody waits for the asks and questions of a call that is over.
    pub(super) async fn withdraw(&mut self, call: &Id) {
        self.passed.retain(|_, passed| passed.part != *call);
        let of_call = self.waiting.iter().filter(|(_, waiting)| waiting.part == *call);
        for id in of_call.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.waiting.remove(&id);
            if let Ok(ask) = self.asks.settle(&id) {
                self.emit(Event::Settled { ask }).await;
            }
        }
        let of_call = self.questions.iter().filter(|(_, waiting)| waiting.part == *call);
        for question in of_call.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.questions.remove(&question);
            self.emit(Event::Answered { question }).await;
        }
    }

    /// Ends all asks and questions: the turn is over for them.
    pub(super) async fn close_asks(&mut self) {
        // Whoever waits for them hears that it is cancelled.
        self.passed.clear();
        let settled = self.asks.close();
        self.settle(settled, |_| Allowed::ByRule, |_| Refused::Cancelled).await;
        self.close_questions(&Refused::Cancelled).await;
    }

    async fn close_questions(&mut self, why: &Refused) {
        for (question, waiting) in std::mem::take(&mut self.questions) {
            let _ = waiting.answer.send(Err(why.clone()));
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
                Outcome::Unasked => Err(Refused::ByNobody),
                Outcome::Rejected { reason } => Err(refused(reason)),
            };
            if let Some(waiting) = self.waiting.remove(&id) {
                let _ = waiting.answer.send(answer);
            }
            self.emit(Event::Settled { ask: id }).await;
        }
    }
}
