//! Limits in money: a request waits for the user when a session, or all sessions of the day, have cost as much as the user set.
//!
//! Invariant: the request that would go over a limit is not sent before the user agrees. A running one ends, and its cost counts.
//! Subagents count for the session at the top, and they wait, too.

use copydesk_tool::{PermissionDenial, Question, QuestionAnswers, QuestionOption};
use tokio::sync::oneshot;

use super::SessionActor;
use crate::data::TurnEnd;
use crate::id::{Id, now};
use crate::store::{CostTotals, StoreError};

/// The user's settings, in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CostLimits {
    /// Of a session with its subagents.
    pub session: Option<f64>,
    /// Of all sessions in a day (UTC).
    pub day: Option<f64>,
}

/// What was spent, and what the user allowed beyond the limits.
#[derive(Debug, Default)]
pub(super) struct CostAccount {
    totals: CostTotals,
    session_limit: Option<f64>,
    day_limit: Option<f64>,
}

/// A limit that is reached.
struct ReachedLimit {
    /// `This session`
    what: &'static str,
    key: &'static str,
    spent: f64,
    limit: f64,
    /// Of the next pause.
    next: f64,
}

const GO_ON: &str = "Go on";
const STOP: &str = "Stop";

impl SessionActor {
    /// Before a request: asks the user if a limit is reached. Returns how the turn ends if it may not be sent.
    pub(super) async fn check_cost_limits(&mut self) -> Result<Option<TurnEnd>, StoreError> {
        let limits = self.deps.limits;
        if limits == CostLimits::default() {
            return Ok(None);
        }
        let totals = self.deps.store.add_costs(self.costs.totals, &self.deps.session.id, now()).await?;
        self.costs.totals = totals;
        if let Some(reached) = reached(limits.session, self.costs.session_limit, totals.session) {
            let reached = ReachedLimit { what: "This session", key: "limits.session", ..reached };
            if let Some(end) = self.ask_beyond(&reached).await {
                return Ok(Some(end));
            }
            self.costs.session_limit = Some(reached.next);
        }
        if let Some(reached) = reached(limits.day, self.costs.day_limit, totals.day) {
            let reached = ReachedLimit { what: "All sessions of today", key: "limits.day", ..reached };
            if let Some(end) = self.ask_beyond(&reached).await {
                return Ok(Some(end));
            }
            self.costs.day_limit = Some(reached.next);
        }
        Ok(None)
    }

    async fn ask_beyond(&mut self, reached: &ReachedLimit) -> Option<TurnEnd> {
        let ReachedLimit { what, key, spent, limit, next } = reached;
        tracing::info!(key, spent, limit, "a limit of costs is reached");
        let [spent, limit, next] = [spent, limit, next].map(|amount| dollars(*amount));
        let option =
            |label: &str, description: String| QuestionOption { label: label.to_owned(), description };
        let question = Question {
            header: "Cost limit".to_owned(),
            text: format!("{what} cost {spent}; the limit is {limit}. Go on?"),
            options: vec![
                option(GO_ON, format!("Asks again at {next}")),
                option(STOP, "Ends the turn; what is done stays".to_owned()),
            ],
            multiple: false,
            custom: false,
        };
        let stopped = || TurnEnd::Failed {
            message: format!(
                "{what} cost {spent}, and the limit is {limit}. Raise `{key}` in the configuration, or send a prompt and agree to go on."
            ),
        };
        match self.ask_between_steps(question).await {
            Ok(answers) if answers.iter().flatten().any(|answer| answer == GO_ON) => None,
            _ if self.cancel.is_cancelled() => Some(TurnEnd::Cancelled),
            _ => Some(stopped()),
        }
    }

    /// Asks a question while no call runs. Commands are handled meanwhile.
    async fn ask_between_steps(&mut self, question: Question) -> QuestionAnswers {
        let (answer, mut answered) = oneshot::channel();
        // The question belongs to the prompt or the step before it.
        let part = self.parts.last().map_or_else(Id::new, |part| part.id.clone());
        self.open_question(part, None, vec![question], answer).await;
        loop {
            let cancel = self.cancel.clone();
            tokio::select! {
                biased;
                answers = &mut answered => return answers.unwrap_or(Err(PermissionDenial::Cancelled)),
                () = cancel.cancelled() => return Err(PermissionDenial::Cancelled),
                Some(command) = self.commands.recv() => self.handle_command(command).await,
                Some(request) = self.call_requests.recv() => self.handle_call_request(request).await,
            }
        }
    }
}

fn dollars(amount: f64) -> String {
    if amount < 0.1 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// The texts are the caller's.
fn reached(limit: Option<f64>, allowed: Option<f64>, spent: f64) -> Option<ReachedLimit> {
    let limit = limit.filter(|limit| *limit >= 0.0)?;
    let allowed = allowed.unwrap_or(limit);
    // The next pause comes after the same amount again, beyond what is spent.
    let next = spent.max(allowed) + limit;
    (spent >= allowed).then_some(ReachedLimit { what: "", key: "", spent, limit: allowed, next })
}

#[cfg(test)]
mod tests {
    use super::reached;

    #[test]
    fn a_limit_is_reached_again_after_the_same_amount() {
        let state = |limit, allowed, spent| {
            reached(limit, allowed, spent).map(|reached| (reached.limit, reached.next))
        };
        assert_eq!(state(None, None, 9.0), None);
        assert_eq!(state(Some(2.0), None, 1.9), None);
        assert_eq!(state(Some(2.0), None, 2.5), Some((2.0, 4.5)));
        assert_eq!(state(Some(2.0), Some(4.5), 4.4), None);
        assert_eq!(state(Some(2.0), Some(4.5), 4.5), Some((4.5, 6.5)));
        assert_eq!(state(Some(0.0), None, 0.0), Some((0.0, 0.0)));
    }
}
