//! JSON-RPC: messages on a stream of bytes ([`frame`]), and one side of a connection that asks, answers and notifies
//! ([`peer`]).
//!
//! Language servers, the command line's client, the shim and the LSP face stand on it. What a method means is the caller's.

pub mod frame;
pub mod peer;
pub mod transport;
