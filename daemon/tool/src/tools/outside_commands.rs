//! Commands that are known not to work in the sandbox. Data; each is compared with the first words of a command as it was understood.

/// What the sandbox lacks for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SandboxLack {
    Network,
    /// git's own configuration cannot be written.
    GitConfiguration,
    /// Rights, other processes, or a service of this machine.
    System,
}

const KNOWN: &[(&str, SandboxLack)] = &[
    ("apt", SandboxLack::System),
    ("apt-get", SandboxLack::System),
    ("brew", SandboxLack::System),
    ("bwrap", SandboxLack::System),
    ("bun add", SandboxLack::Network),
    ("bun install", SandboxLack::Network),
    ("bundle install", SandboxLack::Network),
    ("cargo add", SandboxLack::Network),
    ("cargo fetch", SandboxLack::Network),
    ("cargo install", SandboxLack::Network),
    ("cargo publish", SandboxLack::Network),
    ("cargo search", SandboxLack::Network),
    ("cargo update", SandboxLack::Network),
    ("composer install", SandboxLack::Network),
    ("composer require", SandboxLack::Network),
    ("curl", SandboxLack::Network),
    ("dnf", SandboxLack::System),
    ("docker", SandboxLack::System),
    ("doas", SandboxLack::System),
    ("flatpak", SandboxLack::System),
    ("gdb", SandboxLack::System),
    ("gem install", SandboxLack::Network),
    ("gh", SandboxLack::Network),
    ("git clone", SandboxLack::Network),
    ("git config", SandboxLack::GitConfiguration),
    ("git fetch", SandboxLack::Network),
    ("git ls-remote", SandboxLack::Network),
    ("git pull", SandboxLack::Network),
    ("git push", SandboxLack::Network),
    ("git remote add", SandboxLack::GitConfiguration),
    ("git remote remove", SandboxLack::GitConfiguration),
    ("git remote rename", SandboxLack::GitConfiguration),
    ("git remote set-url", SandboxLack::GitConfiguration),
    ("git submodule", SandboxLack::GitConfiguration),
    ("git worktree add", SandboxLack::GitConfiguration),
    ("glab", SandboxLack::Network),
    ("go get", SandboxLack::Network),
    ("go install", SandboxLack::Network),
    ("go mod download", SandboxLack::Network),
    ("go mod tidy", SandboxLack::Network),
    ("kubectl", SandboxLack::Network),
    ("launchctl", SandboxLack::System),
    ("ltrace", SandboxLack::System),
    ("npm add", SandboxLack::Network),
    ("npm ci", SandboxLack::Network),
    ("npm i", SandboxLack::Network),
    ("npm install", SandboxLack::Network),
    ("npm publish", SandboxLack::Network),
    ("npm update", SandboxLack::Network),
    ("perf", SandboxLack::System),
    ("pip download", SandboxLack::Network),
    ("pip install", SandboxLack::Network),
    ("pip3 install", SandboxLack::Network),
    ("pnpm add", SandboxLack::Network),
    ("pnpm install", SandboxLack::Network),
    ("podman", SandboxLack::System),
    ("poetry add", SandboxLack::Network),
    ("poetry install", SandboxLack::Network),
    ("rr", SandboxLack::System),
    ("rustup", SandboxLack::Network),
    ("scp", SandboxLack::Network),
    ("service", SandboxLack::System),
    ("sftp", SandboxLack::Network),
    ("ssh", SandboxLack::Network),
    ("strace", SandboxLack::System),
    ("su", SandboxLack::System),
    ("sudo", SandboxLack::System),
    ("systemctl", SandboxLack::System),
    ("terraform", SandboxLack::Network),
    ("uv add", SandboxLack::Network),
    ("uv sync", SandboxLack::Network),
    ("wget", SandboxLack::Network),
    ("yarn add", SandboxLack::Network),
    ("yarn install", SandboxLack::Network),
];

impl SandboxLack {
    /// Completes "it runs outside of the sandbox: …".
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Network => "it needs the network",
            Self::GitConfiguration => "it changes git's configuration",
            Self::System => "it needs more of the system than the sandbox has",
        }
    }
}

/// What a command would lack. `text` has single spaces between its words.
pub(super) fn find_lack(text: &str, has_network: bool) -> Option<SandboxLack> {
    let fits =
        |words: &str| text.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let lacks = KNOWN.iter().filter(|(words, _)| fits(words)).map(|(_, lack)| *lack);
    lacks.into_iter().find(|lack| !(has_network && *lack == SandboxLack::Network))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_commands_are_known_by_their_first_words() {
        for (text, expected) in [
            ("git push origin main", Some(SandboxLack::Network)),
            ("git config user.name x", Some(SandboxLack::GitConfiguration)),
            ("sudo make install", Some(SandboxLack::System)),
            ("npm install", Some(SandboxLack::Network)),
            ("npm installx", None),
            ("cargo test", None),
            ("git commit -m 'git push'", None),
        ] {
            assert_eq!(find_lack(text, false), expected, "{text}");
        }
        assert_eq!(find_lack("git push", true), None);
    }
}
