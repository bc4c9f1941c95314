//! One file per command.

pub(crate) mod auth;
pub(crate) mod completions;
pub(crate) mod config;
mod connect_daemon;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod log;
pub(crate) mod lsp;
pub(crate) mod models;
pub(crate) mod permission;
pub(crate) mod restart;
pub(crate) mod run;
pub(crate) mod sandbox_bridge;
pub(crate) mod sessions;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod tour;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod usage;
