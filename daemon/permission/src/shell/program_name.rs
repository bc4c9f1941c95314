//! Which program a word means, whatever its path, its case and its version.

use super::unreadable::UnreadableCommandError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProgramName {
    /// Without its folder, in lower case: some file systems ignore case.
    pub(super) base: String,
    /// Without a version too: `python3.11` is `python`.
    unversioned: String,
}

impl ProgramName {
    /// Refuses names that look like syntax of some shell.
    pub(super) fn new(word: &str) -> Result<Self, UnreadableCommandError> {
        let is_plain = |c: char| c.is_alphanumeric() || "_-./+:@%,~".contains(c);
        let is_name = !word.is_empty() && (word.chars().all(is_plain) || word == "[" || word == "[[");
        let base = word.rsplit('/').next().unwrap_or_default().to_lowercase();
        if !is_name || base.is_empty() {
            return Err(UnreadableCommandError::ComputedName);
        }
        let base = base.strip_suffix(".exe").unwrap_or(&base).to_owned();
        let version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        let unversioned = base.trim_end_matches(version).to_owned();
        let unversioned = if unversioned.is_empty() { base.clone() } else { unversioned };
        Ok(Self { base, unversioned })
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.base == name || self.unversioned == name
    }

    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }
}
