//! The environment of the programs that a session starts: ours without secrets.
//!
//! Shell commands, language servers, checkers and formatters run a repository's code (build scripts, plugins,
//! tests), some without an ask, and a model reads their output.

use std::ffi::OsString;

use copydesk_config::LoadedConfig;
use copydesk_workspace::process::Processes;

use crate::secret_variables::SecretVariables;

/// The environment that programs get.
pub fn child_environment(loaded: &LoadedConfig) -> Vec<(OsString, OsString)> {
    let keys = SecretVariables::new(loaded);
    std::env::vars_os().filter(|(name, value)| !keys.is_secret(name, value)).collect()
}

/// Names of the variables that programs do not get.
pub fn withheld_variables(loaded: &LoadedConfig) -> Vec<OsString> {
    let keys = SecretVariables::new(loaded);
    let withheld = std::env::vars_os().filter(|(name, value)| keys.is_secret(name, value));
    withheld.map(|(name, _)| name).collect()
}

/// New processes for one session.
pub fn processes(loaded: &LoadedConfig) -> Processes {
    Processes::new(child_environment(loaded))
}

/// A session's processes, with the environment of the present configuration.
pub fn renewed(existing: Option<Processes>, loaded: &LoadedConfig) -> Processes {
    let Some(existing) = existing else { return processes(loaded) };
    existing.set_environment(child_environment(loaded));
    existing
}
