//! One file per command.

pub(crate) mod auth;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod models;
pub(crate) mod run;
pub(crate) mod sessions;
pub(crate) mod tour;
