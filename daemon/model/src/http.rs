//! The HTTP clients that requests go out with: one for the world, one for this machine.
//!
//! Redirects are not followed: they would carry the key to wherever the server points, so the person is told instead. A
//! server on this machine is reached directly, whatever proxy the environment names for the rest.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::redirect::Policy;

use crate::error::ModelError;
use crate::provider::RequestTimeouts;

/// Made on first use and shared from then on, with their connections.
#[derive(Debug, Default)]
pub(crate) struct HttpClients {
    external: OnceLock<reqwest::Client>,
    loopback: OnceLock<reqwest::Client>,
}

impl HttpClients {
    /// The one for this address.
    pub(crate) fn client_for(&self, address: &str) -> Result<reqwest::Client, ModelError> {
        let direct = is_loopback(address);
        let place = if direct { &self.loopback } else { &self.external };
        if let Some(client) = place.get() {
            return Ok(client.clone());
        }
        let client = client(direct)?;
        Ok(place.get_or_init(|| client).clone())
    }
}

/// An address for a person to read: without the name, password and query that it may carry.
pub fn redact_address(address: &str) -> String {
    let place = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = place.split_once("://") else { return place.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Whether it is on this machine.
pub(crate) fn is_loopback(address: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else { return false };
    match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()),
        None => false,
    }
}

fn client(direct: bool) -> Result<reqwest::Client, ModelError> {
    let builder = reqwest::Client::builder()
        .user_agent(concat!("copydesk/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(RequestTimeouts::default().connect)
        // After the machine has slept, a connection may be dead without knowing it. Asked in between, it is known within
        // a minute; else every attempt would wait for its first byte on the same dead connection.
        .http2_keep_alive_interval(Duration::from_secs(30))
        .http2_keep_alive_timeout(Duration::from_secs(20));
    let builder = if direct { builder.no_proxy() } else { builder };
    builder
        .build()
        .map_err(|error| ModelError::invalid_settings(format!("No HTTP client can be made: {error}")))
}
