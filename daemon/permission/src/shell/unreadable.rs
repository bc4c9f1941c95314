//! Why a command was not understood. The user then decides about the whole of it, as it was written.

use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnreadableCommandError {
    #[error("it has more than {} KiB", super::MAX_COMMAND_BYTES / 1024)]
    TooLong,
    #[error("it contains control characters, invisible characters or unusual blanks")]
    HiddenCharacters,
    #[error("it contains a backtick")]
    Backtick,
    #[error("a quote is not closed")]
    OpenQuote,
    #[error("it ends in a backslash")]
    TrailingBackslash,
    #[error("it is nested too deeply")]
    TooDeep,
    #[error("it has too many commands or words")]
    TooMany,
    #[error("the name of a program is computed")]
    ComputedName,
    #[error("a here-document is not closed, or its delimiter is unusual")]
    HereDocument,
    #[error("an expansion may run something")]
    Expansion,
    #[error("a redirection is incomplete or unusual")]
    Redirection,
    #[error("its syntax is incomplete or unusual")]
    Syntax,
}
