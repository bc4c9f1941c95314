//! Syntax trees: the built-in grammars, parsing, the outline of a text, and where a name stands in it.
//!
//! A tree knows no types and no other files. What it says about a definition is certain, what it says about a use is not: two
//! things of one name look the same.
//!
//! Invariant: no I/O and no async. Parsing ends at its deadline.

pub mod grammar;
pub mod name_uses;
pub mod outline;
pub mod parse;
pub mod reserved_words;
pub mod tree_cache;
