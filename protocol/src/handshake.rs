//! The handshake of the two sides, inside LSP's `initialize`.
//!
//! The client sends `initializationOptions.copydesk`, the daemon answers `capabilities.experimental.copydesk`. A client
//! that sends nothing is an ordinary LSP client: it gets what LSP offers, and none of our methods.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PROTOCOL;
use crate::lenient;

/// How a client introduces itself: `initializationOptions.copydesk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name, such as `vscode` or `nvim`.
    pub client: String,
    /// The extension's version.
    pub version: String,
}

/// How the daemon introduces itself: `capabilities.experimental.copydesk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// The daemon's version.
    pub version: String,
    /// The daemon's process id.
    pub pid: u32,
}

/// `data` of the error with which `initialize` fails if the two sides do not speak the same protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolMismatch {
    /// The version of the protocol that the daemon speaks.
    #[serde(rename = "desk")]
    pub daemon: u32,
    /// The version of the protocol that the client speaks.
    pub client: u32,
    /// The side to update.
    pub update: ProtocolSide,
    /// Always false, because a retry does not help: vscode-languageclient would offer one.
    pub retry: bool,
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProtocolSide {
    /// The daemon.
    #[serde(rename = "desk")]
    Daemon,
    /// The editor's extension.
    Client,
}

impl ClientHello {
    /// Reads `initializationOptions`; `None` for an ordinary LSP client.
    pub fn from_initialization_options(
        initialization_options: Option<&Value>,
    ) -> Result<Option<Self>, serde_json::Error> {
        let hello = initialization_options.and_then(|options| options.get("copydesk"));
        hello.filter(|hello| !hello.is_null()).cloned().map(lenient::decode).transpose()
    }

    /// Fails if the client speaks another version of the protocol.
    pub fn check_version(&self) -> Result<(), ProtocolMismatch> {
        let update = match self.protocol.cmp(&PROTOCOL) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => ProtocolSide::Client,
            std::cmp::Ordering::Greater => ProtocolSide::Daemon,
        };
        Err(ProtocolMismatch { daemon: PROTOCOL, client: self.protocol, update, retry: false })
    }
}

/// The message for the user.
impl fmt::Display for ProtocolMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { daemon, client, .. } = self;
        write!(f, "The Copydesk daemon speaks protocol {daemon}, this editor's extension speaks {client}. ")?;
        f.write_str(match self.update {
            ProtocolSide::Client => "Update the extension and reload the editor.",
            ProtocolSide::Daemon => {
                "Update the program `copydesk`, run `copydesk stop` so that the old daemon ends, and reload the editor."
            }
        })
    }
}

impl std::error::Error for ProtocolMismatch {}
