//! The messages between the daemon and our editor extensions, besides standard LSP.
//!
//! One table of methods ([`table`]) is the source of the Rust types, `schema.json`, `protocol.ts` and the Neovim
//! extension's `protocol.lua`. `README.md` describes the protocol. Every method is in the table, because the traits of
//! [`method`] are sealed.
//!
//! Invariant: params and results are objects, never `null`: a Neovim handler that returns nothing never answers.
//! Invariant: an empty optional field is left out, never `null`: Neovim 0.12 reads `null` as `vim.NIL`, which is true in
//! Lua. So one schema serves both directions.
//! Invariant: ids are strings, times are milliseconds since 1970, positions are in the encoding that LSP negotiated.
//! Invariant: readers ignore unknown fields, and accept empty values as Lua writes them ([`lenient`]).

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
/// What views show of calls and asks. Tools and sessions use the same types.
pub mod metadata {
    pub use copydesk_metadata::*;
}
pub mod method;
pub mod part;
pub mod permission;
pub mod position;
pub mod provider;
pub mod question;
pub mod review;
pub mod server;
pub mod session;
pub mod table;
#[cfg(test)]
mod tests;
pub mod trust;
pub mod turn;
pub mod turn_end;
pub mod undo;

/// The version of this protocol; both sides must speak the same. It increases when an older peer would misunderstand, not
/// when something is added.
pub const PROTOCOL: u32 = 1;
