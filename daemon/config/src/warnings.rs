//! Warnings about a configuration: every reader adds to them, and the next view that can show them takes
//! them.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// A user does not read more warnings than this.
const MAX_WARNINGS: usize = 100;

/// Clones share one collection. Each warning is handed out once.
#[derive(Debug, Clone, Default)]
pub(crate) struct WarningCollector {
    inner: Arc<Mutex<Collected>>,
}

#[derive(Debug, Default)]
struct Collected {
    known: BTreeSet<String>,
    pending: Vec<String>,
}

impl WarningCollector {
    pub(crate) fn add(&self, warning: impl Display) {
        let warning = warning.to_string();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.known.len() < MAX_WARNINGS && inner.known.insert(warning.clone()) {
            inner.pending.push(warning);
        }
    }

    /// The warnings that no view has taken yet, in the order of arrival.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner).pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_warning_is_handed_out_once() {
        let warnings = WarningCollector::default();
        warnings.add("one");
        warnings.clone().add("two");
        warnings.add("one");
        assert_eq!(warnings.take(), ["one", "two"]);
        warnings.add("two");
        assert!(warnings.take().is_empty());
        (0..2 * MAX_WARNINGS).for_each(|number| warnings.add(number));
        assert_eq!(warnings.take().len(), MAX_WARNINGS - 2);
    }
}
