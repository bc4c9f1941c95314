//! The definition of a formatter: built in, and configured by the user.

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
    /// File name suffixes, including the dot, or whole file names.
    pub extensions: Vec<String>,
    /// If not empty, it applies only to projects with one of these markers.
    #[serde(default)]
    pub requires: Vec<ProjectMarker>,
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
}

static KNOWN: LazyLock<Vec<Formatter>> =
    // A test checks that the file parses.
    LazyLock::new(|| serde_json::from_str(include_str!("known_formatters.json")).unwrap_or_default());

impl Formatter {
    /// The built-in formatters, in the order in which they are tried.
    pub fn known() -> &'static [Self] {
        &KNOWN
    }

    pub(super) fn matches_path(&self, view: &dyn FileSystemView, path: &Path, root: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fits = |suffix: &String| !suffix.is_empty() && name.ends_with(&**suffix);
        let folder = path.parent().unwrap_or(path);
        let is_present = |marker: &ProjectMarker| marker.nearest_folder(view, folder, root).is_some();
        self.extensions.iter().any(fits) && (self.requires.is_empty() || self.requires.iter().any(is_present))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::memory::MemoryView;

    #[test]
    fn a_known_formatter_applies_if_the_project_is_set_up_for_it() {
        let known: Vec<Formatter> = serde_json::from_str(include_str!("known_formatters.json")).unwrap();
        let formatter_of = |file: &str, files: &[(&str, &str)]| {
            let view = MemoryView::new(files);
            let mut all = known.iter();
            let found = all.find(|formatter| formatter.matches_path(&view, Path::new(file), Path::new("/w")));
            found.map(|formatter| formatter.name.clone())
        };
        assert_eq!(formatter_of("/w/a.rs", &[]).as_deref(), Some("rustfmt"));
        assert_eq!(formatter_of("/w/p/a.ts", &[]), None);
        assert_eq!(formatter_of("/w/p/a.ts", &[("/w/.prettierrc", "")]).as_deref(), Some("prettier"));
        assert_eq!(
            formatter_of("/w/p/a.ts", &[("/w/.prettierrc", ""), ("/w/biome.json", "")]).as_deref(),
            Some("biome")
        );
        assert_eq!(
            formatter_of("/w/a.py", &[("/w/pyproject.toml", "[tool.black]")]).as_deref(),
            Some("black")
        );
    }
}
