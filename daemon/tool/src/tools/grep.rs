//! Finds lines by their content.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use copydesk_workspace::files::Place;
use copydesk_workspace::search::{self, Case, Grepped, Match, SearchError, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::folder::below_real;
use super::open::Open;
use super::target::{count, late, names, search_ask, search_failure};
use crate::context::{Ask, Context, Refused, Reviewed};
use crate::outcome::{Failure, Output};
use crate::tool::Tool;

const LIMIT: usize = 100;

/// How often it is searched again because of files that may not be read, and for how many times as many lines each time.
const ROUNDS: u32 = 2;
const MORE: usize = 10;

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
            without: HashSet::new(),
            overlay: context.files.overlay(),
        };
        let found = match self.find(&context, &place, request).await? {
            Ok(found) => found,
            Err(error) => return Err(search_failure(&context, &place, error).await),
        };
        let mut output = show(&place, &pattern, &found);
        if found.is_late {
            output.push_str(&late(self.patience, "`path` or `include`"));
        }
        let metadata = json!({ "matches": found.matches.len(), "truncated": found.more || found.is_late });
        Ok(Output { title: pattern, output, metadata, ..Output::default() })
    }
}

impl Grep {
    /// The lines that may be shown: to show a line is to read its file, and there may be rules about that (`.env` is asked for). Files
    /// that a rule forbids are passed over without a word, since whether a line of them matches says what is in them; nor do they
    /// take the place of others: where they did, it is searched again without them, for more lines each time.
    async fn find(
        &self,
        context: &Context,
        place: &Place,
        mut request: search::Grep,
    ) -> Result<Result<Grepped, SearchError>, Failure> {
        let mut round = 0;
        loop {
            let until = Until { cancel: context.cancel.clone(), patience: self.patience };
            let mut found = match search::grep(request.clone(), until).await {
                Ok(found) => found,
                Err(error) => return Ok(Err(error)),
            };
            if round == 0 {
                match ask_for(context, place, &found.matches, Reviewed::Never).await {
                    Err(Refused::ByRule { .. }) => {}
                    answer => return allowed(answer, place, &found.matches).map(|()| Ok(found)),
                }
            }
            let denied = denied(context, place, &found.matches).await?;
            found.matches.retain(|line| !denied.contains(&line.path));
            if denied.is_empty() || !found.more || found.matches.len() > LIMIT || round == ROUNDS {
                found.more |= found.matches.len() > LIMIT;
                found.matches.truncate(LIMIT);
                let answer = ask_for(context, place, &found.matches, Reviewed::Never).await;
                return allowed(answer, place, &found.matches).map(|()| Ok(found));
            }
            round += 1;
            request.limit = request.limit.saturating_mul(MORE);
            request.without.extend(denied);
        }
    }
}

/// The files among them that a rule forbids to read. Nobody is asked.
async fn denied(context: &Context, place: &Place, lines: &[Match]) -> Result<HashSet<PathBuf>, Failure> {
    let mut denied = HashSet::new();
    for of_file in lines.chunk_by(|one, other| one.path == other.path) {
        match ask_for(context, place, of_file, Reviewed::First).await {
            Err(Refused::ByRule { .. }) => denied.extend(of_file.iter().map(|line| line.path.clone())),
            answer => allowed(answer, place, lines)?,
        }
    }
    Ok(denied)
}

/// By all names that the files have: a link is no way past a rule about what it leads to.
async fn ask_for(context: &Context, place: &Place, lines: &[Match], review: Reviewed) -> Result<(), Refused> {
    let mut files = Vec::new();
    for lines in lines.chunk_by(|one, other| one.path == other.path) {
        let Some(path) = lines.first().map(|line| &line.path) else { continue };
        let real = names(context, &context.files.resolve(&path.to_string_lossy()));
        for name in [below_real(place, path)].into_iter().chain(real) {
            if !files.contains(&name) {
                files.push(name);
            }
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    let ask = Ask {
        key: "read".to_owned(),
        patterns: files.clone(),
        always: files,
        title: "Show the lines that were found".to_owned(),
        review,
        ..Ask::default()
    };
    context.asked(ask).await.map(drop)
}

fn allowed(answer: Result<(), Refused>, place: &Place, lines: &[Match]) -> Result<(), Failure> {
    let mut files: Vec<_> = lines.iter().map(|line| below_real(place, &line.path)).collect();
    files.dedup();
    let by_person = matches!(answer, Err(Refused::ByPerson { .. } | Refused::ByNobody));
    answer.map_err(Refused::failure).map_err(|failure| match by_person {
        true => {
            let hint = format!(
                "{}\nThere are matches in {}; leave out what may not be read with `include`.",
                failure.message,
                files.join(", ")
            );
            Failure { message: hint, ..failure }
        }
        false => failure,
    })
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
            "No line in `{}` matches `{pattern}`. Files that git ignores, binary files and those that a rule forbids to read are passed over.",
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
