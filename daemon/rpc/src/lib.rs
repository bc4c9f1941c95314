//! JSON-RPC: message framing ([`frame`]), one side of a connection that sends and answers requests
//! ([`peer`]), limits on what a message may contain ([`value_limit`]), and the daemon's socket ([`transport`]).
//!
//! The language server client, the command line's client, the shim and the LSP face build on it. The meaning
//! of a method is theirs.

pub mod frame;
pub mod peer;
pub mod transport;
pub mod value_limit;
