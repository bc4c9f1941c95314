//! Finds lines by their content.

use std::borrow::Cow;
use std::fmt::Write;
use std::time::Duration;

use copydesk_workspace::files::Place;
use copydesk_workspace::search::{self, Case, Grepped, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::folder::below_real;
use super::open::Open;
use super::target::{count, late, search_ask, search_failure};
use crate::context::{Ask, Context};
use crate::outcome::{Failure, Output};
use crate::tool::Tool;

const LIMIT: usize = 100;

#[derive(Debug)]
pub(super) struct Grep {
    pub(super) patience: Duration,
    pub(super) open: Open,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The regular expression that a line must match (Rust's syntax; `(?i)` in front ignores case).
    pattern: String,
    /// The folder or the one file to search: relative to the workspace, or absolute. Default: the workspace.
    path: Option<String>,
    /// Which files to search, as a glob: `*.rs`, `*.{ts,tsx}`; `!*.min.js` leaves some out.
    include: Option<String>,
}

impl Tool for Grep {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "grep".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("grep.md").into()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let Parameters { pattern, path, include } = parameters;
        let place = self.open.place(&context, path.as_deref().unwrap_or_default()).await?;
        context.ask(search_ask("grep", &pattern)).await?;
        let request = search::Grep {
            within: place.real().to_owned(),
            regex: pattern.clone(),
            case: Case::Sensitive,
            include: globs(include.as_deref().unwrap_or_default()),
            hidden: true,
            limit: LIMIT,
            overlay: context.files.overlay(),
        };
        let until = Until { cancel: context.cancel.clone(), patience: self.patience };
        let found = match search::grep(request, until).await {
            Ok(found) => found,
            Err(error) => return Err(search_failure(&context, &place, error).await),
        };
        readable(&context, &place, &found).await?;
        let mut output = show(&place, &pattern, &found);
        if found.is_late {
            output.push_str(&late(self.patience, "`path` or `include`"));
        }
        let metadata = json!({ "matches": found.matches.len(), "truncated": found.more || found.is_late });
        Ok(Output { title: pattern, output, metadata, ..Output::default() })
    }
}

/// To show a line is to read its file, and there may be rules about that: `.env` is asked for.
async fn readable(context: &Context, place: &Place, found: &Grepped) -> Result<(), Failure> {
    let mut files: Vec<_> = found.matches.iter().map(|line| below_real(place, &line.path)).collect();
    files.dedup();
    if files.is_empty() {
        return Ok(());
    }
    let hint = format!(
        "\nThere are matches in {}; leave out what may not be read with `include`.",
        files.join(", ")
    );
    let ask = Ask {
        key: "read".to_owned(),
        patterns: files.clone(),
        always: files,
        title: "Show the lines that were found".to_owned(),
        ..Ask::default()
    };
    let with_hint = |failure: Failure| Failure { message: failure.message.clone() + &hint, ..failure };
    context.ask(ask).await.map(drop).map_err(with_hint)
}

/// Models separate globs by commas or spaces; a comma within braces belongs to the glob.
fn globs(include: &str) -> Vec<String> {
    let mut depth = 0;
    let parts = include.split(|letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && (letter == ',' || letter.is_whitespace())
    });
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn show(place: &Place, pattern: &str, found: &Grepped) -> String {
    let mut text = String::new();
    let mut file = None;
    let mut files = 0;
    for line in &found.matches {
        if file != Some(&line.path) {
            let gap = if file.is_some() { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", below_real(place, &line.path));
            file = Some(&line.path);
            files += 1;
        }
        let _ = writeln!(text, "  {}: {}", line.line, line.text);
    }
    let mut end = if found.matches.is_empty() {
        format!(
            "No line in `{}` matches `{pattern}`. Files that git ignores and binary files are passed over.",
            place.shown
        )
    } else if found.more {
        format!(
            "\n(These are the first {LIMIT} lines; there are more. Give a narrower pattern, `path` or `include`.)"
        )
    } else {
        format!("\n({} in {}.)", count(found.matches.len(), "line"), count(files, "file"))
    };
    if found.unreadable > 0 {
        let _ = write!(end, "\n({} of the files and folders could not be read.)", found.unreadable);
    }
    text + &end
}
