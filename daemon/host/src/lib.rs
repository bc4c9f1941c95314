//! What every face stands on: the sessions at hand and whoever is attached to them ([`host`]), how a session is built from the user's
//! configuration ([`session_builder`]), and what all sessions share (language servers, editors, reviews).
//!
//! Invariant: nothing here prints. What the user should know is a value, or an event.

pub mod agents;
#[cfg(test)]
mod config_fixture;
pub mod editors;
pub mod environment;
mod instructions;
pub mod languages;
pub mod providers;
pub mod reviews;
pub mod rules;
pub mod session_builder;
pub mod session_host;
pub mod setup;
pub mod skills;
mod subagent_host;
pub mod uri;
mod web;
