//! A policy as the arguments of bubblewrap. Pure.

use std::{ffi::OsString, path::Path};

use super::policy::{PathAccess, SandboxPolicy};

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

/// The kernel lets root write there without any capability, and bubblewrap does not notice.
const KERNEL_SETTINGS: [&str; 4] = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs"];

pub(super) fn arguments(policy: &SandboxPolicy, working_folder: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ISOLATION.iter().map(OsString::from).collect();
    if !policy.has_network {
        arguments.push("--unshare-net".into());
    }
    arguments.extend(BASE.iter().map(OsString::from));
    for path in KERNEL_SETTINGS {
        arguments.extend(["--ro-bind-try", path, path].map(OsString::from));
    }
    let mut add = |words: &[&str], paths: &[&Path]| {
        arguments.extend(words.iter().map(OsString::from));
        arguments.extend(paths.iter().map(OsString::from));
    };
    let entries = policy.entries();
    for (path, access) in &entries {
        match access {
            PathAccess::PrivateFolder => add(&["--perms", "1777", "--tmpfs"], &[path]),
            PathAccess::Writable => add(&["--bind"], &[path, path]),
            PathAccess::ReadOnly => add(&["--ro-bind"], &[path, path]),
            PathAccess::HiddenFolder => add(&["--perms", "0755", "--tmpfs"], &[path]),
            // Opening a device fails, because the mount admits none.
            PathAccess::HiddenFile => add(&["--ro-bind", "/dev/null"], &[path]),
        }
    }
    // Only now: entries below needed folders in them.
    for (path, _) in entries.iter().filter(|(_, access)| *access == PathAccess::HiddenFolder) {
        add(&["--remount-ro"], &[path]);
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
        let words = arguments(&policy, Path::new("/h/.ssh/work"));
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
            --ro-bind-try /proc/sys /proc/sys
            --ro-bind-try /proc/irq /proc/irq
            --ro-bind-try /proc/bus /proc/bus
            --ro-bind-try /proc/fs /proc/fs
            --perms 1777
            --tmpfs /tmp
            --ro-bind /dev/null /h/.netrc
            --perms 0755
            --tmpfs /h/.ssh
            --bind /h/.ssh/work /h/.ssh/work
            --bind /h/.ssh/work/.git /h/.ssh/work/.git
            --ro-bind /h/.ssh/work/.git/config /h/.ssh/work/.git/config
            --remount-ro /h/.ssh
            --chdir /h/.ssh/work"#]]
        .assert_eq(&text);
        policy.has_network = true;
        assert!(!arguments(&policy, Path::new("/")).contains(&OsString::from("--unshare-net")));
    }
}
