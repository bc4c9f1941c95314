//! Decides whether a publish was made with the current preamble of the text.
//!
//! A server that keeps the preamble of a text (clangd) publishes for the next text at once, with the old preamble, and
//! again under the same version once the preamble is rebuilt. So a publish counts only in three cases: the preamble
//! could be kept; there was none to keep; or the server got the same text once more after its publish, because then it
//! can only publish the rebuilt result.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use tokio::time::Instant;

use super::documents::ServerDocument;
use super::freshness::{Freshness, PublishRecord};
use super::record::ServerRecord;
use crate::dependents::is_never_imported;
use crate::quirks::Quirks;

/// The last version with a publish that counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreambleCheck {
    version: i32,
    head: u64,
    /// When the server got that version. A later change of another file makes the check stale.
    sent_at: Instant,
}

impl ServerRecord {
    /// A text was synced: if its head differs, the kept preamble is useless.
    pub(super) fn invalidate_preamble(&mut self, path: &Path, quirks: &Quirks) {
        let Some(document) = self.documents.get_mut(path).filter(|_| !quirks.resend_params.is_empty()) else {
            return;
        };
        let head = fingerprint(&document.text, &quirks.preamble_prefixes);
        document.preamble_check = document.preamble_check.filter(|check| check.head == head);
    }

    /// The server published for `version`, after the publish `before`.
    pub(super) fn record_preamble_check(
        &mut self,
        path: &Path,
        version: Option<i32>,
        before: Option<PublishRecord>,
        quirks: &Quirks,
    ) {
        if quirks.resend_params.is_empty() {
            return;
        }
        let elsewhere = self.last_change_elsewhere(path);
        let document = self.documents.get_mut(path);
        let Some(document) =
            document.filter(|document| version == Some(document.version) && document.has_text())
        else {
            return;
        };
        let is_republished = |before: PublishRecord| {
            before.version.is_some_and(|version| document.sent.is_current_text(version))
                && before.first_received <= document.sent_at
        };
        let head = fingerprint(&document.text, &quirks.preamble_prefixes);
        let is_kept = |check: PreambleCheck| check.head == head && elsewhere <= Some(check.sent_at);
        if elsewhere <= Some(document.sent_at)
            && (document.sent.is_opening_text()
                || before.is_some_and(is_republished)
                || document.preamble_check.is_some_and(is_kept))
        {
            document.preamble_check =
                Some(PreambleCheck { version: document.version, head, sent_at: document.sent_at });
        }
    }

    /// Adjusts a verdict for a server that can get a text once more, and then always publishes.
    pub(super) fn require_preamble_check(
        &self,
        (path, document): (&Path, &ServerDocument),
        publish: Option<PublishRecord>,
        quirks: &Quirks,
        verdict: Freshness,
    ) -> Freshness {
        if quirks.resend_params.is_empty() {
            return verdict;
        }
        let is_checked = document.preamble_check.is_some_and(|check| check.version == document.version);
        let is_published = publish
            .and_then(|publish| publish.version)
            .is_some_and(|version| document.sent.is_current_text(version));
        let is_useless = || {
            let published = self.published.get(path);
            published.is_some_and(|published| quirks.must_retry(&published.diagnostics))
        };
        match verdict {
            Freshness::Proven | Freshness::Likely if is_useless() => {
                if document.sent.is_resent() {
                    Freshness::Useless
                } else {
                    Freshness::Resend
                }
            }
            // Without the text, the daemon cannot tell whether its preamble is the checked one.
            Freshness::Proven if !is_checked && !document.has_text() => Freshness::Likely,
            Freshness::Proven if !is_checked => Freshness::Resend,
            // The server has to name the text by another number.
            Freshness::Wait(_) | Freshness::Likely if document.sent.is_unclear() => Freshness::Resend,
            // The text differed for a moment, and is back: the server does not publish for it by itself.
            Freshness::Wait(None) if is_published && !document.sent.is_resent() => Freshness::Resend,
            verdict => verdict,
        }
    }

    /// When another file that this file may depend on last changed.
    pub(super) fn last_change_elsewhere(&self, path: &Path) -> Option<Instant> {
        self.dependencies(path).filter_map(|document| Some(document.edited?.0)).max().max(self.disk_changed)
    }

    pub(super) fn has_unsaved_dependency(&self, path: &Path) -> bool {
        self.dependencies(path).any(|document| !document.is_clean())
    }

    fn dependencies(&self, path: &Path) -> impl Iterator<Item = &ServerDocument> {
        let text = self.documents.get(path).map(|document| document.text.as_str()).unwrap_or_default();
        let may_depend = move |other: &Path| {
            let name = other.file_name().and_then(|name| name.to_str());
            !is_never_imported(other) || name.is_some_and(|name| text.contains(name))
        };
        let others = self.documents.all().filter(move |(other, _)| *other != path && may_depend(other));
        others.map(|(_, document)| document)
    }
}

/// Of the text up to the first line that is neither an include nor a comment.
fn fingerprint(text: &str, prefixes: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    head(text, prefixes).hash(&mut hasher);
    hasher.finish()
}

fn head<'a>(text: &'a str, prefixes: &[String]) -> &'a str {
    let (mut end, mut in_comment, mut continues) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let mut rest = line.trim();
        if !continues {
            (rest, in_comment) = after_comments(rest, in_comment);
        }
        let is_head = continues
            || in_comment
            || rest.is_empty()
            || rest.starts_with("//")
            || prefixes.iter().any(|begin| rest.starts_with(begin));
        if !is_head {
            break;
        }
        // A comment that begins after a directive may continue, too.
        if !in_comment && let Some((_, after)) = rest.rsplit_once("/*") {
            in_comment = !after.contains("*/") && !rest.starts_with("//");
        }
        continues = !in_comment && rest.ends_with('\\');
        end += line.len();
    }
    &text[..end]
}

/// The rest of a line after its leading comments, and whether the last of them continues.
fn after_comments(mut rest: &str, mut in_comment: bool) -> (&str, bool) {
    loop {
        if in_comment {
            let Some((_, after)) = rest.split_once("*/") else { return (rest, true) };
            (rest, in_comment) = (after.trim_start(), false);
        } else if let Some(after) = rest.strip_prefix("/*") {
            (rest, in_comment) = (after, true);
        } else {
            return (rest, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_at_the_first_declaration() {
        let prefixes = ["#", "import"].map(str::to_owned);
        for (text, expected) in [
            ("#include <a.h>\n\nint x;\n#include <b.h>\n", "#include <a.h>\n\n"),
            ("int x;\n", ""),
            (
                "// a\n/* b\n int c; */ #define D \\\n  e\n/* f */ int g;\n",
                "// a\n/* b\n int c; */ #define D \\\n  e\n",
            ),
            ("#define A /* on\n and on */\nimport b;\nint c;", "#define A /* on\n and on */\nimport b;\n"),
            ("#ifndef A\n#define A\n#endif", "#ifndef A\n#define A\n#endif"),
            ("/* open", "/* open"),
            ("", ""),
        ] {
            assert_eq!(head(text, &prefixes), expected, "{text}");
        }
    }
}
