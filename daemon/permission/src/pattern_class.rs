//! Patterns that name a class: a rule may say `@secrets` where no list of wildcards would do.
//!
//! | pattern | of the key | matches |
//! |---|---|---|
//! | `@secrets` | `read`, `edit`, … | paths that look like a secret (`secret_files.rs`) |
//! | `@reads` | `bash` | commands that only read (`shell/reading_commands.rs`) |
//! | `@network` | `bash` | commands that use the network (`shell/network_commands.rs`) |
//! | `@changes` | `bash` | commands that remove or write files by their own words (`shell/changing_commands.rs`) |
//! | `@sandboxed` | `bash` | commands that run in the sandbox, without network |

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternClass {
    Secrets,
    Reads,
    Network,
    Changes,
    Sandboxed,
}

impl PatternClass {
    pub(crate) fn of(pattern: &str) -> Option<Self> {
        match pattern {
            "@secrets" => Some(Self::Secrets),
            "@reads" => Some(Self::Reads),
            "@network" => Some(Self::Network),
            "@changes" => Some(Self::Changes),
            "@sandboxed" => Some(Self::Sandboxed),
            _ => None,
        }
    }
}
