//! What the warnings of a server's status (`experimental/serverStatus`) mean.
//!
//! A status joins the warnings of all conditions, and is sent again when one of them changes. So each paragraph is a warning of
//! its own, and means what was going on when it first came: the server read a changed configuration, or a run of its compiler
//! failed. A warning from another time is harmless, however often it comes back.

use serde_json::Value;

/// Caps on the warnings of one status, on those remembered as harmless, and on the characters of one.
const MAX_WARNINGS: usize = 32;
const MAX_HARMLESS: usize = 256;
const MAX_COMPARED_CHARS: usize = 2000;
const MAX_SHOWN_CHARS: usize = 300;

#[derive(Debug, Default)]
pub(super) struct StatusWarnings {
    current: Vec<StatusWarning>,
    harmless: Vec<String>,
    has_status: bool,
}

#[derive(Debug, Clone)]
struct StatusWarning {
    text: String,
    cause: WarningCause,
}

/// What was going on when a warning came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WarningCause {
    /// The server read the project after a change of its configuration.
    pub(super) configuration: bool,
    /// A run of its compiler was going on, or had just ended.
    pub(super) run: bool,
}

impl StatusWarnings {
    pub(super) fn update(&mut self, params: &Value, cause: WarningCause) {
        let is_warning = params.get("health").and_then(Value::as_str) == Some("warning");
        let message =
            params.get("message").and_then(Value::as_str).filter(|_| is_warning).unwrap_or_default();
        // The first status is about the time before the daemon listened.
        let cause =
            if std::mem::replace(&mut self.has_status, true) { cause } else { WarningCause::default() };
        let known = std::mem::take(&mut self.current);
        let paragraphs = message.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
        for text in paragraphs.take(MAX_WARNINGS) {
            let text: String = text.chars().take(MAX_COMPARED_CHARS).collect();
            let cause = match known.iter().find(|known| known.text == text) {
                Some(known) => known.cause,
                None if self.harmless.contains(&text) => WarningCause::default(),
                None => cause,
            };
            let is_harmless = cause == WarningCause::default();
            if is_harmless && self.harmless.len() < MAX_HARMLESS && !self.harmless.contains(&text) {
                self.harmless.push(text.clone());
            }
            self.current.push(StatusWarning { text, cause });
        }
    }

    /// Why the project could not be loaded with its changed configuration. The server goes on with what it could load, and finds
    /// errors that are none.
    pub(super) fn of_configuration(&self) -> Option<String> {
        self.first(|cause| cause.configuration)
    }

    /// Why the compiler did not run. The server says it once, however many runs fail.
    pub(super) fn of_run(&self) -> Option<String> {
        self.first(|cause| cause.run)
    }

    fn first(&self, is_meant: impl Fn(WarningCause) -> bool) -> Option<String> {
        let found = self.current.iter().find(|warning| is_meant(warning.cause))?;
        Some(found.text.chars().take(MAX_SHOWN_CHARS).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const QUIET: WarningCause = WarningCause { configuration: false, run: false };
    const RUN: WarningCause = WarningCause { configuration: false, run: true };
    const CONFIGURATION: WarningCause = WarningCause { configuration: true, run: false };

    /// Each step: the message of a warning, or none, and when it comes; then what it is said to mean.
    #[test]
    fn a_warning_means_what_was_going_on_when_it_first_came() {
        let old = "no proc macros";
        let both = "no such crate\n\nno proc macros";
        let steps = [
            (Some(old), RUN, None, None),
            (None, QUIET, None, None),
            (Some(old), RUN, None, None),
            (Some(both), CONFIGURATION, Some("no such crate"), None),
            // Another change does not mend it.
            (Some(both), CONFIGURATION, Some("no such crate"), None),
            (Some(old), CONFIGURATION, None, None),
            (Some("check failed to start\n\nno proc macros"), RUN, None, Some("check failed to start")),
            (Some("check failed to start\n\nno proc macros"), QUIET, None, Some("check failed to start")),
            (Some(old), RUN, None, None),
            (Some("to be rebuilt"), QUIET, None, None),
            (None, RUN, None, None),
        ];
        let mut warnings = StatusWarnings::default();
        for (number, (message, cause, configuration, run)) in steps.into_iter().enumerate() {
            let health = if message.is_some() { "warning" } else { "ok" };
            warnings.update(&json!({ "health": health, "message": message }), cause);
            assert_eq!(warnings.of_configuration().as_deref(), configuration, "step {number}");
            assert_eq!(warnings.of_run().as_deref(), run, "step {number}");
        }
    }
}
