//! The files of a patch: their content, and the changes that the patch makes.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use copydesk_text::patch::{Patch, PatchAction, PatchError, PatchSection, PatchStep, parse, plan};
use copydesk_text::{FileText, MatchTier};
use copydesk_workspace::files::{ContentStamp, FileError, READ_LIMIT, ResolvedPath};

use super::change::RequestedChange;
use super::target_file::{self, file_error, path_ask};
use super::unshown_text::check_shown;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind};

/// The cap on files of a patch.
const MAX_FILES: usize = 500;

/// A patch with its files.
#[derive(Debug)]
pub(super) struct LoadedPatch {
    text: String,
    files: Vec<PatchTarget>,
    /// The file of each path in the patch: several paths may name one file.
    by_path: HashMap<String, usize>,
}

#[derive(Debug)]
struct PatchTarget {
    place: ResolvedPath,
    is_there: bool,
    /// The patch needs its content.
    needs_content: bool,
    /// If it exists and the patch needs it.
    content: Option<(FileText, ContentStamp)>,
    /// Why the patch may not replace its whole text.
    overwrite_error: Option<ToolError>,
    /// The user has typed in it since the model read it.
    is_user_edited: bool,
}

/// The changes of a patch.
pub(super) struct PatchChanges {
    pub(super) changes: Vec<RequestedChange>,
    /// The matcher's tier for each updated file.
    pub(super) tiers: Vec<(String, MatchTier)>,
}

impl LoadedPatch {
    /// Resolves every path and loads the content, after the asks that this needs.
    pub(super) async fn find(context: &ToolContext, text: String) -> Result<Self, ToolError> {
        let patch = parse(&text).map_err(patch_error)?;
        let wanted = paths_needing_content(context, &patch);
        let mut files = Vec::new();
        let mut by_name: HashMap<PathBuf, usize> = HashMap::new();
        let mut by_path = HashMap::new();
        let mut size = 0;
        for path in patch.paths() {
            if by_path.contains_key(path) {
                continue;
            }
            let place = context.resolve_path(path).await?;
            let name = place.real_path().to_owned();
            let known = by_name.get(&name).copied();
            if known.is_none() {
                let known = PatchTarget::look(context, place, wanted.contains(&name)).await?;
                size += known.content.as_ref().map_or(0, |(file, _)| file.size());
                files.push(known);
            }
            let index = known.unwrap_or(files.len() - 1);
            by_name.insert(name, index);
            by_path.insert(path.to_owned(), index);
            if files.len() > MAX_FILES || size > READ_LIMIT {
                let message = format!(
                    "The patch is too large: one may name up to {MAX_FILES} files, with {READ_LIMIT} bytes together. \
                     Nothing was changed; split it."
                );
                return Err(ToolError::new(ToolErrorKind::Arguments, message));
            }
        }
        Ok(Self { text, files, by_path })
    }

    /// Computes the changes. Slow in large files.
    pub(super) fn plan_changes(&self) -> Result<PatchChanges, ToolError> {
        let mut patch = parse(&self.text).map_err(patch_error)?;
        for section in &mut patch.sections {
            section.path = self.name(section.path);
            if let PatchAction::Update { to: Some(to), .. } = &mut section.action {
                *to = self.name(to);
            }
        }
        let by_name: HashMap<_, _> =
            self.files.iter().map(|file| (file.place.display_path.as_str(), file)).collect();
        let text = |path: &str| {
            let known = by_name.get(path).filter(|known| known.is_there)?;
            Some(known.content.as_ref().map_or("", |(file, _)| file.text()))
        };
        let mut tried = PatchChanges { changes: Vec::new(), tiers: Vec::new() };
        for step in plan(&patch, text).map_err(patch_error)? {
            tried.add(step, &by_name)?;
        }
        Ok(tried)
    }

    /// The name of a path's file: all paths of one file have one name.
    fn name<'a>(&'a self, path: &'a str) -> &'a str {
        let known = self.by_path.get(path).and_then(|index| self.files.get(*index));
        known.map_or(path, |known| known.place.display_path.as_str())
    }

    /// The files that the patch needs and that do not exist.
    pub(super) fn missing(&self) -> impl Iterator<Item = &ResolvedPath> {
        self.files.iter().filter(|known| known.needs_content && !known.is_there).map(|known| &known.place)
    }

    pub(super) fn user_edited(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|known| known.is_user_edited).map(|known| known.place.display_path.as_str())
    }
}

/// The files whose content the patch needs, by their real paths.
fn paths_needing_content(context: &ToolContext, patch: &Patch<'_>) -> HashSet<PathBuf> {
    let is_wanted = |section: &&PatchSection<'_>| !matches!(section.action, PatchAction::Add(_));
    let wanted = patch.sections.iter().filter(is_wanted);
    wanted.map(|section| context.files.resolve(section.path).real_path().to_owned()).collect()
}

fn patch_error(error: PatchError) -> ToolError {
    let kind = match error {
        PatchError::Files(_) => ToolErrorKind::Target,
        _ => ToolErrorKind::Arguments,
    };
    ToolError::new(kind, error.to_string())
}

impl PatchTarget {
    async fn look(context: &ToolContext, place: ResolvedPath, is_wanted: bool) -> Result<Self, ToolError> {
        let seen = context.files.seen_stamp(&place);
        let content = match target_file::load_content(context, &place).await {
            Ok(content) => content,
            Err(FileError::NotFound { .. }) => {
                return Ok(Self {
                    place,
                    is_there: false,
                    needs_content: is_wanted,
                    content: None,
                    overwrite_error: None,
                    is_user_edited: false,
                });
            }
            Err(error) => return Err(file_error(&error)),
        };
        if !is_wanted {
            return Ok(Self {
                place,
                is_there: true,
                needs_content: is_wanted,
                content: None,
                overwrite_error: None,
                is_user_edited: false,
            });
        }
        if seen.is_none() {
            // The output, or the error, shows some of the file, so reading it must be allowed.
            context.ask(path_ask("read", context, &place)).await?;
        }
        let is_other = seen.is_some_and(|seen| seen != content.stamp);
        // Typing of the user is no reason to reject: the lines of the patch must still match.
        if is_other && !content.is_from_buffer {
            return Err(file_error(&FileError::Changed { shown: place.display_path }));
        }
        let overwrite_error = check_shown(context, &place, &content).err();
        let file = FileText::decode(content.bytes).map_err(|why| {
            ToolError::target(format!("`{}` cannot be patched: {why}.", place.display_path))
        })?;
        let content = Some((file, content.stamp));
        Ok(Self {
            place,
            is_there: true,
            needs_content: is_wanted,
            content,
            overwrite_error,
            is_user_edited: is_other,
        })
    }

    /// Deleting the target would leave the symlink.
    fn is_link(&self) -> bool {
        let path: &Path = &self.place.absolute_path;
        path.is_symlink()
    }
}

impl PatchChanges {
    fn add(&mut self, step: PatchStep, by_name: &HashMap<&str, &PatchTarget>) -> Result<(), ToolError> {
        let find = |path: &str| {
            let known = by_name.get(path).copied();
            known.ok_or_else(|| ToolError::failed(format!("`{path}` is not known; nothing was changed.")))
        };
        let held = |known: &PatchTarget| {
            let shown = &known.place.display_path;
            let content = known.content.clone();
            content.ok_or_else(|| ToolError::failed(format!("`{shown}` was not read; nothing was changed.")))
        };
        let goes = |known: &PatchTarget| {
            let shown = &known.place.display_path;
            if known.is_link() {
                let message = format!(
                    "`{shown}` is a link, which a patch cannot move or delete; nothing was changed. Use a command."
                );
                return Err(ToolError::target(message));
            }
            held(known)
        };
        match step {
            PatchStep::Create { path, text } => {
                self.changes.push(RequestedChange::create(&find(&path)?.place, text));
            }
            PatchStep::Edit { path, change, tier, is_rewrite } => {
                let known = find(&path)?;
                if let Some(error) = known.overwrite_error.as_ref().filter(|_| is_rewrite) {
                    return Err(error.clone());
                }
                let (file, stamp) = held(known)?;
                self.changes.push(RequestedChange::edit(&known.place, file, stamp, change)?);
                self.tiers.push((path, tier));
            }
            PatchStep::Delete { path } => {
                let known = find(&path)?;
                let (file, stamp) = goes(known)?;
                self.changes.push(RequestedChange::delete(&known.place, file, stamp));
            }
            PatchStep::Move { path, to, change, tier } => {
                let (known, to) = (find(&path)?, find(&to)?);
                let (file, stamp) = goes(known)?;
                if !change.is_empty() {
                    self.tiers.push((path, tier));
                }
                self.changes.extend(RequestedChange::move_file(
                    &known.place,
                    &to.place,
                    file,
                    stamp,
                    change,
                )?);
            }
        }
        Ok(())
    }
}
