//! The small broken project of the tour, and the toolchain that it is tried with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use copydesk_config::paths::UserPaths;
use tempfile::TempDir;

const FILES: [(&str, &str); 3] = [
    ("Cargo.toml", include_str!("manifest.txt")),
    ("src/main.rs", include_str!("main.rs.txt")),
    // What is built stays in the folder, and nothing is fetched.
    (".cargo/config.toml", "[build]\ntarget-dir = \"target\"\n\n[net]\noffline = true\n"),
];

pub(super) struct TourProject {
    folder: TempDir,
    /// Links resolved, as everything else will name it.
    pub(super) path: PathBuf,
}

impl TourProject {
    pub(super) fn make() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("copydesk-tour-")
            .tempdir()
            .context("a temporary folder cannot be made; TMPDIR names another place for it")?;
        let path = folder.path().canonicalize()?;
        for (name, text) in FILES {
            write(&path.join(name), text).with_context(|| format!("{name} cannot be written"))?;
        }
        Ok(Self { folder, path })
    }

    /// What `XDG_DATA_HOME` would name: a folder of the project's that no search enters.
    pub(super) fn data(&self) -> PathBuf {
        self.path.join(".tour")
    }

    /// The person's folders, with what a session writes kept here.
    pub(super) fn paths(&self, own: &UserPaths) -> UserPaths {
        let data_dir = self.data().join("copydesk");
        UserPaths {
            state_dir: data_dir.join("state"),
            cache_dir: data_dir.join("cache"),
            data_dir,
            ..own.clone()
        }
    }

    /// Builds it and runs it: what it printed, or what the compiler said.
    pub(super) fn run(&self) -> io::Result<Result<String, String>> {
        let output = cargo().args(["run", "--quiet"]).current_dir(&self.path).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        Ok(if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
    }

    /// Leaves it where it is.
    pub(super) fn keep(self) -> PathBuf {
        let _ = self.folder.keep();
        self.path
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// `cargo 1.95.0`
pub(super) fn toolchain() -> anyhow::Result<String> {
    const ADVICE: &str = "the tour repairs a Rust project and needs cargo, which is not there: install Rust from https://rustup.rs, \
         open a new terminal and try again";
    let output = cargo().arg("--version").output().context(ADVICE)?;
    let said = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "cargo does not work: {}", said.trim());
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.env("CARGO_TERM_COLOR", "never");
    command
}
