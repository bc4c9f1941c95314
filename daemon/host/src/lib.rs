//! What every face stands on: the sessions at hand and whoever is attached to them ([`hub`]), how a session is built from the user's
//! configuration ([`opening`]), and what all sessions share (language servers, editors, reviews).
//!
//! Invariant: nothing here prints. What the user should know is a value, or an event.

pub mod agents;
#[cfg(test)]
mod configured;
pub mod editors;
pub mod environment;
pub mod hub;
mod instructions;
pub mod languages;
pub mod opening;
pub mod providers;
pub mod reviews;
pub mod rules;
pub mod setup;
pub mod skills;
mod team;
pub mod uri;
mod web;
