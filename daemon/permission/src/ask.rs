//! An ask, the decision the rules make about it, and the replies a user may give.

use thiserror::Error;

use crate::{CommandPattern, PermissionAction, PermissionRule};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ask {
    pub key: String,
    /// Every one must be allowed: each path, each command. Not compared with rules if there are `commands`:
    /// then these are their texts.
    pub patterns: Vec<String>,
    /// What a shell will run, as it was understood.
    pub commands: Vec<CommandPattern>,
    /// What the session remembers when the reply is `Always`. The user sees it, so keep it as narrow as is
    /// useful.
    pub always_patterns: Vec<String>,
    /// What the rules of a child session already decided about this ask.
    pub prior_action: Option<PermissionAction>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskReply {
    Once,
    /// Also allows more from now on.
    Always {
        scope: AlwaysScope,
        /// The user's own list in place of the ask's `always_patterns`; see `check_always_patterns`.
        patterns: Option<Vec<String>>,
    },
    /// With a reason, the model reads it and continues; without one, the turn stops.
    Reject {
        reason: Option<String>,
    },
    /// No user is attached who could reply.
    Unattended,
}

/// Where a reply of "always" counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlwaysScope {
    /// For as long as the session remembers.
    #[default]
    Session,
    /// In every session of the project. The host stores these replies and passes them to `RuleLayers::set_project_replies`.
    Project,
}

/// What a reply of "always" allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedPattern {
    pub key: String,
    pub pattern: String,
}

impl RememberedPattern {
    pub fn new(key: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self { key: key.into(), pattern: pattern.into() }
    }
}

/// The rules' decision about an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionDecision {
    Allow,
    /// The same ask, reduced to the patterns that are not allowed yet.
    Ask(Ask),
    Deny(PermissionDeniedError),
}

/// A rule denies the call; no reply can change that. `Display` is written for the model and shows the rule as
/// the configuration writes it.
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
