//! `copydesk run` with the daemon up: the session works there, and what a person or a script sees is the same.

mod alone;
mod hunks;
mod others;
mod same;
mod trouble;
