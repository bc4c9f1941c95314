//! What every face builds on: the hosted sessions and their clients ([`session_host`]), building a session from
//! the user's configuration ([`session_builder`]), and what all sessions share (language servers, editors,
//! reviews).
//!
//! Invariant: nothing here prints. News for the user is a returned value or an event.

pub mod agents;
#[cfg(test)]
mod config_fixture;
pub mod editor_servers;
pub mod editors;
pub mod environment;
mod instructions;
pub mod languages;
pub mod permission_report;
pub mod project_replies;
pub mod provider_setup;
pub mod providers;
pub mod reviews;
pub mod rules;
pub mod sandbox;
mod secret_variables;
pub mod session_builder;
pub mod session_host;
pub mod setup;
pub mod skills;
mod subagent_host;
mod time_limits;
pub mod trust;
pub mod uri;
mod web;
