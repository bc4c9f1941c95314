//! The HTTP clients for requests: one for external addresses, one for this machine.
//!
//! Neither follows redirects: that would send the key wherever the server points, so the user gets an error
//! instead. A server on this machine is reached directly, whatever proxy the environment names.

use std::sync::OnceLock;

use reqwest::redirect::Policy;

use crate::error::ModelError;
use crate::time_limits::{CONNECT_TIMEOUT, KEEP_ALIVE_INTERVAL, KEEP_ALIVE_TIMEOUT};

/// Clients are created on first use and then shared, with their connections.
#[derive(Debug, Default)]
pub(crate) struct HttpClients {
    external: OnceLock<reqwest::Client>,
    loopback: OnceLock<reqwest::Client>,
}

impl HttpClients {
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

/// An address to show to users: without user name, password and query.
pub fn redact_address(address: &str) -> String {
    let place = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = place.split_once("://") else { return place.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

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
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .http2_keep_alive_timeout(KEEP_ALIVE_TIMEOUT);
    let builder = if direct { builder.no_proxy() } else { builder };
    builder
        .build()
        .map_err(|error| ModelError::invalid_settings(format!("cannot create an HTTP client: {error}")))
}
