//! The table of commands that only read: the program, the options that neither write nor run anything, and what
//! the other words are. Strict: a program, an option or a word that is not listed here asks.
//!
//! The word behind an option with a value is not looked at further, so only values that name no file stand here.

use OperandKind::{Any, Files, GitFiles, Nothing, SearchedFiles, SedPrint};

/// The words that are no option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKind {
    Nothing,
    /// Texts and files, checked by the caller.
    Any,
    /// At least one file: without one the command would wait for input, which is harmless in a pipeline.
    Files,
    /// Files, and folders whose files it shows.
    SearchedFiles,
    /// Commits and files: `COMMIT:FILE` shows a file of any time, `ext::` and `:(…)` are syntax of git.
    GitFiles,
    /// The script of `sed -n '1,20p'` before the files.
    SedPrint,
}

pub(super) struct ReadingCommand {
    /// The program, or `git` and a subcommand.
    pub(super) name: &'static str,
    /// Letters of options without a value. Digits are options of the form `-5`.
    pub(super) flags: &'static str,
    /// Letters with a number.
    pub(super) numbers: &'static str,
    /// Letters with a text that is no file.
    pub(super) texts: &'static str,
    /// Long options, with one dash or two: alone, or with `=VALUE`.
    pub(super) long: &'static [&'static str],
    /// Long options that take the next word.
    pub(super) long_valued: &'static [&'static str],
    pub(super) operands: OperandKind,
}

const fn reads(name: &'static str, flags: &'static str, operands: OperandKind) -> ReadingCommand {
    ReadingCommand { name, flags, numbers: "", texts: "", long: &[], long_valued: &[], operands }
}

/// What `git diff`, `git log` and `git show` have in common.
const DIFF_OPTIONS: &[&str] = &[
    "--abbrev",
    "--abbrev-commit",
    "--after",
    "--all",
    "--author",
    "--before",
    "--branches",
    "--cached",
    "--check",
    "--color",
    "--date",
    "--date-order",
    "--decorate",
    "--diff-filter",
    "--exit-code",
    "--find-renames",
    "--first-parent",
    "--follow",
    "--graph",
    "--grep",
    "--histogram",
    "--ignore-all-space",
    "--ignore-blank-lines",
    "--ignore-space-change",
    "--left-right",
    "--max-count",
    "--merge-base",
    "--merges",
    "--minimal",
    "--name-only",
    "--name-status",
    "--no-color",
    "--no-decorate",
    "--no-ext-diff",
    "--no-merges",
    "--no-patch",
    "--no-renames",
    "--no-textconv",
    "--numstat",
    "--oneline",
    "--patch",
    "--patience",
    "--quiet",
    "--remotes",
    "--reverse",
    "--shortstat",
    "--since",
    "--staged",
    "--stat",
    "--summary",
    "--tags",
    "--topo-order",
    "--unified",
    "--until",
    "--word-diff",
];

pub(super) const READING_COMMANDS: &[ReadingCommand] = &[
    reads(":", "", Any),
    reads("true", "", Any),
    reads("false", "", Any),
    reads("pwd", "LP", Nothing),
    reads("echo", "neE", Any),
    reads("printf", "", Any),
    reads("cd", "", Files),
    reads("whoami", "", Nothing),
    reads("id", "ugnGr", Nothing),
    reads("uname", "amnrspvio", Nothing),
    reads("nproc", "", Nothing),
    reads("which", "a", Any),
    reads("type", "atpP", Any),
    reads("command", "vV", Any),
    reads("basename", "az", Any),
    reads("dirname", "z", Any),
    reads("realpath", "emsqz", Files),
    reads("readlink", "femnqsvz", Files),
    ReadingCommand {
        long: &[
            "--all",
            "--almost-all",
            "--classify",
            "--color",
            "--directory",
            "--full-time",
            "--group-directories-first",
            "--human-readable",
            "--inode",
            "--recursive",
            "--reverse",
            "--size",
            "--sort",
            "--time",
            "--time-style",
        ],
        ..reads("ls", "1ABCFGHLNQRSUXZabcdfghiklmnopqrstuvx", Files)
    },
    ReadingCommand {
        numbers: "L",
        texts: "IP",
        long: &["--dirsfirst", "--noreport", "--gitignore"],
        ..reads("tree", "aACdDfFhinpqrstu", Files)
    },
    ReadingCommand { long: &["--mime-type", "--brief", "--mime"], ..reads("file", "bhiL", Files) },
    ReadingCommand { texts: "c", long: &["--format", "--terse"], ..reads("stat", "Lft", Files) },
    ReadingCommand {
        numbers: "d",
        long: &["--max-depth", "--summarize", "--human-readable", "--apparent-size"],
        ..reads("du", "abchkmsxSD", Files)
    },
    reads("df", "hHkmTiaPl", Files),
    reads("cat", "AbeEnstTuv", Files),
    reads("tac", "", Files),
    reads("nl", "", Files),
    ReadingCommand { numbers: "nc", long: &["--lines", "--bytes"], ..reads("head", "0123456789qv", Files) },
    ReadingCommand { numbers: "nc", long: &["--lines", "--bytes"], ..reads("tail", "0123456789qv", Files) },
    ReadingCommand { long: &["--lines", "--words", "--bytes", "--chars"], ..reads("wc", "clmwL", Files) },
    ReadingCommand {
        texts: "kt",
        long: &["--numeric-sort", "--reverse", "--unique", "--version-sort", "--human-numeric-sort"],
        ..reads("sort", "bcCdfghiMmnrRsuVz", Files)
    },
    ReadingCommand { numbers: "fsw", long: &["--count"], ..reads("uniq", "cdDiuz", Files) },
    ReadingCommand {
        texts: "bcdf",
        long: &["--complement", "--delimiter", "--fields"],
        ..reads("cut", "sz", Files)
    },
    reads("tr", "cCdst", Any),
    reads("rev", "", Files),
    reads("comm", "123z", Files),
    reads("cmp", "bls", Files),
    ReadingCommand {
        numbers: "U",
        long: &["--brief", "--color", "--unified", "--ignore-all-space", "--side-by-side"],
        ..reads("diff", "abBdeEinNpqstTuwyZ", SearchedFiles)
    },
    reads("md5sum", "bt", Files),
    reads("sha1sum", "bt", Files),
    reads("sha256sum", "bt", Files),
    reads("hexdump", "bcCdovx", Files),
    reads("sed", "nErsuz", SedPrint),
    ReadingCommand {
        numbers: "ABCm",
        texts: "e",
        long: &["--color", "--count", "--ignore-case", "--line-number", "--only-matching", "--max-count"],
        ..reads("grep", "abcEFGhHiIlLnoPqsTvwxyzZ", Files)
    },
    ReadingCommand {
        numbers: "ABCmMj",
        texts: "etTr",
        long: &[
            "--after-context",
            "--before-context",
            "--case-sensitive",
            "--color",
            "--column",
            "--context",
            "--count",
            "--count-matches",
            "--files",
            "--files-with-matches",
            "--files-without-match",
            "--fixed-strings",
            "--heading",
            "--ignore-case",
            "--invert-match",
            "--json",
            "--line-number",
            "--max-columns",
            "--max-count",
            "--max-depth",
            "--multiline",
            "--no-filename",
            "--no-heading",
            "--no-line-number",
            "--only-matching",
            "--regexp",
            "--replace",
            "--smart-case",
            "--sort",
            "--stats",
            "--trim",
            "--type",
            "--type-list",
            "--type-not",
            "--vimgrep",
            "--with-filename",
            "--word-regexp",
        ],
        long_valued: &[
            "--after-context",
            "--before-context",
            "--color",
            "--context",
            "--max-columns",
            "--max-count",
            "--max-depth",
            "--regexp",
            "--replace",
            "--sort",
            "--type",
            "--type-not",
        ],
        ..reads("rg", "0bcFHiIlnNopPqsSUvwx", SearchedFiles)
    },
    ReadingCommand {
        long: &["-a", "-and", "-empty", "-not", "-o", "-or", "-print", "-print0", "-prune", "-true"],
        long_valued: &[
            "-iname",
            "-ipath",
            "-iregex",
            "-maxdepth",
            "-mindepth",
            "-mmin",
            "-mtime",
            "-name",
            "-path",
            "-perm",
            "-regex",
            "-size",
            "-type",
            "-wholename",
        ],
        ..reads("find", "P", Files)
    },
    ReadingCommand {
        long: &[
            "--ahead-behind",
            "--branch",
            "--ignored",
            "--long",
            "--no-ahead-behind",
            "--null",
            "--porcelain",
            "--short",
            "--show-stash",
            "--untracked-files",
        ],
        ..reads("git status", "ablnosuz", GitFiles)
    },
    ReadingCommand { numbers: "U", long: DIFF_OPTIONS, ..reads("git diff", "abpRsuwWz", GitFiles) },
    ReadingCommand {
        numbers: "nU",
        texts: "SG",
        long: DIFF_OPTIONS,
        long_valued: &["--author", "--grep", "--since", "--until", "--after", "--before", "--max-count"],
        ..reads("git log", "0123456789bciEFpPsuwz", GitFiles)
    },
    ReadingCommand { numbers: "U", long: DIFF_OPTIONS, ..reads("git show", "abpsuwWz", GitFiles) },
    ReadingCommand { texts: "L", ..reads("git blame", "0123456789CefhlMnpstw", GitFiles) },
    ReadingCommand {
        long: &[
            "--all",
            "--contains",
            "--list",
            "--merged",
            "--no-color",
            "--no-merged",
            "--remotes",
            "--show-current",
            "--verbose",
        ],
        ..reads("git branch", "arv", Nothing)
    },
    ReadingCommand {
        long: &["--cached", "--deleted", "--exclude-standard", "--modified", "--others", "--stage"],
        ..reads("git ls-files", "cdmosz", GitFiles)
    },
    ReadingCommand {
        long: &[
            "--abbrev-ref",
            "--absolute-git-dir",
            "--git-dir",
            "--is-inside-work-tree",
            "--short",
            "--show-prefix",
            "--show-toplevel",
            "--verify",
        ],
        ..reads("git rev-parse", "", GitFiles)
    },
];
