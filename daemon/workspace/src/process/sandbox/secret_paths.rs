//! Places in a home that hold secrets, or that reach an agent which holds them. Data.

/// Relative to the home. A `*` at the end stands for the rest of the name.
pub(super) const SECRETS_OF_HOME: &[&str] = &[
    ".1password",
    ".ansible/vault*",
    ".aws",
    ".azure",
    ".bash_history",
    ".cargo/credentials*",
    ".claude*",
    ".codex",
    ".composer/auth.json",
    ".config/1Password",
    ".config/Bitwarden*",
    ".config/BraveSoftware",
    ".config/age",
    ".config/chromium",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/glab-cli",
    ".config/google-chrome*",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".docker",
    ".fly",
    ".gem/credentials",
    ".git-credentials",
    ".gnupg",
    ".gradle/gradle.properties",
    ".huggingface",
    ".cache/huggingface/token",
    ".kube",
    ".local/share/fish/fish_history",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/opencode",
    ".m2/settings*",
    ".mozilla",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".nuget/NuGet/NuGet.Config",
    ".oci",
    ".password-store",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".ssh",
    ".terraform.d/credentials*",
    ".thunderbird",
    ".vault-token",
    ".wrangler",
    ".yarnrc*",
    ".zsh_history",
];

/// Variables that lead out of the sandbox or change what programs load. A `*` at the end stands for the rest of the name.
const LEADING_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "CARGO_REGISTRIES_*",
    "DBUS_*",
    "DISPLAY",
    "DOCKER_*",
    "ENV",
    "GIT_*",
    "GNOME_*",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "I3SOCK",
    "KUBECONFIG",
    "LD_*",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "PODMAN_*",
    "PROMPT_COMMAND",
    "SSH_*",
    "SUDO_*",
    "SWAYSOCK",
    "TMUX*",
    "VSCODE_*",
    "WAYLAND_*",
    "WEZTERM_*",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
];

/// Whether a command in the sandbox does not get this variable.
pub(super) fn is_withheld(variable: &str) -> bool {
    LEADING_VARIABLES.iter().any(|pattern| fits(pattern, variable))
}

/// Whether a name fits a pattern that may end with `*`.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_out_is_withheld() {
        let withheld = ["SSH_AUTH_SOCK", "LD_PRELOAD", "GIT_DIR", "DBUS_SESSION_BUS_ADDRESS", "BASH_ENV"];
        assert!(withheld.into_iter().all(is_withheld));
        assert!(!["PATH", "HOME", "LANG", "RUSTUP_HOME", "GITHUB_ACTIONS"].into_iter().any(is_withheld));
    }
}
