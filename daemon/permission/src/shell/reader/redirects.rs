//! Redirects, at any place of a command.

use super::{ReadResult, ScriptReader};
use crate::shell::script::{RedirectKind, ShellRedirect, ShellWord};
use crate::shell::unreadable::UnreadableCommandError;

/// Longer operators first.
const OPERATORS: [(&str, RedirectKind); 9] = [
    ("&>>", RedirectKind::Write),
    ("&>", RedirectKind::Write),
    (">>", RedirectKind::Write),
    (">|", RedirectKind::Write),
    (">&", RedirectKind::Duplicate),
    ("<&", RedirectKind::Duplicate),
    ("<>", RedirectKind::Write),
    (">", RedirectKind::Write),
    ("<", RedirectKind::Read),
];

impl ScriptReader<'_> {
    /// Reads `>file`, `2>>file`, `<<EOF`, … if one comes next.
    pub(super) fn read_redirect(&mut self) -> ReadResult<Option<ShellRedirect>> {
        let start = self.at;
        let rest = self.rest();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += digits;
        if self.starts_with("<(") || self.starts_with(">(") {
            self.at = start;
            return Ok(None);
        }
        if self.take("<<<") {
            let target = self.read_target()?;
            return Ok(Some(ShellRedirect { kind: RedirectKind::InlineText, target }));
        }
        if self.take("<<") {
            self.read_here_document_start()?;
            let target = ShellWord::default();
            return Ok(Some(ShellRedirect { kind: RedirectKind::InlineText, target }));
        }
        let operator = OPERATORS.iter().find(|(operator, _)| self.starts_with(operator));
        // `2&>x` is the argument `2`.
        let operator = operator.filter(|(operator, _)| digits == 0 || !operator.starts_with("&>"));
        let Some((operator, kind)) = operator else {
            self.at = start;
            return Ok(None);
        };
        self.at += operator.len();
        let target = self.read_target()?;
        let is_descriptor = |text: &str| text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        let kind = match kind {
            // `>& file` writes both outputs.
            RedirectKind::Duplicate if !is_descriptor(&target.text) => RedirectKind::Write,
            kind => *kind,
        };
        Ok(Some(ShellRedirect { kind, target }))
    }

    fn read_target(&mut self) -> ReadResult<ShellWord> {
        self.skip_blanks();
        self.read_word()?.ok_or(UnreadableCommandError::Redirection)
    }
}
