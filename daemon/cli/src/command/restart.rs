//! `copydesk restart NAME`: restarts a language server of the daemon. The exit code is 1 if none has that name.

use std::process::ExitCode;

use copydesk_protocol::daemon::{Empty, ServersRestartParams};
use copydesk_protocol::table::{ServersRestart, Status};

use super::connect_daemon::{connect_any_version, with_timeout};
use crate::daemon_client::ClientKind;
use crate::terminal::{one_line, print};

pub(crate) fn run(name: String) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let Some((client, _)) = connect_any_version(ClientKind::Copydesk).await? else {
            print("The daemon is not running, so it has no language servers.")?;
            return Ok(ExitCode::FAILURE);
        };
        let params = ServersRestartParams { name: name.clone() };
        let restarted = with_timeout(client.request::<ServersRestart>(&params)).await?.servers;
        let name = one_line(&name);
        match restarted {
            0 => {
                let running = with_timeout(client.request::<Status>(&Empty {})).await?.servers;
                let mut names: Vec<_> = running.iter().map(|server| one_line(&server.name)).collect();
                names.dedup();
                let there = match names.as_slice() {
                    [] => "none is running".to_owned(),
                    names => format!("there are: {}", names.join(", ")),
                };
                print(format!("The daemon has no language server `{name}`; {there}."))?;
            }
            1 => print(format!("Restarted {name}."))?,
            several => print(format!("Restarted {name} in {several} folders."))?,
        }
        Ok(if restarted == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}
