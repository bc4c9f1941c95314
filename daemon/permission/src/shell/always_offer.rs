//! What "always" may allow from now on: the words that name the command, with any arguments.
//!
//! A program that runs, evaluates or deletes what its arguments say is never offered, under any name, path or
//! version. A program that is named by a path, and one that runs a task of the project, is offered exactly as
//! it was called.

use super::command_words::count_command_words;
use super::program_name::ProgramName;
use super::risks::judge_words;
use super::script::ShellWord;
use super::spellings::join_words;
use super::wrappers::{DECLARING_BUILTINS, INTERPRETERS, LATE_BUILTINS, RUNNERS, SHELLS, WRAPPERS};

/// Programs that change or delete what their arguments name, or that have their own way to run programs.
const NEVER: &[&str] = &[
    "ansible-playbook",
    "bsdtar",
    "chattr",
    "chgrp",
    "chmod",
    "chown",
    "cp",
    "cpio",
    "curl",
    "dd",
    "fd",
    "fdfind",
    "find",
    "gawk",
    "gcc",
    "gdb",
    "gsed",
    "install",
    "kill",
    "killall",
    "ln",
    "mkfs",
    "mount",
    "mv",
    "openssl",
    "pkill",
    "rm",
    "rmdir",
    "rsync",
    "scp",
    "sed",
    "set",
    "sftp",
    "shred",
    "tar",
    "tee",
    "truncate",
    "umount",
    "unlink",
    "wget",
    "zip",
    "7z",
    "iptables",
    "nft",
    "passwd",
    "useradd",
    "usermod",
    "visudo",
    "cc",
    "clang",
    "rustc",
    "ninja",
    "cmake",
];

/// Subcommands that run their arguments, or change what runs later.
const NEVER_SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("bun", &["x", "exec", "create", "add", "install", "i"]),
    ("bundle", &["exec", "config"]),
    ("cargo", &["run", "install", "r", "login", "publish", "yank"]),
    ("composer", &["exec", "run-script", "config", "global"]),
    ("conda", &["run", "config"]),
    ("deno", &["run", "eval", "install", "x", "task"]),
    (
        "docker",
        &["run", "exec", "build", "compose", "cp", "create", "buildx", "context", "plugin", "container"],
    ),
    ("dotnet", &["run", "exec", "tool", "fsi"]),
    ("gh", &["alias", "extension", "api", "config", "auth", "secret", "codespace"]),
    ("git", &["config", "clean", "reset", "rebase", "bisect", "submodule", "filter-branch", "clone"]),
    ("go", &["run", "generate", "tool", "install", "get", "env"]),
    ("kubectl", &["exec", "run", "cp", "debug", "edit", "apply", "plugin", "attach", "delete", "config"]),
    ("mix", &["run", "do", "cmd", "eval"]),
    ("nix", &["run", "develop", "shell", "eval", "build"]),
    (
        "npm",
        &["exec", "x", "explore", "edit", "config", "set", "init", "create", "publish", "install", "i", "ci"],
    ),
    ("pip", &["install", "config", "download", "wheel"]),
    ("pnpm", &["exec", "dlx", "create", "config", "add", "install", "i", "publish"]),
    ("podman", &["run", "exec", "build", "cp", "create", "container"]),
    ("poetry", &["run", "shell", "config", "publish"]),
    ("rustup", &["run", "toolchain", "override", "default", "self"]),
    ("systemctl", &["edit", "enable", "link", "set-environment"]),
    ("terraform", &["apply", "destroy", "console"]),
    ("uv", &["run", "tool", "x", "pip", "add", "publish"]),
    ("yarn", &["exec", "dlx", "node", "create", "config", "add", "publish"]),
];

/// Programs whose targets the project defines: offered as called.
const TASK_PROGRAMS: &[&str] =
    &["make", "gmake", "just", "rake", "task", "ant", "gradle", "gradlew", "mvn", "mvnw"];

pub(super) fn offer_always(program: &ProgramName, words: &[ShellWord]) -> Option<String> {
    let is_wrapper = WRAPPERS.iter().any(|wrapper| program.is(wrapper.name));
    let never = [NEVER, SHELLS, INTERPRETERS, RUNNERS, LATE_BUILTINS, DECLARING_BUILTINS];
    if is_wrapper || never.iter().any(|names| program.is_one_of(names)) {
        return None;
    }
    let risk = judge_words(program, words);
    if risk.spelled_words > 0 || risk.may_run_anything {
        return None;
    }
    let values: Vec<&str> = words.iter().filter_map(|word| word.value.as_deref()).collect();
    let name = *values.first()?;
    if name.contains('/') || program.is_one_of(TASK_PROGRAMS) {
        return Some(join_words(words));
    }
    let count = count_command_words(&values);
    let prefix = values.get(..count)?;
    let is_word = |word: &&&str| {
        !word.starts_with(['-', '+'])
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:".contains(c))
    };
    let is_complete = count_command_words(prefix) == count && count >= words_needed(prefix);
    let listed = NEVER_SUBCOMMANDS.iter().find(|(name, _)| program.is(name));
    let is_listed = listed.is_some_and(|(_, words)| prefix.get(1).is_some_and(|word| words.contains(word)));
    let is_named = prefix.iter().all(|word| is_word(&word)) && is_complete && !is_listed;
    is_named.then(|| prefix.join(" ") + " *")
}

/// `git` alone has no subcommand to offer.
fn words_needed(prefix: &[&str]) -> usize {
    let padded: Vec<&str> = prefix.iter().copied().chain(["x", "x", "x"]).collect();
    count_command_words(&padded)
}
