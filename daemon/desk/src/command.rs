//! One file per command.

pub(crate) mod auth;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod models;
