//! What may be done without asking: rules over keys and patterns, asks and their replies. Pure: it decides, the session
//! waits for people and remembers what they said.
//!
//! A *key* names a kind of action (`edit`, `bash`; a tool says which is its own), a *pattern* what it is done to (a path, a
//! command). [`PermissionRules`] are lines of which the last that matches decides; [`RuleLayers`] are the rules of the house, the user
//! and the agent with what a person has answered on top; [`PendingAsks`] are the asks of one session that wait for a reply.
//!
//! Invariant: without a rule the answer is to ask.
//! Invariant: what a person has answered never allows what a rule denies.

mod ask;
mod default_rules;
mod pending_asks;
mod rule;
mod rule_layers;
mod wildcard;

#[cfg(test)]
mod conformance_tests;

pub use ask::{Ask, AskReply, PermissionDecision, PermissionDeniedError};
pub use default_rules::default_rules;
pub use pending_asks::{AskOutcome, PendingAsks, UnknownAskError};
pub use rule::{PermissionAction, PermissionRule, PermissionRules, RuleSetting};
pub use rule_layers::RuleLayers;
pub use wildcard::matches_wildcard;
