//! Examines the user's folders, the programs in `PATH`, and the disk space.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use copydesk_config::paths::UserPaths;
use copydesk_host::project_replies;
use copydesk_host::setup::UserSetup;
use copydesk_host::skills;
use rustix::fs::{Access, access, statvfs};

use super::DoctorFinding;
use crate::find_program::find_program;

/// With less, a session may fail.
const LITTLE_SPACE: u64 = 200 * 1000 * 1000;

pub(super) fn folders(paths: &UserPaths) -> Vec<DoctorFinding> {
    // The data folder holds keys and sessions, the state folder the trust: both must be private.
    let folders = [
        ("config folder", &paths.config_dir, false),
        ("data folder", &paths.data_dir, true),
        ("state folder", &paths.state_dir, true),
        ("cache folder", &paths.cache_dir, false),
    ];
    folders.into_iter().map(|(about, path, private)| folder(about, path, private)).collect()
}

fn folder(about: &'static str, path: &Path, private: bool) -> DoctorFinding {
    let place = path.display();
    let mode = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => metadata.permissions().mode(),
        Ok(_) => return DoctorFinding::error(about, format!("{place} is not a folder"), "move it away"),
        Err(error) if error.kind() == ErrorKind::NotFound => return absent(about, path),
        Err(error) => {
            return DoctorFinding::error(about, format!("{place}: {error}"), "make it readable for you");
        }
    };
    let open = if private { mode & 0o077 } else { mode & 0o022 };
    if access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return DoctorFinding::error(
            about,
            format!("{place} cannot be written"),
            format!("`chmod u+rwx {place}`"),
        );
    }
    if open != 0 {
        let close = if private { "go=" } else { "go-w" };
        let what = format!("{place} is open to others (mode {:o})", mode & 0o777);
        return DoctorFinding::warning(about, what, format!("`chmod {close} {place}`"));
    }
    DoctorFinding::ok(about, place.to_string())
}

/// A missing folder is fine if it can be created.
fn absent(about: &'static str, path: &Path) -> DoctorFinding {
    let place = path.display();
    let nearest = path.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok());
    match nearest {
        Some(folder) if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok() && folder.is_dir() => {
            DoctorFinding::ok(about, format!("{place} (created when needed)"))
        }
        _ => {
            let folder = nearest.unwrap_or(path).display();
            let advice = format!("make {folder} a folder that you can write to");
            DoctorFinding::error(about, format!("{place} does not exist and cannot be created"), advice)
        }
    }
}

pub(super) fn program(name: &str) -> Option<PathBuf> {
    find_program(&std::env::var_os("PATH")?, name)
}

/// Empty if there are no skills.
pub(super) fn skills(setup: &UserSetup) -> Vec<DoctorFinding> {
    let about = "skills";
    let found = skills::find_skills(setup);
    let mut findings = Vec::new();
    if !found.skills.is_empty() {
        let names: Vec<_> = found.skills.iter().map(|skill| skill.name.as_str()).collect();
        findings.push(DoctorFinding::ok(about, format!("{}: {}", names.len(), names.join(", "))));
    }
    findings.extend(
        found.problems.iter().map(|problem| {
            DoctorFinding::warning(about, problem, "until this is fixed, no agent can load it")
        }),
    );
    findings
}

/// `None` if nothing is always allowed in the project.
pub(super) fn replies(setup: &UserSetup) -> Option<DoctorFinding> {
    let about = "always allowed";
    match project_replies::list(setup) {
        Ok(replies) if replies.is_empty() => None,
        Ok(replies) => {
            let patterns: Vec<_> =
                replies.iter().map(|reply| format!("{} {}", reply.key, reply.pattern)).collect();
            Some(DoctorFinding::ok(about, patterns.join(", ")))
        }
        Err(error) => {
            let advice = "until then nothing is always allowed in any project";
            Some(DoctorFinding::error(about, error.to_string(), advice))
        }
    }
}

/// `None` if the system does not tell.
pub(super) fn space(data_dir: &Path) -> Option<DoctorFinding> {
    let folder = data_dir.ancestors().find(|folder| folder.is_dir())?;
    let disk = statvfs(folder).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let what = format!("{} free", size(free));
    Some(if free < LITTLE_SPACE {
        DoctorFinding::warning("disk", what, format!("free space on the disk of {}", folder.display()))
    } else {
        DoctorFinding::ok("disk", what)
    })
}

pub(super) fn size(bytes: u64) -> String {
    match bytes {
        1_000_000_000.. => format!("{:.1} GB", bytes as f64 / 1e9),
        1_000_000.. => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{} kB", bytes.div_ceil(1000)),
    }
}
