//! Models, and those who serve them.
//!
//! The way through: [`Registry`] settles providers from [`Settings`] and hands out a [`Model`]; [`Model::stream`] takes a
//! [`Request`] and gives [`Events`]. Below that, each wire (`wire`) turns requests into its own JSON and its own events
//! into ours; [`sse`] reads the stream, `answer` keeps it, [`retry`] and [`classify`] decide what happens when it breaks.
//!
//! Invariant: wire types do not leave `wire`. Invariant: nothing here reads a file; settings, keys and environment are
//! given. Invariant: everything that a server sends has a cap.

mod answer;
pub mod catalogue;
pub mod classify;
mod error;
mod event;
mod fetch;
mod http;
pub mod local;
mod model;
pub mod offline;
pub mod provider;
mod registry;
mod request;
pub mod retry;
mod schema;
pub mod settings;
pub mod sse;
mod wire;

pub use catalogue::ModelInfo;
pub use error::{Error, ErrorKind};
pub use event::{Event, Finish, PartKind, Retry, Stop, Usage};
pub use fetch::{FetchError, Fetched};
pub use http::shown_address;
pub use model::{Defaults, Events, Limits, Model};
pub use provider::{Provider, Secret, Wire};
pub use registry::{Environment, Listing, Registry, State};
pub use request::{
    Call, CallResult, Echo, Effort, Input, Media, Message, Part, Reasoning, Request, Text, ToolChoice,
    ToolSpec,
};
pub use settings::Settings;
