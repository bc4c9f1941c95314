//! Suggests commands after the tour, spelled so that they work in the user's shell.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::find_program::find_program;

/// The installed program's name.
const NAME: &str = "copydesk";

/// A command and its purpose.
pub(super) type SuggestedCommand = (String, &'static str);

/// Where the running program is, and what started it.
pub(super) struct CurrentProgram<'a> {
    /// `PATH`
    pub(super) search: Option<&'a OsStr>,
    pub(super) binary: Option<PathBuf>,
    /// Its package's folder, if `cargo run` started it.
    pub(super) package: Option<PathBuf>,
    pub(super) cwd: &'a Path,
}

/// A remark, and the commands.
pub(super) fn next(program: &CurrentProgram<'_>) -> (Option<String>, Vec<SuggestedCommand>) {
    let is_installed = program.search.is_some_and(|search| find_program(search, NAME).is_some());
    let (mut remark, mut commands) = (None, Vec::new());
    if !is_installed {
        let binary = program.binary.as_ref().map(|binary| shell(binary));
        match (&program.package, binary) {
            (Some(package), binary) => {
                let package = package.strip_prefix(program.cwd).unwrap_or(package);
                commands.push((
                    format!("cargo install --path {}", shell(package)),
                    "install the program as copydesk",
                ));
                remark = binary
                    .map(|binary| format!("Until you install the program, write {binary} for `copydesk`."));
            }
            (None, Some(binary)) => {
                remark = Some(format!(
                    "`copydesk` is not in your PATH: write {binary} for it, or put that file into a folder of your PATH."
                ));
            }
            (None, None) => {}
        }
    }
    commands.extend([
        (format!("{NAME} auth add anthropic"), "set up a real model (or openai, google, …; or start Ollama)"),
        (format!("{NAME} models"), "which models you can use now"),
        (format!("{NAME} run \"fix the errors\""), "the same in a project of yours"),
    ]);
    (remark, commands)
}

/// A path quoted for a shell.
pub(super) fn shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |character: char| character.is_alphanumeric() || "/._-+@,".contains(character);
    match text.as_str() {
        "" => ".".to_owned(),
        _ if text.chars().all(plain) => text,
        _ => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn after(program: &CurrentProgram<'_>) -> (String, Vec<String>) {
        let (remark, commands) = next(program);
        (remark.unwrap_or_default(), commands.into_iter().map(|(command, _)| command).collect())
    }

    #[test]
    fn a_program_that_nobody_finds_is_named_by_its_path() {
        let bin = tempfile::tempdir().unwrap();
        let program = |package: Option<&str>, cwd: &'static str| CurrentProgram {
            search: Some(bin.path().as_os_str()),
            binary: Some("/src/a desk/target/release/copydesk".into()),
            package: package.map(PathBuf::from),
            cwd: Path::new(cwd),
        };
        let (remark, commands) = after(&program(Some("/src/a desk/daemon/cli"), "/src/a desk"));
        assert_eq!(
            remark,
            "Until you install the program, write '/src/a desk/target/release/copydesk' for `copydesk`."
        );
        assert_eq!(commands.first().unwrap(), "cargo install --path daemon/cli");
        let (_, commands) = after(&program(Some("/src/a desk/daemon/cli"), "/elsewhere"));
        assert_eq!(commands.first().unwrap(), "cargo install --path '/src/a desk/daemon/cli'");
        let (remark, commands) = after(&program(None, "/elsewhere"));
        assert!(remark.contains("write '/src/a desk/target/release/copydesk' for it"), "{remark}");
        assert_eq!(commands.first().unwrap(), "copydesk auth add anthropic");

        let file = bin.path().join("copydesk");
        std::fs::write(&file, "").unwrap();
        assert_ne!(after(&program(None, "/")).0, "", "a file that cannot be run is no program");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (remark, commands) = after(&program(Some("/src/a desk/daemon/cli"), "/src/a desk"));
        assert_eq!(
            (remark.as_str(), commands.first().unwrap().as_str()),
            ("", "copydesk auth add anthropic")
        );
    }
}
