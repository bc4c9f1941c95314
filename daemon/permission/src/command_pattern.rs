//! A command as it was understood, and how rules match it.
//!
//! Denials and asks are generous: they match any spelling of the command. Allows are strict: they match only
//! the one text in which every word stands as the program receives it, and they must spell out what makes the
//! command do more than its first words say.

use crate::pattern_class::PatternClass;
use crate::{PermissionAction, PermissionRule, matches_wildcard};

/// Longer texts are compared by their beginning, and only exact or general rules allow them.
const MAX_COMPARED_BYTES: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    /// Words separated by single spaces, quoted where needed. What a user sees, and what allows match.
    pub text: String,
    /// How much of `text` a rule must spell out before its first wildcard.
    spelled_bytes: usize,
    /// As written, and other texts with the same effect, for denials and asks.
    spellings: Vec<String>,
    letters: LetterSet,
    /// It may run a program that we do not see. If a rule forbids something, only a user can allow this.
    may_run_anything: bool,
    /// Reported so that rules can deny it. It runs only what another pattern of the same command names.
    is_transparent: bool,
    only_reads: bool,
    uses_network: bool,
    changes_files: bool,
    is_sandboxed: bool,
}

/// What one rule says about a command.
pub(crate) enum RuleMatch {
    No,
    /// The rule may be meant for what the command hides.
    Perhaps,
    Yes(PermissionAction),
}

impl CommandPattern {
    pub(crate) fn new(text: String, spellings: Vec<String>) -> Self {
        let mut compared = vec![beginning(&text).to_owned()];
        for spelling in spellings {
            let spelling = beginning(&spelling).to_owned();
            if !compared.contains(&spelling) {
                compared.push(spelling);
            }
        }
        let is_long = text.len() > MAX_COMPARED_BYTES;
        let letters = compared.iter().fold(LetterSet::default(), |all, text| all.with(text));
        Self {
            letters,
            spelled_bytes: if is_long { usize::MAX } else { 0 },
            text,
            spellings: compared,
            may_run_anything: is_long,
            is_transparent: false,
            only_reads: false,
            uses_network: false,
            changes_files: false,
            is_sandboxed: false,
        }
    }

    /// A command that was not understood: a rule about its beginning says nothing about the rest.
    pub(crate) fn unread(command: &str) -> Self {
        Self::new(command.to_owned(), Vec::new()).spelled_out().running_anything().changing(true)
    }

    #[must_use]
    pub(crate) fn with_spelled_bytes(mut self, bytes: usize) -> Self {
        self.spelled_bytes = self.spelled_bytes.max(bytes);
        self
    }

    #[must_use]
    pub(crate) fn spelled_out(self) -> Self {
        self.with_spelled_bytes(usize::MAX)
    }

    #[must_use]
    pub(crate) fn running_anything(mut self) -> Self {
        self.may_run_anything = true;
        self
    }

    #[must_use]
    pub(crate) fn transparent(mut self) -> Self {
        self.is_transparent = true;
        self
    }

    #[must_use]
    pub(crate) fn reading(mut self, only_reads: bool) -> Self {
        self.only_reads = only_reads;
        self
    }

    #[must_use]
    pub(crate) fn networking(mut self, uses_network: bool) -> Self {
        self.uses_network |= uses_network;
        self
    }

    #[must_use]
    pub(crate) fn changing(mut self, changes_files: bool) -> Self {
        self.changes_files |= changes_files;
        self
    }

    /// It runs in the sandbox, which has no network.
    pub fn mark_sandboxed(&mut self) {
        self.is_sandboxed = true;
    }

    /// Whether it only reads, with nothing around it that makes it do more.
    pub fn only_reads(&self) -> bool {
        self.only_reads && self.is_plain()
    }

    pub(crate) fn is_transparent(&self) -> bool {
        self.is_transparent
    }

    /// How much text a rule is compared with.
    pub(crate) fn compared_bytes(&self) -> usize {
        self.spellings.iter().map(String::len).sum()
    }

    /// Whether it is a program with arguments and no more, so that "always" may offer its beginning.
    pub(crate) fn is_plain(&self) -> bool {
        self.spelled_bytes == 0 && !self.may_run_anything
    }

    /// The rule's key was compared before.
    pub(crate) fn match_rule(&self, rule: &PermissionRule) -> RuleMatch {
        let is_matched = match rule.action {
            _ if let Some(class) = PatternClass::of(&rule.pattern) => match class {
                PatternClass::Reads => self.only_reads(),
                PatternClass::Network => self.uses_network,
                PatternClass::Changes => self.changes_files,
                PatternClass::Sandboxed => self.is_sandboxed,
                PatternClass::Secrets => false,
            },
            PermissionAction::Allow => self.is_allowed_by(&rule.pattern),
            PermissionAction::Ask | PermissionAction::Deny => self.has_spelling(&rule.pattern),
        };
        match is_matched {
            true => RuleMatch::Yes(rule.action),
            // In the sandbox, what is not seen is held.
            false if self.is_sandboxed && PatternClass::of(&rule.pattern) == Some(PatternClass::Changes) => {
                RuleMatch::No
            }
            false if self.may_run_anything && rule.action != PermissionAction::Allow => RuleMatch::Perhaps,
            false => RuleMatch::No,
        }
    }

    fn has_spelling(&self, pattern: &str) -> bool {
        // Most rules are about other programs: their first letter says so.
        let first = pattern.bytes().next().filter(u8::is_ascii_lowercase);
        if !cfg!(windows)
            && first.is_some()
            && !self.spellings.iter().any(|text| text.bytes().next() == first)
        {
            return false;
        }
        if !self.letters.has_all_of(pattern) {
            return false;
        }
        let is_spaced = pattern.contains("  ") || pattern.contains('\t');
        let collapsed = is_spaced.then(|| pattern.split_whitespace().collect::<Vec<_>>().join(" "));
        let pattern = collapsed.as_deref().unwrap_or(pattern);
        self.spellings.iter().any(|spelling| matches_wildcard(pattern, spelling))
    }

    pub(crate) fn is_allowed_by(&self, pattern: &str) -> bool {
        if !pattern.is_empty() && pattern.bytes().all(|c| c == b'*') {
            return true;
        }
        if self.text.len() > MAX_COMPARED_BYTES {
            return false;
        }
        let Some(literal) = pattern.find(['*', '?']) else {
            return pattern == self.text
                || self.spellings.iter().any(|spelling| spelling == pattern && self.is_plain());
        };
        // A rule whose program is open would allow any program with the right ending.
        let first_word = pattern.find([' ', '*', '?']).unwrap_or_default();
        if first_word == 0 {
            return false;
        }
        // `git *` also spells out `git`.
        let spelled =
            if pattern.ends_with(" *") && literal + 1 == pattern.len() { literal - 1 } else { literal };
        self.spelled_bytes <= spelled
            && self.ends_word_at(pattern, literal)
            && matches_wildcard(pattern, &self.text)
    }

    /// `cargo test*` means `cargo test` with arguments, not the program `cargo-testx`.
    fn ends_word_at(&self, pattern: &str, literal: usize) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let before = pattern.get(..literal).and_then(|text| text.chars().next_back());
        let next = self.text.get(literal..).and_then(|text| text.chars().next());
        let is_glued = before.is_some_and(char::is_alphanumeric)
            && pattern.get(literal..).is_some_and(|rest| rest.starts_with('*'));
        !(is_glued && next.is_some_and(is_word))
    }
}

/// Letters and digits of texts. Most rules have one that the command does not have, and are not compared further: a project may
/// bring thousands of them, made to be slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct LetterSet(u128);

impl LetterSet {
    fn with(self, text: &str) -> Self {
        Self(text.bytes().filter(u8::is_ascii_alphanumeric).fold(self.0, |all, letter| all | 1 << letter))
    }

    /// On Windows, case does not matter.
    fn has_all_of(self, pattern: &str) -> bool {
        cfg!(windows) || Self::default().with(pattern).0 & !self.0 == 0
    }
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_COMPARED_BYTES)).unwrap_or(text)
}
