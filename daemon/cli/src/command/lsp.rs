//! `copydesk lsp`: what an editor starts.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::shim::daemon_starter::DaemonStarter;
use crate::shim::{self, ShimExit};
use copydesk_rpc::transport::DaemonAddress;

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let place = DaemonAddress::new(&|name| std::env::var_os(name));
    let starter = DaemonStarter::new(place, program(std::env::current_exe()?));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(shim::run(starter, tokio::io::stdin(), tokio::io::stdout()));
    // A thread waits for more from the editor, and would for ever.
    runtime.shutdown_background();
    Ok(match end {
        ShimExit::Orderly => ExitCode::SUCCESS,
        ShimExit::Abrupt => ExitCode::FAILURE,
    })
}

/// Whether a command line is this command and what editors add to it: then nobody has to read it.
pub(crate) fn is_bare_lsp_command(words: impl Iterator<Item = OsString>) -> bool {
    let mut words = words.skip(1);
    words.next().is_some_and(|word| word == "lsp") && words.all(|word| word == "--stdio")
}

/// Linux marks a program that was replaced while it ran; the one that is there now is newer, and the one to start.
fn program(path: PathBuf) -> PathBuf {
    match path.as_os_str().as_bytes().strip_suffix(b" (deleted)") {
        Some(replaced) => OsString::from_vec(replaced.to_vec()).into(),
        None => path,
    }
}
