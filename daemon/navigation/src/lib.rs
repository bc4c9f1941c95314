//! Answers questions about code: where something is defined or used, what calls it, which symbols there are. Works out edits of code by what
//! it means: renames, fixes, whole definitions ([`CodeEditPlan`]).
//!
//! The first source that can answer does: the language servers of the attached editor, the daemon's own, then syntax trees. An
//! answer says what it rests on. A place is named by line and column, by a symbol, or by both ([`PlaceRequest`]).
//!
//! Invariant: no "none" from a server that still reads the project. Then the syntax trees answer, and the answer says so.
//! Invariant: a name that could mean several things is not guessed: the candidates are listed.
//! Invariant: an answer ends at its deadline, and is bounded.
//! Invariant: nothing is changed here. A planned edit names the texts that it is for.

mod answer;
mod answer_text;
mod code_edit_plan;
mod file_outlines;
mod moved_imports;
mod navigator;
mod new_name;
mod place;
mod symbol_name;
mod time_limits;
mod type_header;
mod workspace_names;

pub use answer::{AnswerBasis, CodePlace, NavigationAnswer, NavigationError};
pub use answer_text::AnswerOptions;
pub use code_edit_plan::{CodeEditPlan, PlannedFileChange};
pub use file_outlines::has_outline;
pub use navigator::{
    CodeActionRequest, NavigationOperation, NavigationRequest, Navigator, OfferedAction, OfferedActions,
    PlannedSymbolEdit, SymbolEdit,
};
pub use place::PlaceRequest;
