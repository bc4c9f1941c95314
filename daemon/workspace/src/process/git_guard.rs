//! Runs commands of git that only read, so that they start nothing that the repository names.
//!
//! Git obeys the repository's configuration: monitors, filters, hooks, external diffs, signature programs. So
//! [`is_guarded_repository`] looks at the keys of that configuration first and accepts only a repository whose
//! keys are all known to be harmless, and [`GUARDED_GIT`] switches off what is no key of it. The user's own
//! configuration is the user's.

use std::ffi::OsString;
use std::path::Path;

use super::subprocess::{self, SubprocessSpec};
use super::{ProcessExit, Processes};
use crate::time_limits::GIT_TIMEOUT;

/// Changes to the environment for a command of git that only reads; `None` removes a variable.
pub const GUARDED_GIT: [(&str, Option<&str>); 18] = [
    // The environment that started the daemon may name another repository.
    ("GIT_DIR", None),
    ("GIT_WORK_TREE", None),
    ("GIT_INDEX_FILE", None),
    // Without locks nothing is written, so no hook runs.
    ("GIT_OPTIONAL_LOCKS", Some("0")),
    ("GIT_NO_LAZY_FETCH", Some("1")),
    ("GIT_CONFIG_COUNT", Some("6")),
    ("GIT_CONFIG_KEY_0", Some("core.fsmonitor")),
    ("GIT_CONFIG_VALUE_0", Some("false")),
    ("GIT_CONFIG_KEY_1", Some("core.hooksPath")),
    ("GIT_CONFIG_VALUE_1", Some("/dev/null")),
    // Git runs itself in submodules, with their configuration and without these variables.
    ("GIT_CONFIG_KEY_2", Some("diff.ignoreSubmodules")),
    ("GIT_CONFIG_VALUE_2", Some("all")),
    ("GIT_CONFIG_KEY_3", Some("status.submoduleSummary")),
    ("GIT_CONFIG_VALUE_3", Some("false")),
    // A repository that lies among the files of another one.
    ("GIT_CONFIG_KEY_4", Some("safe.bareRepository")),
    ("GIT_CONFIG_VALUE_4", Some("explicit")),
    ("GIT_CONFIG_KEY_5", Some("submodule.recurse")),
    // The last value stands here, so that the count above is checked by the compiler.
    ("GIT_CONFIG_VALUE_5", Some("false")),
];

/// The keys that a repository may set, in lower case: `SECTION`, `SECTION.KEY`, or `SECTION.*.KEY` with any name
/// between. No other is accepted.
const HARMLESS_KEYS: &[&str] = &[
    "advice",
    "branch.*.description",
    "branch.*.gh-merge-base",
    "branch.*.merge",
    "branch.*.pushremote",
    "branch.*.rebase",
    "branch.*.remote",
    "branch.*.vscode-merge-base",
    "branch.autosetupmerge",
    "branch.autosetuprebase",
    "branch.sort",
    "color",
    "column",
    "commit.gpgsign",
    "core.autocrlf",
    "core.bare",
    "core.bigfilethreshold",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.precomposeunicode",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.symlinks",
    "core.untrackedcache",
    "diff.algorithm",
    "diff.colormoved",
    "diff.mnemonicprefix",
    "diff.renames",
    "extensions.objectformat",
    "extensions.refstorage",
    "fetch.prune",
    "gc.auto",
    "init.defaultbranch",
    "lfs.repositoryformatversion",
    "log.abbrevcommit",
    "log.date",
    "log.decorate",
    "merge.conflictstyle",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "push.followtags",
    "rebase.autosquash",
    "rebase.autostash",
    "remote.*.fetch",
    "remote.*.gh-resolved",
    "remote.*.mirror",
    "remote.*.prune",
    "remote.*.push",
    "remote.*.pushurl",
    "remote.*.tagopt",
    "remote.*.url",
    "rerere.enabled",
    "status.branch",
    "status.short",
    "status.showuntrackedfiles",
    "tag.gpgsign",
    "tag.sort",
    "user.email",
    "user.name",
    "user.signingkey",
];

/// Whether commands of git that only read start nothing of the repository around `folder` if they run with
/// [`GUARDED_GIT`]. If it cannot be known: no.
pub async fn is_guarded_repository(processes: &Processes, folder: &Path) -> bool {
    let keys = ["config", "--list", "--local", "--includes", "--name-only", "-z"];
    let Some(keys) = ask_git(processes, folder, &keys, "").await else { return false };
    if !keys.split('\0').filter(|key| !key.is_empty()).all(is_harmless_key) {
        return false;
    }
    // `.gitmodules` overrides how submodules are looked at. Git also reads it from the index and the last commit.
    let Some(root) = ask_git(processes, folder, &["rev-parse", "--show-toplevel"], "").await else {
        return false;
    };
    let stored =
        ask_git(processes, folder, &["cat-file", "--batch-check"], ":.gitmodules\nHEAD:.gitmodules\n");
    let is_missing = |line: &str| line.ends_with(" missing");
    stored.await.is_some_and(|stored| stored.lines().count() == 2 && stored.lines().all(is_missing))
        && Path::new(root.trim_end_matches('\n')).join(".gitmodules").symlink_metadata().is_err()
}

fn is_harmless_key(key: &str) -> bool {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (subsection, name) = rest.rsplit_once('.').map_or((None, rest), |(sub, name)| (Some(sub), name));
    let (section, name) = (section.to_lowercase(), name.to_lowercase());
    let wanted = match subsection {
        Some(_) => format!("{section}.*.{name}"),
        None => format!("{section}.{name}"),
    };
    HARMLESS_KEYS.contains(&wanted.as_str()) || HARMLESS_KEYS.contains(&section.as_str())
}

async fn ask_git(processes: &Processes, folder: &Path, arguments: &[&str], input: &str) -> Option<String> {
    let environment = GUARDED_GIT.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
    let task = SubprocessSpec {
        command: ["git"].iter().chain(arguments).map(OsString::from).collect(),
        cwd: folder.to_owned(),
        environment: environment.into(),
        input: input.to_owned(),
        merge_stderr: false,
        timeout: GIT_TIMEOUT,
        max_output_bytes: 1024 * 1024,
        sandbox: None,
    };
    let done = subprocess::run(processes, task).await.ok()?;
    if done.exit != ProcessExit::Code(0) {
        return None;
    }
    String::from_utf8(done.output).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_keys_are_harmless() {
        let harmless =
            ["core.filemode", "remote.origin.url", "remote.a.b.c.fetch", "branch.x.merge", "color.ui"];
        assert!(harmless.into_iter().all(is_harmless_key));
        let others = [
            "core.fsmonitor",
            "core.hookspath",
            "core.worktree",
            "core.pager",
            "core.sshcommand",
            "core.attributesfile",
            "filter.x.clean",
            "filter.lfs.process",
            "diff.external",
            "diff.x.textconv",
            "diff.x.command",
            "diff.renames.textconv",
            "gpg.program",
            "log.showsignature",
            "include.path",
            "includeif.gitdir:x.path",
            "remote.origin.uploadpack",
            "remote.origin.promisor",
            "remote.url",
            "submodule.x.ignore",
            "extensions.worktreeconfig",
            "alias.status",
            "pager.log",
            "",
        ];
        for key in others {
            assert!(!is_harmless_key(key), "{key}");
        }
    }
}
