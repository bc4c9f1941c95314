//! `copydesk lsp`: the shim that an editor starts.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::ExitCode;

use copydesk_rpc::transport::DaemonAddress;

use crate::shim::daemon_starter::DaemonStarter;
use crate::shim::{self, ShimExit};

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let address = DaemonAddress::new(&|name| std::env::var_os(name));
    let starter = DaemonStarter::new(address, program(std::env::current_exe()?));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(shim::run(starter, tokio::io::stdin(), tokio::io::stdout()));
    // A thread still reads from the editor and would never end.
    runtime.shutdown_background();
    Ok(match end {
        ShimExit::Orderly => ExitCode::SUCCESS,
        ShimExit::Abrupt => ExitCode::FAILURE,
    })
}

/// Whether the arguments are just this command with `--stdio`, so that parsing can be skipped.
pub(crate) fn is_bare_lsp_command(words: impl Iterator<Item = OsString>) -> bool {
    let mut words = words.skip(1);
    words.next().is_some_and(|word| word == "lsp") && words.all(|word| word == "--stdio")
}

/// Linux marks a program that was replaced while it runs. The file at its path is newer: start that one.
fn program(path: PathBuf) -> PathBuf {
    match path.as_os_str().as_bytes().strip_suffix(b" (deleted)") {
        Some(replaced) => OsString::from_vec(replaced.to_vec()).into(),
        None => path,
    }
}
