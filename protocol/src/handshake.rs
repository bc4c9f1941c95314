//! How the two sides greet each other, inside LSP's `initialize`.
//!
//! The client says `initializationOptions.copydesk`, the desk answers `capabilities.experimental.copydesk`. A client that
//! says nothing is an ordinary LSP client: it gets what LSP offers, and none of our methods is sent to it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PROTOCOL;
use crate::lenient;

/// What a client says of itself: `initializationOptions.copydesk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name, such as `vscode` or `nvim`.
    pub client: String,
    /// The extension's version.
    pub version: String,
}

/// What the desk says of itself: `capabilities.experimental.copydesk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// The desk's version.
    pub version: String,
    /// The desk's process.
    pub pid: u32,
}

/// `data` of the error with which `initialize` fails when the two do not speak the same protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolMismatch {
    /// The version of the protocol that the desk speaks.
    pub desk: u32,
    /// The version of the protocol that the client speaks.
    pub client: u32,
    /// The side to update.
    pub update: ProtocolSide,
    /// Trying again does not help: vscode-languageclient offers it otherwise.
    pub retry: bool,
}

/// One of the two that talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProtocolSide {
    /// The daemon.
    Desk,
    /// The editor's extension.
    Client,
}

impl ClientHello {
    /// What stands in `initializationOptions`; `None` for an ordinary LSP client.
    pub fn from_initialization_options(
        initialization_options: Option<&Value>,
    ) -> Result<Option<Self>, serde_json::Error> {
        let said = initialization_options.and_then(|options| options.get("copydesk"));
        said.filter(|said| !said.is_null()).cloned().map(lenient::decode).transpose()
    }

    /// Whether we can talk.
    pub fn check_version(&self) -> Result<(), ProtocolMismatch> {
        let update = match self.protocol.cmp(&PROTOCOL) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => ProtocolSide::Client,
            std::cmp::Ordering::Greater => ProtocolSide::Desk,
        };
        Err(ProtocolMismatch { desk: PROTOCOL, client: self.protocol, update, retry: false })
    }
}

/// What the person reads.
impl fmt::Display for ProtocolMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { desk, client, .. } = self;
        write!(f, "The Copydesk daemon speaks protocol {desk}, this editor's extension speaks {client}. ")?;
        f.write_str(match self.update {
            ProtocolSide::Client => "Update the extension and reload the editor.",
            ProtocolSide::Desk => {
                "Update the program `copydesk`, run `copydesk stop` so that the old daemon ends, and reload the editor."
            }
        })
    }
}

impl std::error::Error for ProtocolMismatch {}
