//! Plans the steps for all files of a patch, all or none. No I/O: the caller reads and writes the files.

use std::collections::HashMap;

use super::{Patch, PatchAction, PatchError, PatchFileError, PatchFileErrorKind, PatchSection, update};
use crate::{Change, LineEnding, MatchTier};

/// The step for one file. Paths are written as in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchStep {
    Create {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        change: Change,
        /// The loosest tier that a hunk needed.
        tier: MatchTier,
        /// The patch deletes the file and adds it again: no line of the old text had to match.
        is_rewrite: bool,
    },
    Delete {
        path: String,
    },
    Move {
        path: String,
        to: String,
        /// May be empty.
        change: Change,
        tier: MatchTier,
    },
}

/// What the patch has said about a path so far.
enum PlannedFile<'t> {
    Created(String),
    Edited {
        old: &'t str,
        now: PlannedText,
        tier: MatchTier,
        to: Option<String>,
        is_rewrite: bool,
    },
    Deleted(&'t str),
    /// Another file moves here.
    MoveTarget,
    /// A section did not fit.
    Failed,
}

/// A text after its edits. Usually there is one update, and its result is never materialised here.
enum PlannedText {
    Changed(Change),
    Text(String),
}

struct PlanEntry<'p, 't> {
    line: usize,
    path: &'p str,
    state: PlannedFile<'t>,
}

/// One step per file, in patch order. `read` returns the text of an existing file.
///
/// Several updates of a file apply in sequence; a file that is deleted and then added is an edit. Anything
/// else may name a path only once. Paths are compared as written: the caller detects two paths that lead to
/// one file through a symlink.
pub fn plan<'t>(
    patch: &Patch<'_>,
    read: impl Fn(&str) -> Option<&'t str>,
) -> Result<Vec<PatchStep>, PatchError> {
    if patch.sections.is_empty() {
        return Err(PatchError::Empty);
    }
    let mut planner = PatchPlanner { read, entries: Vec::new(), by_path: HashMap::new() };
    let mut misfits = Vec::new();
    for section in &patch.sections {
        if let Err((path, why)) = planner.section(section) {
            misfits.push(PatchFileError { line: section.line, path: path.to_owned(), why });
        }
    }
    if misfits.is_empty() {
        let steps = planner.entries.into_iter().map(|entry| step(entry));
        let steps = steps.filter_map(|step| step.map_err(|misfit| misfits.push(misfit)).ok().flatten());
        let steps: Vec<_> = steps.collect();
        if misfits.is_empty() {
            return Ok(steps);
        }
    }
    Err(PatchError::Files(misfits))
}

struct PatchPlanner<'p, 't, F> {
    read: F,
    entries: Vec<PlanEntry<'p, 't>>,
    by_path: HashMap<String, usize>,
}

impl<'p, 't, F: Fn(&str) -> Option<&'t str>> PatchPlanner<'p, 't, F> {
    fn section(&mut self, section: &PatchSection<'p>) -> Result<(), (&'p str, PatchFileErrorKind)> {
        let path = section.path;
        let wrong = |why| (path, why);
        let (line, key) = (section.line, normalize_path(path));
        let known = self.by_path.get(&key).and_then(|index| self.entries.get_mut(*index));
        if let Some(entry) = known {
            return add_second_section(entry, &section.action)
                .map_err(wrong)
                .and_then(|to| self.move_file(line, &key, to));
        }
        let text = (self.read)(path);
        let (state, to) = match (&section.action, text) {
            (PatchAction::Add(_), Some(_)) => return Err(wrong(PatchFileErrorKind::Exists)),
            (PatchAction::Add(lines), None) => (PlannedFile::Created(join_lines(lines)), None),
            (PatchAction::Delete | PatchAction::Update { .. }, None) => {
                self.add_entry(line, path, key, PlannedFile::Failed);
                return Err(wrong(PatchFileErrorKind::Missing));
            }
            (PatchAction::Delete, Some(text)) => (PlannedFile::Deleted(text), None),
            (PatchAction::Update { to, hunks }, Some(text)) => match update(text, hunks) {
                Ok(updated) => {
                    let tier = updated.tier();
                    (
                        PlannedFile::Edited {
                            old: text,
                            now: PlannedText::Changed(updated.change),
                            tier,
                            to: None,
                            is_rewrite: false,
                        },
                        *to,
                    )
                }
                Err(errors) => {
                    self.add_entry(line, path, key, PlannedFile::Failed);
                    return Err(wrong(PatchFileErrorKind::Hunks(errors)));
                }
            },
        };
        self.add_entry(line, path, key.clone(), state);
        self.move_file(line, &key, to)
    }

    fn add_entry(&mut self, line: usize, path: &'p str, key: String, state: PlannedFile<'t>) {
        self.by_path.insert(key, self.entries.len());
        self.entries.push(PlanEntry { line, path, state });
    }

    /// Moves the file with this key, unless it is there already.
    fn move_file(
        &mut self,
        line: usize,
        from: &str,
        to: Option<&'p str>,
    ) -> Result<(), (&'p str, PatchFileErrorKind)> {
        let Some(to) = to.filter(|to| normalize_path(to) != from) else { return Ok(()) };
        let taken = self.by_path.get(&normalize_path(to)).and_then(|index| self.entries.get(*index));
        if let Some(entry) = taken {
            return Err((to, PatchFileErrorKind::ConflictingActions { first: entry.line }));
        }
        if (self.read)(to).is_some() {
            return Err((to, PatchFileErrorKind::Occupied));
        }
        self.add_entry(line, to, normalize_path(to), PlannedFile::MoveTarget);
        let entry = self.by_path.get(from).and_then(|index| self.entries.get_mut(*index));
        if let Some(PlanEntry { state: PlannedFile::Edited { to: place, .. }, .. }) = entry {
            *place = Some(to.to_owned());
        }
        Ok(())
    }
}

/// Merges a second section about a path; returns where it moves the file.
fn add_second_section<'p, 't>(
    entry: &mut PlanEntry<'p, 't>,
    action: &PatchAction<'p>,
) -> Result<Option<&'p str>, PatchFileErrorKind> {
    let first = entry.line;
    match (&mut entry.state, action) {
        (
            PlannedFile::Edited { old, now, tier, to: None, is_rewrite: false },
            PatchAction::Update { to, hunks },
        ) => {
            let text = match now {
                PlannedText::Changed(change) => apply_or_keep(change, old),
                PlannedText::Text(text) => std::mem::take(text),
            };
            match update(&text, hunks) {
                Ok(updated) => {
                    *now = PlannedText::Text(apply_or_keep(&updated.change, &text));
                    *tier = updated.tier().max(*tier);
                    Ok(*to)
                }
                Err(errors) => {
                    entry.state = PlannedFile::Failed;
                    Err(PatchFileErrorKind::Hunks(errors))
                }
            }
        }
        (PlannedFile::Deleted(old), PatchAction::Add(lines)) => {
            let old: &'t str = old;
            let new = LineEnding::detect(old).apply_to(&join_lines(lines)).into_owned();
            entry.state = PlannedFile::Edited {
                old,
                now: PlannedText::Text(new),
                tier: MatchTier::Exact,
                to: None,
                is_rewrite: true,
            };
            Ok(None)
        }
        (PlannedFile::Failed, _) => Ok(None),
        _ => Err(PatchFileErrorKind::ConflictingActions { first }),
    }
}

/// The change was made for this very text.
fn apply_or_keep(change: &Change, text: &str) -> String {
    change.apply(text).unwrap_or_else(|_| text.to_owned())
}

fn step(entry: PlanEntry<'_, '_>) -> Result<Option<PatchStep>, PatchFileError> {
    let path = entry.path.to_owned();
    Ok(Some(match entry.state {
        PlannedFile::Created(text) => PatchStep::Create { path, text },
        PlannedFile::Deleted(_) => PatchStep::Delete { path },
        PlannedFile::MoveTarget | PlannedFile::Failed => return Ok(None),
        PlannedFile::Edited { old, now, tier, to, is_rewrite } => {
            let change = match now {
                PlannedText::Changed(change) => change,
                PlannedText::Text(new) => Change::between(old, &new),
            };
            match to {
                Some(to) => PatchStep::Move { path, to, change, tier },
                None if change.is_empty() => {
                    return Err(PatchFileError {
                        line: entry.line,
                        path,
                        why: PatchFileErrorKind::Unchanged,
                    });
                }
                None => PatchStep::Edit { path, change, tier, is_rewrite },
            }
        }
    }))
}

fn join_lines(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// Removes redundant parts: `./a//b` is `a/b`.
fn normalize_path(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}
