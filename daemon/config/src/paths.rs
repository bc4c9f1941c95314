//! The user's folders (XDG base directories), and the root of a workspace.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// Looks up one environment variable. Injected, because a client's environment differs from the daemon's.
pub type EnvLookup<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// The user's folders. Every path is absolute; this module creates none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPaths {
    pub home: PathBuf,
    /// Contains the user's `copydesk.jsonc`.
    pub config_dir: PathBuf,
    /// What must not be lost: sessions.
    pub data_dir: PathBuf,
    /// What belongs to this machine: trust, logs.
    pub state_dir: PathBuf,
    /// What can be recreated.
    pub cache_dir: PathBuf,
    /// OpenCode's own folder, read if there is no configuration of ours.
    pub opencode_config_dir: PathBuf,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum UserPathsError {
    #[error("HOME is not set; set it to the absolute path of your home folder")]
    NoHome,
    #[error("HOME is `{}`; expected an absolute path", .0.display())]
    RelativeHome(PathBuf),
}

impl UserPaths {
    pub fn new(env: &EnvLookup<'_>) -> Result<Self, UserPathsError> {
        let home =
            env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from).ok_or(UserPathsError::NoHome)?;
        if !home.is_absolute() {
            return Err(UserPathsError::RelativeHome(home));
        }
        // The XDG specification says to ignore relative paths in these variables.
        let xdg = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = xdg("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let state = xdg("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")).join("copydesk");
        Ok(Self {
            config_dir: config.join("copydesk"),
            opencode_config_dir: config.join("opencode"),
            data_dir: xdg("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")).join("copydesk"),
            cache_dir: xdg("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache")).join("copydesk"),
            // Without a runtime folder (macOS, plain ssh), only the state folder surely belongs to the user.
            state_dir: state,
            home,
        })
    }
}

/// The nearest folder, from `cwd` up, that contains `.git` (a folder, or the file of a worktree or
/// submodule); else `cwd` itself.
pub fn workspace_root(cwd: &Path) -> io::Result<PathBuf> {
    let cwd = std::path::absolute(cwd)?;
    let root = cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    Ok(root.unwrap_or(&cwd).to_path_buf())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn paths(vars: &[(&str, &str)]) -> Result<UserPaths, UserPathsError> {
        UserPaths::new(&|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn defaults_lie_below_home() {
        let expected = UserPaths {
            home: "/h".into(),
            config_dir: "/h/.config/copydesk".into(),
            data_dir: "/h/.local/share/copydesk".into(),
            state_dir: "/h/.local/state/copydesk".into(),
            cache_dir: "/h/.cache/copydesk".into(),
            opencode_config_dir: "/h/.config/opencode".into(),
        };
        assert_eq!(paths(&[("HOME", "/h")]), Ok(expected.clone()));
        assert_eq!(paths(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "not/absolute")]), Ok(expected));
    }

    #[test]
    fn xdg_variables_win() {
        let found = paths(&[
            ("HOME", "/h"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_DATA_HOME", "/d"),
            ("XDG_STATE_HOME", "/s"),
            ("XDG_CACHE_HOME", "/x"),
            ("XDG_RUNTIME_DIR", "/run/user/1"),
        ]);
        let expected = UserPaths {
            home: "/h".into(),
            config_dir: "/c/copydesk".into(),
            data_dir: "/d/copydesk".into(),
            state_dir: "/s/copydesk".into(),
            cache_dir: "/x/copydesk".into(),
            opencode_config_dir: "/c/opencode".into(),
        };
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn home_is_needed() {
        assert_eq!(paths(&[]), Err(UserPathsError::NoHome));
        assert_eq!(paths(&[("HOME", "")]), Err(UserPathsError::NoHome));
        assert_eq!(paths(&[("HOME", "h")]), Err(UserPathsError::RelativeHome("h".into())));
    }

    #[test]
    fn a_workspace_begins_at_the_nearest_git() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("outer/inner");
        fs::create_dir_all(inner.join("src/deep")).unwrap();
        fs::create_dir(dir.path().join("outer/.git")).unwrap();
        assert_eq!(workspace_root(&inner.join("src")).unwrap(), dir.path().join("outer"));
        // A worktree or a submodule has a `.git` file.
        fs::write(inner.join(".git"), "gitdir: elsewhere").unwrap();
        assert_eq!(workspace_root(&inner.join("src/deep")).unwrap(), inner);
        assert_eq!(workspace_root(&inner).unwrap(), inner);
    }
}
