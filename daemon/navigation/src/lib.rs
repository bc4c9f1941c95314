//! Answers questions about code: where something is defined or used, what calls it, which symbols there are.
//!
//! The first source that can answer does: the language servers of the attached editor, the daemon's own, then syntax trees. An
//! answer says what it rests on. A place is named by line and column, by a symbol, or by both ([`PlaceRequest`]).
//!
//! Invariant: no "none" from a server that still reads the project. Then the syntax trees answer, and the answer says so.
//! Invariant: a name that could mean several things is not guessed: the candidates are listed.
//! Invariant: an answer ends at its deadline, and is bounded.

mod answer;
mod answer_text;
mod file_outlines;
mod navigator;
mod place;
mod symbol_name;
mod time_limits;
mod workspace_names;

pub use answer::{AnswerBasis, CodePlace, NavigationAnswer, NavigationError};
pub use answer_text::AnswerOptions;
pub use navigator::{NavigationOperation, NavigationRequest, Navigator};
pub use place::PlaceRequest;
