//! Finds the configuration files, in merge order; later ones override earlier ones:
//!
//! 1. the user's: `copydesk.jsonc` in the configuration folder, else OpenCode's file
//! 2. the file that `COPYDESK_CONFIG` names
//! 3. the project's: in each folder from the workspace root down to the current one `copydesk.jsonc`, else
//!    `opencode.jsonc`; then `.copydesk/copydesk.jsonc`, else (if the folder has no file of ours)
//!    `.opencode/opencode.jsonc`
//! 4. the text in `COPYDESK_CONFIG_CONTENT` (no file, so not found here)
//!
//! `.json` works like `.jsonc`. A file found twice (through a symlink, or because the user's folder lies in
//! the workspace) is read once, at its first place.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    error::{ConfigError, ConfigWarning},
    paths::{EnvLookup, UserPaths},
    read::exists,
    source::ConfigLayer,
};

const OURS: &[&str] = &["copydesk.jsonc", "copydesk.json"];
const OPENCODE: &[&str] = &["opencode.jsonc", "opencode.json"];
/// OpenCode's older file name in the user's folder.
const OPENCODE_USER: &[&str] = &["opencode.jsonc", "opencode.json", "config.json"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiscoveredFile {
    pub(crate) layer: ConfigLayer,
    pub(crate) path: PathBuf,
    pub(crate) is_opencode: bool,
}

/// `root` is `cwd` or one of its ancestors.
pub(crate) fn discover(
    paths: &UserPaths,
    env: &EnvLookup<'_>,
    root: &Path,
    cwd: &Path,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<DiscoveredFile>, ConfigError> {
    let mut search = ConfigDiscovery { found: Vec::new(), met: HashSet::new(), warnings };
    if !search.first_of(&paths.config_dir, OURS, ConfigLayer::User)? {
        search.first_of(&paths.opencode_config_dir, OPENCODE_USER, ConfigLayer::User)?;
    }
    if let Some(named) = env("COPYDESK_CONFIG").filter(|named| !named.is_empty()) {
        let path = cwd.join(named);
        if !exists(&path)? {
            return Err(ConfigError::Missing(path));
        }
        let opencode = path.file_name().is_some_and(|name| OPENCODE_USER.iter().any(|known| name == *known));
        search.add(DiscoveredFile { layer: ConfigLayer::Named, path, is_opencode: opencode });
    }
    let mut folders: Vec<_> = cwd.ancestors().take_while(|folder| folder.starts_with(root)).collect();
    folders.reverse();
    for folder in folders {
        let ours = search.first_of(folder, OURS, ConfigLayer::Project)?;
        if !ours {
            search.first_of(folder, OPENCODE, ConfigLayer::Project)?;
        }
        let dotted = search.first_of(&folder.join(".copydesk"), OURS, ConfigLayer::Project)?;
        if !ours && !dotted {
            search.first_of(&folder.join(".opencode"), OPENCODE, ConfigLayer::Project)?;
        }
    }
    Ok(search.found)
}

struct ConfigDiscovery<'a> {
    found: Vec<DiscoveredFile>,
    /// With symlinks resolved.
    met: HashSet<PathBuf>,
    warnings: &'a mut Vec<ConfigWarning>,
}

impl ConfigDiscovery<'_> {
    /// Takes the first of `names` that exists in `folder`, and warns about the others.
    fn first_of(&mut self, folder: &Path, names: &[&str], layer: ConfigLayer) -> Result<bool, ConfigError> {
        let mut taken: Option<&str> = None;
        for name in names {
            let path = folder.join(name);
            if !exists(&path)? || is_empty_folder(&path) {
                continue;
            }
            if let Some(taken) = taken {
                let message =
                    format!("is ignored because the same folder contains `{taken}`; keep one of them");
                self.warnings.push(ConfigWarning::about_file(path, message));
                continue;
            }
            taken = Some(name);
            self.add(DiscoveredFile { layer, path, is_opencode: !OURS.contains(name) });
        }
        Ok(taken.is_some())
    }

    fn add(&mut self, found: DiscoveredFile) {
        // A path that cannot be resolved stays: reading it gives the error.
        if self.met.insert(found.path.canonicalize().unwrap_or_else(|_| found.path.clone())) {
            self.found.push(found);
        }
    }
}

/// While a command runs in the sandbox, an empty folder keeps it from making the file.
fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
