//! What a person may do after the tour, in commands that work where they are typed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::find_program::find_program;

/// The name of the program, as it is installed.
const NAME: &str = "copydesk";

/// A command, and what it is for.
pub(super) type SuggestedCommand = (String, &'static str);

/// Where the program that is running was found, and by whom it was started.
pub(super) struct CurrentProgram<'a> {
    /// `PATH`
    pub(super) search: Option<&'a OsStr>,
    pub(super) binary: Option<PathBuf>,
    /// The folder of its package, where `cargo run` started it.
    pub(super) package: Option<PathBuf>,
    pub(super) cwd: &'a Path,
}

/// What there is to say before any command, and the commands.
pub(super) fn next(program: &CurrentProgram<'_>) -> (Option<String>, Vec<SuggestedCommand>) {
    let found = program.search.is_some_and(|search| find_program(search, NAME).is_some());
    let (mut said, mut ways) = (None, Vec::new());
    if !found {
        let binary = program.binary.as_ref().map(|binary| shell(binary));
        match (&program.package, binary) {
            (Some(package), binary) => {
                let package = package.strip_prefix(program.cwd).unwrap_or(package);
                ways.push((
                    format!("cargo install --path {}", shell(package)),
                    "keep the program, as copydesk",
                ));
                said = binary
                    .map(|binary| format!("Until you keep the program, write {binary} for `copydesk`."));
            }
            (None, Some(binary)) => {
                said = Some(format!(
                    "There is no `copydesk` on your PATH: write {binary} for it, or put that into a folder of your PATH."
                ));
            }
            (None, None) => {}
        }
    }
    ways.extend([
        (format!("{NAME} auth add anthropic"), "set up a real model (or openai, google, …; or start Ollama)"),
        (format!("{NAME} models"), "which models you can use now"),
        (format!("{NAME} run \"fix the errors\""), "the same in a project of yours"),
    ]);
    (said, ways)
}

/// A path as a shell reads it.
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
        let (said, ways) = next(program);
        (said.unwrap_or_default(), ways.into_iter().map(|(command, _)| command).collect())
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
        let (said, ways) = after(&program(Some("/src/a desk/daemon/desk"), "/src/a desk"));
        assert_eq!(
            said,
            "Until you keep the program, write '/src/a desk/target/release/copydesk' for `copydesk`."
        );
        assert_eq!(ways.first().unwrap(), "cargo install --path daemon/desk");
        let (_, ways) = after(&program(Some("/src/a desk/daemon/desk"), "/elsewhere"));
        assert_eq!(ways.first().unwrap(), "cargo install --path '/src/a desk/daemon/desk'");
        let (said, ways) = after(&program(None, "/elsewhere"));
        assert!(said.contains("write '/src/a desk/target/release/copydesk' for it"), "{said}");
        assert_eq!(ways.first().unwrap(), "copydesk auth add anthropic");

        let file = bin.path().join("copydesk");
        std::fs::write(&file, "").unwrap();
        assert_ne!(after(&program(None, "/")).0, "", "a file that cannot be run is no program");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (said, ways) = after(&program(Some("/src/a desk/daemon/desk"), "/src/a desk"));
        assert_eq!((said.as_str(), ways.first().unwrap().as_str()), ("", "copydesk auth add anthropic"));
    }
}
