//! Loads a skill for the model.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_metadata::{CallDetail, PermissionAskDetail, SkillAskMetadata, SkillMetadata};
use copydesk_workspace::files::FileError;
use copydesk_workspace::real_file::regular_files_below;
use schemars::JsonSchema;
use serde::Deserialize;

use super::target_file::{file_error, run_blocking};
use crate::context::{PermissionRequest, ToolContext};
use crate::front_matter::FrontMatter;
use crate::outcome::{ToolError, ToolOutput};
use crate::skills::{Skill, plain};
use crate::tool::Tool;

/// The cap on the text; the model can `read` the rest.
const MAX_TEXT_BYTES: usize = 40 * 1024;

/// The caps on files to name, on entries to search for them, and on the depth of that search.
const MAX_NAMED_FILES: usize = 10;
const MAX_ENTRIES: usize = 500;
const MAX_DEPTH: usize = 3;

/// The caps on the list, which every request to the model carries, and on each description in it.
const MAX_LIST_BYTES: usize = 12 * 1024;
const MAX_DESCRIPTION_CHARS: usize = 300;

#[derive(Debug)]
pub(super) struct SkillTool {
    skills: Arc<[Skill]>,
    prompt: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SkillParameters {
    /// The name of the skill, from the list.
    name: String,
}

impl SkillTool {
    pub(super) fn new(skills: Arc<[Skill]>) -> Self {
        let prompt = format!("{}\n{}", include_str!("skill.md"), list(&skills));
        Self { skills, prompt }
    }
}

/// Sorted by name, so that every request has the same order.
fn list(skills: &[Skill]) -> String {
    let mut list = String::new();
    for (at, Skill { name, description, .. }) in skills.iter().enumerate() {
        let cut = description.char_indices().nth(MAX_DESCRIPTION_CHARS).map(|(end, _)| end);
        let short = cut.and_then(|end| Some(format!("{}…", description.get(..end)?)));
        let line = format!("- {name}: {}\n", short.as_deref().unwrap_or(description));
        if list.len() + line.len() > MAX_LIST_BYTES {
            let _ = writeln!(list, "- and {} more; an unknown name lists them all", skills.len() - at);
            break;
        }
        list.push_str(&line);
    }
    list
}

impl Tool for SkillTool {
    type Parameters = SkillParameters;

    fn name(&self) -> Cow<'static, str> {
        "skill".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        self.prompt.clone().into()
    }

    async fn run(&self, parameters: SkillParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let name = parameters.name.trim();
        let is_meant = |skill: &&Skill| skill.name.eq_ignore_ascii_case(name);
        let exact = self.skills.iter().find(|skill| skill.name == name);
        let Some(skill) = exact.or_else(|| self.skills.iter().find(is_meant)) else {
            let names: Vec<_> = self.skills.iter().map(|skill| format!("`{}`", skill.name)).collect();
            let shown: String = name.chars().take(100).collect();
            return Err(ToolError::target(format!(
                "There is no skill `{shown}`. There are: {}.",
                names.join(", ")
            )));
        };
        let key = "skill".to_owned();
        let (patterns, always) = (vec![skill.name.clone()], vec![skill.name.clone()]);
        let path = skill.path.to_string_lossy().into_owned();
        let metadata = PermissionAskDetail::Skill(SkillAskMetadata { path: path.clone() }).into();
        let title = format!("Load the skill {} from {}", skill.name, skill.folder.display());
        context
            .ask(PermissionRequest { key, patterns, always, title, metadata, ..PermissionRequest::default() })
            .await?;
        let text = text(&context, skill).await?;
        let folder = skill.folder.clone();
        let (files, more) = run_blocking(move || Ok(sibling_files(&folder))).await?;
        let output = render_skill(skill, &text, &files, more);
        let metadata = CallDetail::Skill(SkillMetadata {
            name: skill.name.clone(),
            path,
            foreign: skill.is_from_repository,
            files,
        })
        .into();
        Ok(ToolOutput { title: skill.name.clone(), output, metadata, ..ToolOutput::default() })
    }
}

/// The text without front matter, from the editor if it is open there.
async fn text(context: &ToolContext, skill: &Skill) -> Result<String, ToolError> {
    let place = context.files.resolve(&skill.path.to_string_lossy());
    if place.real_path() != skill.path {
        // The path was resolved when the session began.
        let message = format!(
            "The file of the skill `{}` now resolves to another path. Continue without it.",
            skill.name
        );
        return Err(ToolError::target(message));
    }
    let content =
        context.files.peek(&place, MAX_TEXT_BYTES as u64 * 4).await.map_err(|error| match error {
            FileError::NotFound { .. } => {
                ToolError::target(format!("The skill `{}` is gone. Do without it.", skill.name))
            }
            error => file_error(&error),
        })?;
    let text = plain(&content.bytes);
    let body = FrontMatter::split(&text).1;
    Ok(match body.get(..body.floor_char_boundary(MAX_TEXT_BYTES)) {
        Some(kept) if kept.len() < body.len() => {
            format!("{kept}\n[The rest is left out; read it in {}.]", skill.path.display())
        }
        _ => body.to_owned(),
    })
}

fn render_skill(skill: &Skill, text: &str, files: &[String], more: bool) -> String {
    let whose = if skill.is_from_repository { " (written by this repository)" } else { "" };
    let mut told = format!("The skill `{}`{whose}:\n\n{text}\n\n", skill.name);
    let _ = write!(told, "Its folder is {}; paths in the text begin there.", skill.folder.display());
    if !files.is_empty() {
        let _ = write!(told, " Other files; read them if needed:\n- {}", files.join("\n- "));
    }
    if more {
        told.push_str("\n- … and more");
    }
    told
}

/// The first files of its folder, sorted by path, without `SKILL.md` and hidden ones; and whether there are more.
fn sibling_files(folder: &Path) -> (Vec<String>, bool) {
    let mut files = regular_files_below(folder, MAX_DEPTH, MAX_ENTRIES);
    files.retain(|path| path != Path::new("SKILL.md"));
    files.sort();
    let more = files.len() > MAX_NAMED_FILES;
    let shown = |path: &PathBuf| path.to_string_lossy().into_owned();
    (files.iter().map(shown).take(MAX_NAMED_FILES).collect(), more)
}
