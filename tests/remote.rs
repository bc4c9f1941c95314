//! `copydesk run` with a running daemon: the session runs there, and a user or a script sees the same.

mod failures;
mod hunks;
mod other_clients;
mod parity;
mod session_lock;
