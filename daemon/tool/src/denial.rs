//! Why a call may not do what it asked for.

use crate::outcome::{ToolError, ToolErrorKind};

/// Why an ask was denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionDenial {
    /// `why` is for the model: what is denied, and by which rule.
    ByRule {
        why: String,
    },
    /// The user rejected it. Without a reason the turn stops.
    ByUser {
        reason: Option<String>,
    },
    /// The rules say `ask`, and no user is there.
    Unattended,
    Cancelled,
}

impl PermissionDenial {
    // The offline model looks for "said no", "forbids this" and "Nobody is there" (`offline/fix_errors.rs`).
    pub(crate) fn into_error(self) -> ToolError {
        match self {
            Self::ByRule { why } => ToolError::new(
                ToolErrorKind::Denied,
                format!("A rule forbids this: {why}. Find another way, or say what you would need."),
            ),
            Self::ByUser { reason: Some(reason) } => {
                ToolError::new(ToolErrorKind::Denied, format!("The user said no: {reason}"))
                    .with_title(format!("rejected: {reason}"))
            }
            Self::ByUser { reason: None } => ToolError::new(
                ToolErrorKind::Denied,
                "The user said no. Do not try the same again; ask what they want instead.",
            )
            .with_title("rejected"),
            Self::Unattended => ToolError::new(
                ToolErrorKind::Denied,
                "Nobody is there to approve this, so it was not done. Go on without it, and say at the end what is left to \
                 do; it would need a run with --auto, or a rule that allows it.",
            )
            .with_title("nobody could approve it"),
            Self::Cancelled => ToolError::cancelled(),
        }
    }
}
