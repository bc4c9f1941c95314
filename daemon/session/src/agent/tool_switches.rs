//! Which tools an agent has: all that are not switched off, and some only if they are switched on.

use copydesk_permission::matches_wildcard;

/// Switches in order: the last whose pattern matches a tool's name wins. A repository can switch off, but not switch on what
/// the user switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSwitches {
    all: Vec<(String, bool)>,
    own: Vec<(String, bool)>,
}

/// Off by default: most models make several calls at once by themselves.
const OFF_AT_FIRST: [&str; 1] = ["batch"];

impl Default for ToolSwitches {
    fn default() -> Self {
        let all = OFF_AT_FIRST.iter().map(|tool| ((*tool).to_owned(), false)).collect();
        Self { all, own: Vec::new() }
    }
}

impl ToolSwitches {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a switch that anyone may have written.
    pub fn add(&mut self, pattern: impl Into<String>, on: bool) {
        self.all.push((pattern.into(), on));
    }

    /// Adds a switch of the user, which counts whatever a repository says.
    pub fn add_user_switch(&mut self, pattern: impl Into<String>, on: bool) {
        self.own.push((pattern.into(), on));
    }

    /// The switches for calls: without the defaults, because no one switched those tools off.
    #[must_use]
    pub fn without_defaults(&self) -> Self {
        let all = self.all.iter().skip(OFF_AT_FIRST.len()).cloned().collect();
        Self { all, own: self.own.clone() }
    }

    pub fn is_on(&self, tool: &str) -> bool {
        self.is_on_with_equivalents(tool, &[])
    }

    /// Whether a tool is on that can do the work of `others`: if one of them is off, so is this one, unless a switch names
    /// it.
    pub fn is_on_with_equivalents(&self, tool: &str, others: &[&str]) -> bool {
        let is_on = |switches: &[(String, bool)]| {
            let last = |tool: &str| {
                switches
                    .iter()
                    .rfind(|(pattern, _)| matches_wildcard(pattern, tool))
                    .is_none_or(|(_, on)| *on)
            };
            let is_named = switches.iter().any(|(pattern, _)| pattern == tool);
            last(tool) && (is_named || others.iter().all(|other| last(other)))
        };
        is_on(&self.all) && is_on(&self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::ToolSwitches;

    #[test]
    fn the_last_switch_decides_and_a_repository_switches_nothing_on() {
        let mut switches = ToolSwitches::new();
        assert!(switches.is_on("bash") && !switches.is_on("batch"));
        for (pattern, on) in [("*", false), ("read", true), ("mcp_*", true), ("mcp_secret", false)] {
            switches.add(pattern, on);
        }
        let on = ["bash", "read", "mcp_a", "mcp_secret", "reader"].map(|tool| switches.is_on(tool));
        assert_eq!(on, [false, true, true, false, false]);
        switches.add_user_switch("read", false);
        switches.add("read", true);
        assert!(!switches.is_on("read"));
        switches.add_user_switch("re*", true);
        assert!(switches.is_on("read"));
        assert!(
            switches.is_on("batch") == switches.without_defaults().is_on("batch")
                && ToolSwitches::new().without_defaults().is_on("batch")
        );
        switches.add("batch", true);
        assert!(switches.is_on("batch"));
    }

    #[test]
    fn what_does_the_work_of_others_is_off_with_them() {
        let is_on = |all: &[(&str, bool)], own: &[(&str, bool)]| {
            let mut switches = ToolSwitches::new();
            all.iter().for_each(|(pattern, on)| switches.add(*pattern, *on));
            own.iter().for_each(|(pattern, on)| switches.add_user_switch(*pattern, *on));
            switches.is_on_with_equivalents("apply_patch", &["edit", "write"])
        };
        assert!(is_on(&[], &[]));
        assert!(is_on(&[("*", false), ("apply_patch", true)], &[]));
        for off in ["edit", "write", "apply_patch", "*"] {
            assert!(!is_on(&[(off, false)], &[]), "{off}");
            // A repository alone does not switch it on.
            assert!(!is_on(&[(off, false), ("apply_patch", true)], &[(off, false)]), "{off}");
        }
    }
}
