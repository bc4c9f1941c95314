//! Every time limit of this crate, with its reason. Only texts that have nothing in common reach them.

use std::time::Duration;

/// How long two texts are compared by line. 100,000 lines against as many random ones take about half a second, ordinary
/// edits of them a few milliseconds. After this the result is coarser but still correct.
pub(crate) const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// How long two texts are compared by character. After this the distance is an upper bound.
pub(crate) const DISTANCE_TIMEOUT: Duration = Duration::from_millis(50);
