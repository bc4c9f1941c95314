//! The built `copydesk` as a user runs it in a shell: what it prints, where, and with which exit code.
//!
//! Tests compare whole outputs, so that a changed word is a changed test. Every test has its own home and project, and
//! an environment with only what it sets. Nothing sleeps or measures time.

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
mod permission;
mod terminal;
mod trust;
mod working_folder;
