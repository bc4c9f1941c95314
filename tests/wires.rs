//! Every wire against the scripted server: the same turn must read the same on all four.

mod cancel;
mod content;
mod dialects;
mod faults;
mod harness;
mod history;
mod odd_streams;
mod refusals;
mod requests;
mod tls;
