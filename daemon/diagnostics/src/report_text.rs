//! Renders a delta as text for the model, and as metadata for the user's view.
//!
//! Each source gets a line with its name, its proof and its count, followed by the diagnostics. The text states facts
//! and gives no orders: a model that is told to fix something thinks that its edit failed. It calls nothing new or
//! clean unless that is known.
//!
//! Invariant: the text is short, whatever servers say ([`MAX_PROBLEMS`], [`MAX_TEXT_BYTES`]), and counts what it leaves out.
//! Invariant: lines that are not indented are ours.

mod group;
mod metadata;
mod problem;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use crate::delta::DiagnosticsDelta;
use crate::line_index::Utf16LineIndex;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::report::Proof;
use copydesk_servers::sanitize;
use group::{SourceGroup, group_by_source};

pub(crate) use metadata::build_metadata;

/// The cap on listed diagnostics.
const MAX_PROBLEMS: usize = 20;
/// The approximate cap on the text. The first diagnostic and each source's line are always included.
const MAX_TEXT_BYTES: usize = 4096;
/// The cap on source lines.
const MAX_GROUPS: usize = 12;

/// The text of a file as it was checked, if available.
pub(crate) type TextLookup<'a> = &'a dyn Fn(&Path) -> Option<Arc<String>>;

/// Empty if no source reported.
pub(crate) fn render_delta(delta: &DiagnosticsDelta, root: &Path, text_of: TextLookup<'_>) -> String {
    let groups = group_by_source(delta);
    let shown = groups.iter().flat_map(|group| &group.problems).take(MAX_PROBLEMS);
    let mut texts: HashMap<&Path, Option<Arc<String>>> = HashMap::new();
    for problem in shown {
        texts.entry(&problem.path).or_insert_with(|| text_of(&problem.path));
    }
    let places: HashMap<_, _> =
        texts.iter().filter_map(|(path, text)| Some((*path, Utf16LineIndex::new(text.as_ref()?)))).collect();
    let mut writer = ReportWriter { delta, root, places, text: String::new(), listed_count: 0 };
    for group in groups.iter().take(MAX_GROUPS) {
        writer.group(group);
    }
    if groups.len() > MAX_GROUPS {
        let _ = writeln!(writer.text, "… and {} more answers", groups.len() - MAX_GROUPS);
    }
    writer.counts();
    writer.text
}

struct ReportWriter<'a> {
    delta: &'a DiagnosticsDelta,
    root: &'a Path,
    places: HashMap<&'a Path, Utf16LineIndex<'a>>,
    text: String,
    listed_count: usize,
}

impl ReportWriter<'_> {
    fn group(&mut self, group: &SourceGroup<'_>) {
        self.text.push_str(&group.headline(self.delta, self.root));
        self.text.push('\n');
        for (done, problem) in group.problems.iter().enumerate() {
            let shown = problem::render_problem(problem, self.root, self.places.get(&*problem.path));
            let has_room = self.listed_count == 0 || self.text.len() + shown.len() <= MAX_TEXT_BYTES;
            if self.listed_count >= MAX_PROBLEMS || !has_room {
                let _ = writeln!(self.text, "… and {} more", group.problems.len() - done);
                return;
            }
            self.text.push_str(&shown);
            self.listed_count += 1;
        }
    }

    /// The line about older diagnostics.
    fn counts(&mut self) {
        let older = |count: usize| {
            let thing = thing(self.delta.min_severity);
            format!("{count} older {thing}{}", if count == 1 { "" } else { "s" })
        };
        let (remaining, fixed) = (self.delta.remaining.len(), self.delta.fixed.len());
        let remain = if remaining == 1 { "remains" } else { "remain" };
        let were = if fixed == 1 { "was" } else { "were" };
        let _ = match (remaining, fixed) {
            (0, 0) => Ok(()),
            (_, 0) => writeln!(self.text, "{} {remain}.", older(remaining)),
            (0, _) => writeln!(self.text, "{} {were} fixed.", older(fixed)),
            _ => writeln!(self.text, "{} {remain}, {fixed} {were} fixed.", older(remaining)),
        };
    }
}

/// The noun to count. If only errors are counted, the text must not say that there are no problems.
fn thing(least: Severity) -> &'static str {
    if least == Severity::Error { "error" } else { "problem" }
}

/// Relative to the root, and sanitized.
pub(crate) fn display_path(path: &Path, root: &Path) -> String {
    let short = path.strip_prefix(root).ok().filter(|rest| !rest.as_os_str().is_empty());
    sanitize::sanitize_line(&short.unwrap_or(path).to_string_lossy(), 300)
}

fn proof(proof: Proof) -> &'static str {
    match proof {
        Proof::Proven => "proven for this text",
        Proof::Likely => "likely, not proven, for this text",
        Proof::Unknown => "not known for this text",
    }
}

#[cfg(test)]
mod tests;
