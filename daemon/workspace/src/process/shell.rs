//! Chooses the shell for scripts: it must understand what models write, which is POSIX with bash's habits.

use std::{
    ffi::OsStr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use copydesk_config::paths::EnvLookup;

/// Shells in which a script written for bash mostly works.
const SUITABLE: [&str; 7] = ["bash", "zsh", "sh", "dash", "ksh", "mksh", "ash"];

/// An existing shell that takes `-c SCRIPT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    path: PathBuf,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ShellError {
    #[error(
        "the shell `{0}` does not understand the scripts that models write; set `shell` to bash, zsh or sh \
         (your own terminal is not affected)"
    )]
    Unsuitable(String),
    #[error("the shell `{0}` was not found; set `shell` to the path of bash, zsh or sh")]
    NotFound(String),
}

impl Shell {
    /// The configured shell or an error; else `$SHELL` if it is suitable; else bash; else `/bin/sh`.
    pub fn choose(configured: Option<&str>, env: &EnvLookup<'_>) -> Result<Self, ShellError> {
        let search = env("PATH").unwrap_or_default();
        if let Some(wanted) = configured {
            if !is_suitable(Path::new(wanted)) {
                return Err(ShellError::Unsuitable(wanted.to_owned()));
            }
            let found = find(Path::new(wanted), &search);
            return found.ok_or_else(|| ShellError::NotFound(wanted.to_owned()));
        }
        let own = env("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute() && is_suitable(shell));
        let found = own.and_then(|shell| find(&shell, &search)).or_else(|| find(Path::new("bash"), &search));
        found
            .or_else(|| find(Path::new("/bin/sh"), &search))
            .ok_or_else(|| ShellError::NotFound("/bin/sh".into()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn is_suitable(shell: &Path) -> bool {
    shell.file_name().and_then(OsStr::to_str).is_some_and(|name| SUITABLE.contains(&name))
}

/// Searches a bare name in `search`. Rejects a relative path, because it is unclear what it is relative to.
fn find(shell: &Path, search: &OsStr) -> Option<Shell> {
    let is_name = shell.components().count() == 1 && !shell.is_absolute();
    let mut places: Vec<PathBuf> = Vec::new();
    if is_name {
        places.extend(std::env::split_paths(search).map(|folder| folder.join(shell)));
    } else {
        places.push(shell.to_owned());
    }
    let runs = |path: &PathBuf| {
        let found = path.metadata();
        path.is_absolute() && found.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    places.into_iter().find(runs).map(|path| Shell { path })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn the_shell_is_the_configured_one_or_the_users_or_bash() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().to_str().unwrap().to_owned();
        for (name, mode) in [("bash", 0o755), ("zsh", 0o755), ("fish", 0o755), ("dash", 0o644)] {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        let choose = |configured: Option<&str>, own: &str, search: &str| {
            let env = |name: &str| match name {
                "SHELL" => Some(own.into()),
                "PATH" => Some(search.into()),
                _ => None,
            };
            let path = Shell::choose(configured, &env).map(|shell| shell.path);
            path.map(|path| path.to_str().unwrap().replace(&bin, "BIN")).map_err(|error| error.to_string())
        };
        let (zsh, fish, dash) = (format!("{bin}/zsh"), format!("{bin}/fish"), format!("{bin}/dash"));
        assert_eq!(choose(Some("bash"), &zsh, &bin), Ok("BIN/bash".into()));
        assert_eq!(choose(Some(&zsh), "", ""), Ok("BIN/zsh".into()));
        assert_eq!(choose(None, &zsh, &bin), Ok("BIN/zsh".into()));
        assert_eq!(choose(None, &fish, &bin), Ok("BIN/bash".into()));
        assert_eq!(choose(None, &dash, &bin), Ok("BIN/bash".into()), "it cannot be run");
        assert_eq!(choose(None, "zsh", ""), Ok("/bin/sh".into()));
        assert!(choose(Some("fish"), &zsh, &bin).unwrap_err().contains("set `shell` to bash"));
        assert!(choose(Some("/usr/bin/nu"), &zsh, &bin).unwrap_err().contains("`/usr/bin/nu`"));
        assert!(choose(Some("ksh"), &zsh, &bin).unwrap_err().contains("not found"));
        assert!(choose(Some("./bash"), &zsh, &bin).unwrap_err().contains("not found"));
    }
}
