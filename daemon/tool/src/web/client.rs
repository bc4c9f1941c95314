//! The HTTP clients: they follow no redirects, keep no cookies, and use only the proxy that the policy chose.

use std::sync::Arc;

use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use reqwest::dns::Resolve;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Proxy};
use url::{Host, Url};

use crate::outcome::ToolError;
use crate::time_limits::CONNECT_TIMEOUT;

/// Sites reject unknown clients, so the name starts with `Mozilla`.
const NAME: &str = concat!("Mozilla/5.0 (compatible; copydesk/", env!("CARGO_PKG_VERSION"), ")");

/// The proxies for public addresses.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Option<Arc<Matcher>>);

impl Proxies {
    /// The proxies of the environment or the system, as for model requests.
    pub fn of_system() -> Self {
        Self(Some(Arc::new(Matcher::from_system())))
    }

    /// One proxy for everything except this machine.
    pub fn all(address: &str) -> Self {
        Self(Some(Arc::new(Matcher::builder().all(address).build())))
    }

    /// The proxy for this address; none for this machine.
    pub(super) fn for_url(&self, url: &Url) -> Option<Intercept> {
        let is_home = match url.host()? {
            Host::Domain(name) => name.trim_end_matches('.') == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if is_home {
            return None;
        }
        self.0.as_ref()?.intercept(&url.as_str().parse().ok()?)
    }
}

pub(super) fn direct(resolver: Option<Arc<dyn Resolve>>) -> Result<Client, ToolError> {
    let builder = builder().no_proxy();
    build(match resolver {
        Some(resolver) => builder.dns_resolver(resolver),
        None => builder,
    })
}

pub(super) fn proxied_client(proxy: &Intercept) -> Result<Client, ToolError> {
    let mut through = Proxy::all(proxy.uri().to_string()).map_err(|error| cannot(&error))?;
    if let Some(auth) = proxy.basic_auth() {
        through = through.custom_http_auth(auth.clone());
    }
    if let Some((name, password)) = proxy.raw_auth() {
        through = through.basic_auth(name, password);
    }
    build(builder().no_proxy().proxy(through))
}

fn builder() -> ClientBuilder {
    Client::builder().user_agent(NAME).redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT)
}

fn build(builder: ClientBuilder) -> Result<Client, ToolError> {
    builder.build().map_err(|error| cannot(&error))
}

fn cannot(error: &reqwest::Error) -> ToolError {
    ToolError::failed(format!("No HTTP client can be made: {error}."))
}
