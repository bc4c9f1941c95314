//! Sessions: what was said and done, turn by turn, and kept.
//!
//! A session has turns (a prompt until the model is done), a turn has steps (one request to a model), a step has parts.
//! [`Store`] keeps them in one SQLite file; what it has acknowledged survives `kill -9`.

pub mod agent;
mod data;
mod event;
mod export;
mod history;
mod id;
pub mod inline;
mod live;
pub mod prompt;
mod store;
pub mod task;

pub use data::{Call, CallOutput, Content, Note, Part, Prompt, ReviewWhen, Session, State, StepFinish};
pub use event::{Asked, Event, Job, Questioned, TurnEnd};
pub use export::{Archive, ImportError, markdown};
pub use id::{Id, now};
pub use live::{Above, AnyRoles, CurrentRules, Live, Request, Role, Roles, Setting, Titles, When};
pub use store::{Claim, Found, Opened, Store, StoreError};
