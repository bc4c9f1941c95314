//! The environment of the programs that a session starts: ours without secrets.
//!
//! Shell commands, language servers, checkers and formatters run a repository's code (build scripts, plugins,
//! tests), some without an ask, and a model reads their output.

use std::ffi::{OsStr, OsString};

use copydesk_config::LoadedConfig;
use copydesk_workspace::process::Processes;

use crate::secret_variables::SecretVariables;

/// The environment that programs get.
pub fn child_environment(loaded: &LoadedConfig) -> Vec<(OsString, OsString)> {
    let keys = SecretVariables::new(loaded);
    let variables = std::env::vars_os().filter(|(name, value)| !keys.is_secret(name, value));
    variables
        .map(|(name, value)| {
            let value = if name == "PATH" { without_relative_folders(&value) } else { value };
            (name, value)
        })
        .collect()
}

/// A relative folder in `PATH` leads into whatever project a program is started in, which may have brought its own `git` along.
fn without_relative_folders(path: &OsStr) -> OsString {
    let kept = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    // Parts of a list can be joined again.
    std::env::join_paths(kept).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_folders_of_path_are_left_out() {
        let path = OsStr::new("./node_modules/.bin:/usr/bin::bin:/bin");
        assert_eq!(without_relative_folders(path), "/usr/bin:/bin");
        assert_eq!(without_relative_folders(OsStr::new("")), "");
    }
}
