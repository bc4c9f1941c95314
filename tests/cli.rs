//! The built `copydesk`, as a person at a shell meets it: what it prints, where, and with which exit code.
//!
//! Whole outputs are compared, so that a change of a word is a change of a test. Every test has a home and a project of
//! its own and an environment with nothing in it that it did not put there. Nothing here sleeps or measures time.

mod auth;
mod auth_trouble;
mod broken_config;
mod config;
mod doctor;
pub(crate) mod environment;
mod help;
mod hostile;
mod local;
mod models;
mod terminal;
mod trust;
mod working_folder;
