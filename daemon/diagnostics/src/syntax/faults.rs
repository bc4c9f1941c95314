//! Turns the error nodes of a tree into diagnostics: tokens that fit nowhere, and tokens that the parser had to add.
//!
//! Of nested errors only the innermost is reported, and of several in a line only the first: after the first wrong
//! token the parser guesses.

use tree_sitter::{Node, Tree};

use crate::line_index::Utf16LineIndex;
use copydesk_servers::diagnostic::{Diagnostic, DiagnosticSpan, Severity};
use copydesk_servers::sanitize;

/// The cap on the faults of a text.
const MAX_FAULTS: usize = 20;
/// The cap on a quoted piece of the text.
const MAX_QUOTED_CHARS: usize = 40;

/// A syntax error at byte offsets.
#[derive(Debug)]
struct SyntaxFault {
    start: usize,
    end: usize,
    message: String,
}

pub(super) fn find_faults(tree: &Tree, text: &str, skips: &dyn Fn(Node<'_>) -> bool) -> Vec<Diagnostic> {
    if !tree.root_node().has_error() {
        return Vec::new();
    }
    let places = Utf16LineIndex::new(text);
    let mut found: Vec<Diagnostic> = Vec::new();
    let all = match conflict(text) {
        Some(conflict) => vec![conflict],
        None => outermost(tree, skips).into_iter().map(|node| fault(node, text)).collect(),
    };
    for fault in all {
        let span = DiagnosticSpan { start: places.position(fault.start), end: places.position(fault.end) };
        if found.last().is_none_or(|last| last.span.start.line != span.start.line) {
            found.push(Diagnostic {
                span,
                severity: Severity::Error,
                code: None,
                source: None,
                message: fault.message.into(),
                related: Vec::new(),
                data: None,
            });
        }
    }
    found
}

/// Conflict markers of a merge. They cause all other errors.
fn conflict(text: &str) -> Option<SyntaxFault> {
    let find_marker = |mark: &str| {
        let mut at = text.match_indices(mark).map(|(at, _)| at);
        at.find(|at| text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with('\n')))
    };
    let (start, _) = (find_marker("<<<<<<< ")?, find_marker(">>>>>>> ")?);
    Some(SyntaxFault { start, end: start + 7, message: "a merge conflict is not resolved".to_owned() })
}

/// The outermost nodes that are errors or missing, in text order.
fn outermost<'tree>(tree: &'tree Tree, skips: &dyn Fn(Node<'_>) -> bool) -> Vec<Node<'tree>> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_fault = (node.is_error() || node.is_missing()) && !skips(node);
        if is_fault {
            found.push(node);
        }
        if found.len() >= MAX_FAULTS {
            return found;
        }
        if !is_fault && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Describes an error or missing node. A loop, because a text may be nested deeper than the stack.
fn fault(mut node: Node<'_>, text: &str) -> SyntaxFault {
    loop {
        if node.is_missing() {
            return missing(node, text);
        }
        let children: Vec<_> = node.children(&mut node.walk()).collect();
        let is_last = text.get(node.end_byte()..).is_some_and(|rest| rest.trim().is_empty());
        let open = unpaired(&children, is_last, text);
        // An error that runs to the end of the text is an unclosed bracket. Otherwise an inner error says more.
        match (smallest(&children), open) {
            (_, Some(open)) if is_last => return open,
            (Some(inner), _) => node = inner,
            (None, Some(open)) => return open,
            (None, None) => return unexpected(node, children.len() > 1, text),
        }
    }
}

/// The first error inside the nodes.
fn smallest<'tree>(nodes: &[Node<'tree>]) -> Option<Node<'tree>> {
    let is_wrong = |node: &Node<'_>| node.has_error() || node.is_missing();
    let mut node = nodes.iter().copied().find(is_wrong)?;
    while !node.is_error() && !node.is_missing() {
        node = node.children(&mut node.walk()).find(is_wrong)?;
    }
    Some(node)
}

fn missing(node: Node<'_>, text: &str) -> SyntaxFault {
    let before = text.get(..node.start_byte()).unwrap_or_default();
    let at = before.trim_end().len();
    SyntaxFault { start: at, end: at, message: format!("{} is missing here", named(node)) }
}

fn named(node: Node<'_>) -> String {
    if !node.is_named() {
        return format!("`{}`", node.kind());
    }
    let kind = node.kind().replace('_', " ");
    // The parser adds whatever is cheapest; any expression would do.
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("something like {article} {kind}")
}

/// A bracket or quotation mark among the children without its partner. The partner of a bracket may stand after the
/// error, unless the error ends the text.
fn unpaired(children: &[Node<'_>], is_last: bool, text: &str) -> Option<SyntaxFault> {
    let mut open: Vec<Node<'_>> = Vec::new();
    for child in children {
        let half = match child.kind() {
            "\"" | "'" | "`" if open.last().is_some_and(|last| last.kind() == child.kind()) => child.kind(),
            "(" | "[" | "{" | "\"" | "'" | "`" => {
                open.push(*child);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        if open.last().is_none_or(|last| last.kind() != half) {
            return Some(unexpected(*child, false, text));
        }
        open.pop();
    }
    let is_quote = |node: &Node<'_>| matches!(node.kind(), "\"" | "'" | "`");
    let last = open.last().filter(|last| is_last || is_quote(last))?;
    let message = format!("`{}` is not closed", last.kind());
    Some(SyntaxFault { start: last.start_byte(), end: last.end_byte(), message })
}

/// One token does not belong there. Of several we only know that they do not go together.
fn unexpected(node: Node<'_>, are_several: bool, text: &str) -> SyntaxFault {
    let start = node.start_byte();
    let whole = text.get(start..node.end_byte()).unwrap_or_default();
    let line = whole.lines().next().unwrap_or_default().trim_end();
    if line.is_empty() && text.get(start..).is_some_and(|rest| rest.trim().is_empty()) {
        let at = text.trim_end().len();
        return SyntaxFault { start: at, end: at, message: "unexpected end of file".to_owned() };
    }
    let quoted = sanitize::sanitize_line(line, MAX_QUOTED_CHARS);
    let message =
        if are_several { format!("syntax error at `{quoted}`") } else { format!("unexpected `{quoted}`") };
    SyntaxFault { start, end: start + line.len(), message }
}
