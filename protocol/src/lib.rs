//! What crosses the wire between the desk and our editor extensions, besides standard LSP.
//!
//! One table of methods ([`table`]) is the source of everything: the Rust types, `schema.json`, `protocol.ts`, the
//! Neovim extension's `protocol.lua`. `README.md` is the page for people. A method that is not in the table cannot exist: the traits of
//! [`method`] are sealed.
//!
//! Invariant: params and results are objects, never `null`: a Neovim handler that returns nothing never answers.
//! Invariant: a field that may be missing is missing when it is empty, never `null`: Neovim 0.12 hands over `vim.NIL`, which
//! Lua takes for true. So one description serves both directions.
//! Invariant: ids are strings, times are milliseconds since 1970, positions are in the encoding that LSP negotiated.
//! Invariant: what we read may hold fields that we do not know, and empty things as Lua writes them ([`lenient`]).

pub mod daemon;
pub mod document;
pub mod editor;
pub mod error;
pub mod event;
#[cfg(test)]
mod generate;
pub mod handshake;
pub mod inline;
pub mod job;
pub mod lenient;
/// What views show of calls and asks: the types of the room that tools and sessions use, too.
pub mod metadata {
    pub use copydesk_metadata::*;
}
pub mod method;
pub mod navigation;
pub mod part;
pub mod permission;
pub mod position;
pub mod question;
pub mod review;
pub mod server;
pub mod session;
pub mod table;
#[cfg(test)]
mod tests;
pub mod turn;
pub mod undo;

/// The version of this protocol. Both sides must have the same: it counts up when an older peer would misunderstand, not
/// when something is added.
pub const PROTOCOL: u32 = 1;
