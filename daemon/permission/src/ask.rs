//! An ask, what may be decided about it without a person, and what a person may reply.

use thiserror::Error;

use crate::{PermissionAction, PermissionRule};

/// What a call wants to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    pub key: String,
    /// All of them are to be allowed: each path, each command.
    pub patterns: Vec<String>,
    /// What is remembered when the reply is `Always`. The person is shown it, so it should be as narrow as is useful.
    pub always_patterns: Vec<String>,
    /// What other rules have said already: those of a session that works for this one.
    pub prior_action: Option<PermissionAction>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskReply {
    Once,
    /// Also for what the ask says under `always`, as long as the session remembers.
    Always,
    /// With a reason the model is told and goes on; without one the person wants it to stop.
    Reject {
        reason: Option<String>,
    },
    /// There is nobody who could say yes or no.
    Unattended,
}

/// What the rules say to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionDecision {
    Allow,
    /// The same ask with only those patterns that nobody has allowed yet.
    Ask(Ask),
    Deny(PermissionDeniedError),
}

/// A rule forbids it; no reply can change that. Its `Display` is written for the model, with the rule as the
/// configuration would have it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{key}` of `{pattern}` is denied by the rule `\"{}\": {{ \"{}\": \"{}\" }}`",
    rule.key, rule.pattern, rule.action.name()
)]
pub struct PermissionDeniedError {
    pub key: String,
    pub pattern: String,
    pub rule: PermissionRule,
}
