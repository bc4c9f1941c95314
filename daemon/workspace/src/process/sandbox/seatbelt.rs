//! A policy as a profile of Seatbelt, the sandbox of macOS. Pure.
//!
//! The last rule that matches decides, so the rules follow the policy from above to below. A rule is about a path, whether something lies there or
//! not: nothing must stand in place of a missing protected path. Paths are real ones (`/private/tmp`, not `/tmp`).
//!
//! Limits: it is untried. A program has this machine's own loopback and processes, so the network is all or nothing, and what a command
//! leaves behind is not ended with a namespace. Folders that bubblewrap gives each command for itself are closed instead.

use std::{ffi::OsString, fmt::Write as _, path::Path};

use super::{
    SandboxError,
    policy::{PathAccess, SandboxPolicy},
};

/// What every program needs: to start others, to read what the system is, and a terminal.
const BASE: &str = r#"(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))
(allow file-ioctl (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))
(allow pseudo-tty)
(allow file-read* file-write* (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow ipc-posix-sem ipc-posix-shm-read*)
"#;

/// Services without which ordinary programs do not start. None of them opens a document, starts a program or sends an event.
const SERVICES: [&str; 5] = [
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.bsd.dirhelper",
];

/// Those that programs with network need: names, and the certificates that Go asks for.
const NETWORK_SERVICES: [&str; 4] = [
    "com.apple.SystemConfiguration.configd",
    "com.apple.SystemConfiguration.DNSConfiguration",
    "com.apple.networkd",
    "com.apple.trustd.agent",
];

/// What `sandbox-exec` is told. A path that a profile cannot name would not be hidden.
pub(super) fn arguments(policy: &SandboxPolicy) -> Result<Vec<OsString>, SandboxError> {
    if let Some((path, _)) = policy.entries().into_iter().find(|(path, _)| path.to_str().is_none()) {
        return Err(SandboxError::Path { path: path.to_path_buf(), why: "its name is not UTF-8".to_owned() });
    }
    Ok(vec!["-p".into(), profile(policy).into()])
}

fn profile(policy: &SandboxPolicy) -> String {
    let mut text = BASE.to_owned();
    let mut rule = |words: std::fmt::Arguments<'_>| {
        // Writing to a text does not fail.
        let _ = writeln!(text, "({words})");
    };
    let services = NETWORK_SERVICES.iter().filter(|_| policy.has_network);
    for service in SERVICES.iter().chain(services) {
        rule(format_args!("allow mach-lookup (global-name {})", quote(service)));
    }
    if policy.has_network {
        rule(format_args!("allow network* system-socket"));
    }
    for (path, access) in policy.entries() {
        let path = quote_path(path);
        match access {
            PathAccess::Writable => {
                rule(format_args!("allow file-read* file-write* (subpath {path})"));
                // Who moves it moves what is protected in it.
                rule(format_args!("deny file-write-unlink (literal {path})"));
            }
            PathAccess::ReadOnly => {
                rule(format_args!("allow file-read* (subpath {path})"));
                rule(format_args!("deny file-write* (subpath {path})"));
            }
            PathAccess::PrivateFolder | PathAccess::HiddenFolder | PathAccess::HiddenFile => {
                rule(format_args!("deny file-read* file-write* (subpath {path})"));
            }
        }
    }
    text
}

fn quote_path(path: &Path) -> String {
    quote(&path.to_string_lossy())
}

/// A text of the profile's language. No character of a path may end it.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(policy: &SandboxPolicy) -> String {
        profile(policy).strip_prefix(BASE).unwrap().to_owned()
    }

    #[test]
    fn the_rules_follow_the_policy_from_above_to_below() {
        let mut policy = SandboxPolicy::new(false);
        policy.set("/private/tmp", PathAccess::PrivateFolder);
        policy.set("/Users/ada/.ssh", PathAccess::HiddenFolder);
        policy.set("/Users/ada/.netrc", PathAccess::HiddenFile);
        policy.set("/Users/ada/work", PathAccess::Writable);
        policy.protect(Path::new("/Users/ada/work/.git/hooks"));
        policy.bar(Path::new("/Users/ada/work/.envrc"));
        expect_test::expect![[r#"
            (allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
            (allow mach-lookup (global-name "com.apple.system.opendirectoryd.membership"))
            (allow mach-lookup (global-name "com.apple.system.logger"))
            (allow mach-lookup (global-name "com.apple.system.notification_center"))
            (allow mach-lookup (global-name "com.apple.bsd.dirhelper"))
            (deny file-read* file-write* (subpath "/private/tmp"))
            (deny file-read* file-write* (subpath "/Users/ada/.netrc"))
            (deny file-read* file-write* (subpath "/Users/ada/.ssh"))
            (allow file-read* file-write* (subpath "/Users/ada/work"))
            (deny file-write-unlink (literal "/Users/ada/work"))
            (deny file-read* file-write* (subpath "/Users/ada/work/.envrc"))
            (allow file-read* file-write* (subpath "/Users/ada/work/.git"))
            (deny file-write-unlink (literal "/Users/ada/work/.git"))
            (allow file-read* (subpath "/Users/ada/work/.git/hooks"))
            (deny file-write* (subpath "/Users/ada/work/.git/hooks"))
        "#]]
        .assert_eq(&rules(&policy));
    }

    #[test]
    fn the_network_is_all_or_nothing() {
        let (without, with) = (rules(&SandboxPolicy::new(false)), rules(&SandboxPolicy::new(true)));
        assert!(!without.contains("network*") && !without.contains("networkd"), "{without}");
        assert!(with.contains("(allow network* system-socket)") && with.contains("trustd"), "{with}");
    }

    #[test]
    fn a_path_that_cannot_be_named_is_refused() {
        use std::os::unix::ffi::OsStrExt as _;

        let mut policy = SandboxPolicy::new(false);
        assert_eq!(arguments(&policy).unwrap()[0], "-p");
        policy.set(std::ffi::OsStr::from_bytes(b"/a\xff"), PathAccess::HiddenFile);
        assert!(matches!(arguments(&policy), Err(SandboxError::Path { .. })));
    }

    #[test]
    fn no_path_ends_its_text() {
        let mut policy = SandboxPolicy::new(false);
        policy.set(r#"/a")) (allow default) ("\"#, PathAccess::Writable);
        let rules = rules(&policy);
        assert!(rules.contains(r#"(subpath "/a\")) (allow default) (\"\\")"#), "{rules}");
    }
}
