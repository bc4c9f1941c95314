//! The tour's small broken project, and the toolchain that builds it.

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
    // Builds inside the folder, and fetches nothing.
    (".cargo/config.toml", "[build]\ntarget-dir = \"target\"\n\n[net]\noffline = true\n"),
];

pub(super) struct TourProject {
    folder: TempDir,
    /// Symlinks resolved, because all other paths are.
    pub(super) path: PathBuf,
}

impl TourProject {
    pub(super) fn make() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("copydesk-tour-")
            .tempdir()
            .context("cannot create a temporary folder; set TMPDIR to another place")?;
        let path = folder.path().canonicalize()?;
        for (name, text) in FILES {
            write(&path.join(name), text).with_context(|| format!("cannot write {name}"))?;
        }
        Ok(Self { folder, path })
    }

    /// The value for `XDG_DATA_HOME`: a folder inside the project that searches skip.
    pub(super) fn data(&self) -> PathBuf {
        self.path.join(".tour")
    }

    /// The user's folders, except those that a session writes to.
    pub(super) fn paths(&self, own: &UserPaths) -> UserPaths {
        let data_dir = self.data().join("copydesk");
        UserPaths {
            state_dir: data_dir.join("state"),
            cache_dir: data_dir.join("cache"),
            data_dir,
            ..own.clone()
        }
    }

    /// Builds and runs it: its output, or the compiler's errors.
    pub(super) fn run(&self) -> io::Result<Result<String, String>> {
        let output = cargo().args(["run", "--quiet"]).current_dir(&self.path).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        Ok(if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
    }

    /// Keeps the folder.
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
    const ADVICE: &str = "the tour repairs a Rust project and needs cargo, which was not found: install Rust from https://rustup.rs, \
         open a new terminal and try again";
    let output = cargo().arg("--version").output().context(ADVICE)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    // After an empty line rustup prints where in its own code it failed.
    let reason = errors.trim().split("\n\n").next().unwrap_or_default();
    anyhow::ensure!(output.status.success(), "cargo does not work: {reason}");
    let version = String::from_utf8_lossy(&output.stdout);
    Ok(version.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.env("CARGO_TERM_COLOR", "never");
    command
}
