//! Error codes: a closed list. JSON-RPC's and LSP's own, and ours outside of the ranges that those two keep for themselves.

/// Makes the codes and their list.
macro_rules! codes {
    ($( $(#[doc = $doc:literal])+ $name:ident = $code:literal, )*) => {
        /// Why a request was not answered with a result.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $( $(#[doc = $doc])+ $name, )*
        }

        impl ErrorCode {
            /// All there are.
            pub const ALL: &[Self] = &[$( Self::$name ),*];

            /// What stands in `error.code`.
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
    /// The message is no JSON.
    ParseError = -32700,
    /// The message is no request.
    InvalidRequest = -32600,
    /// There is no such method, or not in this direction.
    MethodNotFound = -32601,
    /// The params are not what the method takes; the message says where.
    InvalidParams = -32602,
    /// Something went wrong that should not have; the message is for a report.
    InternalError = -32603,
    /// `initialize` has to come first.
    ServerNotInitialized = -32002,
    /// Cancelled. The desk does not say so by itself (law 3); from a client it means the same as `cancelled`.
    RequestCancelled = -32800,
    /// The document has changed meanwhile. The desk never says so; from a client it means that it should be asked again.
    ContentModified = -32801,
    /// The request was good, and could not be done; the message says why.
    RequestFailed = -32803,
    /// There is no such session; it may have been deleted.
    UnknownSession = -31001,
    /// The session has no such part, or no such turn.
    UnknownPart = -31002,
    /// There is no such model, or it cannot be used now; the message says what is missing.
    UnknownModel = -31003,
    /// There is no agent of that name that a person can choose.
    UnknownAgent = -31004,
    /// Desk and extension do not speak the same protocol; the message says which to update and how.
    ProtocolMismatch = -31005,
    /// It cannot be done while a turn runs; cancel it, or wait for its end.
    Busy = -31006,
}

impl ErrorCode {
    /// The code that a number stands for, if it is one of ours to know.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| i64::from(known.code()) == code)
    }
}
