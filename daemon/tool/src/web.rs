//! The way to the web: for `webfetch` guarded, for the endpoints of searches as the person configured them.
//!
//! `fetch` gets one address by hand, hop by hop; `reach` decides for each hop whether and how it may be reached, `address` which
//! addresses are the world's, `inside` which names are not. `endpoint` is a search engine, `mcp` and `json` the two ways to ask one.
//!
//! Invariant: what `webfetch` connects to is the very address that was checked: names are resolved by a guard inside of the
//! client, so that a name that resolves to something else a moment later gains nothing.
//! Invariant: to a proxy, which looks names up itself, no private address, no name of the inside (`inside`) and no name that is known
//! here to lead there is handed over. The exception: a name of the world whose address only the proxy knows is the proxy's to judge.
//! Invariant: nothing a server sends is held beyond a cap, compressed or not.
//! Invariant: no key, and no query of an address that may hold one, is in any message.

pub(crate) mod address;
mod body;
pub(crate) mod charset;
mod client;
mod endpoint;
pub(crate) mod fetch;
mod inside;
mod json;
mod mcp;
mod private;
pub(crate) mod reach;
mod template;

use std::sync::Arc;

pub use client::Proxies;
pub(crate) use endpoint::search;
pub use endpoint::{Endpoint, How, Secret};
pub use private::Private;
pub use reach::{Lookup, Resolver, system_lookup};

/// What the tools of the web are given.
#[derive(Clone)]
pub struct Web {
    /// The places on this machine and in its networks that may be fetched.
    pub private: Private,
    pub proxies: Proxies,
    /// Who knows the addresses of names.
    pub resolver: Arc<dyn Resolver>,
    /// Without one the tool is not offered.
    pub websearch: Option<Endpoint>,
    pub codesearch: Option<Endpoint>,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            private: Private::None,
            proxies: Proxies::default(),
            resolver: system_lookup(),
            websearch: None,
            codesearch: None,
        }
    }
}

impl std::fmt::Debug for Web {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Web")
            .field("private", &self.private)
            .field("websearch", &self.websearch)
            .field("codesearch", &self.codesearch)
            .finish_non_exhaustive()
    }
}
