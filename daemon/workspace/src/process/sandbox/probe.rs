//! Whether the sandbox works on this machine, tried for real; and if not, what is missing and how to repair it.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::{SandboxError, SandboxPurpose, SandboxedLaunch, lock, policy::SandboxPolicy, program_arguments};
use crate::{
    process::{
        ProcessExit, Processes,
        subprocess::{self, SubprocessSpec},
    },
    time_limits::SANDBOX_PROBE_TIMEOUT,
};

/// The system's own comes first: profiles of AppArmor name it by its path.
const USUAL_PLACES: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];
/// Of macOS.
const SEATBELT: &str = "/usr/bin/sandbox-exec";
const MAX_OUTPUT_BYTES: usize = 16 * 1024;

const APPARMOR: &str = "allow it by its AppArmor profile: `apt install apparmor-profiles`, copy \
                        /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to /etc/apparmor.d/, and load it with `apparmor_parser -r`";
const NAMESPACES: &str = "allow user namespaces (`sysctl user.max_user_namespaces`); in a container its seccomp profile must \
                          allow them";
const VERSION: &str = "bubblewrap 0.8 or newer is needed";

/// The program that was tried and works. Whoever makes the machine slow must not make a later try fail and so lead a program outside.
static WORKING: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The program that worked before, unless it is gone, or lies in this workspace.
pub(super) fn working_program(workspace: &Path) -> Option<PathBuf> {
    let known = lock(&WORKING).clone()?;
    known.canonicalize().is_ok_and(|real| !real.starts_with(workspace)).then_some(known)
}

/// The program that sandboxes on this system.
pub(super) fn find_program(search_path: &OsStr, workspace: &Path) -> Result<PathBuf, SandboxError> {
    if cfg!(target_os = "linux") {
        return find_bubblewrap(search_path, workspace).ok_or(SandboxError::NoBubblewrap);
    }
    let program = PathBuf::from(SEATBELT);
    if cfg!(target_os = "macos") && program.is_file() { Ok(program) } else { Err(SandboxError::System) }
}

/// A `bwrap` outside of the workspace, which could have brought one along.
fn find_bubblewrap(search_path: &OsStr, workspace: &Path) -> Option<PathBuf> {
    let usual = USUAL_PLACES.iter().map(PathBuf::from);
    let folders = usual.chain(std::env::split_paths(search_path)).filter(|folder| folder.is_absolute());
    let mut programs = folders.map(|folder| folder.join("bwrap"));
    programs.find(|program| {
        program.canonicalize().is_ok_and(|real| real.is_file() && !real.starts_with(workspace))
    })
}

/// Runs a command in a sandbox that has everything but a workspace. A success is remembered.
pub(super) async fn try_program(program: &Path, processes: &Processes) -> Result<(), SandboxError> {
    let arguments = program_arguments(&SandboxPolicy::new(false), Path::new("/"), None)?;
    let launch = SandboxedLaunch::bare(program.to_path_buf(), arguments, SandboxPurpose::Command);
    let spec = SubprocessSpec {
        command: ["/bin/sh", "-c", ":"].map(OsString::from).into(),
        cwd: "/".into(),
        environment: Vec::new(),
        input: String::new(),
        merge_stderr: true,
        timeout: SANDBOX_PROBE_TIMEOUT,
        max_output_bytes: MAX_OUTPUT_BYTES,
        sandbox: Some(Arc::new(launch)),
    };
    let said = match subprocess::run(processes, spec).await {
        Ok(ended) if ended.exit == ProcessExit::Code(0) => {
            *lock(&WORKING) = Some(program.to_path_buf());
            return Ok(());
        }
        Ok(ended) => String::from_utf8_lossy(&ended.output).trim().to_owned(),
        Err(why) => why,
    };
    let is_confined = fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        .is_ok_and(|value| value.trim() == "1");
    let repair = find_repair(&said, is_confined);
    Err(SandboxError::Rejected { said: said.lines().next().unwrap_or_default().to_owned(), repair })
}

fn find_repair(said: &str, is_confined: bool) -> Option<&'static str> {
    if said.contains("Unknown option") {
        return Some(VERSION);
    }
    let is_refused = ["Operation not permitted", "Permission denied", "No permissions", "No space left"]
        .iter()
        .any(|words| said.contains(words));
    is_refused.then_some(if is_confined { APPARMOR } else { NAMESPACES })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_its_repair() {
        let netlink = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted";
        assert_eq!(find_repair(netlink, true), Some(APPARMOR));
        assert_eq!(find_repair("bwrap: No permissions to create new namespace", false), Some(NAMESPACES));
        assert_eq!(find_repair("bwrap: Unknown option --disable-userns", true), Some(VERSION));
        assert_eq!(find_repair("it did not end within 5 s", true), None);
    }

    #[test]
    fn a_bubblewrap_of_the_workspace_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("bwrap"), "").unwrap();
        let found = find_bubblewrap(root.as_os_str(), &root);
        assert_ne!(found, Some(root.join("bwrap")));
    }
}
