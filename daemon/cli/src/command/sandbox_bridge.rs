//! `copydesk sandbox-bridge SOCKET COMMAND…`: runs a command inside the sandbox and passes what it sends to a port there on to the proxy of the
//! daemon, whose socket is all that leads out. Not for users.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::Context as _;
use copydesk_workspace::process::sandbox::BRIDGE_PORT;

/// What shells add to the number of the signal that ended a command.
const SIGNALLED: i32 = 128;

pub(crate) fn run(socket: PathBuf, command: &[OsString]) -> anyhow::Result<ExitCode> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, BRIDGE_PORT))?;
    thread::spawn(move || accept(&listener, &socket));
    let (program, arguments) = command.split_first().context("no command")?;
    let status = Command::new(program).args(arguments).status()?;
    let code = status.code().or_else(|| status.signal().map(|signal| SIGNALLED + signal));
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

fn accept(listener: &TcpListener, socket: &Path) {
    for client in listener.incoming().flatten() {
        // The command sees a connection that ends.
        if let Ok(proxy) = UnixStream::connect(socket) {
            let _ = connect(client, proxy);
        }
    }
}

/// Copies both ways, each until its end.
fn connect(client: TcpStream, proxy: UnixStream) -> io::Result<()> {
    let (mut from_client, mut from_proxy) = (client.try_clone()?, proxy.try_clone()?);
    let (mut to_client, mut to_proxy) = (client, proxy);
    thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_proxy).and_then(|_| to_proxy.flush());
        let _ = to_proxy.shutdown(Shutdown::Write);
    });
    thread::spawn(move || {
        let _ = io::copy(&mut from_proxy, &mut to_client).and_then(|_| to_client.flush());
        let _ = to_client.shutdown(Shutdown::Write);
    });
    Ok(())
}
