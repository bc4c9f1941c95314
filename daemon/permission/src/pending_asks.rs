//! One session's pending asks, and the other asks that a reply settles along with its own.
//!
//! A state machine that never waits: the session keeps its waiters under the same ids and wakes those that
//! are settled.

use thiserror::Error;

use crate::{
    AlwaysScope, Ask, AskReply, PermissionAction, PermissionDecision, PermissionRules, RememberedPattern,
    RuleLayers,
};

/// How a pending ask ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    Allowed,
    /// With a reason, the model reads it; without one, the turn stops.
    Rejected {
        reason: Option<String>,
    },
    /// No user could be asked; the model is told so.
    Unattended,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("this ask is no longer pending; another reply may have settled it")]
pub struct UnknownAskError;

#[derive(Debug, Clone)]
pub struct PendingAsks<Id> {
    layers: RuleLayers,
    pending: Vec<(Id, Ask)>,
}

impl<Id: Clone + PartialEq> PendingAsks<Id> {
    pub fn new(layers: RuleLayers) -> Self {
        Self { layers, pending: Vec::new() }
    }

    pub fn layers(&self) -> &RuleLayers {
        &self.layers
    }

    pub fn layers_mut(&mut self) -> &mut RuleLayers {
        &mut self.layers
    }

    /// Oldest first: the list that a newly attached client receives.
    pub fn pending(&self) -> &[(Id, Ask)] {
        &self.pending
    }

    /// Decides at once, or queues the ask until a reply comes.
    pub fn ask(&mut self, id: Id, ask: &Ask) -> PermissionDecision {
        let decision = self.layers.decide(ask);
        if let PermissionDecision::Ask(ask) = &decision {
            self.pending.push((id, ask.clone()));
        }
        decision
    }

    /// Returns the asks that the reply settles. `Always` also settles the asks that it now allows. A
    /// rejection with a reason settles only its own ask; one without a reason means "stop" and settles all.
    pub fn reply(&mut self, id: &Id, reply: AskReply) -> Result<Vec<(Id, AskOutcome)>, UnknownAskError> {
        let at = self.pending.iter().position(|(open, _)| open == id).ok_or(UnknownAskError)?;
        let (id, ask) = self.pending.remove(at);
        Ok(match reply {
            AskReply::Once => vec![(id, AskOutcome::Allowed)],
            AskReply::Always { scope, patterns } => {
                // What counts for the project is stored, and reaches the layers of all its sessions from there.
                if scope == AlwaysScope::Session {
                    for pattern in patterns.as_ref().unwrap_or(&ask.always_patterns) {
                        self.layers.remember(&ask.key, pattern);
                    }
                }
                // The call itself is allowed even if no edited pattern matches it: the user saw it and said yes. Refusing would
                // make them answer twice, and the usual edit is `git push origin *` for a call of `git push`.
                let mut settled = vec![(id, AskOutcome::Allowed)];
                settled.extend(self.answered());
                settled
            }
            AskReply::Reject { reason: Some(reason) } => {
                vec![(id, AskOutcome::Rejected { reason: Some(reason) })]
            }
            AskReply::Unattended => vec![(id, AskOutcome::Unattended)],
            AskReply::Reject { reason: None } => {
                let mut settled = vec![(id, AskOutcome::Rejected { reason: None })];
                settled.extend(self.reject_all());
                settled
            }
        })
    }

    /// Removes an ask that was settled without a reply.
    pub fn settle(&mut self, id: &Id) -> Result<Id, UnknownAskError> {
        let at = self.pending.iter().position(|(open, _)| open == id).ok_or(UnknownAskError)?;
        Ok(self.pending.remove(at).0)
    }

    /// Sets the user's choice for a key, which replaces every `Allow` and `Ask` of the rules. Returns the
    /// asks that this settles.
    pub fn choose_action(&mut self, key: &str, action: Option<PermissionAction>) -> Vec<(Id, AskOutcome)> {
        self.layers.choose_action(key, action);
        self.answered()
    }

    /// Replaces the rules and the user's part of them. Returns the asks that this settles; a rule that now denies one lets
    /// it wait for the user, who cannot allow it.
    pub fn set_rules(&mut self, rules: PermissionRules, own: PermissionRules) -> Vec<(Id, AskOutcome)> {
        self.layers.set_rules([rules]);
        self.layers.set_user_rules(own);
        self.answered()
    }

    /// Replaces what the user allowed for the project. Returns the asks that this settles.
    pub fn set_project_replies(&mut self, replies: Vec<RememberedPattern>) -> Vec<(Id, AskOutcome)> {
        let _ = self.layers.set_project_replies(replies);
        self.answered()
    }

    /// Rejects every pending ask: the turn was cancelled or the session closed.
    pub fn reject_all(&mut self) -> Vec<(Id, AskOutcome)> {
        self.pending.drain(..).map(|(id, _)| (id, AskOutcome::Rejected { reason: None })).collect()
    }

    /// Removes the asks that are now allowed without a reply.
    fn answered(&mut self) -> Vec<(Id, AskOutcome)> {
        let layers = &self.layers;
        let answered =
            self.pending.extract_if(.., |(_, ask)| layers.decide(ask) == PermissionDecision::Allow);
        answered.map(|(id, _)| (id, AskOutcome::Allowed)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALWAYS: AskReply = AskReply::Always { scope: AlwaysScope::Session, patterns: None };

    fn ask(pattern: &str) -> Ask {
        Ask {
            key: "bash".into(),
            patterns: vec![pattern.into()],
            always_patterns: vec![format!("{pattern} *")],
            ..Ask::default()
        }
    }

    fn waiting(patterns: &[&'static str]) -> PendingAsks<&'static str> {
        let mut asks = PendingAsks::new(RuleLayers::default());
        for &pattern in patterns {
            assert!(matches!(asks.ask(pattern, &ask(pattern)), PermissionDecision::Ask(_)));
        }
        asks
    }

    #[test]
    fn a_reason_is_about_one_ask_and_silence_about_all() {
        let rejected = |reason: Option<&str>| AskOutcome::Rejected { reason: reason.map(str::to_owned) };
        let mut asks = waiting(&["make", "ls", "rm"]);
        let reply = AskReply::Reject { reason: Some("use cargo".into()) };
        assert_eq!(asks.reply(&"make", reply), Ok(vec![("make", rejected(Some("use cargo")))]));
        assert_eq!(asks.pending().len(), 2);
        let settled = asks.reply(&"rm", AskReply::Reject { reason: None });
        assert_eq!(settled, Ok(vec![("rm", rejected(None)), ("ls", rejected(None))]));
        assert_eq!(
            asks.reply(&"ls", AskReply::Once),
            Err(UnknownAskError),
            "the second reply comes too late"
        );
    }

    #[test]
    fn always_settles_what_it_answers() {
        let mut asks = waiting(&["git", "ls", "git log"]);
        let settled = asks.reply(&"git", ALWAYS);
        assert_eq!(settled, Ok(vec![("git", AskOutcome::Allowed), ("git log", AskOutcome::Allowed)]));
        assert_eq!(asks.ask("next", &ask("git push")), PermissionDecision::Allow);
        assert_eq!(asks.pending(), [("ls", ask("ls"))]);
    }
    #[test]
    fn edited_patterns_replace_the_offered_ones_and_allow_the_call_itself() {
        let mut asks = waiting(&["git push", "git push origin main"]);
        let patterns = Some(vec!["git push origin *".to_owned()]);
        let settled = asks.reply(&"git push", AskReply::Always { scope: AlwaysScope::Session, patterns });
        let allowed = ["git push", "git push origin main"].map(|id| (id, AskOutcome::Allowed));
        assert_eq!(settled, Ok(allowed.to_vec()));
        assert!(matches!(asks.ask("again", &ask("git push")), PermissionDecision::Ask(_)));
    }

    #[test]
    fn a_reply_for_the_project_is_remembered_by_whoever_stores_it() {
        let mut asks = waiting(&["git", "ls"]);
        let always = AskReply::Always { scope: AlwaysScope::Project, patterns: None };
        assert_eq!(asks.reply(&"git", always), Ok(vec![("git", AskOutcome::Allowed)]));
        assert!(asks.layers().remembered_patterns().is_empty());
        let stored = vec![RememberedPattern::new("bash", "git *"), RememberedPattern::new("bash", "ls")];
        assert_eq!(asks.set_project_replies(stored), [("ls", AskOutcome::Allowed)]);
        assert_eq!(asks.ask("more", &ask("git log")), PermissionDecision::Allow);
        asks.set_project_replies(Vec::new());
        assert!(matches!(asks.ask("revoked", &ask("git log")), PermissionDecision::Ask(_)));
    }
}
