//! Configurations for tests, loaded from files.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use copydesk_config::paths::UserPaths;
use copydesk_config::trust::TrustStore;
use copydesk_config::{ConfigSearch, LoadedConfig, load};
use tempfile::TempDir;

/// The configuration loaded in a trusted folder whose configuration file is not trusted. The files live as long as the fixture.
pub(crate) struct ConfigFixture {
    pub(crate) loaded: LoadedConfig,
    pub(crate) root: PathBuf,
    _folder: TempDir,
}

impl ConfigFixture {
    /// The user's configuration and the project's; `env` answers for every variable but `HOME`.
    pub(crate) fn new(own: &str, project: &str, env: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("home/.config/copydesk/copydesk.jsonc", own);
        write("w/.git/HEAD", "");
        write("w/copydesk.jsonc", project);
        let env = |name: &str| match name {
            "HOME" => Some(root.join("home").into_os_string()),
            _ => env(name),
        };
        let paths = UserPaths::new(&env).unwrap();
        TrustStore::update(&paths.state_dir, |trust| trust.set(&root.join("w"), true)).unwrap();
        let loaded = load(&ConfigSearch { paths: &paths, cwd: &root.join("w"), env: &env }).unwrap();
        Self { loaded, root, _folder: folder }
    }
}
