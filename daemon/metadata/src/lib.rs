//! What views show of a tool call: [`CallMetadata`] of a running or finished call, [`PermissionAskMetadata`] of an ask.
//!
//! Tools make it, the session stores it, the protocol sends it, and views read it. All four use these types, so the crate
//! stands below them and holds data only. `protocol` generates `schema.json`, TypeScript and Lua from it.
//!
//! The JSON has no tag. Its fields tell which tool made it: the first variant whose required fields are present wins.
//!
//! Invariant: decoding never fails and never loses anything. A value of an unknown shape stays untyped (`Other`), and fields
//! that the types do not know are encoded again as they came. So sessions of older and newer versions keep their metadata.
//! Invariant: an absent field is missing, never `null`.

mod ask;
mod call;
mod command;
mod diagnostics;
mod edit;
mod file;
mod lenient;
mod lossless;
mod talk;
mod task;
#[cfg(test)]
mod tests;
mod todo;
mod web;

pub use ask::{
    CommandAskMetadata, FetchAskMetadata, PermissionAskDetail, PermissionAskMetadata, PermissionAskNotes,
    PlanAskMetadata, RepeatedCallAskMetadata, SearchAskMetadata, SkillAskMetadata, TaskAskMetadata,
};
pub use call::{BatchMetadata, BatchedCallMetadata, CallDetail, CallMetadata, CallNotes};
pub use command::{BackgroundCommandMetadata, CommandMetadata, JobMetadata};
pub use diagnostics::{
    DiagnosticsMetadata, ProblemMetadata, ProblemProof, ProblemSeverity, ProblemSourceMetadata,
};
pub use edit::{ChangedFileMetadata, EditMetadata, FileEditMetadata, MultiFileEditMetadata};
pub use file::{
    CodePlaceMetadata, CodePlacesMetadata, FileListMetadata, MediaFileMetadata, TextPageMetadata,
    TextSearchMetadata,
};
pub use lossless::{LosslessMetadata, MetadataDetail};
pub use talk::{AgentSwitchMetadata, AskedQuestionMetadata, QuestionsMetadata, SkillMetadata};
pub use task::{FileChangeStats, TaskMetadata, TaskState, TaskUsage};
pub use todo::{TodoEntryMetadata, TodoEntryPriority, TodoEntryStatus, TodoListMetadata};
pub use web::{WebPageMetadata, WebSearchMetadata};
