//! One problem from any source, and when two of them are the same.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct TruthProblem {
    /// From the project's root.
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) is_error: bool,
    pub(crate) code: String,
    pub(crate) message: String,
    /// The source that reported it.
    #[serde(default)]
    pub(crate) source: String,
}

impl TruthProblem {
    /// Whether a server's problem is this one of a compiler: in the same line, and with the same code if both have one of the
    /// same kind. Servers and compilers of one language word messages differently and count columns differently; what is missing
    /// at the end of a line some report for the next one, with the same message.
    pub(crate) fn matches_compiler(&self, other: &Self) -> bool {
        let is_near = self.line.abs_diff(other.line) == 1 && words(&self.message) == words(&other.message);
        self.path == other.path && (self.line == other.line || is_near) && agree(&self.code, &other.code)
    }

    /// Whether the compiler reports the same for another line: it remains when lines move and change.
    pub(crate) fn has_same_message(&self, other: &Self) -> bool {
        self.path == other.path && self.code == other.code && self.message == other.message
    }

    /// The compiler has read no further in this file.
    pub(crate) fn is_fatal(&self) -> bool {
        self.code == "fatal"
    }

    pub(crate) fn is_syntax(&self) -> bool {
        self.source == "tree-sitter" || self.code.contains("syntax")
    }
}

/// A message without the source's additions.
fn words(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    first.trim_end_matches("(fix available)").trim().to_lowercase()
}

fn agree(one: &str, other: &str) -> bool {
    let (one, other) = (kind(one), kind(other));
    match (&one, &other) {
        (ProblemCode::Number(one), ProblemCode::Number(other)) => one == other,
        (ProblemCode::Rule(one), ProblemCode::Rule(other)) => one == other,
        _ => true,
    }
}

enum ProblemCode {
    /// `TS2322`, `2322`, `F821`: the digits.
    Number(String),
    /// `reportReturnType`.
    Rule(String),
    None,
}

fn kind(code: &str) -> ProblemCode {
    // rust-analyzer numbers some errors differently from the compiler.
    let is_rust = code.len() == 5 && code.starts_with('E');
    let digits: String = code.chars().filter(|letter| letter.is_ascii_digit() && !is_rust).collect();
    if digits.len() >= 3 {
        return ProblemCode::Number(digits);
    }
    if code.starts_with("report") { ProblemCode::Rule(code.to_owned()) } else { ProblemCode::None }
}

impl std::fmt::Display for TruthProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = if self.is_error { "error" } else { "warning" };
        let Self { path, line, code, message, .. } = self;
        let message: String = message.lines().next().unwrap_or_default().chars().take(90).collect();
        write!(formatter, "{path}:{line} {severity} {code} {message}")
    }
}
