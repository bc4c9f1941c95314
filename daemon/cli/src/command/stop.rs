//! `copydesk stop`: stops the daemon, when its turns are done or at once. If none runs, that is no error.

use copydesk_protocol::daemon::{Empty, StopParams, StopTiming};
use copydesk_protocol::table::{Status, Stop};

use super::connect_daemon::{connect_any_version, with_timeout};
use crate::daemon_client::ClientKind;
use crate::terminal::print;

pub(crate) fn run(now: bool) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let Some((client, _)) = connect_any_version(ClientKind::Plain).await? else {
            return Ok(print("The daemon is not running.")?);
        };
        // A daemon of another version may not understand `status`.
        let status = with_timeout(client.request::<Status>(&Empty {})).await;
        let others = status.map_or(0, |status| status.clients.saturating_sub(1));
        let when = if now { StopTiming::Now } else { StopTiming::Idle };
        let waiting = with_timeout(client.request::<Stop>(&StopParams { when })).await?.waiting_for;
        if waiting > 0 && !now {
            let (turns, them) = if waiting == 1 { ("turn is", "it") } else { ("turns are", "them") };
            print(format!(
                "The daemon stops when {waiting} running {turns} done; `copydesk stop --now` cancels {them}."
            ))?;
        } else {
            client.wait_closed().await;
            print("The daemon has stopped.")?;
        }
        if others > 0 {
            let clients = if others == 1 { "client" } else { "clients" };
            print(format!("{others} attached {clients} will start it again."))?;
        }
        Ok(())
    })
}
