//! Sessions: turns, steps and parts, the actor that runs them, and the store.
//!
//! A session has turns (a prompt until the model is done), a turn has steps (one request to a model), a step has parts.
//! [`Store`] keeps them in one SQLite file; what it has acknowledged survives `kill -9`.

mod actor;
pub mod agent;
mod compaction;
mod data;
mod event;
mod export;
mod history;
mod id;
pub mod inline_edit;
mod note_mark;
mod store;
pub mod system_prompt;
pub mod task;
mod task_call;
mod time_limits;

pub use actor::{
    AgentRole, CompletePromptFuture, CompletedPrompt, CostLimits, CurrentRules, NamedModel, ParentSession,
    PromptDelivery, PromptRequest, RoleProvider, SessionDeps, SessionHandle, SharedRoleProvider,
    TitleGenerator,
};
pub use compaction::CompactionSettings;
pub use data::{
    CallOutput, CallPart, CompactionPart, CompactionReason, ContextUse, NotePart, Part, PartContent,
    PartState, PromptContext, PromptPart, PrunedOutput, PruningPart, Session, SessionReviewTiming,
    StepFinishPart, TurnEnd,
};
pub use event::{AskEvent, JobSnapshot, QuestionEvent, SessionEvent};
pub use export::{ImportError, SessionArchive, context_line, markdown};
pub use id::{Id, now};
pub use store::{
    PartPage, ReadOnlyStore, SalvagedSessions, SessionClaim, SessionSearchHit, Store, StoreError,
    StoreRecovery, UsageRecord,
};
