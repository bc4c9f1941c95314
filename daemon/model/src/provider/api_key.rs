//! API keys and their origin. A key's text never appears in `Debug`, in a log or in an error.

use std::fmt;

/// Text that is sent and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(String);

impl SecretString {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    pub secret: SecretString,
    pub origin: KeyOrigin,
}

/// Where a key came from, so that an error can say which one to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOrigin {
    Config,
    Environment(String),
    /// Written by `copydesk auth add`.
    Store,
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config => f.write_str("the configuration"),
            Self::Environment(name) => write!(f, "${name}"),
            Self::Store => f.write_str("`copydesk auth`"),
        }
    }
}
