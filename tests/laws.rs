//! The three laws of the LSP face, each beside the plain framework, which breaks it. If a new version of the framework
//! keeps one of them, the test of the naive server fails.

mod naive;
mod order;
mod result;
mod waiting;
