//! One diagnostic as text for the model.

use std::fmt::Write;
use std::path::Path;

use copydesk_text::Position;

use super::display_path;
use super::metadata::severity;
use crate::delta::ReportedDiagnostic;
use crate::line_index::Utf16LineIndex;
use copydesk_servers::sanitize;

const MAX_MESSAGE_LINES: usize = 8;
const MAX_MESSAGE_CHARS: usize = 300;
const MAX_LINE_CHARS: usize = 160;
const MAX_RELATED: usize = 3;

/// Ends with a line break. Every line but the first is indented.
pub(super) fn render_problem(
    problem: &ReportedDiagnostic,
    root: &Path,
    places: Option<&Utf16LineIndex<'_>>,
) -> String {
    let item = &problem.diagnostic;
    let start = item.span.start;
    let mut shown = format!("{} {}", place(&problem.path, start, root), severity(item.severity).name());
    if let Some(code) = item.code.as_deref().filter(|code| !code.is_empty()) {
        let _ = write!(shown, " {}", sanitize::sanitize_line(code, 80));
    }
    // A server may pass on the diagnostics of another tool.
    let is_other = |speaker: &&str| !contains(&problem.source, speaker);
    if let Some(speaker) = item.source.as_deref().filter(is_other) {
        let _ = write!(shown, " ({})", sanitize::sanitize_line(speaker, 80));
    }
    let message = sanitize::sanitize_lines(&item.message, MAX_MESSAGE_LINES, MAX_MESSAGE_CHARS);
    let _ = writeln!(shown, " {}", message.first().map_or("(without a message)", |first| first.trim()));
    for line in message.iter().skip(1) {
        let _ = writeln!(shown, "    {line}");
    }
    if let Some(line) = places.and_then(|places| places.line_text(start.line as usize)) {
        let _ =
            writeln!(shown, "  {}: {}", u64::from(start.line) + 1, around(line, start.character as usize));
    }
    for related in item.related.iter().take(MAX_RELATED) {
        let message = sanitize::sanitize_line(&related.message, MAX_MESSAGE_CHARS);
        let _ = writeln!(shown, "  {} {message}", place(&related.path, related.span.start, root));
    }
    let more = item.related.len().saturating_sub(MAX_RELATED);
    if more > 0 {
        let _ = writeln!(shown, "  … and {more} more places");
    }
    shown
}

fn place(file: &Path, at: Position, root: &Path) -> String {
    format!("{}:{}:{}", display_path(file, root), u64::from(at.line) + 1, u64::from(at.character) + 1)
}

fn contains(source: &str, speaker: &str) -> bool {
    source.to_lowercase().contains(&speaker.to_lowercase())
}

/// The part of a long line around the position.
fn around(line: &str, units: usize) -> String {
    if line.chars().nth(MAX_LINE_CHARS).is_none() {
        return sanitize::sanitize_line(line, MAX_LINE_CHARS);
    }
    let ends = line.chars().scan(0, |end, letter| {
        *end += letter.len_utf16();
        Some(*end)
    });
    let letters = ends.take_while(|end| *end <= units).count();
    let skipped = letters.saturating_sub(MAX_LINE_CHARS / 2);
    let rest: String = line.chars().skip(skipped).take(MAX_LINE_CHARS + 1).collect();
    let mark = if skipped > 0 { "…" } else { "" };
    mark.to_owned() + &sanitize::sanitize_line(&rest, MAX_LINE_CHARS)
}
