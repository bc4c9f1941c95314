//! Finds lines by their content.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use copydesk_metadata::{CallDetail, TextSearchMetadata};
use copydesk_permission::looks_like_secret;
use copydesk_workspace::files::ResolvedPath;
use copydesk_workspace::search::{
    self, CaseSensitivity, GrepMatch, GrepMatches, SearchDeadline, SearchError,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::folder_listing::child_path_from_real;
use super::readable_folders::ReadableFolders;
use super::rule_names::rule_names;
use super::target_file::{count, search_ask, search_error, timeout_note};
use crate::context::{AskUserMode, PermissionGrant, PermissionRequest, ToolContext};
use crate::denial::PermissionDenial;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::Tool;

const MAX_MATCHES: usize = 100;

/// How often the search repeats because of files that may not be read, and by which factor the number of lines grows.
const ROUNDS: u32 = 2;
const MORE: usize = 10;

#[derive(Debug)]
pub(super) struct GrepTool {
    pub(super) timeout: Duration,
    pub(super) readable_folders: ReadableFolders,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GrepParameters {
    /// The regular expression that a line must match (Rust's syntax; `(?i)` in front ignores case).
    pattern: String,
    /// The folder or the one file to search: relative to the workspace, or absolute. Default: the workspace.
    path: Option<String>,
    /// Which files to search, as a glob: `*.rs`, `*.{ts,tsx}`; `!*.min.js` leaves some out.
    include: Option<String>,
}

impl Tool for GrepTool {
    type Parameters = GrepParameters;

    fn name(&self) -> Cow<'static, str> {
        "grep".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("grep.md").into()
    }

    async fn run(&self, parameters: GrepParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let GrepParameters { pattern, path, include } = parameters;
        let place = self.readable_folders.resolve_path(&context, path.as_deref().unwrap_or_default()).await?;
        context.ask(search_ask("grep", &pattern)).await?;
        let request = search::GrepRequest {
            root: place.real_path().to_owned(),
            regex: pattern.clone(),
            case: CaseSensitivity::Sensitive,
            include: globs(include.as_deref().unwrap_or_default()),
            hidden: true,
            limit: MAX_MATCHES,
            excluded_paths: HashSet::new(),
            view: context.files.search_view(),
        };
        let found = match self.find(&context, &place, request).await? {
            Ok(found) => found,
            Err(error) => return Err(search_error(&context, &place, error).await),
        };
        let mut output = show(&place, &pattern, &found);
        if found.is_timed_out {
            output.push_str(&timeout_note(self.timeout, "`path` or `include`"));
        }
        let truncated = found.has_more || found.is_timed_out;
        let search = TextSearchMetadata { matches: found.matches.len() as u64, truncated };
        let metadata = CallDetail::TextSearch(search).into();
        Ok(ToolOutput { title: pattern, output, metadata, ..ToolOutput::default() })
    }
}

impl GrepTool {
    /// The lines that may be shown. To show a line is to read its file, and rules may deny that (`.env` asks). Denied files
    /// are left out silently, because even a match tells something about their content. They take no place of others: the
    /// search repeats without them, for more lines each time.
    async fn find(
        &self,
        context: &ToolContext,
        place: &ResolvedPath,
        mut request: search::GrepRequest,
    ) -> Result<Result<GrepMatches, SearchError>, ToolError> {
        let mut round = 0;
        loop {
            let until = SearchDeadline { cancel: context.cancel.clone(), timeout: self.timeout };
            let mut found = match search::grep(request.clone(), until).await {
                Ok(found) => found,
                Err(error) => return Ok(Err(error)),
            };
            if round == 0 && !has_secrets(context, place, &found.matches) {
                match ask_for(context, place, &found.matches, AskUserMode::Whole).await {
                    Err(PermissionDenial::ByRule { .. }) => {}
                    answer => return allowed(answer, place, &found.matches).map(|()| Ok(found)),
                }
            }
            let denied = denied(context, place, &found.matches).await?;
            found.matches.retain(|line| !denied.contains(&line.path));
            if denied.is_empty() || !found.has_more || found.matches.len() > MAX_MATCHES || round == ROUNDS {
                found.has_more |= found.matches.len() > MAX_MATCHES;
                found.matches.truncate(MAX_MATCHES);
                let answer = ask_for(context, place, &found.matches, AskUserMode::Whole).await;
                return allowed(answer, place, &found.matches).map(|()| Ok(found));
            }
            round += 1;
            request.limit = request.limit.saturating_mul(MORE);
            request.excluded_paths.extend(denied);
        }
    }
}

/// Whether the search of a folder found lines of a file that looks like a secret. Who names the file is asked for it.
fn has_secrets(context: &ToolContext, place: &ResolvedPath, lines: &[GrepMatch]) -> bool {
    let is_secret = |line: &GrepMatch| {
        let place = context.files.resolve(&line.path.to_string_lossy());
        rule_names(&context.files, &place).iter().any(|name| looks_like_secret(name))
    };
    let mut files = lines.chunk_by(|one, other| one.path == other.path).filter_map(<[_]>::first);
    place.real_path().is_dir() && files.any(is_secret)
}

/// The files that a rule denies to read, and secrets that it asks for. The user is not asked: which lines of a secret match
/// would say what is in it.
async fn denied(
    context: &ToolContext,
    place: &ResolvedPath,
    lines: &[GrepMatch],
) -> Result<HashSet<PathBuf>, ToolError> {
    let mut denied = HashSet::new();
    for of_file in lines.chunk_by(|one, other| one.path == other.path) {
        match ask_for(context, place, of_file, AskUserMode::Never).await {
            Err(PermissionDenial::ByRule { .. }) => {
                denied.extend(of_file.iter().map(|line| line.path.clone()));
            }
            Ok(PermissionGrant::NotAsked { .. }) if has_secrets(context, place, of_file) => {
                denied.extend(of_file.iter().map(|line| line.path.clone()));
            }
            answer => allowed(answer, place, lines)?,
        }
    }
    Ok(denied)
}

/// By all names of the files: a symlink is no way past a rule about its target.
async fn ask_for(
    context: &ToolContext,
    place: &ResolvedPath,
    lines: &[GrepMatch],
    ask_user: AskUserMode,
) -> Result<PermissionGrant, PermissionDenial> {
    let mut files = Vec::new();
    for lines in lines.chunk_by(|one, other| one.path == other.path) {
        let Some(path) = lines.first().map(|line| &line.path) else { continue };
        let real = rule_names(&context.files, &context.files.resolve(&path.to_string_lossy()));
        for name in [child_path_from_real(place, path)].into_iter().chain(real) {
            if !files.contains(&name) {
                files.push(name);
            }
        }
    }
    if files.is_empty() {
        return Ok(PermissionGrant::ByRule);
    }
    let ask = PermissionRequest {
        key: "read".to_owned(),
        patterns: files.clone(),
        always: files,
        title: "Show the lines that were found".to_owned(),
        ask_user,
        ..PermissionRequest::default()
    };
    context.try_ask(ask).await
}

fn allowed(
    answer: Result<PermissionGrant, PermissionDenial>,
    place: &ResolvedPath,
    lines: &[GrepMatch],
) -> Result<(), ToolError> {
    let mut files: Vec<_> = lines.iter().map(|line| child_path_from_real(place, &line.path)).collect();
    files.dedup();
    let by_user = matches!(answer, Err(PermissionDenial::ByUser { .. } | PermissionDenial::Unattended));
    answer.map(drop).map_err(PermissionDenial::into_error).map_err(|failure| match by_user {
        true => {
            let hint = format!(
                "{}\nThere are matches in {}; leave out what may not be read with `include`.",
                failure.message,
                files.join(", ")
            );
            ToolError { message: hint, ..failure }
        }
        false => failure,
    })
}

/// Models separate globs by commas or spaces; a comma in braces belongs to the glob.
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

fn show(place: &ResolvedPath, pattern: &str, found: &GrepMatches) -> String {
    let mut text = String::new();
    let mut file = None;
    let mut files = 0;
    for line in &found.matches {
        if file != Some(&line.path) {
            let gap = if file.is_some() { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", child_path_from_real(place, &line.path));
            file = Some(&line.path);
            files += 1;
        }
        let _ = writeln!(text, "  {}: {}", line.line, line.text);
    }
    let mut end = if found.matches.is_empty() {
        format!(
            "No line in `{}` matches `{pattern}`. Files that git ignores, binary files, those that look like a secret and those that a rule forbids to read are passed over.",
            place.display_path
        )
    } else if found.has_more {
        format!(
            "\n(These are the first {MAX_MATCHES} lines; there are more. Give a narrower pattern, `path` or `include`.)"
        )
    } else {
        format!("\n({} in {}.)", count(found.matches.len(), "line"), count(files, "file"))
    };
    if found.unreadable > 0 {
        let _ = write!(end, "\n({} of the files and folders could not be read.)", found.unreadable);
    }
    text + &end
}
