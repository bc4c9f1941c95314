//! A policy as the arguments of bubblewrap. Pure.
//!
//! bubblewrap reads the table of mounts again for each `--bind`, `--ro-bind` and `--remount-ro`, but not for a `--tmpfs`: an empty folder costs
//! a fraction of the others.

use std::{ffi::OsString, path::Path};

use super::{
    BRIDGE_SOCKET,
    policy::{PathAccess, SandboxPolicy},
};

/// Namespaces of its own for everything; no capabilities and no further user namespaces; it ends with the process that started it.
const ISOLATION: [&str; 9] = [
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
];

/// Everything is read-only unless an entry says otherwise.
const BASE: [&str; 7] = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

/// `proxy` is the socket of the proxy to listed hosts.
pub(super) fn arguments(
    policy: &SandboxPolicy,
    working_folder: &Path,
    proxy: Option<&Path>,
) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ISOLATION.iter().map(OsString::from).collect();
    if !policy.has_network {
        arguments.push("--unshare-net".into());
    }
    arguments.extend(BASE.iter().map(OsString::from));
    let mut add = |words: &[&str], paths: &[&Path]| {
        arguments.extend(words.iter().map(OsString::from));
        arguments.extend(paths.iter().map(OsString::from));
    };
    for (path, access) in policy.entries() {
        match access {
            PathAccess::PrivateFolder => add(&["--perms", "1777", "--tmpfs"], &[path]),
            PathAccess::Writable => add(&["--bind"], &[path, path]),
            PathAccess::ReadOnly => add(&["--ro-bind"], &[path, path]),
            // Who makes it writable writes into a folder that ends with the command.
            PathAccess::HiddenFolder => add(&["--perms", "0555", "--tmpfs"], &[path]),
            // Opening a device fails, because the mount admits none.
            PathAccess::HiddenFile => add(&["--ro-bind", "/dev/null"], &[path]),
        }
    }
    if let Some(socket) = proxy {
        add(&["--ro-bind"], &[socket, Path::new(BRIDGE_SOCKET)]);
    }
    add(&["--chdir"], &[working_folder]);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_come_from_above_to_below() {
        let mut policy = SandboxPolicy::new(false);
        policy.set("/h/.ssh", PathAccess::HiddenFolder);
        policy.set("/h/.ssh/work", PathAccess::Writable);
        policy.set("/tmp", PathAccess::PrivateFolder);
        policy.set("/h/.netrc", PathAccess::HiddenFile);
        policy.protect(Path::new("/h/.ssh/work/.git/config"));
        policy.bar(Path::new("/h/.ssh/work/.git/config.worktree"));
        let words = arguments(&policy, Path::new("/h/.ssh/work"), Some(Path::new("/t/proxy")));
        let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
        let text = words.join(" ").replace(" --", "\n--");
        expect_test::expect![[r#"
            --unshare-user
            --disable-userns
            --unshare-pid
            --unshare-ipc
            --unshare-uts
            --unshare-cgroup-try
            --die-with-parent
            --cap-drop ALL
            --unshare-net
            --ro-bind / /
            --dev /dev
            --proc /proc
            --perms 1777
            --tmpfs /tmp
            --ro-bind /dev/null /h/.netrc
            --perms 0555
            --tmpfs /h/.ssh
            --bind /h/.ssh/work /h/.ssh/work
            --bind /h/.ssh/work/.git /h/.ssh/work/.git
            --ro-bind /h/.ssh/work/.git/config /h/.ssh/work/.git/config
            --perms 0555
            --tmpfs /h/.ssh/work/.git/config.worktree
            --ro-bind /t/proxy /tmp/.copydesk-proxy
            --chdir /h/.ssh/work"#]]
        .assert_eq(&text);
        policy.has_network = true;
        assert!(!arguments(&policy, Path::new("/"), None).contains(&OsString::from("--unshare-net")));
    }
}
