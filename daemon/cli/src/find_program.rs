//! Finds programs as a shell does.

use std::ffi::OsStr;
use std::path::PathBuf;

use rustix::fs::{Access, access};

/// The program that a shell with this `PATH` would run.
pub(crate) fn find_program(search: &OsStr, name: &str) -> Option<PathBuf> {
    let mut places = std::env::split_paths(search).map(|folder| folder.join(name));
    places.find(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok())
}
