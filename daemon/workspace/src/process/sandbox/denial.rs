//! Guesses from a failed command's output what the sandbox stopped. Pure.

use super::protected_paths::IN_WORKSPACE;

/// What the sandbox probably stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxDenial {
    Setup,
    Write,
    Protected,
    Network,
    /// As `Network`, where some hosts are reached.
    Hosts,
    SystemCall,
}

/// Words of programs, in the order in which they tell the most.
const TELLING: [(SandboxDenial, &[&str]); 5] = [
    (SandboxDenial::Setup, &["bwrap: "]),
    (
        SandboxDenial::Network,
        &[
            "Could not resolve",
            "Couldn't resolve",
            "EAI_AGAIN",
            "ENETUNREACH",
            "ENOTFOUND",
            "Name or service not known",
            "Network is unreachable",
            "Temporary failure in name resolution",
            "dial tcp",
            "failed to lookup address",
            "getaddrinfo",
            "Connection refused",
            "ECONNREFUSED",
            "CONNECT tunnel failed",
            "Copydesk's sandbox: ",
        ],
    ),
    (SandboxDenial::Protected, &["Device or resource busy", "EBUSY"]),
    (SandboxDenial::Write, &["Read-only file system", "EROFS", "read-only file system"]),
    (SandboxDenial::SystemCall, &["Operation not permitted", "EPERM"]),
];

/// Words that say so only beside the name of a protected path: an empty folder stands in its place.
const TELLING_BESIDE_A_NAME: [&str; 6] =
    ["Permission denied", "EACCES", "Is a directory", "EISDIR", "File exists", "EEXIST"];

impl SandboxDenial {
    /// Completes "probably stopped by the sandbox: …".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Setup => "it could not be set up",
            Self::Write => {
                "only the workspace and /tmp are writable, without hooks, editor settings and agents' configuration"
            }
            Self::Protected => {
                "git's configuration and hooks, editor settings and agents' configuration cannot be made or replaced"
            }
            Self::Network => "it has no network",
            Self::Hosts => "it reaches only the hosts that `sandbox.hosts` lists, and only by HTTP",
            Self::SystemCall => "it refuses a system call",
        }
    }
}

/// Call it only for a command that failed. `has_network` rules one guess out.
pub(super) fn guess_denial(output: &str, has_network: bool) -> Option<SandboxDenial> {
    let says = |words: &[&str]| words.iter().any(|word| output.contains(word));
    let mut fitting = TELLING.iter().filter(|(_, words)| says(words)).map(|(denial, _)| *denial);
    let found = fitting.find(|denial| !(has_network && *denial == SandboxDenial::Network));
    found.or_else(|| output.lines().any(is_about_protected_path).then_some(SandboxDenial::Protected))
}

fn is_about_protected_path(line: &str) -> bool {
    let has_any = |words: &[&str]| words.iter().any(|word| line.contains(word));
    has_any(&TELLING_BESIDE_A_NAME) && (has_any(IN_WORKSPACE) || line.contains(".git/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_programs_tell_what_was_stopped() {
        for (output, expected) in [
            ("curl: (6) Could not resolve host: example.org", Some(SandboxDenial::Network)),
            ("npm error code EAI_AGAIN", Some(SandboxDenial::Network)),
            ("touch: cannot touch '/etc/x': Read-only file system", Some(SandboxDenial::Write)),
            (
                "error: could not write config file .git/config: Device or resource busy",
                Some(SandboxDenial::Protected),
            ),
            ("strace: ptrace(PTRACE_TRACEME): Operation not permitted", Some(SandboxDenial::SystemCall)),
            ("bwrap: Can't create file at /x: Read-only file system", Some(SandboxDenial::Setup)),
            ("bash: line 1: .envrc: Is a directory", Some(SandboxDenial::Protected)),
            ("mkdir: cannot create directory '.idea/x': Permission denied", Some(SandboxDenial::Protected)),
            ("sh: 1: cannot create .git/hooks/x: Permission denied", Some(SandboxDenial::Protected)),
            ("bash: ./build.sh: Permission denied", None),
            ("connect ECONNREFUSED 127.0.0.1:5432", Some(SandboxDenial::Network)),
            ("assertion failed: left == right", None),
        ] {
            assert_eq!(guess_denial(output, false), expected, "{output}");
        }
        assert_eq!(guess_denial("Could not resolve host", true), None);
    }
}
