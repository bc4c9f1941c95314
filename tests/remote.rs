//! `copydesk run` with the daemon up: the session works there, and what a person or a script sees is the same.

mod failures;
mod hunks;
mod other_clients;
mod parity;
mod session_lock;
