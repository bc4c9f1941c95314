//! Decides whether and how an address may be fetched: directly through the guard, without it if the user allows the host, or
//! through this machine's proxy.
//!
//! A proxy resolves names itself. So it gets no local name (`local_names`) and no name that resolves to a private address
//! here. It does get other public names: in a network where only the proxy resolves public names, nothing else could be
//! fetched. A public name whose private address only the proxy knows gets through.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::WebAccess;
use super::client::{self, Proxies};
use super::local_names::local_name_reason;
use super::private_hosts::PrivateHosts;
use super::public_address::non_public_reason;
use crate::outcome::{ToolError, ToolErrorKind};

pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves host names.
pub trait HostResolver: Send + Sync + 'static {
    fn lookup(&self, name: &str) -> LookupFuture;
}

/// The resolver of this machine.
pub fn system_lookup() -> Arc<dyn HostResolver> {
    struct SystemResolver;

    impl HostResolver for SystemResolver {
        fn lookup(&self, name: &str) -> LookupFuture {
            let name = name.to_owned();
            Box::pin(async move {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                Ok(found.map(|address| address.ip()).collect())
            })
        }
    }

    Arc::new(SystemResolver)
}

pub(crate) struct FetchPolicy {
    private: PrivateHosts,
    proxies: Proxies,
    resolver: Arc<dyn HostResolver>,
    /// Created at first use, then shared.
    guarded: OnceLock<Client>,
    free: OnceLock<Client>,
}

impl fmt::Debug for FetchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchPolicy").field("private", &self.private).finish_non_exhaustive()
    }
}

impl FetchPolicy {
    pub(crate) fn new(web: &WebAccess) -> Self {
        Self {
            private: web.private.clone(),
            proxies: web.proxies.clone(),
            resolver: Arc::clone(&web.resolver),
            guarded: OnceLock::new(),
            free: OnceLock::new(),
        }
    }

    /// The client for this address, or why it is forbidden.
    pub(crate) async fn client(&self, url: &Url) -> Result<Client, ToolError> {
        let is_allowed = self.private.allows(url);
        if !is_allowed && let Some(address) = literal(url) {
            check(url.host_str().unwrap_or_default(), &[address])
                .map_err(|forbidden| forbidden.to_tool_error())?;
        }
        if let Some(proxy) = self.proxies.for_url(url) {
            if let Some(Host::Domain(name)) = url.host().filter(|_| !is_allowed) {
                self.check_for_proxy(name).await.map_err(|forbidden| forbidden.to_tool_error())?;
            }
            return client::proxied_client(&proxy);
        }
        let place = if is_allowed { &self.free } else { &self.guarded };
        if let Some(client) = place.get() {
            return Ok(client.clone());
        }
        let guard = GuardedResolver { resolver: Arc::clone(&self.resolver), is_strict: !is_allowed };
        let client = client::direct(Some(Arc::new(guard)))?;
        Ok(place.get_or_init(|| client).clone())
    }

    /// The proxy may be in a network where the name means something else.
    async fn check_for_proxy(&self, name: &str) -> Result<(), ForbiddenHostError> {
        if let Some(why) = local_name_reason(name) {
            return Err(ForbiddenHostError { name: name.to_owned(), address: None, why });
        }
        match self.resolver.lookup(name).await {
            Ok(addresses) => check(name, &addresses),
            Err(_) => Ok(()),
        }
    }
}

/// The IP address of a URL that has no name. The parser has normalized its spelling.
fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// All addresses must be public, because the client may use any of them.
fn check(name: &str, addresses: &[IpAddr]) -> Result<(), ForbiddenHostError> {
    let mut forbidden = addresses.iter().filter_map(|address| Some((*address, non_public_reason(*address)?)));
    match forbidden.next() {
        Some((address, why)) => {
            Err(ForbiddenHostError { name: name.to_owned(), address: Some(address), why })
        }
        None => Ok(()),
    }
}

/// Resolves names for a client, which connects only to the checked addresses.
struct GuardedResolver {
    resolver: Arc<dyn HostResolver>,
    is_strict: bool,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, is_strict) = (self.resolver.lookup(name.as_str()), self.is_strict);
        Box::pin(async move {
            let addresses = lookup.await?;
            if is_strict {
                check(name.as_str(), &addresses)?;
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// A host that `webfetch` does not fetch from.
#[derive(Debug, Clone)]
pub(crate) struct ForbiddenHostError {
    name: String,
    /// The forbidden address, if known.
    address: Option<IpAddr>,
    why: &'static str,
}

impl fmt::Display for ForbiddenHostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address, why } = self;
        match address {
            None => write!(f, "{name} is not a name of the public web ({why})"),
            Some(address) if name.trim_matches(['[', ']']) == address.to_string() => {
                write!(f, "{address} is not an address of the public web ({why})")
            }
            Some(address) => {
                write!(f, "{name} is at {address}, which is not an address of the public web ({why})")
            }
        }
    }
}

impl Error for ForbiddenHostError {}

impl ForbiddenHostError {
    pub(crate) fn to_tool_error(&self) -> ToolError {
        let message = format!(
            "{self}, and is not fetched. If this is wanted, the user can name the host in `webfetch.allow_private` of their own configuration."
        );
        ToolError::new(ToolErrorKind::Denied, message)
    }

    /// The error of this type in a client's error chain.
    pub(crate) fn find_in<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(forbidden) = error.downcast_ref() {
                return Some(forbidden);
            }
            cause = error.source();
        }
        None
    }
}
