//! Files that mark a project and its root.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::file_system::{FileSystemView, ancestors_within};
use crate::name_pattern::matches_pattern;

/// A file or folder that is searched from a file upwards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "RawMarker")]
pub struct ProjectMarker {
    /// Relative to the searched folder. One `*` in a name without `/` is a wildcard.
    pub file: String,
    /// The file must contain this.
    pub contains: Option<String>,
    /// The file is a manifest whose `version` has at least this major number. Only the nearest one counts.
    pub from: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum RawMarker {
    File(String),
    More { file: String, contains: Option<String>, from: Option<u64> },
}

impl From<RawMarker> for ProjectMarker {
    fn from(raw: RawMarker) -> Self {
        match raw {
            RawMarker::File(file) => Self { file, contains: None, from: None },
            RawMarker::More { file, contains, from } => Self { file, contains, from },
        }
    }
}

impl ProjectMarker {
    fn is_in(&self, view: &dyn FileSystemView, folder: &Path) -> bool {
        let path = folder.join(&self.file);
        match &self.contains {
            None if self.file.contains('*') => {
                view.entry_names(folder).iter().any(|name| matches_pattern(&self.file, name))
            }
            None => view.exists(&path),
            Some(part) => view.read_text(&path).is_some_and(|text| text.contains(part)),
        }
    }

    /// The nearest folder with this marker.
    pub fn nearest_folder<'a>(
        &self,
        view: &dyn FileSystemView,
        folder: &'a Path,
        root: &'a Path,
    ) -> Option<&'a Path> {
        let found = ancestors_within(folder, root).find(|folder| self.is_in(view, folder))?;
        match self.from {
            Some(least) if major(view, &found.join(&self.file)).is_none_or(|major| major < least) => None,
            _ => Some(found),
        }
    }
}

fn major(view: &dyn FileSystemView, manifest: &Path) -> Option<u64> {
    let manifest: Value = serde_json::from_str(&view.read_text(manifest)?).ok()?;
    manifest.get("version")?.as_str()?.split('.').next()?.parse().ok()
}

/// The root is the nearest or the outermost folder with one of these markers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RootMarkers {
    Nearest(Vec<ProjectMarker>),
    Outermost(Vec<ProjectMarker>),
}

impl RootMarkers {
    pub fn markers(&self) -> &[ProjectMarker] {
        match self {
            Self::Nearest(markers) | Self::Outermost(markers) => markers,
        }
    }

    pub fn find_root(&self, view: &dyn FileSystemView, folder: &Path, root: &Path) -> Option<PathBuf> {
        let is_in = |folder: &&Path| self.markers().iter().any(|marker| marker.is_in(view, folder));
        let mut folders = ancestors_within(folder, root).filter(is_in);
        match self {
            Self::Nearest(_) => folders.next(),
            Self::Outermost(_) => folders.last(),
        }
        .map(Path::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::memory::MemoryView;
    use crate::known_servers::known_server;

    #[track_caller]
    fn root_of(name: &str, files: &[(&str, &str)], folder: &str) -> Option<PathBuf> {
        let (view, roots) = (MemoryView::new(files), &known_server(name).unwrap().roots);
        roots.iter().find_map(|root| root.find_root(&view, Path::new(folder), Path::new("/w")))
    }

    #[test]
    fn the_root_is_the_one_of_the_tool() {
        let cargo = [
            ("/w/Cargo.toml", "[workspace]"),
            ("/w/a/Cargo.toml", "[package]"),
            ("/w/a/fuzz/Cargo.toml", "[package]\n[workspace]"),
        ];
        assert_eq!(root_of("rust", &cargo, "/w/a/src"), Some("/w".into()));
        assert_eq!(root_of("rust", &cargo, "/w/a/fuzz/src"), Some("/w/a/fuzz".into()));
        assert_eq!(root_of("rust", &cargo[1..], "/w/a/src"), Some("/w/a".into()));
        assert_eq!(
            root_of("rust", &[("/Cargo.toml", "[workspace]")], "/w/a"),
            None,
            "not above the workspace"
        );

        let go = [("/w/go.work", ""), ("/w/m/go.mod", "")];
        assert_eq!(root_of("gopls", &go, "/w/m/p"), Some("/w".into()));
        assert_eq!(root_of("gopls", &go[1..], "/w/m/p"), Some("/w/m".into()));

        let pnpm =
            [("/w/pnpm-workspace.yaml", ""), ("/w/p/package.json", "{}"), ("/w/p/tsconfig.json", "{}")];
        assert_eq!(root_of("typescript", &pnpm, "/w/p/src"), Some("/w".into()));
        assert_eq!(root_of("typescript", &pnpm[1..], "/w/p/src"), Some("/w/p".into()));
        let npm = [("/w/package.json", r#"{ "workspaces": ["p"] }"#), ("/w/p/package.json", "{}")];
        assert_eq!(root_of("typescript", &npm, "/w/p/src"), Some("/w".into()));

        let maven = [("/w/pom.xml", ""), ("/w/m/pom.xml", ""), ("/w/m/n/pom.xml", "")];
        assert_eq!(root_of("jdtls", &maven, "/w/m/n/src"), Some("/w".into()));
        assert_eq!(root_of("csharp", &[("/w/x/App.sln", "")], "/w/x/y"), Some("/w/x".into()));
        assert_eq!(root_of("bash", &[("/w/x.sh", "")], "/w"), None);
    }

    #[test]
    fn the_nearest_manifest_decides_the_version() {
        let marker: ProjectMarker =
            serde_json::from_str(r#"{ "file": "m/package.json", "from": 7 }"#).unwrap();
        let is_there = |files: &[(&str, &str)]| {
            marker.nearest_folder(&MemoryView::new(files), Path::new("/w/a"), Path::new("/w")).is_some()
        };
        let (new, old) = (r#"{ "version": "7.0.1-beta" }"#, r#"{ "version": "5.9.3" }"#);
        assert!(is_there(&[("/w/m/package.json", new)]));
        assert!(is_there(&[("/w/a/m/package.json", new), ("/w/m/package.json", old)]));
        assert!(!is_there(&[("/w/a/m/package.json", old), ("/w/m/package.json", new)]));
        for broken in ["", "{", "[]", r#"{ "version": 7 }"#, r#"{ "version": "" }"#] {
            assert!(!is_there(&[("/w/m/package.json", broken)]), "{broken}");
        }
    }
}
