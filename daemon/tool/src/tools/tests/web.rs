//! The tools of the web, against servers on this machine that do what they are told.

mod fetching;
mod hostile;
mod searching;
mod server;
