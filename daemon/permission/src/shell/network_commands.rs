//! Commands that use the network, as data. Generous: the preset that lets other commands run asks for these.

use super::git_commands::find_subcommand;
use super::program_name::ProgramName;
use super::script::ShellWord;

const PROGRAMS: &[&str] = &[
    "apk",
    "apt",
    "apt-get",
    "aria2c",
    "aws",
    "az",
    "brew",
    "curl",
    "dig",
    "dnf",
    "docker",
    "doctl",
    "flyctl",
    "ftp",
    "gcloud",
    "gh",
    "glab",
    "gsutil",
    "heroku",
    "helm",
    "host",
    "http",
    "https",
    "httpie",
    "kubectl",
    "lftp",
    "lynx",
    "mail",
    "mosh",
    "mysql",
    "nc",
    "ncat",
    "netcat",
    "netlify",
    "nmap",
    "nslookup",
    "npx",
    "pacman",
    "ping",
    "pip",
    "pipx",
    "podman",
    "psql",
    "rclone",
    "redis-cli",
    "rsync",
    "scp",
    "sendmail",
    "sftp",
    "socat",
    "ssh",
    "svn",
    "tailscale",
    "telnet",
    "terraform",
    "traceroute",
    "vercel",
    "wget",
    "whois",
    "wrangler",
    "xh",
    "yum",
    "zypper",
];

const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("bun", &["add", "create", "i", "install", "publish", "update", "upgrade", "x"]),
    ("bundle", &["install", "update"]),
    ("cargo", &["add", "fetch", "install", "login", "owner", "publish", "search", "update", "yank"]),
    ("composer", &["install", "require", "update"]),
    ("gem", &["fetch", "install", "push", "update"]),
    ("git", &["clone", "fetch", "ls-remote", "pull", "push", "remote", "send-email", "submodule", "svn"]),
    ("go", &["get", "install"]),
    ("npm", &["add", "audit", "ci", "exec", "i", "init", "install", "login", "publish", "update", "view"]),
    ("pnpm", &["add", "create", "dlx", "i", "install", "publish", "update"]),
    ("poetry", &["add", "install", "publish", "update"]),
    ("rustup", &["component", "install", "target", "toolchain", "update"]),
    ("uv", &["add", "pip", "publish", "sync", "tool"]),
    ("yarn", &["add", "dlx", "install", "publish", "up", "upgrade"]),
];

pub(super) fn uses_network(program: &ProgramName, words: &[ShellWord]) -> bool {
    let at = if program.is("git") { find_subcommand(words) } else { Some(1) };
    let first = at.and_then(|at| words.get(at)).map(|word| word.text.as_str());
    // A word that names an address is enough, whatever the program: bash itself opens `/dev/tcp/HOST/PORT`.
    let has_address = |word: &ShellWord| word.text.contains("://") || word.text.contains("/dev/tcp/");
    program.is_one_of(PROGRAMS)
        || words.iter().any(has_address)
        || SUBCOMMANDS.iter().any(|(name, listed)| {
            program.is(name)
                && match first {
                    Some(word) if word.starts_with(['-', '+']) => {
                        words.iter().any(|word| listed.contains(&word.text.as_str()))
                    }
                    Some(word) => listed.contains(&word),
                    // `yarn` alone installs.
                    None => program.is("yarn"),
                }
        })
}
