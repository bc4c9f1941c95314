//! What a checker is: as it is known by its name, and as a person has it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;

use super::parse::{CheckerOutputFormat, ColumnUnit};
use crate::time_limits::CHECKER_TIMEOUT;
use copydesk_servers::known_servers::RootMarkers;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checker {
    /// As reports name it.
    pub name: String,
    /// The program and its arguments. With [`FILE_PLACEHOLDER`] among them it is run for each file, else for the whole root.
    pub command: Vec<String>,
    /// Endings of the files that it is for, with the dot, or whole names.
    pub extensions: Vec<String>,
    pub format: CheckerOutputFormat,
    pub columns: ColumnUnit,
    /// Where a project begins; without one, the workspace.
    pub roots: Vec<RootMarkers>,
    pub environment: Vec<(String, String)>,
    pub timeout: Duration,
}

/// What stands for the file in a command.
pub const FILE_PLACEHOLDER: &str = "$FILE";

/// What a person says of a checker; what is not said is as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckerSpec {
    pub command: Vec<String>,
    pub extensions: Vec<String>,
    pub format: Option<CheckerOutputFormat>,
    pub columns: Option<ColumnUnit>,
    pub roots: Vec<RootMarkers>,
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
    /// In milliseconds.
    pub timeout: Option<u64>,
}

static KNOWN: LazyLock<BTreeMap<String, CheckerSpec>> =
    // A test reads the file.
    LazyLock::new(|| serde_json::from_str(include_str!("known_checkers.json")).unwrap_or_default());

impl Checker {
    /// An error says what is missing.
    pub fn new(name: &str, said: CheckerSpec) -> Result<Self, String> {
        let known = KNOWN.get(name).cloned().unwrap_or_default();
        let or = |said: Vec<String>, known: Vec<String>| if said.is_empty() { known } else { said };
        // Another command prints in another way.
        let is_known = said.command.is_empty() || said.command.first() == known.command.first();
        let format = said.format.or(known.format.filter(|_| is_known));
        let checker = Self {
            name: name.to_owned(),
            command: or(said.command, known.command),
            extensions: or(said.extensions, known.extensions),
            format: format.ok_or_else(|| format!("checker `{name}` has no `format`"))?,
            columns: said.columns.or(known.columns).unwrap_or_default(),
            roots: if said.roots.is_empty() { known.roots } else { said.roots },
            environment: said.environment,
            timeout: said.timeout.or(known.timeout).map_or(CHECKER_TIMEOUT, Duration::from_millis),
        };
        if checker.command.is_empty() {
            return Err(format!("checker `{name}` has no `command`"));
        }
        if checker.extensions.is_empty() {
            return Err(format!("checker `{name}` has no `extensions`"));
        }
        Ok(checker)
    }

    pub(super) fn matches_path(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.extensions.iter().any(|extension| !extension.is_empty() && name.ends_with(&**extension))
    }

    pub(super) fn runs_per_file(&self) -> bool {
        self.command.iter().any(|word| word.contains(FILE_PLACEHOLDER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_needs_only_its_name() {
        let known: BTreeMap<String, CheckerSpec> =
            serde_json::from_str(include_str!("known_checkers.json")).unwrap();
        for name in known.keys() {
            Checker::new(name, CheckerSpec::default()).unwrap();
        }
        for name in ["cargo", "tsc", "ruff", "pyright", "eslint", "go", "gcc", "clang", "mypy"] {
            assert!(known.contains_key(name), "{name}");
        }
        let cargo = CheckerSpec { command: vec!["cargo".into(), "clippy".into()], ..CheckerSpec::default() };
        assert_eq!(Checker::new("cargo", cargo).unwrap().format, CheckerOutputFormat::Cargo);
        let other = CheckerSpec { command: vec!["make".into()], ..CheckerSpec::default() };
        assert_eq!(Checker::new("cargo", other.clone()).unwrap_err(), "checker `cargo` has no `format`");
        let whole = CheckerSpec { format: Some(CheckerOutputFormat::Lines), ..other };
        assert_eq!(Checker::new("mine", whole).unwrap_err(), "checker `mine` has no `extensions`");
    }
}
