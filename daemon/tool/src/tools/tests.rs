//! Before, call, after: each test makes a folder, calls tools through the registry as a model does, and compares the whole
//! transcript with what is expected.

mod commands;
mod conformance;
mod contract;
mod creating;
mod editing;
mod fixture;
mod forming;
mod hostile;
mod metadata;
mod multiediting;
mod navigating;
mod patching;
mod reading;
mod reading_commands;
mod refactoring;
mod sandboxing;
mod searching;
mod talking;
mod tasks;
mod web;
