//! The three laws of the editor's face, each beside the framework as it comes, which breaks it. Were a new version of the
//! framework to keep one of them, the test of the naive server would say so.

mod naive;
mod order;
mod result;
mod waiting;
