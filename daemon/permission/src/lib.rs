//! Permission rules, asks and replies. This crate is pure: it decides; the session waits for users and stores
//! their replies.
//!
//! A *key* names a kind of action (`edit`, `bash`; each tool names its own), a *pattern* names its target (a
//! path, a command). In [`PermissionRules`] the last matching rule decides. [`RuleLayers`] combines the rules
//! of the defaults, the configuration and the agent with the user's replies. [`PendingAsks`] holds one
//! session's asks that wait for a reply.
//!
//! Invariant: without a matching rule the decision is to ask.
//! Invariant: a user's reply never allows what a rule denies.

mod always_check;
mod ask;
mod command_pattern;
mod command_rules;
mod default_rules;
mod pattern_class;
mod pending_asks;
mod preset;
mod rule;
mod rule_layers;
mod rule_origin;
mod secret_files;
mod shell;
mod wildcard;

#[cfg(test)]
mod conformance_tests;

pub use always_check::{AlwaysPatternError, check_always_patterns, may_keep_for_project};
pub use ask::{AlwaysScope, Ask, AskReply, PermissionDecision, PermissionDeniedError, RememberedPattern};
pub use command_pattern::CommandPattern;
pub use default_rules::{default_rules, preset_rules};
pub use pending_asks::{AskOutcome, PendingAsks, UnknownAskError};
pub use preset::PermissionPreset;
pub use rule::{PermissionAction, PermissionRule, PermissionRules, RuleSetting};
pub use rule_layers::{DecisionReason, ExplainedPattern, RuleLayers};
pub use rule_origin::RuleOrigin;
pub use secret_files::looks_like_secret;
pub use shell::{CommandReading, ShellPlace, UnreadableCommandError, read_command};
pub use wildcard::matches_wildcard;
