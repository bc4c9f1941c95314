//! The desk's own tools: one file for each, its words for the model beside it, and this table of them.
//!
//! Parameters have the names that models know from OpenCode; what a tool does not know among its arguments is ignored.
//!
//! Invariant: a path goes through [`Context::place`](crate::Context::place), and the tool's own ask comes before anything is
//! read for the model, written or run.
//! Invariant: nothing is written over a content that the model has not seen, or that the person was not asked about.

use copydesk_workspace::process::{Processes, Shell};

use crate::registry::Limits;
use crate::spill::Spill;
use crate::tool::{AnyTool, typed};
use crate::web::{Endpoint, Web};
use engine::Engine;

mod bash;
mod change;
mod codesearch;
mod edit;
mod engine;
mod fetched;
mod folder;
mod glob;
mod grep;
mod list;
mod live;
mod media;
mod prefix;
mod read;
mod reviewed;
mod target;
#[cfg(test)]
mod tests;
mod webfetch;
mod websearch;
mod write;

pub use media::attachment;

/// What the tools need beside a call's context.
#[derive(Debug, Clone)]
pub struct Options {
    /// Those of the registry: `read` and `bash` keep within them by themselves, since they know best how to go on.
    pub limits: Limits,
    /// Where the whole of a command's output goes when it is too long.
    pub spill: Spill,
    /// The session's: what a command leaves running ends with it.
    pub processes: Processes,
    pub shell: Shell,
    pub web: Web,
}

pub fn builtin(options: &Options) -> Vec<Box<dyn AnyTool>> {
    let mut tools = vec![
        typed(bash::Bash::new(options)),
        typed(edit::Edit),
        typed(glob::Glob),
        typed(grep::Grep),
        typed(list::List),
        typed(read::Read::new(options.limits)),
        typed(webfetch::Webfetch::new(&options.web)),
        typed(write::Write),
    ];
    let web = &options.web;
    let engine =
        |endpoint: &Endpoint, what| Engine { what, endpoint: endpoint.clone(), proxies: web.proxies.clone() };
    let websearch = web.websearch.as_ref().map(|one| typed(websearch::Websearch(engine(one, "the web"))));
    let codesearch =
        web.codesearch.as_ref().map(|one| typed(codesearch::Codesearch(engine(one, "public code"))));
    tools.extend(websearch.into_iter().chain(codesearch));
    tools
}
