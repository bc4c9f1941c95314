//! What language servers say of a change, below the call that made it, or before it is made.

use serde_json::Value;

use crate::terminal::{BAD, DIM, GOOD, columns, cut, one_line, styled};

/// Problems that are shown one by one.
const MOST: usize = 5;

/// When it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// The change is made.
    After,
    /// A person decides on it.
    Before,
}

/// One line for each problem, and one for whoever said so. None where nobody was asked.
pub(super) fn lines(metadata: &Value, when: When) -> Vec<String> {
    let Some(told) = metadata.get("diagnostics") else { return Vec::new() };
    let list = |key: &str| told.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (new, unsure) = (list("new"), list("unsure"));
    let mut lines: Vec<_> = new.iter().chain(unsure).take(MOST).map(problem).collect();
    let more = (new.len() + unsure.len()).saturating_sub(MOST);
    if more > 0 {
        lines.push(styled(DIM, format!("  … and {more} more")));
    }
    let count = |key: &str| told.get(key).and_then(Value::as_u64).unwrap_or_default();
    let found = match (new.len(), unsure.len(), when) {
        (0, 0, When::After) => "nothing new".to_owned(),
        (0, 0, When::Before) => "nothing new if this is made".to_owned(),
        (0, unsure, _) => format!("{unsure} found; which of them are new is not known"),
        (new, _, When::After) => format!("{new} new"),
        (new, _, When::Before) => format!("{new} new if this is made"),
    };
    let older: Vec<_> = [("remaining", "older"), ("fixed", "fixed")]
        .into_iter()
        .filter_map(|(key, word)| Some((count(key), word)).filter(|(count, _)| *count > 0))
        .map(|(count, word)| format!(", {count} {word}"))
        .collect();
    let (known, unknown): (Vec<_>, Vec<_>) =
        list("reports").iter().partition(|report| text(report, "proof") != "unknown");
    if !known.is_empty() {
        let mark = if new.is_empty() && unsure.is_empty() { styled(GOOD, "✓") } else { styled(BAD, "✗") };
        let said = format!("{}: {found}{}", sources(&known), older.concat());
        lines.push(format!("  {mark} {}", styled(DIM, said)));
    }
    if let Some(first) = unknown.first() {
        let said = format!("{}: not known: {}", sources(&unknown), one_line(text(first, "why")));
        lines.push(format!("  {}", styled(DIM, cut(&said, columns().saturating_sub(2)))));
    }
    lines
}

/// Whoever said something, with how sure it is.
fn sources(reports: &[&Value]) -> String {
    let mut named: Vec<String> = Vec::new();
    for report in reports {
        let (source, proof) = (one_line(text(report, "source")), text(report, "proof"));
        let name = if proof == "likely" { format!("{source} (likely)") } else { source };
        if !named.contains(&name) {
            named.push(name);
        }
    }
    named.join(", ")
}

/// `  src/cart.rs:12:9 error E0308 mismatched types`
fn problem(problem: &Value) -> String {
    let number = |key: &str| problem.get(key).and_then(Value::as_u64).unwrap_or_default();
    let place = format!("{}:{}:{}", one_line(text(problem, "path")), number("line"), number("column"));
    let severity = match text(problem, "severity") {
        "error" => styled(BAD, "error"),
        other => one_line(other),
    };
    let code = Some(one_line(text(problem, "code"))).filter(|code| !code.is_empty());
    let code = code.map(|code| format!(" {code}")).unwrap_or_default();
    let room = columns().saturating_sub(place.chars().count() + code.chars().count() + 11);
    format!("  {place} {severity}{code} {}", cut(&one_line(text(problem, "message")), room.max(20)))
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}
