//! The reader of commands against the cases of `tests/conformance`, and against our own corpus of evasions.

mod conformance;
mod evasions;
