//! Programs that run their arguments: which of their options take a value, and where the inner command begins.
//!
//! An option that is not listed here ends the reading of that command: it may then run anything.

/// How a wrapper passes its arguments on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperKind {
    /// Runs its arguments as they are, and changes nothing but time and priority.
    Transparent,
    /// Runs its arguments, with other rights, in another place, or with more arguments.
    Arguments,
    /// As `Arguments`, after assignments.
    Environment,
    /// Adds arguments that it reads.
    AddsArguments,
    /// Joins its arguments to a script.
    Script,
    /// The same, on another machine.
    RemoteScript,
}

pub(super) struct WrapperProgram {
    pub(super) name: &'static str,
    pub(super) kind: WrapperKind,
    /// Options without a value: letters, and long names.
    pub(super) flags: &'static str,
    pub(super) long_flags: &'static [&'static str],
    /// Options with a value.
    pub(super) valued: &'static str,
    pub(super) long_valued: &'static [&'static str],
    /// Words before the inner command: a duration, a host.
    pub(super) skipped_words: usize,
}

const fn wrapper(
    name: &'static str,
    kind: WrapperKind,
    flags: &'static str,
    valued: &'static str,
) -> WrapperProgram {
    WrapperProgram { name, kind, flags, long_flags: &[], valued, long_valued: &[], skipped_words: 0 }
}

use WrapperKind::{AddsArguments, Arguments, Environment, RemoteScript, Script, Transparent};

pub(super) const WRAPPERS: &[WrapperProgram] = &[
    wrapper("command", Transparent, "p", ""),
    wrapper("builtin", Transparent, "", ""),
    wrapper("noglob", Transparent, "", ""),
    wrapper("nocorrect", Transparent, "", ""),
    WrapperProgram {
        long_flags: &["portability", "verbose", "quiet"],
        ..wrapper("time", Transparent, "pvq", "f")
    },
    WrapperProgram {
        long_flags: &["foreground", "preserve-status", "verbose"],
        long_valued: &["kill-after", "signal"],
        skipped_words: 1,
        ..wrapper("timeout", Transparent, "v", "ks")
    },
    WrapperProgram { long_valued: &["adjustment"], ..wrapper("nice", Transparent, "0123456789", "n") },
    WrapperProgram { long_valued: &["class", "classdata"], ..wrapper("ionice", Transparent, "t", "cn") },
    WrapperProgram {
        long_valued: &["input", "output", "error"],
        ..wrapper("stdbuf", Transparent, "", "ioe")
    },
    wrapper("nohup", Arguments, "", ""),
    WrapperProgram { long_flags: &["ctty", "fork", "wait"], ..wrapper("setsid", Arguments, "cfw", "") },
    wrapper("exec", Arguments, "cl", "a"),
    WrapperProgram { skipped_words: 1, ..wrapper("chrt", Arguments, "abfiormvR", "TPD") },
    WrapperProgram { skipped_words: 1, ..wrapper("taskset", Arguments, "ac", "") },
    WrapperProgram { skipped_words: 1, ..wrapper("chroot", Arguments, "", "") },
    WrapperProgram { skipped_words: 1, ..wrapper("flock", Arguments, "sxnuoFe", "wE") },
    WrapperProgram { skipped_words: 1, ..wrapper("repeat", Arguments, "", "") },
    wrapper("busybox", Arguments, "", ""),
    wrapper("toybox", Arguments, "", ""),
    wrapper("strace", Arguments, "fFcCdiqrtTvxyYkwz", "oePpsaSuEIbX"),
    wrapper("caffeinate", Arguments, "dimsu", "tw"),
    wrapper("unbuffer", Arguments, "p", ""),
    wrapper("fakeroot", Arguments, "", ""),
    wrapper("pkexec", Arguments, "", ""),
    WrapperProgram { skipped_words: 1, ..wrapper("gosu", Arguments, "", "") },
    WrapperProgram { skipped_words: 1, ..wrapper("su-exec", Arguments, "", "") },
    WrapperProgram { skipped_words: 1, ..wrapper("setarch", Arguments, "vRFZLXBIST3", "") },
    wrapper("linux32", Arguments, "", ""),
    wrapper("linux64", Arguments, "", ""),
    WrapperProgram {
        long_flags: &["ignore-environment", "null", "debug"],
        long_valued: &["unset", "chdir"],
        ..wrapper("env", Environment, "i0v", "uC")
    },
    WrapperProgram {
        long_flags: &[
            "askpass",
            "background",
            "preserve-env",
            "set-home",
            "login",
            "non-interactive",
            "shell",
        ],
        long_valued: &["user", "group", "chdir", "host", "prompt", "role", "type", "command-timeout"],
        ..wrapper("sudo", Environment, "AbEHinPSs", "ugCDhpRrTt")
    },
    wrapper("doas", Environment, "Lns", "uC"),
    WrapperProgram {
        long_flags: &["null", "no-run-if-empty", "open-tty", "interactive", "verbose", "exit"],
        long_valued: &["arg-file", "delimiter", "max-args", "max-procs", "max-lines", "replace", "max-chars"],
        ..wrapper("xargs", AddsArguments, "0oprtx", "aEdILnPs")
    },
    WrapperProgram {
        long_flags: &["differences", "beep", "errexit", "chgexit", "color", "no-title", "exec", "precise"],
        long_valued: &["interval"],
        ..wrapper("watch", Script, "bcdegptx", "n")
    },
    WrapperProgram {
        skipped_words: 1,
        ..wrapper("ssh", RemoteScript, "1246AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOoPpQRSWw")
    },
];

/// Shells: `-c` is followed by a script.
pub(super) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "rksh", "lksh", "yash", "posh", "hush",
    "oksh",
];

/// Programs that interpret a text which we do not read. A script file among their arguments is plain, inline
/// code and standard input are not.
pub(super) const INTERPRETERS: &[&str] = &[
    "awk",
    "bc",
    "bun",
    "csh",
    "dc",
    "deno",
    "ed",
    "elixir",
    "emacs",
    "erl",
    "ex",
    "expect",
    "fish",
    "gawk",
    "gdb",
    "ghci",
    "groovy",
    "guile",
    "irb",
    "ipython",
    "julia",
    "lldb",
    "lua",
    "luajit",
    "m4",
    "mawk",
    "mongosh",
    "mysql",
    "nawk",
    "nix-shell",
    "node",
    "nodejs",
    "nu",
    "nvim",
    "osascript",
    "perl",
    "php",
    "pry",
    "psql",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "redis-cli",
    "rscript",
    "ruby",
    "runghc",
    "sbcl",
    "scala",
    "sqlite",
    "tclsh",
    "tcsh",
    "ts-node",
    "tsx",
    "vi",
    "view",
    "vim",
    "wish",
    "xonsh",
];

/// Programs that run others, in ways that we do not read.
pub(super) const RUNNERS: &[&str] = &[
    "ansible",
    "at",
    "autossh",
    "batch",
    "bunx",
    "bwrap",
    "capsh",
    "catchsegv",
    "cgexec",
    "chpst",
    "concurrently",
    "coreutils",
    "cpulimit",
    "crontab",
    "daemonize",
    "dbus-run-session",
    "direnv",
    "distrobox",
    "docker-compose",
    "dumb-init",
    "entr",
    "faketime",
    "firejail",
    "flatpak-spawn",
    "forever",
    "fzf",
    "hyperfine",
    "ld-linux",
    "ld.so",
    "less",
    "ltrace",
    "man",
    "more",
    "most",
    "mosh",
    "newgrp",
    "nodemon",
    "nsenter",
    "npx",
    "numactl",
    "open",
    "parallel",
    "perf",
    "pipx",
    "pm2",
    "pnpx",
    "prlimit",
    "proot",
    "proxychains",
    "qemu-x86_64",
    "rlwrap",
    "rsh",
    "run-parts",
    "runcon",
    "runit",
    "runuser",
    "schroot",
    "screen",
    "script",
    "sem",
    "setpriv",
    "sg",
    "slirp4netns",
    "socat",
    "start-stop-daemon",
    "stap",
    "su",
    "supervise",
    "systemd-run",
    "tini",
    "tmux",
    "tox",
    "tsocks",
    "unshare",
    "uvx",
    "valgrind",
    "vagrant",
    "watchexec",
    "wine",
    "xdg-open",
    "xterm",
    "xvfb-run",
    "ncat",
    "nc",
    "netcat",
    "telnet",
];

/// Builtins that change what later words mean, or run a text later.
pub(super) const LATE_BUILTINS: &[&str] = &[
    ".",
    "alias",
    "autoload",
    "bind",
    "compadd",
    "compctl",
    "compgen",
    "complete",
    "disable",
    "emulate",
    "enable",
    "fc",
    "functions",
    "getopts",
    "hash",
    "history",
    "let",
    "mapfile",
    "popd",
    "read",
    "readarray",
    "sched",
    "setopt",
    "shopt",
    "source",
    "trap",
    "unalias",
    "unfunction",
    "unset",
    "unsetopt",
    "vared",
    "zcompile",
    "zle",
    "zmodload",
    "zparseopts",
    "zstyle",
];

/// Builtins that take assignments as arguments.
pub(super) const DECLARING_BUILTINS: &[&str] =
    &["declare", "export", "float", "integer", "local", "nameref", "readonly", "typeset"];

/// Builtins that evaluate a subscript in the name of a variable.
pub(super) const SUBSCRIPT_BUILTINS: &[&str] = &["[", "[[", "printf", "print", "test", "wait"];
