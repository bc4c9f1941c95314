//! Loads a skill for the model.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_metadata::{CallDetail, PermissionAskDetail, SkillAskMetadata, SkillMetadata};
use copydesk_workspace::files::FileError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::target_file::{file_error, run_blocking};
use crate::context::{PermissionRequest, ToolContext};
use crate::front_matter::FrontMatter;
use crate::outcome::{ToolError, ToolOutput};
use crate::skills::{Skill, plain};
use crate::tool::Tool;

/// The cap of the text; the model can `read` the rest.
const LARGEST: usize = 40 * 1024;

/// The most files that are named, and the most entries that are searched for them.
const MOST_FILES: usize = 10;
const MOST_ENTRIES: usize = 500;
const DEEPEST: usize = 3;

/// The cap of the list, which every request to the model carries.
const LONGEST_LIST: usize = 12 * 1024;
const LONGEST_LINE: usize = 300;

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
        let cut = description.char_indices().nth(LONGEST_LINE).map(|(end, _)| end);
        let short = cut.and_then(|end| Some(format!("{}…", description.get(..end)?)));
        let line = format!("- {name}: {}\n", short.as_deref().unwrap_or(description));
        if list.len() + line.len() > LONGEST_LIST {
            let _ = writeln!(list, "- and {} more, of which a wrong name tells", skills.len() - at);
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
        // It was resolved when the session began, and leads elsewhere now.
        let message = format!("The skill `{}` leads elsewhere by now. Do without it.", skill.name);
        return Err(ToolError::target(message));
    }
    let content = context.files.peek(&place, LARGEST as u64 * 4).await.map_err(|error| match error {
        FileError::NotFound { .. } => {
            ToolError::target(format!("The skill `{}` is gone. Do without it.", skill.name))
        }
        error => file_error(&error),
    })?;
    let text = plain(&content.bytes);
    let body = FrontMatter::split(&text).1;
    Ok(match body.get(..body.floor_char_boundary(LARGEST)) {
        Some(kept) if kept.len() < body.len() => {
            format!("{kept}\n[The rest is left out; read it in {}.]", skill.path.display())
        }
        _ => body.to_owned(),
    })
}

fn render_skill(skill: &Skill, text: &str, files: &[String], more: bool) -> String {
    let whose = if skill.is_from_repository { ", in the words of this repository" } else { "" };
    let mut told = format!("The skill `{}`{whose}:\n\n{text}\n\n", skill.name);
    let _ = write!(told, "Its folder is {}; paths in the text begin there.", skill.folder.display());
    if !files.is_empty() {
        let _ = write!(told, " Beside the text, to be read when they are needed:\n- {}", files.join("\n- "));
    }
    if more {
        told.push_str("\n- … and more");
    }
    told
}

/// The first files of its folder, sorted by path, without `SKILL.md` and hidden ones; and whether there are more.
fn sibling_files(folder: &Path) -> (Vec<String>, bool) {
    let (mut files, mut left) = (Vec::new(), MOST_ENTRIES);
    gather(folder, DEEPEST, &mut left, &mut files);
    let is_text = |path: &PathBuf| *path == folder.join("SKILL.md");
    files.retain(|path| !is_text(path));
    files.sort();
    let more = files.len() > MOST_FILES;
    let shown =
        |path: &PathBuf| path.strip_prefix(folder).ok().map(|path| path.to_string_lossy().into_owned());
    (files.iter().filter_map(shown).take(MOST_FILES).collect(), more)
}

fn gather(folder: &Path, deep: usize, left: &mut usize, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(less) = left.checked_sub(1) else { return };
        *left = less;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        // Symlinks are not followed: they may lead anywhere.
        match entry.file_type() {
            Ok(kind) if kind.is_file() && !is_hidden => files.push(entry.path()),
            Ok(kind) if kind.is_dir() && !is_hidden && deep > 1 => {
                gather(&entry.path(), deep - 1, left, files);
            }
            _ => {}
        }
    }
}
