//! The definition of a checker: built in, and configured by the user.

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
    /// Its name in reports.
    pub name: String,
    /// The program and its arguments. With [`FILE_PLACEHOLDER`] among them it runs once for each file, else once for
    /// the root.
    pub command: Vec<String>,
    /// File name suffixes, including the dot, or whole file names.
    pub extensions: Vec<String>,
    pub format: CheckerOutputFormat,
    pub columns: ColumnUnit,
    /// What marks the root of a project. Without one it is the workspace.
    pub roots: Vec<RootMarkers>,
    pub environment: Vec<(String, String)>,
    pub timeout: Duration,
}

/// Stands for the file in a command.
pub const FILE_PLACEHOLDER: &str = "$FILE";

/// The user's configuration of a checker. The built-in definition supplies the rest.
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
    // A test checks that the file parses.
    LazyLock::new(|| serde_json::from_str(include_str!("known_checkers.json")).unwrap_or_default());

impl Checker {
    /// The error names the missing field.
    pub fn new(name: &str, spec: CheckerSpec) -> Result<Self, String> {
        let known = KNOWN.get(name).cloned().unwrap_or_default();
        let or = |configured: Vec<String>, known: Vec<String>| {
            if configured.is_empty() { known } else { configured }
        };
        // The known output format holds only for the known program.
        let is_known = spec.command.is_empty() || spec.command.first() == known.command.first();
        let format = spec.format.or(known.format.filter(|_| is_known));
        let checker = Self {
            name: name.to_owned(),
            command: or(spec.command, known.command),
            extensions: or(spec.extensions, known.extensions),
            format: format.ok_or_else(|| format!("checker `{name}` has no `format`"))?,
            columns: spec.columns.or(known.columns).unwrap_or_default(),
            roots: if spec.roots.is_empty() { known.roots } else { spec.roots },
            environment: spec.environment,
            timeout: spec.timeout.or(known.timeout).map_or(CHECKER_TIMEOUT, Duration::from_millis),
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
    fn a_known_checker_needs_only_its_name() {
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
