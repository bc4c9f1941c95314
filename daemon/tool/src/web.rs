//! Access to the web: guarded for `webfetch`, as the user configured it for search endpoints.
//!
//! `fetch` makes one hop of a request; `fetch_policy` decides for each hop whether and how it may be reached;
//! `public_address` and `local_names` tell public addresses and local names. `search_endpoint` is a search engine;
//! `mcp_search` and `json_search` are the two ways to query one.
//!
//! Invariant: `webfetch` connects to the very address that was checked: a guard inside the client resolves names, so DNS
//! rebinding gains nothing.
//! Invariant: a proxy, which resolves names itself, gets no private address, no local name (`local_names`) and no name that
//! resolves to a private address here. A public name that only the proxy can resolve is the proxy's to judge.
//! Invariant: everything a server sends has a cap, compressed or not.
//! Invariant: no message contains a key, or a URL's query, which may hold one.

pub(crate) mod charset;
mod client;
pub(crate) mod fetch;
pub(crate) mod fetch_policy;
pub(crate) mod host_proxy;
mod json_search;
mod listed_network;
mod local_names;
mod mcp_search;
mod private_hosts;
pub(crate) mod public_address;
mod response_body;
mod search_endpoint;
mod template;

use std::sync::Arc;

pub use client::Proxies;
pub use fetch_policy::{HostResolver, LookupFuture, system_lookup};
pub use listed_network::ListedNetwork;
pub use private_hosts::PrivateHosts;
pub(crate) use search_endpoint::search;
pub use search_endpoint::{ConfigSecret, SearchEndpoint, SearchProtocol};

/// What the web tools use.
#[derive(Clone)]
pub struct WebAccess {
    /// The private hosts that the user allows to fetch.
    pub private: PrivateHosts,
    pub proxies: Proxies,
    /// Resolves names.
    pub resolver: Arc<dyn HostResolver>,
    /// If there is none, the tool is not offered.
    pub websearch: Option<SearchEndpoint>,
    pub codesearch: Option<SearchEndpoint>,
}

impl Default for WebAccess {
    fn default() -> Self {
        Self {
            private: PrivateHosts::None,
            proxies: Proxies::default(),
            resolver: system_lookup(),
            websearch: None,
            codesearch: None,
        }
    }
}

impl std::fmt::Debug for WebAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebAccess")
            .field("private", &self.private)
            .field("websearch", &self.websearch)
            .field("codesearch", &self.codesearch)
            .finish_non_exhaustive()
    }
}
