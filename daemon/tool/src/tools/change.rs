//! A change to one file on its way: shown, asked about, and written only over what it was made for.

use std::fmt::Write;

use copydesk_text::{Diff, Limits, Tag, diff};
use copydesk_workspace::files::{Expect, Folders, Place};
use serde_json::{Value, json};

use super::target::{file_failure, names};
use crate::context::{Ask, Context};
use crate::outcome::Failure;

/// How much of the changed places the model is shown.
const MOST_LINES: usize = 60;
const MOST_CHARS: usize = 200;

/// What is to be written, and how it differs from what is there.
#[derive(Debug)]
pub(super) struct Change {
    bytes: Vec<u8>,
    expect: Expect,
    diff: String,
    additions: usize,
    deletions: usize,
    /// The changed places as they will be, with line numbers.
    pub(super) places: String,
}

impl Change {
    /// `old` is nothing for a new file. Takes up to half a second for texts that have nothing in common.
    pub(super) fn new(place: &Place, old: Option<&str>, new: &str, bytes: Vec<u8>, expect: Expect) -> Self {
        let differences = diff(old.unwrap_or_default(), new, 3);
        let from = if old.is_some() { format!("a/{}", place.shown) } else { "/dev/null".to_owned() };
        let unified = differences.unified(Limits::default());
        Self {
            bytes,
            expect,
            diff: format!("--- {from}\n+++ b/{}\n{unified}", place.shown),
            additions: differences.additions,
            deletions: differences.deletions,
            places: places(&differences),
        }
    }

    /// Asks, and writes if nothing has happened to the file meanwhile. Gives what the person is shown afterwards.
    pub(super) async fn make(self, context: &Context, place: &Place) -> Result<Value, Failure> {
        let metadata = json!({
            "filepath": place.path.to_string_lossy(),
            "diff": self.diff,
            "additions": self.additions,
            "deletions": self.deletions,
        });
        let verb = if self.expect == Expect::New { "Create" } else { "Edit" };
        let ask = Ask {
            key: "edit".to_owned(),
            patterns: names(context, place),
            always: vec!["*".to_owned()],
            title: format!("{verb} {} ({})", place.shown, self.size()),
            metadata: metadata.clone(),
        };
        context.ask(ask).await?;
        if context.cancel.is_cancelled() {
            return Err(Failure::cancelled());
        }
        let folders = if self.expect == Expect::New { Folders::Create } else { Folders::MustExist };
        let written = context.files.write(place, self.bytes, self.expect, folders).await;
        written.map(|_| metadata).map_err(|error| file_failure(&error))
    }

    /// `+2 -1`, in lines.
    pub(super) fn size(&self) -> String {
        format!("+{} -{}", self.additions, self.deletions)
    }
}

fn places(diff: &Diff<'_>) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for hunk in &diff.hunks {
        let now = hunk.lines.iter().filter(|(tag, _)| *tag != Tag::Delete);
        if !text.is_empty() {
            text.push_str("…\n");
        }
        for (number, (_, line)) in (hunk.new_start..).zip(now) {
            if shown == MOST_LINES {
                text.push_str("… (more is changed than is shown)\n");
                return text;
            }
            let _ = writeln!(text, "{number}: {}", clipped(line));
            shown += 1;
        }
    }
    text
}

fn clipped(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match line.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
