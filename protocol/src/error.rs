//! Error codes, a closed list: those of JSON-RPC and LSP, and ours outside of the ranges that those two reserve.

/// Generates the codes and their list.
macro_rules! codes {
    ($( $(#[doc = $doc:literal])+ $name:ident = $code:literal, )*) => {
        /// Why a request failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $( $(#[doc = $doc])+ $name, )*
        }

        impl ErrorCode {
            pub const ALL: &[Self] = &[$( Self::$name ),*];

            /// The value of `error.code`.
            pub fn code(self) -> i32 {
                match self {
                    $( Self::$name => $code, )*
                }
            }

            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$name => stringify!($name), )*
                }
            }

            pub fn doc(self) -> &'static str {
                match self {
                    $( Self::$name => concat!($($doc),+).trim_ascii(), )*
                }
            }
        }
    };
}

codes! {
    /// The message is not JSON.
    ParseError = -32700,
    /// The message is not a request.
    InvalidRequest = -32600,
    /// The method does not exist, or not in this direction.
    MethodNotFound = -32601,
    /// The params are invalid; the message says where.
    InvalidParams = -32602,
    /// A bug in the daemon; please report the message.
    InternalError = -32603,
    /// The client has to send `initialize` first.
    ServerNotInitialized = -32002,
    /// Cancelled. The daemon never sends it (law 3); from a client it means `cancelled`.
    RequestCancelled = -32800,
    /// The document changed meanwhile. The daemon never sends it; from a client it means: ask again.
    ContentModified = -32801,
    /// The request was valid but failed; the message says why.
    RequestFailed = -32803,
    /// The session does not exist; it may have been deleted.
    UnknownSession = -31001,
    /// The session has no such part or turn.
    UnknownPart = -31002,
    /// The model does not exist or cannot be used now; the message says what is missing.
    UnknownModel = -31003,
    /// The user can choose no agent of that name.
    UnknownAgent = -31004,
    /// Daemon and extension do not speak the same protocol; the message says which to update and how.
    ProtocolMismatch = -31005,
    /// The request fails while a turn runs; cancel the turn or wait for its end.
    Busy = -31006,
}

impl ErrorCode {
    /// The code with this number, if we know it.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| i64::from(known.code()) == code)
    }
}
