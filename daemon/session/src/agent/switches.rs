//! Which tools an agent has. A tool is there unless somebody switched it off; some only where somebody switched them on.

use copydesk_permission::matches;

/// Switches in the order of growing weight: of those whose pattern matches a tool's name, the last decides. What only a
/// repository says can switch off, never on what the person switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switches {
    all: Vec<(String, bool)>,
    own: Vec<(String, bool)>,
}

/// Most models make several calls at once by themselves.
const OFF_AT_FIRST: [&str; 1] = ["batch"];

impl Default for Switches {
    fn default() -> Self {
        let all = OFF_AT_FIRST.iter().map(|tool| ((*tool).to_owned(), false)).collect();
        Self { all, own: Vec::new() }
    }
}

impl Switches {
    pub fn new() -> Self {
        Self::default()
    }

    /// A switch as it stands, whoever wrote it.
    pub fn add(&mut self, pattern: impl Into<String>, on: bool) {
        self.all.push((pattern.into(), on));
    }

    /// What the person says, whatever a repository says besides.
    pub fn add_own(&mut self, pattern: impl Into<String>, on: bool) {
        self.own.push((pattern.into(), on));
    }

    pub fn is_on(&self, tool: &str) -> bool {
        let last = |switches: &[(String, bool)]| {
            switches.iter().rfind(|(pattern, _)| matches(pattern, tool)).is_none_or(|(_, on)| *on)
        };
        last(&self.all) && last(&self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::Switches;

    #[test]
    fn the_last_switch_decides_and_a_repository_switches_nothing_on() {
        let mut switches = Switches::new();
        assert!(switches.is_on("bash") && !switches.is_on("batch"));
        for (pattern, on) in [("*", false), ("read", true), ("mcp_*", true), ("mcp_secret", false)] {
            switches.add(pattern, on);
        }
        let on = ["bash", "read", "mcp_a", "mcp_secret", "reader"].map(|tool| switches.is_on(tool));
        assert_eq!(on, [false, true, true, false, false]);
        switches.add_own("read", false);
        switches.add("read", true);
        assert!(!switches.is_on("read"));
        switches.add_own("re*", true);
        assert!(switches.is_on("read"));
        switches.add("batch", true);
        assert!(switches.is_on("batch"));
    }
}
