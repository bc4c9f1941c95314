//! What a shell will run, as far as the syntax says it: flat, because a rule does not care in which branch or
//! substitution a command stands.

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ShellWord {
    /// Without quotes and escapes. Expansions stay as they are written.
    pub(crate) text: String,
    /// What the program receives. `None` if that depends on variables, on the output of commands, or on the
    /// files that a glob matches.
    pub(crate) value: Option<String>,
}

/// `NAME=value` before a command, or alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VariableAssignment {
    pub(crate) name: String,
    pub(crate) value: ShellWord,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
    /// `<<` and `<<<`: the text stands in the command.
    InlineText,
    /// `2>&1`, `>&-`.
    Duplicate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellRedirect {
    pub(crate) kind: RedirectKind,
    pub(crate) target: ShellWord,
}

/// A program with its arguments, or a builtin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SimpleCommand {
    /// As it was written, with assignments and redirects.
    pub(crate) source: String,
    pub(crate) words: Vec<ShellWord>,
    pub(crate) assignments: Vec<VariableAssignment>,
    pub(crate) redirects: Vec<ShellRedirect>,
    /// In a loop or a function: it may run more than once.
    pub(crate) is_repeated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ShellScript {
    /// Each before the commands in its substitutions.
    pub(crate) commands: Vec<SimpleCommand>,
    /// Redirects of groups and loops, and those without a command.
    pub(crate) group_redirects: Vec<ShellRedirect>,
    /// Assignments without a command: they hold for what follows.
    pub(crate) assignments: Vec<VariableAssignment>,
}
