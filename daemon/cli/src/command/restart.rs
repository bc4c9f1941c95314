//! `copydesk restart NAME`: ends a language server of the daemon's and starts it anew. Exit code 1 where there is none of that name.

use std::process::ExitCode;

use copydesk_protocol::daemon::{Empty, ServersRestartParams};
use copydesk_protocol::table::{ServersRestart, Status};

use super::status::{attach, with_timeout};
use crate::daemon_client::ClientKind;
use crate::terminal::{one_line, print};

pub(crate) fn run(name: String) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let Some((client, _)) = attach(ClientKind::Copydesk).await? else {
            print("The daemon is not running, and no language server of its own.")?;
            return Ok(ExitCode::FAILURE);
        };
        let params = ServersRestartParams { name: name.clone() };
        let found = with_timeout(client.request::<ServersRestart>(&params)).await?.servers;
        let name = one_line(&name);
        match found {
            0 => {
                let running = with_timeout(client.request::<Status>(&Empty {})).await?.servers;
                let mut names: Vec<_> = running.iter().map(|server| one_line(&server.name)).collect();
                names.dedup();
                let there = match names.as_slice() {
                    [] => "none runs".to_owned(),
                    names => format!("there are: {}", names.join(", ")),
                };
                print(format!("No language server of the daemon's is called `{name}`; {there}."))?;
            }
            1 => print(format!("{name} is started anew."))?,
            several => print(format!("{name} is started anew, in {several} folders."))?,
        }
        Ok(if found == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}
