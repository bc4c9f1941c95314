//! Commands: `bash` and `job`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::DiagnosticsMetadata;
use crate::lenient;

/// A command of `bash`. While it runs there is only `output`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandMetadata {
    /// The exit code; missing while it runs, and if a signal, the timeout or the user ended it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub exit: Option<i32>,
    /// Whether it printed more than the output holds; missing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub truncated: Option<bool>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub signal: Option<i32>,
    /// Whether it was ended at its timeout; missing if not.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub timed_out: Option<bool>,
    /// Whether it ran in the sandbox; missing if the sandbox is off.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub sandboxed: Option<bool>,
    /// Why it did not run in the sandbox, or what the sandbox probably stopped.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub sandbox_note: Option<String>,
    /// The end of what it has printed so far; when it is done, only if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub output: Option<String>,
    /// What is wrong with files that it changed; missing if nothing was checked.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::object")]
    pub diagnostics: Option<DiagnosticsMetadata>,
}

/// A command that `bash` started in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundCommandMetadata {
    /// The job's number.
    pub job: i32,
    /// The file with everything that it prints.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub file: Option<String>,
    /// Whether it runs in the sandbox; missing if the sandbox is off.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub sandboxed: Option<bool>,
}

/// A background command that `job` looked at, waited for or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobMetadata {
    /// The job's number.
    pub job: i32,
    /// Whether it still runs.
    pub running: bool,
}
