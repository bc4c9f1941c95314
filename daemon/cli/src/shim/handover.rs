//! A newer binary beside an older daemon: the daemon is asked to end when its turns are done, so that the next one is new.

use copydesk_protocol::daemon::{StopParams, StopTiming};
use copydesk_protocol::handshake::DaemonHello;
use copydesk_protocol::table::Stop;

use crate::daemon_client::{ClientKind, DaemonClient};
use copydesk_rpc::transport::DaemonAddress;

pub(super) fn stop_older_daemon(place: &DaemonAddress, desk: Option<DaemonHello>) {
    if desk.is_some_and(|desk| is_older(&desk.version, env!("CARGO_PKG_VERSION"))) {
        let place = place.clone();
        // On a connection of its own: nothing of it is the editor's.
        tokio::spawn(async move {
            let Ok(connection) = place.connect().await else { return };
            let Ok((client, _)) = DaemonClient::initialize(connection, ClientKind::Plain).await else {
                return;
            };
            let _ = client.request::<Stop>(&StopParams { when: StopTiming::Idle }).await;
        });
    }
}

/// By the three numbers; what is no version is not older.
pub(crate) fn is_older(version: &str, than: &str) -> bool {
    numbers(version).zip(numbers(than)).is_some_and(|(version, than)| version < than)
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let core = version.split(['-', '+']).next()?;
    let mut parts = core.split('.').map(|part| part.parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, than, expected) in [
            ("0.1.0", "0.1.0", false),
            ("0.9.0", "0.10.0", true),
            ("1.0.0", "0.10.0", false),
            ("0.1.2-rc.1", "0.1.3", true),
            ("", "0.1.0", false),
            ("0.1", "0.1.0", false),
            ("0.1.0.0", "9.9.9", false),
        ] {
            assert_eq!(is_older(version, than), expected, "{version} {than}");
        }
    }
}
