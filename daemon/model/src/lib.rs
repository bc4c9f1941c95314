//! Models and their providers.
//!
//! [`ModelRegistry`] resolves providers from [`RegistrySettings`] and returns a [`Model`]; [`Model::stream`]
//! takes a [`ModelRequest`] and returns a [`ModelStream`]. Below that, each protocol in `wire` encodes
//! requests as its own JSON and decodes its own events into ours. [`sse`] reads the stream,
//! `response_builder` collects it, [`retry`] and [`classify`] handle failures.
//!
//! Invariant: wire types do not leave `wire`.
//! Invariant: nothing here reads a file; the caller passes settings, keys and environment.
//! Invariant: everything a server sends has a cap.

pub mod catalogue;
pub mod classify;
mod error;
mod event;
mod http;
mod model;
pub mod offline;
pub mod provider;
mod registry;
mod request;
mod response_builder;
pub mod retry;
mod schema;
pub mod settings;
pub mod sse;
pub mod time_limits;
mod token_estimate;
mod web_fetch;
mod wire;

pub use catalogue::ModelSpec;
pub use error::{ModelError, ModelErrorKind};
pub use event::{FinishReason, ModelEvent, PartKind, RetryNotice, StreamFinish, TokenUsage};
pub use http::redact_address;
pub use model::{Model, ModelStream, RequestDefaults, StreamLimits};
pub use provider::{Provider, SecretString, WireProtocol};
pub use registry::find_local_window;
pub use registry::local_servers;
pub use registry::{ModelRegistry, ProviderListing, ProviderState, VariableLookup};
pub use request::{
    AssistantPart, MediaPart, ModelMessage, ModelRequest, ProviderMetadata, ReasoningEffort, ReasoningPart,
    TextPart, ToolCallPart, ToolChoice, ToolResultPart, ToolSpec, UserPart,
};
pub use settings::RegistrySettings;
pub use token_estimate::estimate_tokens;
pub use web_fetch::{FetchError, FetchedText};
