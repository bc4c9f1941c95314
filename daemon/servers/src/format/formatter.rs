//! What a formatter is: as it is known by its name, and as a person has it.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::file_system::FileSystemView;
use crate::known_servers::ProjectMarker;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Formatter {
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Endings of the files that it is for, with the dot, or whole names.
    pub extensions: Vec<String>,
    /// It is for projects that have one of these, if any are named.
    #[serde(default)]
    pub requires: Vec<ProjectMarker>,
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
}

static KNOWN: LazyLock<Vec<Formatter>> =
    // A test reads the file.
    LazyLock::new(|| serde_json::from_str(include_str!("known_formatters.json")).unwrap_or_default());

impl Formatter {
    /// All that are known, in the order in which they are tried.
    pub fn known() -> &'static [Self] {
        &KNOWN
    }

    pub(super) fn matches_path(&self, view: &dyn FileSystemView, path: &Path, root: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fits = |ending: &String| !ending.is_empty() && name.ends_with(&**ending);
        let folder = path.parent().unwrap_or(path);
        let is_there = |sign: &ProjectMarker| sign.nearest_folder(view, folder, root).is_some();
        self.extensions.iter().any(fits) && (self.requires.is_empty() || self.requires.iter().any(is_there))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::memory::MemoryView;

    #[test]
    fn a_known_formatter_is_for_projects_that_are_set_up_for_it() {
        let known: Vec<Formatter> = serde_json::from_str(include_str!("known_formatters.json")).unwrap();
        let of = |file: &str, files: &[(&str, &str)]| {
            let view = MemoryView::new(files);
            let mut all = known.iter();
            let found = all.find(|formatter| formatter.matches_path(&view, Path::new(file), Path::new("/w")));
            found.map(|formatter| formatter.name.clone())
        };
        assert_eq!(of("/w/a.rs", &[]).as_deref(), Some("rustfmt"));
        assert_eq!(of("/w/p/a.ts", &[]), None);
        assert_eq!(of("/w/p/a.ts", &[("/w/.prettierrc", "")]).as_deref(), Some("prettier"));
        assert_eq!(
            of("/w/p/a.ts", &[("/w/.prettierrc", ""), ("/w/biome.json", "")]).as_deref(),
            Some("biome")
        );
        assert_eq!(of("/w/a.py", &[("/w/pyproject.toml", "[tool.black]")]).as_deref(), Some("black"));
    }
}
