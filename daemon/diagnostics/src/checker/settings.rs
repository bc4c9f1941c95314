//! What a checker is: as it is known by its name, and as a person has it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;

use super::parse::{Columns, Format};
use copydesk_servers::known::Root;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checker {
    /// As reports name it.
    pub name: String,
    /// The program and its arguments. With [`FILE`] among them it is run for each file, else for the whole root.
    pub command: Vec<String>,
    /// Endings of the files that it is for, with the dot, or whole names.
    pub extensions: Vec<String>,
    pub format: Format,
    pub columns: Columns,
    /// Where a project begins; without one, the workspace.
    pub roots: Vec<Root>,
    pub environment: Vec<(String, String)>,
    pub timeout: Duration,
}

/// What stands for the file in a command.
pub const FILE: &str = "$FILE";
const TIMEOUT: Duration = Duration::from_secs(60);

/// What a person says of a checker; what is not said is as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Said {
    pub command: Vec<String>,
    pub extensions: Vec<String>,
    pub format: Option<Format>,
    pub columns: Option<Columns>,
    pub roots: Vec<Root>,
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
    /// In milliseconds.
    pub timeout: Option<u64>,
}

static KNOWN: LazyLock<BTreeMap<String, Said>> =
    // A test reads the file.
    LazyLock::new(|| serde_json::from_str(include_str!("known.json")).unwrap_or_default());

impl Checker {
    /// An error says what is missing.
    pub fn new(name: &str, said: Said) -> Result<Self, String> {
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
            timeout: said.timeout.or(known.timeout).map_or(TIMEOUT, Duration::from_millis),
        };
        if checker.command.is_empty() {
            return Err(format!("checker `{name}` has no `command`"));
        }
        if checker.extensions.is_empty() {
            return Err(format!("checker `{name}` has no `extensions`"));
        }
        Ok(checker)
    }

    pub(super) fn is_for(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.extensions.iter().any(|extension| !extension.is_empty() && name.ends_with(&**extension))
    }

    pub(super) fn is_for_each_file(&self) -> bool {
        self.command.iter().any(|word| word.contains(FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_needs_only_its_name() {
        let known: BTreeMap<String, Said> = serde_json::from_str(include_str!("known.json")).unwrap();
        for name in known.keys() {
            Checker::new(name, Said::default()).unwrap();
        }
        for name in ["cargo", "tsc", "ruff", "pyright", "eslint", "go", "gcc", "clang", "mypy"] {
            assert!(known.contains_key(name), "{name}");
        }
        let cargo = Said { command: vec!["cargo".into(), "clippy".into()], ..Said::default() };
        assert_eq!(Checker::new("cargo", cargo).unwrap().format, Format::Cargo);
        let other = Said { command: vec!["make".into()], ..Said::default() };
        assert_eq!(Checker::new("cargo", other.clone()).unwrap_err(), "checker `cargo` has no `format`");
        let whole = Said { format: Some(Format::Lines), ..other };
        assert_eq!(Checker::new("mine", whole).unwrap_err(), "checker `mine` has no `extensions`");
    }
}
