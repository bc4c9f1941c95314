//! What may be done without asking: rules over keys and patterns, asks and their replies. Pure: it decides, the session
//! waits for people and remembers what they said.
//!
//! A *key* names a kind of action (`edit`, `bash`; a tool says which is its own), a *pattern* what it is done to (a path, a
//! command). [`Rules`] are lines of which the last that matches decides; [`Layers`] are the rules of the house, the user
//! and the agent with what a person has answered on top; [`Asks`] are the asks of one session that wait for a reply.
//!
//! Invariant: without a rule the answer is to ask.
//! Invariant: what a person has answered never allows what a rule denies.

mod ask;
mod asks;
mod defaults;
mod layers;
mod rule;
mod wildcard;

#[cfg(test)]
mod conformance;

pub use ask::{Ask, Decision, Denied, Reply};
pub use asks::{Asks, Outcome, UnknownAsk};
pub use defaults::defaults;
pub use layers::Layers;
pub use rule::{Action, Rule, Rules, Setting};
pub use wildcard::matches;
