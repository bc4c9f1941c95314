//! Asks: from a call to the rules, from there to people, and back.

use copydesk_permission::{Action, Ask as Rule, Decision, Outcome, Reply};
use copydesk_tool::{Allowed, Answer, Ask, Asker, Refused, Reviewed};
use tokio::sync::{mpsc, oneshot};

use super::Worker;
use crate::data::ReviewWhen;
use crate::event::{Asked, Event};
use crate::id::Id;

pub(super) type Answered = Result<Allowed, Refused>;

/// A call's ask on its way to the session.
#[derive(Debug)]
pub(super) enum Question {
    Asked {
        part: Id,
        ask: Ask,
        /// What the rules of a session that works for this one have said.
        said: Option<Action>,
        answer: oneshot::Sender<Answered>,
    },
    /// One that was passed on has come back.
    Answered(Id, Answered),
}

/// A call that waits for a reply.
#[derive(Debug)]
pub(super) struct Waiting {
    part: Id,
    answer: oneshot::Sender<Answered>,
}

/// The line from one call to its session.
pub(super) struct Line {
    pub(super) questions: mpsc::Sender<Question>,
    pub(super) part: Id,
}

impl Line {
    async fn put(&self, ask: Ask, said: Option<Action>) -> Answered {
        let (answer, answered) = oneshot::channel();
        let question = Question::Asked { part: self.part.clone(), ask, said, answer };
        // A session that is gone answers nothing: the call ends as if cancelled.
        self.questions.send(question).await.map_err(|_| Refused::Cancelled)?;
        answered.await.unwrap_or(Err(Refused::Cancelled))
    }
}

impl Asker for Line {
    fn ask<'a>(&'a self, _call: &'a str, ask: Ask) -> Answer<'a> {
        Box::pin(self.put(ask, None))
    }

    fn ask_for<'a>(&'a self, _call: &'a str, ask: Ask, said: Action) -> Answer<'a> {
        Box::pin(self.put(ask, Some(said)))
    }
}

/// What reviewing before and after mean to the rules.
pub(super) fn action(when: ReviewWhen) -> Action {
    match when {
        ReviewWhen::Before => Action::Ask,
        ReviewWhen::After => Action::Allow,
    }
}

impl Worker {
    pub(super) async fn question(&mut self, question: Question) {
        let (part, ask, said, answer) = match question {
            Question::Asked { part, ask, said, answer } => (part, ask, said, answer),
            Question::Answered(id, answered) => return self.came_back(&id, answered),
        };
        // Who said stop is not asked again, and neither is one who cancelled.
        let refused = if self.cancel.is_cancelled() {
            Some(Refused::Cancelled)
        } else {
            self.stopped.then_some(Refused::ByPerson { reason: None })
        };
        if let Some(refused) = refused {
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
        self.stopped |= stops;
        // What is allowed along with it nobody has looked at.
        let by = |id: &Id| if id == ask { Allowed::ByPerson } else { Allowed::ByRule };
        self.settle(settled, by, |reason| Refused::ByPerson { reason }).await;
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

    /// Nobody waits for the asks of a call that is over.
    pub(super) async fn withdraw(&mut self, call: &Id) {
        self.passed.retain(|_, passed| passed.part != *call);
        let of_call = self.waiting.iter().filter(|(_, waiting)| waiting.part == *call);
        for id in of_call.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.waiting.remove(&id);
            if let Ok(ask) = self.asks.settle(&id) {
                self.emit(Event::Settled { ask }).await;
            }
        }
    }

    /// Ends all asks: the turn is over for them.
    pub(super) async fn close_asks(&mut self) {
        // Whoever waits for them hears that it is cancelled.
        self.passed.clear();
        let settled = self.asks.close();
        self.settle(settled, |_| Allowed::ByRule, |_| Refused::Cancelled).await;
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
                let _ = waiting.answer.send(answer);
            }
            self.emit(Event::Settled { ask: id }).await;
        }
    }
}
