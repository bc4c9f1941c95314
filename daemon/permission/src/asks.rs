//! The asks of one session: which wait for a reply, and what a reply settles besides the ask it is for.
//!
//! A state machine without waiting: the session keeps who waits under the same id, and wakes those that are settled.

use thiserror::Error;

use crate::{Action, Ask, Decision, Layers, Reply};

/// How an ask that had to wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Allowed,
    /// With a reason the model is told it; without one the turn stops.
    Rejected {
        reason: Option<String>,
    },
    /// Nobody could be asked; the model is told so.
    Unasked,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no such ask; it may have been settled by another reply")]
pub struct UnknownAsk;

#[derive(Debug, Clone)]
pub struct Asks<Id> {
    layers: Layers,
    open: Vec<(Id, Ask)>,
}

impl<Id: Clone + PartialEq> Asks<Id> {
    pub fn new(layers: Layers) -> Self {
        Self { layers, open: Vec::new() }
    }

    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    pub fn layers_mut(&mut self) -> &mut Layers {
        &mut self.layers
    }

    /// Those that wait, the oldest first: what a client that attaches is sent.
    pub fn open(&self) -> &[(Id, Ask)] {
        &self.open
    }

    /// Decides at once, or keeps the ask until it is replied to.
    pub fn ask(&mut self, id: Id, ask: &Ask) -> Decision {
        let decision = self.layers.decide(ask);
        if let Decision::Ask(ask) = &decision {
            self.open.push((id, ask.clone()));
        }
        decision
    }

    /// What is settled by the reply. `Always` also settles those that it answers; a rejection without a reason means
    /// "stop", so it settles all, one with a reason only its own.
    pub fn reply(&mut self, id: &Id, reply: Reply) -> Result<Vec<(Id, Outcome)>, UnknownAsk> {
        let at = self.open.iter().position(|(open, _)| open == id).ok_or(UnknownAsk)?;
        let (id, ask) = self.open.remove(at);
        Ok(match reply {
            Reply::Once => vec![(id, Outcome::Allowed)],
            Reply::Always => {
                for pattern in &ask.always {
                    self.layers.remember(&ask.key, pattern);
                }
                let mut settled = vec![(id, Outcome::Allowed)];
                settled.extend(self.answered());
                settled
            }
            Reply::Reject { reason: Some(reason) } => {
                vec![(id, Outcome::Rejected { reason: Some(reason) })]
            }
            Reply::Nobody => vec![(id, Outcome::Unasked)],
            Reply::Reject { reason: None } => {
                let mut settled = vec![(id, Outcome::Rejected { reason: None })];
                settled.extend(self.close());
                settled
            }
        })
    }

    /// An ask that was settled in another way than by a reply.
    pub fn settle(&mut self, id: &Id) -> Result<Id, UnknownAsk> {
        let at = self.open.iter().position(|(open, _)| open == id).ok_or(UnknownAsk)?;
        Ok(self.open.remove(at).0)
    }

    /// Under one key, what a person chose holds instead of what the rules allow or ask. Gives what is settled by that.
    pub fn choose(&mut self, key: &str, action: Option<Action>) -> Vec<(Id, Outcome)> {
        self.layers.choose(key, action);
        self.answered()
    }

    /// Ends all that wait: the turn was cancelled, or the session is closed.
    pub fn close(&mut self) -> Vec<(Id, Outcome)> {
        self.open.drain(..).map(|(id, _)| (id, Outcome::Rejected { reason: None })).collect()
    }

    /// Takes out those that need no reply any more.
    fn answered(&mut self) -> Vec<(Id, Outcome)> {
        let layers = &self.layers;
        let answered = self.open.extract_if(.., |(_, ask)| layers.decide(ask) == Decision::Allow);
        answered.map(|(id, _)| (id, Outcome::Allowed)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(pattern: &str) -> Ask {
        Ask {
            key: "bash".into(),
            patterns: vec![pattern.into()],
            always: vec![format!("{pattern} *")],
            said: None,
        }
    }

    fn waiting(patterns: &[&'static str]) -> Asks<&'static str> {
        let mut asks = Asks::new(Layers::default());
        for &pattern in patterns {
            assert!(matches!(asks.ask(pattern, &ask(pattern)), Decision::Ask(_)));
        }
        asks
    }

    #[test]
    fn a_reason_is_about_one_ask_and_silence_about_all() {
        let rejected = |reason: Option<&str>| Outcome::Rejected { reason: reason.map(str::to_owned) };
        let mut asks = waiting(&["make", "ls", "rm"]);
        let reply = Reply::Reject { reason: Some("use cargo".into()) };
        assert_eq!(asks.reply(&"make", reply), Ok(vec![("make", rejected(Some("use cargo")))]));
        assert_eq!(asks.open().len(), 2);
        let settled = asks.reply(&"rm", Reply::Reject { reason: None });
        assert_eq!(settled, Ok(vec![("rm", rejected(None)), ("ls", rejected(None))]));
        assert_eq!(asks.reply(&"ls", Reply::Once), Err(UnknownAsk), "the second reply comes too late");
    }

    #[test]
    fn always_settles_what_it_answers() {
        let mut asks = waiting(&["git", "ls", "git log"]);
        let settled = asks.reply(&"git", Reply::Always);
        assert_eq!(settled, Ok(vec![("git", Outcome::Allowed), ("git log", Outcome::Allowed)]));
        assert_eq!(asks.ask("next", &ask("git push")), Decision::Allow);
        assert_eq!(asks.open(), [("ls", ask("ls"))]);
    }
}
