//! Asks and questions: from a call to the rules, then to the user, and back.
//!
//! Both wait as long as the user takes; the first reply wins; a reply that means stop settles all of them; the end of the
//! turn closes them.

use copydesk_permission::{
    AlwaysScope, Ask as Rule, AskOutcome, AskReply, PermissionAction, PermissionDecision, PermissionPreset,
    may_keep_for_project,
};
use copydesk_tool::{
    AskUserMode, PermissionDenial, PermissionGrant, PermissionRequest, Question, QuestionAnswers,
};
use tokio::sync::oneshot;

use super::SessionActor;
use super::session_asker::{CallRequest, PermissionOutcome};
use crate::data::SessionReviewTiming;
use crate::event::{AskEvent, QuestionEvent, SessionEvent};
use crate::id::Id;

/// A call that waits for a reply or for answers.
#[derive(Debug)]
pub(super) struct ReplyWaiter<T> {
    part: Id,
    answer: oneshot::Sender<T>,
}

/// The rule that a review timing stands for.
pub(super) fn review_action(when: SessionReviewTiming) -> PermissionAction {
    match when {
        SessionReviewTiming::Before => PermissionAction::Ask,
        SessionReviewTiming::After => PermissionAction::Allow,
    }
}

impl SessionActor {
    pub(super) async fn handle_call_request(&mut self, wanted: CallRequest) {
        match wanted {
            CallRequest::Ask { part, ask, rule_action: said, answer } => {
                self.open_ask(part, ask, said, answer).await;
            }
            CallRequest::ForwardedAskAnswered(id, answered) => self.settle_forwarded_ask(&id, answered),
            CallRequest::Questions { part, agent, questions, answer } => {
                self.open_question(part, agent, questions, answer).await;
            }
            CallRequest::ForwardedQuestionsAnswered(answers, answer) => {
                self.settle_forwarded_questions(answers, answer);
            }
            CallRequest::SwitchAgent { agent, answer } => drop(answer.send(self.prepare_role(&agent).await)),
        }
    }

    /// A user who stopped or cancelled the turn is not asked again.
    fn standing_denial(&self) -> Option<PermissionDenial> {
        if self.cancel.is_cancelled() {
            return Some(PermissionDenial::Cancelled);
        }
        self.is_stopped_by_user.then_some(PermissionDenial::ByUser { reason: None })
    }

    pub(super) async fn open_question(
        &mut self,
        part: Id,
        agent: Option<String>,
        questions: Vec<Question>,
        answer: oneshot::Sender<QuestionAnswers>,
    ) {
        if let Some(refused) = self.standing_denial() {
            let _ = answer.send(Err(refused));
            return;
        }
        if let Some(above) = self.deps.parent.clone() {
            return self.forward_questions(&above, &part, agent.as_deref(), questions, answer);
        }
        let question = Id::new();
        tracing::debug!(%question, call = %part, questions = questions.len(), "question opened");
        self.waiting_questions.insert(question.clone(), ReplyWaiter { part: part.clone(), answer });
        self.emit(SessionEvent::QuestionOpened(QuestionEvent { question, part, agent, questions })).await;
    }

    /// Ignores answers to settled questions: another client was first.
    pub(super) async fn answer(&mut self, question: &Id, answers: QuestionAnswers) {
        let Some(waiting) = self.waiting_questions.remove(question) else { return };
        tracing::debug!(%question, is_answered = answers.is_ok(), "question answered");
        let stops = matches!(answers, Err(PermissionDenial::ByUser { reason: None }));
        let _ = waiting.answer.send(answers);
        self.emit(SessionEvent::QuestionSettled { question: question.clone() }).await;
        if stops {
            self.stop().await;
        }
    }

    /// The user stops the turn: settles everything that still waits.
    async fn stop(&mut self) {
        self.is_stopped_by_user = true;
        let settled = self.asks.reject_all();
        self.settle(settled, |_| PermissionGrant::ByRule, |reason| PermissionDenial::ByUser { reason }).await;
        self.close_questions(&PermissionDenial::ByUser { reason: None }).await;
    }

    async fn open_ask(
        &mut self,
        part: Id,
        ask: PermissionRequest,
        said: Option<PermissionAction>,
        answer: oneshot::Sender<PermissionOutcome>,
    ) {
        if let Some(refused) = self.standing_denial() {
            let _ = answer.send(Err(refused));
            return;
        }
        if let Some(above) = self.deps.parent.clone() {
            return self.forward_ask(&above, part, ask, said, answer);
        }
        let ask_user = ask.ask_user;
        let id = Id::new();
        let rule = Rule {
            key: ask.key,
            patterns: ask.patterns,
            commands: ask.commands,
            always_patterns: ask.always,
            // A task that began under a more lenient preset allows nothing by itself any more.
            prior_action: said.filter(|said| !(self.is_preset_switched && *said == PermissionAction::Allow)),
        };
        self.load_project_replies(&rule).await;
        if ask_user == AskUserMode::Never
            && matches!(self.asks.layers().decide(&rule), PermissionDecision::Ask(_))
        {
            let _ = answer.send(Ok(PermissionGrant::NotAsked { is_unattended: self.is_unattended }));
            return;
        }
        match self.asks.ask(id.clone(), &rule) {
            PermissionDecision::Allow => drop(answer.send(Ok(PermissionGrant::ByRule))),
            PermissionDecision::Deny(denied) => {
                drop(answer.send(Err(PermissionDenial::ByRule { why: denied.to_string() })));
            }
            PermissionDecision::Ask(rule) => {
                tracing::debug!(ask = %id, call = %part, key = rule.key, "ask opened");
                self.waiting_asks.insert(id.clone(), ReplyWaiter { part: part.clone(), answer });
                if let AskUserMode::InReviews(reviews) = ask_user {
                    let session = self.deps.session.id.as_str();
                    self.deps.files.reviews().set_ask(session, &reviews, id.as_str());
                }
                let why = self.reason_to_ask(&rule);
                let project_always = may_keep_for_project(&rule.key, &rule.always_patterns)
                    && self.deps.roles.may_keep_replies();
                self.emit(SessionEvent::AskOpened(AskEvent {
                    ask: id,
                    part,
                    why,
                    key: rule.key,
                    patterns: rule.patterns,
                    always: rule.always_patterns,
                    project_always,
                    title: ask.title,
                    metadata: ask.metadata,
                }))
                .await;
            }
        }
    }

    /// For an ask of a subagent, its own rules may be the reason, which this session does not know.
    fn reason_to_ask(&self, ask: &Rule) -> Option<String> {
        let explained = self.asks.layers().explain(&Rule { prior_action: None, ..ask.clone() });
        let asks = explained.into_iter().find(|pattern| pattern.action == PermissionAction::Ask);
        asks.map(|pattern| pattern.reason.to_string())
    }

    pub(super) async fn reply(&mut self, ask: &Id, reply: AskReply) {
        let stops = matches!(reply, AskReply::Reject { reason: None });
        let is_for_project = matches!(reply, AskReply::Always { scope: AlwaysScope::Project, .. });
        // The ask is settled: another client was first.
        let Ok(settled) = self.asks.reply(ask, reply) else { return };
        tracing::debug!(%ask, settled = settled.len(), stops, "ask answered");
        // The user has not seen the other asks that this reply allows.
        let by = |id: &Id| if id == ask { PermissionGrant::ByUser } else { PermissionGrant::ByRule };
        self.settle(settled, by, |reason| PermissionDenial::ByUser { reason }).await;
        if is_for_project {
            // The host has stored it.
            self.refresh_project_replies().await;
        }
        if stops {
            self.stop().await;
        }
    }

    /// The user decided every hunk of an ask.
    pub(super) async fn settle_reviewed_ask(&mut self, ask: &Id) {
        let Ok(ask) = self.asks.settle(ask) else { return };
        if let Some(waiting) = self.waiting_asks.remove(&ask) {
            let _ = waiting.answer.send(Ok(PermissionGrant::ByReview));
        }
        self.emit(SessionEvent::AskSettled { ask }).await;
    }

    /// Counts from the next edit on. A waiting call continues if the user need not be asked any more.
    pub(super) async fn set_review_timing(&mut self, when: Option<SessionReviewTiming>) {
        let settled = self.asks.choose_action("edit", when.map(review_action));
        self.settle(settled, |_| PermissionGrant::ByRule, |reason| PermissionDenial::ByUser { reason }).await;
    }

    /// Counts from the next call on. A waiting call continues if the user need not be asked any more.
    pub(super) async fn set_preset(&mut self, preset: Option<PermissionPreset>) {
        self.deps.session.preset = preset;
        let (rules, own) = self.deps.roles.rules(&self.deps.agent, preset);
        self.is_preset_switched = true;
        let settled = self.asks.set_rules(rules, own);
        self.deps.rules.set(self.asks.layers());
        self.settle(settled, |_| PermissionGrant::ByRule, |reason| PermissionDenial::ByUser { reason }).await;
    }

    /// Settles the asks and questions of a finished call.
    pub(super) async fn withdraw(&mut self, call: &Id) {
        self.forwarded_asks.retain(|_, passed| passed.part != *call);
        let of_call = self.waiting_asks.iter().filter(|(_, waiting)| waiting.part == *call);
        for id in of_call.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.waiting_asks.remove(&id);
            if let Ok(ask) = self.asks.settle(&id) {
                self.emit(SessionEvent::AskSettled { ask }).await;
            }
        }
        let of_call = self.waiting_questions.iter().filter(|(_, waiting)| waiting.part == *call);
        for question in of_call.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.waiting_questions.remove(&question);
            self.emit(SessionEvent::QuestionSettled { question }).await;
        }
    }

    /// Settles all asks and questions at the end of the turn.
    pub(super) async fn close_asks(&mut self) {
        // Dropping the sender tells the call that it is cancelled.
        self.forwarded_asks.clear();
        let settled = self.asks.reject_all();
        self.settle(settled, |_| PermissionGrant::ByRule, |_| PermissionDenial::Cancelled).await;
        self.close_questions(&PermissionDenial::Cancelled).await;
    }

    async fn close_questions(&mut self, why: &PermissionDenial) {
        for (question, waiting) in std::mem::take(&mut self.waiting_questions) {
            let _ = waiting.answer.send(Err(why.clone()));
            self.emit(SessionEvent::QuestionSettled { question }).await;
        }
    }

    pub(super) async fn settle(
        &mut self,
        settled: Vec<(Id, AskOutcome)>,
        by: impl Fn(&Id) -> PermissionGrant,
        refused: impl Fn(Option<String>) -> PermissionDenial,
    ) {
        for (id, outcome) in settled {
            let answer = match outcome {
                AskOutcome::Allowed => Ok(by(&id)),
                AskOutcome::Unattended => Err(PermissionDenial::Unattended),
                AskOutcome::Rejected { reason } => Err(refused(reason)),
            };
            if let Some(waiting) = self.waiting_asks.remove(&id) {
                let _ = waiting.answer.send(answer);
            }
            self.emit(SessionEvent::AskSettled { ask: id }).await;
        }
    }
}
