//! The way to the web: for `webfetch` guarded, for the endpoints of searches as the person configured them.
//!
//! `fetch` gets one address by hand, hop by hop; `fetch_policy` decides for each hop whether and how it may be reached, `public_address` which
//! addresses are the world's, `local_names` which names are not. `search_endpoint` is a search engine, `mcp_search` and `json_search` the two ways to ask one.
//!
//! Invariant: what `webfetch` connects to is the very address that was checked: names are resolved by a guard inside of the
//! client, so that a name that resolves to something else a moment later gains nothing.
//! Invariant: to a proxy, which looks names up itself, no private address, no name of the inside (`local_names`) and no name that is known
//! here to lead there is handed over. The exception: a name of the world whose address only the proxy knows is the proxy's to judge.
//! Invariant: nothing a server sends is held beyond a cap, compressed or not.
//! Invariant: no key, and no query of an address that may hold one, is in any message.

pub(crate) mod charset;
mod client;
pub(crate) mod fetch;
pub(crate) mod fetch_policy;
mod json_search;
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
pub use private_hosts::PrivateHosts;
pub(crate) use search_endpoint::search;
pub use search_endpoint::{ConfigSecret, SearchEndpoint, SearchProtocol};

/// What the tools of the web are given.
#[derive(Clone)]
pub struct WebAccess {
    /// The places on this machine and in its networks that may be fetched.
    pub private: PrivateHosts,
    pub proxies: Proxies,
    /// Who knows the addresses of names.
    pub resolver: Arc<dyn HostResolver>,
    /// Without one the tool is not offered.
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
