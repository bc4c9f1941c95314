//! A newer binary asks an older daemon to end when its turns are done, so that the next daemon is new.

use copydesk_protocol::daemon::{StopParams, StopTiming};
use copydesk_protocol::handshake::DaemonHello;
use copydesk_protocol::table::Stop;
use copydesk_rpc::transport::DaemonAddress;

use crate::daemon_client::{ClientKind, DaemonClient};

pub(super) fn stop_older_daemon(address: &DaemonAddress, hello: Option<DaemonHello>) {
    if hello.is_some_and(|hello| is_older(&hello.version, env!("CARGO_PKG_VERSION"))) {
        let address = address.clone();
        // On a separate connection, because the editor must not see these messages.
        tokio::spawn(async move {
            let Ok(connection) = address.connect().await else { return };
            let Ok((client, _)) = DaemonClient::initialize(connection, ClientKind::Plain).await else {
                return;
            };
            let _ = client.request::<Stop>(&StopParams { when: StopTiming::Idle }).await;
        });
    }
}

/// Compares the three numbers; an unreadable version is not older.
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
