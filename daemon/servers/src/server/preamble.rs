//! Whether what was said of a text was made with what the text brings in, as that is now.
//!
//! A server that keeps what it made of the head of a text (clangd its preamble) says something of the next text at once, with what
//! it kept, and once more when the head is made anew, under the same version. So its word on a text has a ground only where
//! the head could be kept, where there was nothing to keep, or where it was told of the very same text once more after it had
//! spoken of it: to that it has nothing to say but what it makes anew.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use tokio::time::Instant;

use super::documents::ServerDocument;
use super::freshness::{Freshness, PublishRecord};
use super::record::ServerRecord;
use crate::dependents::is_never_imported;
use crate::quirks::Quirks;

/// The last text of which something was said with ground.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreambleCheck {
    version: i32,
    head: u64,
    /// When the server was told of that version: nothing else was changed since then that it knew of.
    told: Instant,
}

impl ServerRecord {
    /// A text was told of: with another head, what was kept is of no use.
    pub(super) fn invalidate_preamble(&mut self, path: &Path, quirks: &Quirks) {
        let Some(held) = self.documents.get_mut(path).filter(|_| !quirks.touch.is_empty()) else { return };
        let head = fingerprint(&held.text, &quirks.head);
        held.preamble_check = held.preamble_check.filter(|ground| ground.head == head);
    }

    /// A version was published for, after `before`.
    pub(super) fn record_preamble_check(
        &mut self,
        path: &Path,
        version: Option<i32>,
        before: Option<PublishRecord>,
        quirks: &Quirks,
    ) {
        if quirks.touch.is_empty() {
            return;
        }
        let elsewhere = self.last_change_elsewhere(path);
        let held = self.documents.get_mut(path);
        let Some(held) = held.filter(|held| version == Some(held.version) && held.has_text()) else {
            return;
        };
        let is_again = |before: PublishRecord| {
            before.version.is_some_and(|version| held.has_same_text_as(version))
                && before.first_received <= held.sent_at
        };
        let head = fingerprint(&held.text, &quirks.head);
        let is_kept = |ground: PreambleCheck| ground.head == head && elsewhere <= Some(ground.told);
        if elsewhere <= Some(held.sent_at)
            && (held.is_just_opened()
                || before.is_some_and(is_again)
                || held.preamble_check.is_some_and(is_kept))
        {
            held.preamble_check = Some(PreambleCheck { version: held.version, head, told: held.sent_at });
        }
    }

    /// What was judged, for a server that can be told of a text once more and then always speaks.
    pub(super) fn require_preamble_check(
        &self,
        held: &ServerDocument,
        heard: Option<PublishRecord>,
        quirks: &Quirks,
        verdict: Freshness,
    ) -> Freshness {
        if quirks.touch.is_empty() {
            return verdict;
        }
        let has_ground = held.preamble_check.is_some_and(|ground| ground.version == held.version);
        let said_of_it =
            heard.and_then(|heard| heard.version).is_some_and(|version| held.has_same_text_as(version));
        match verdict {
            Freshness::Proven if !has_ground => Freshness::Resend,
            // The text was another for a moment, and of what it is again nothing is said by itself.
            Freshness::Wait(None) if said_of_it && !held.is_resent() => Freshness::Resend,
            verdict => verdict,
        }
    }

    /// When anything else was last changed that a file may depend on.
    pub(super) fn last_change_elsewhere(&self, path: &Path) -> Option<Instant> {
        self.dependencies(path).filter_map(|held| Some(held.edited?.0)).max().max(self.disk_changed)
    }

    /// Whether another open document that a file may depend on is not saved.
    pub(super) fn has_unsaved_dependency(&self, path: &Path) -> bool {
        self.dependencies(path).any(|held| !held.is_clean())
    }

    fn dependencies(&self, path: &Path) -> impl Iterator<Item = &ServerDocument> {
        let text = self.documents.get(path).map(|held| held.text.as_str()).unwrap_or_default();
        let may_depend = move |other: &Path| {
            let name = other.file_name().and_then(|name| name.to_str());
            !is_never_imported(other) || name.is_some_and(|name| text.contains(name))
        };
        let others = self.documents.all().filter(move |(other, _)| *other != path && may_depend(other));
        others.map(|(_, held)| held)
    }
}

/// Of all up to the first line that brings nothing in and is no comment.
fn fingerprint(text: &str, brings: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    head(text, brings).hash(&mut hasher);
    hasher.finish()
}

fn head<'a>(text: &'a str, brings: &[String]) -> &'a str {
    let (mut at, mut in_comment, mut goes_on) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let mut rest = line.trim();
        if !goes_on {
            (rest, in_comment) = after_comments(rest, in_comment);
        }
        let is_head = goes_on
            || in_comment
            || rest.is_empty()
            || rest.starts_with("//")
            || brings.iter().any(|begin| rest.starts_with(begin));
        if !is_head {
            break;
        }
        // A comment that begins behind a directive may go on, too.
        if !in_comment && let Some((_, after)) = rest.rsplit_once("/*") {
            in_comment = !after.contains("*/") && !rest.starts_with("//");
        }
        goes_on = !in_comment && rest.ends_with('\\');
        at += line.len();
    }
    &text[..at]
}

/// What stands behind the comments that a line begins with, and whether the last of them goes on.
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
    fn the_head_ends_where_the_first_declaration_begins() {
        let brings = ["#", "import"].map(str::to_owned);
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
            assert_eq!(head(text, &brings), expected, "{text}");
        }
    }
}
