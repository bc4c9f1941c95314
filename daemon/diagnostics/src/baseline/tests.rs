use super::*;
use copydesk_servers::diagnostic::Severity;

fn at(line: u32, from: u32, to: u32) -> Diagnostic {
    let span = DiagnosticSpan { start: Position::new(line, from), end: Position::new(line, to) };
    let (code, source, message, related) = (None, None, "wrong".into(), Vec::new());
    Diagnostic { span, severity: Severity::Error, code, source, message, related, data: None }
}

/// Where a diagnostic moves to, as (line, from, to), and the lines in which it may be.
#[track_caller]
fn check(
    old: &str,
    new: &str,
    from: (u32, u32, u32),
    to: (u32, u32, u32),
    touched_lines: Option<Range<u32>>,
) {
    let change = Change::between(old, new);
    let before = at(from.0, from.1, from.2);
    let seen = shift_diagnostics(std::slice::from_ref(&before), old, &change);
    assert_eq!(
        seen,
        [ShiftedDiagnostic { diagnostic: at(to.0, to.1, to.2), previous_span: before.span, touched_lines }]
    );
}

#[test]
fn unchanged_lines_keep_their_diagnostics() {
    check("a\nb\n", "x\na\nb\n", (0, 0, 1), (1, 0, 1), None);
    check("a\nb\n", "a\nx\ny\nb\n", (0, 0, 1), (0, 0, 1), None);
    check("a\nb\n", "a\nx\ny\nb\n", (1, 0, 1), (3, 0, 1), None);
    check("a\nb\nc\n", "a\nc\n", (2, 0, 1), (1, 0, 1), None);
    check("a\nb\nc", "a\nb\nc\nd", (2, 0, 1), (2, 0, 1), None);
    check("a\r\nb\r\n", "x\r\na\r\nb\r\n", (1, 0, 1), (2, 0, 1), None);
    check("a\rb\r", "x\ra\rb\r", (1, 0, 1), (2, 0, 1), None);
    // Positions outside the text move with their lines.
    check("a\nb\n", "x\na\nb\n", (1, 9, 99), (2, 9, 99), None);
    check("a\nb\n", "x\na\nb\n", (7, 0, 1), (8, 0, 1), None);
}

#[test]
fn in_a_changed_line_a_diagnostic_moves_with_its_characters() {
    check("let é = b;", "let élan = b;", (0, 8, 9), (0, 11, 12), Some(0..1));
    check("f(a)", "f(b, a)", (0, 2, 3), (0, 5, 6), Some(0..1));
    check("f(a)", "f(a, b)", (0, 2, 3), (0, 2, 3), Some(0..1));
    check("f(abc)", "f(xy)", (0, 2, 5), (0, 2, 4), Some(0..1));
    check("f(abc) + g", "f() + g", (0, 2, 5), (0, 2, 2), Some(0..1));
    // A diagnostic at the end of a line stays there when a line is inserted below.
    check("a\n", "a\nb", (0, 1, 1), (0, 1, 1), None);
    check("a", "a\nb", (0, 1, 1), (0, 1, 1), None);
}

#[test]
fn a_diagnostic_of_a_deleted_line_keeps_the_nearest_position() {
    check("a\nb\nc\n", "a\nc\n", (1, 0, 1), (1, 0, 0), Some(1..1));
    check("a\nb\nc\n", "a\nxyz\nc\n", (1, 0, 1), (1, 0, 3), Some(1..2));
    check("a\nb\nc\n", "", (1, 0, 1), (0, 0, 0), Some(0..0));
}

#[test]
fn edits_near_each_other_are_grouped() {
    check("a\n1\n2\nb\nx\n", "A\n1\n2\nB\nx\n", (0, 0, 1), (0, 0, 1), Some(0..4));
    check("a\n1\n2\n3\nb\nx\n", "A\n1\n2\n3\nB\nx\n", (0, 0, 1), (0, 0, 1), Some(0..1));
}

#[test]
fn a_multiline_diagnostic_is_touched_by_a_change_to_any_of_its_lines() {
    let item = |first, last| Diagnostic {
        span: DiagnosticSpan { start: Position::new(first, 0), end: Position::new(last, 1) },
        ..at(0, 0, 0)
    };
    let (old, new) = ("a\nb\nc\nd\n", "a\nb\nx\nc\nd\n");
    let seen = shift_diagnostics(&[item(0, 1), item(1, 2), item(2, 3)], old, &Change::between(old, new));
    let spans: Vec<_> =
        seen.iter().map(|m| (m.diagnostic.span.start.line, m.diagnostic.span.end.line)).collect();
    assert_eq!(spans, [(0, 1), (1, 3), (3, 4)]);
    let touched: Vec<_> = seen.into_iter().map(|m| m.touched_lines).collect();
    assert_eq!(touched, [None, Some(1..4), None]);
}

#[test]
fn a_change_that_does_not_fit_moves_nothing() {
    let change = Change::between("a long line", "a long lie");
    let seen = shift_diagnostics(&[at(0, 0, 1)], "short", &change);
    assert_eq!(seen, [ShiftedDiagnostic { touched_lines: Some(0..u32::MAX), ..unmoved(&at(0, 0, 1)) }]);
}
