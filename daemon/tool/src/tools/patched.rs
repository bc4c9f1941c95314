//! The files that a patch names, as they are, and what it would make of them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use copydesk_text::patch::{Action, Patch, PatchError, Section, Step, parse, plan};
use copydesk_text::{FileText, Tier};
use copydesk_workspace::files::{FileError, Place, READ_LIMIT, Stamp};

use super::change::Change;
use super::target::{self, file_failure, look_ask};
use crate::context::Context;
use crate::outcome::{Failure, FailureKind};

/// Files that one patch may name.
const MOST_FILES: usize = 500;

/// A patch with its files at hand.
#[derive(Debug)]
pub(super) struct Patched {
    text: String,
    files: Vec<Known>,
    /// Which file a path of the patch is: several may lead to one.
    by_path: HashMap<String, usize>,
}

/// A file that a patch names.
#[derive(Debug)]
struct Known {
    place: Place,
    is_there: bool,
    /// The patch speaks of what is in it.
    is_wanted: bool,
    /// Where it is there and wanted.
    content: Option<(FileText, Stamp)>,
    /// A person has typed in it since the model read it.
    is_typed_in: bool,
}

/// What the patch would do.
pub(super) struct Tried {
    pub(super) changes: Vec<Change>,
    /// How the places of its hunks were found, for each file that is updated.
    pub(super) tiers: Vec<(String, Tier)>,
}

impl Patched {
    /// Resolves every path and looks at what is there, after asking where that is needed.
    pub(super) async fn find(context: &Context, text: String) -> Result<Self, Failure> {
        let patch = parse(&text).map_err(wrong)?;
        let wanted = wanted(context, &patch);
        let mut files = Vec::new();
        let mut by_name: HashMap<PathBuf, usize> = HashMap::new();
        let mut by_path = HashMap::new();
        let mut size = 0;
        for path in patch.paths() {
            if by_path.contains_key(path) {
                continue;
            }
            let place = context.place(path).await?;
            let name = place.real().to_owned();
            let known = by_name.get(&name).copied();
            if known.is_none() {
                let known = Known::look(context, place, wanted.contains(&name)).await?;
                size += known.content.as_ref().map_or(0, |(file, _)| file.size());
                files.push(known);
            }
            let index = known.unwrap_or(files.len() - 1);
            by_name.insert(name, index);
            by_path.insert(path.to_owned(), index);
            if files.len() > MOST_FILES || size > READ_LIMIT {
                let message = format!(
                    "The patch is too large: one may name up to {MOST_FILES} files, with {READ_LIMIT} bytes together. \
                     Nothing was changed; split it."
                );
                return Err(Failure::new(FailureKind::Arguments, message));
            }
        }
        Ok(Self { text, files, by_path })
    }

    /// What would come of it. Takes a while in large files.
    pub(super) fn tried(&self) -> Result<Tried, Failure> {
        let mut patch = parse(&self.text).map_err(wrong)?;
        for section in &mut patch.sections {
            section.path = self.name(section.path);
            if let Action::Update { to: Some(to), .. } = &mut section.action {
                *to = self.name(to);
            }
        }
        let by_name: HashMap<_, _> =
            self.files.iter().map(|file| (file.place.shown.as_str(), file)).collect();
        let text = |path: &str| {
            let known = by_name.get(path).filter(|known| known.is_there)?;
            Some(known.content.as_ref().map_or("", |(file, _)| file.text()))
        };
        let mut tried = Tried { changes: Vec::new(), tiers: Vec::new() };
        for step in plan(&patch, text).map_err(wrong)? {
            tried.add(step, &by_name)?;
        }
        Ok(tried)
    }

    /// What a path of the patch is called: all that lead to one file have one name.
    fn name<'a>(&'a self, path: &'a str) -> &'a str {
        let known = self.by_path.get(path).and_then(|index| self.files.get(*index));
        known.map_or(path, |known| known.place.shown.as_str())
    }

    /// Files that the patch takes for granted.
    pub(super) fn missing(&self) -> impl Iterator<Item = &Place> {
        self.files.iter().filter(|known| known.is_wanted && !known.is_there).map(|known| &known.place)
    }

    pub(super) fn typed_in(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|known| known.is_typed_in).map(|known| known.place.shown.as_str())
    }
}

/// The files of whose content the patch speaks, by their real paths.
fn wanted(context: &Context, patch: &Patch<'_>) -> HashSet<PathBuf> {
    let is_wanted = |section: &&Section<'_>| !matches!(section.action, Action::Add(_));
    let wanted = patch.sections.iter().filter(is_wanted);
    wanted.map(|section| context.files.resolve(section.path).real().to_owned()).collect()
}

fn wrong(error: PatchError) -> Failure {
    let kind = match error {
        PatchError::Misfits(_) => FailureKind::Target,
        _ => FailureKind::Arguments,
    };
    Failure::new(kind, error.to_string())
}

impl Known {
    async fn look(context: &Context, place: Place, is_wanted: bool) -> Result<Self, Failure> {
        let seen = context.files.seen(&place);
        let content = match target::look(context, &place).await {
            Ok(content) => content,
            Err(FileError::NotFound { .. }) => {
                return Ok(Self { place, is_there: false, is_wanted, content: None, is_typed_in: false });
            }
            Err(error) => return Err(file_failure(&error)),
        };
        if !is_wanted {
            return Ok(Self { place, is_there: true, is_wanted, content: None, is_typed_in: false });
        }
        if seen.is_none() {
            // What is said about the change, or why there is none, shows some of the file.
            context.ask(look_ask("read", context, &place)).await?;
        }
        let is_other = seen.is_some_and(|seen| seen != content.stamp);
        // A person who types in it is no reason to refuse: the lines of the patch still have to be there.
        if is_other && !content.is_open {
            return Err(file_failure(&FileError::Changed { shown: place.shown }));
        }
        let file = FileText::decode(content.bytes)
            .map_err(|why| Failure::target(format!("`{}` cannot be patched: {why}.", place.shown)))?;
        let content = Some((file, content.stamp));
        Ok(Self { place, is_there: true, is_wanted, content, is_typed_in: is_other })
    }

    /// Deleting what a link leads to would leave the link.
    fn is_link(&self) -> bool {
        let path: &Path = &self.place.path;
        path.is_symlink()
    }
}

impl Tried {
    fn add(&mut self, step: Step, by_name: &HashMap<&str, &Known>) -> Result<(), Failure> {
        let find = |path: &str| {
            let known = by_name.get(path).copied();
            known.ok_or_else(|| Failure::failed(format!("`{path}` is not known; nothing was changed.")))
        };
        let held = |known: &Known| {
            let shown = &known.place.shown;
            let content = known.content.clone();
            content.ok_or_else(|| Failure::failed(format!("`{shown}` was not read; nothing was changed.")))
        };
        let goes = |known: &Known| {
            let shown = &known.place.shown;
            if known.is_link() {
                let message = format!(
                    "`{shown}` is a link, which a patch cannot move or delete; nothing was changed. Use a command."
                );
                return Err(Failure::target(message));
            }
            held(known)
        };
        match step {
            Step::Create { path, text } => self.changes.push(Change::create(&find(&path)?.place, text)),
            Step::Edit { path, change, tier } => {
                let known = find(&path)?;
                let (file, stamp) = held(known)?;
                self.changes.push(Change::edit(&known.place, file, stamp, change)?);
                self.tiers.push((path, tier.into()));
            }
            Step::Delete { path } => {
                let known = find(&path)?;
                let (file, stamp) = goes(known)?;
                self.changes.push(Change::delete(&known.place, file, stamp));
            }
            Step::Move { path, to, change, tier } => {
                let (known, to) = (find(&path)?, find(&to)?);
                let (file, stamp) = goes(known)?;
                self.changes.extend(Change::moved(&known.place, &to.place, file, stamp, &change)?);
                if !change.is_empty() {
                    self.tiers.push((path, tier.into()));
                }
            }
        }
        Ok(())
    }
}
