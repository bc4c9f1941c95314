//! Whole configurations: files and variables in, the user's view out.

use std::{collections::BTreeMap, ffi::OsString, fmt::Write as _, fs, path::PathBuf};

use expect_test::Expect;

use crate::{
    ConfigError, ConfigSearch, LoadedConfig, config_entries, load, paths::UserPaths, trust::TrustStore,
};

mod bad_input;
mod layers;
mod merging;
mod realistic;
mod substitution;
mod values;

/// A home and a workspace in a temporary folder. `~` in a path is the home; `ws` is a workspace with `.git`.
struct ConfigTestFolder {
    dir: tempfile::TempDir,
    env: BTreeMap<String, OsString>,
    cwd: PathBuf,
}

impl ConfigTestFolder {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let cwd = dir.path().join("ws");
        fs::create_dir_all(cwd.join(".git")).unwrap();
        fs::create_dir_all(dir.path().join("home")).unwrap();
        let world = Self { dir, env: BTreeMap::new(), cwd };
        for (path, text) in files {
            world.write(path, text.as_bytes());
        }
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.dir.path().join("home").join(rest),
            None => self.dir.path().join(path),
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    fn cwd(mut self, path: &str) -> Self {
        self.cwd = self.path(path);
        fs::create_dir_all(&self.cwd).unwrap();
        self
    }

    /// Does what `copydesk trust` does.
    fn trust(self, folder: &str) -> Self {
        TrustStore::update(&self.paths().state_dir, |trust| {
            let file = self.path(folder).join("copydesk.jsonc");
            trust.add_file(&file, &fs::read(&file).unwrap())?;
            trust.set(&self.path(folder), true)
        })
        .unwrap();
        self
    }

    fn paths(&self) -> UserPaths {
        let home = self.dir.path().join("home");
        UserPaths::new(&|name| (name == "HOME").then(|| home.clone().into())).unwrap()
    }

    fn load(&self) -> Result<LoadedConfig, ConfigError> {
        load(&ConfigSearch { paths: &self.paths(), cwd: &self.cwd, env: &|name| self.env.get(name).cloned() })
    }

    /// The user's view, without the name of the temporary folder.
    fn render(&self) -> String {
        let mut text = String::new();
        let excerpt = |shown: Option<String>, text: &mut String| {
            for line in shown.iter().flat_map(|shown| shown.lines()) {
                writeln!(text, "    | {line}").unwrap();
            }
        };
        match self.load() {
            Ok(loaded) => {
                for entry in config_entries(&loaded.merged) {
                    let trust = if entry.origin.is_trusted() { "" } else { " (not trusted)" };
                    writeln!(text, "{} = {}  # {}{trust}", entry.path, entry.value, entry.origin).unwrap();
                }
                for warning in &loaded.warnings {
                    writeln!(text, "warning: {warning}").unwrap();
                    excerpt(warning.excerpt(), &mut text);
                }
            }
            Err(error) => {
                writeln!(text, "error: {error}").unwrap();
                excerpt(error.excerpt(), &mut text);
            }
        }
        let dir = self.dir.path().to_str().unwrap();
        text.replace(&format!("{dir}/home"), "~").replace(&format!("{dir}/"), "").replace(dir, "")
    }

    fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.render());
    }
}

/// Uses a user file, because trust does not matter there.
fn check(text: &str, expected: &Expect) {
    ConfigTestFolder::new(&[("~/.config/copydesk/copydesk.jsonc", text)]).check(expected);
}
