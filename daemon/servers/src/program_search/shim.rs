//! Shims of version managers: programs that find the real program of the same name when they run, or fail.
//!
//! Running a shim to find out would run what the project's files name (and rustup may download a toolchain). So this
//! looks up what the manager would find. If that is unclear, the program counts as real: a server that then exits at
//! once is reported as such.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::ProgramSearch;
use crate::file_system::ancestors_within;

/// Whether this program is a shim without a real program behind it.
pub(super) fn is_dangling_shim(search: &ProgramSearch, program: &Path, folder: &Path, root: &Path) -> bool {
    let Some((name, place)) = program.file_name().and_then(|name| name.to_str()).zip(program.parent()) else {
        return false;
    };
    let shim = ShimLookup { search, name, place, folder, root };
    let real =
        search.view.canonicalize(program).and_then(|real| Some(real.file_name()?.to_str()?.to_owned()));
    match real.as_deref() {
        Some("rustup" | "rustup-init") if name != "rustup" => !shim.rustup(),
        Some("volta-shim") => !shim.volta(),
        Some("mise") if name != "mise" => !shim.mise(),
        _ if place.ends_with("shims") => match place.parent() {
            Some(home) if search.view.exists(&home.join("installs")) => !shim.asdf(home, program),
            Some(home) if search.view.exists(&home.join("versions")) => !shim.pyenv(home),
            _ => false,
        },
        // Older installations of rustup have copies instead of symlinks.
        _ if search.view.exists(&place.join("rustup")) && place.ends_with(".cargo/bin") => {
            shim.is_component() && !shim.rustup()
        }
        _ => false,
    }
}

struct ShimLookup<'a> {
    search: &'a ProgramSearch,
    name: &'a str,
    /// The folder of the shim.
    place: &'a Path,
    folder: &'a Path,
    root: &'a Path,
}

impl ShimLookup<'_> {
    fn home(&self, variable: &str, default: &str) -> PathBuf {
        let named = self.search.variable(variable);
        named.map_or_else(|| self.search.home.join(default), PathBuf::from)
    }

    fn first_upward(&self, name: &str) -> Option<String> {
        ancestors_within(self.folder, self.root)
            .find_map(|folder| self.search.view.read_text(&folder.join(name)))
    }

    /// Other programs in the folder were installed by cargo.
    fn is_component(&self) -> bool {
        ["rust-analyzer", "rustfmt", "cargo-fmt", "cargo-clippy", "clippy-driver"].contains(&self.name)
    }

    fn rustup(&self) -> bool {
        let home = self.home("RUSTUP_HOME", ".rustup");
        let toolchains = home.join("toolchains");
        let has_program = |name: &str| {
            self.search.view.exists(&toolchains.join(name).join("bin").join(self.name))
                || self.search.view.exists(&Path::new(name).join("bin").join(self.name))
        };
        let installed = self.search.view.entry_names(&toolchains);
        let settings = self.search.view.read_text(&home.join("settings.toml")).unwrap_or_default();
        let wanted = self.search.variable("RUSTUP_TOOLCHAIN").and_then(|name| name.into_string().ok());
        let wanted = wanted.or_else(|| {
            let mut folders = self.folder.ancestors().filter_map(Path::to_str);
            folders.find_map(|folder| value_of(&settings, &format!("\"{folder}\"")))
        });
        let wanted =
            wanted.or_else(|| self.first_upward("rust-toolchain.toml").and_then(|text| channel(&text)));
        let wanted = wanted.or_else(|| {
            let text = self.first_upward("rust-toolchain")?;
            channel(&text).or_else(|| text.lines().next().map(|line| line.trim().to_owned()))
        });
        let wanted = wanted.or_else(|| value_of(&settings, "default_toolchain"));
        match wanted {
            // `stable` stands for `stable-x86_64-unknown-linux-gnu`.
            Some(wanted) => {
                let is_meant = |name: &&String| {
                    name.strip_prefix(&*wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
                };
                has_program(&wanted) || installed.iter().filter(is_meant).any(|name| has_program(name))
            }
            None => installed.iter().any(|name| has_program(name)),
        }
    }

    fn volta(&self) -> bool {
        if ["node", "npm", "npx", "yarn", "pnpm"].contains(&self.name) {
            return true;
        }
        let home = self.place.parent().unwrap_or(self.place);
        self.search.view.exists(&home.join(format!("tools/user/bins/{}.json", self.name)))
    }

    fn mise(&self) -> bool {
        let home = self.place.parent().unwrap_or(self.place).join("installs");
        self.is_installed(&home)
    }

    /// In any version of any tool: `installs/TOOL/VERSION/bin/NAME`.
    fn is_installed(&self, installs: &Path) -> bool {
        let view = &self.search.view;
        view.entry_names(installs).iter().map(|tool| installs.join(tool)).any(|tool| {
            view.entry_names(&tool).iter().any(|version| {
                let version = tool.join(version);
                [version.join("bin"), version.clone()].iter().any(|place| view.exists(&place.join(self.name)))
            })
        })
    }

    /// The shim lists the versions that have the program. `.tool-versions` selects one.
    fn asdf(&self, home: &Path, program: &Path) -> bool {
        let Some(text) = self.search.view.read_text(program) else { return true };
        let versions: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# asdf-plugin: ")?.trim().split_once(' '))
            .collect();
        if versions.is_empty() {
            return self.is_installed(&home.join("installs"));
        }
        let global = self.search.view.read_text(&self.search.home.join(".tool-versions"));
        let Some(wanted) = self.first_upward(".tool-versions").or(global) else { return false };
        wanted.lines().any(|line| {
            let mut words = line.split_whitespace();
            let tool = words.next().unwrap_or_default();
            words.any(|version| version == "system" || versions.contains(&(tool, version)))
        })
    }

    fn pyenv(&self, home: &Path) -> bool {
        let view = &self.search.view;
        let wanted = self.search.variable("PYENV_VERSION").and_then(|name: OsString| name.into_string().ok());
        let wanted = wanted.or_else(|| self.first_upward(".python-version"));
        let wanted = wanted.or_else(|| view.read_text(&home.join("version"))).unwrap_or_default();
        let versions = home.join("versions");
        let installed = view.entry_names(&versions);
        wanted.split([':', '\n']).map(str::trim).filter(|wanted| !wanted.is_empty()).any(|wanted| {
            // `3.12` stands for the latest `3.12.x`.
            let is_meant = |name: &&String| {
                name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let mut meant = installed.iter().filter(is_meant);
            meant.any(|name| view.exists(&versions.join(name).join("bin").join(self.name)))
        })
    }
}

fn channel(text: &str) -> Option<String> {
    value_of(text, "channel").or_else(|| value_of(text, "path"))
}

/// `key = "value"` on a line of its own. These files need no more of TOML.
fn value_of(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let value = line.trim().strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
        Some(value.split('#').next()?.trim().trim_matches(['"', '\'']).to_owned())
    })
}
