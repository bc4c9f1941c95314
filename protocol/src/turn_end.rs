//! How a turn ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TurnEndInfo {
    /// The model finished its answer.
    Done,
    /// The user cancelled it, or the daemon stopped.
    Cancelled,
    /// The user rejected an ask without a reason for the model.
    Rejected,
    /// The model would have continued, but the turn reached its limit of steps.
    StepLimit {
        /// The limit.
        steps: u32,
    },
    /// It failed.
    Failed {
        /// Why, for the user.
        message: String,
    },
    /// The daemon ended during it. Only a part says this, when the session is loaded again.
    Interrupted,
}
