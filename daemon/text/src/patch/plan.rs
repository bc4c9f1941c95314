//! What is to be done with the files that a patch names, all of it or nothing. Nothing is read or written here: the caller
//! knows the files.

use std::collections::HashMap;

use super::{Action, Misfit, Patch, PatchError, Section, Tier, Why, update};
use crate::{Change, Ending};

/// What is to be done with one file. Paths are as the patch names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Create {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        change: Change,
        /// The loosest comparison that a hunk needed.
        tier: Tier,
    },
    Delete {
        path: String,
    },
    Move {
        path: String,
        to: String,
        /// May be empty.
        change: Change,
        tier: Tier,
    },
}

/// What has been said about a path so far.
enum Fate<'t> {
    Created(String),
    Edited {
        old: &'t str,
        now: Now,
        tier: Tier,
        to: Option<String>,
    },
    Deleted(&'t str),
    /// A file has moved here.
    Taken,
    /// What was said does not fit.
    Failed,
}

/// A text after its edits: most often there is one update, whose result nobody needs to see here.
enum Now {
    Changed(Change),
    Text(String),
}

struct Entry<'p, 't> {
    line: usize,
    path: &'p str,
    fate: Fate<'t>,
}

/// The steps, one for each file, in the order of the patch. `read` gives the text of a file that exists.
///
/// Several updates of a file are made one after the other; a file that is deleted and then added is written anew, which is
/// an edit. Everything else is said once about a path. Paths are told apart as they are written: that two of them lead to
/// one file by a link is for the caller to see.
pub fn plan<'t>(patch: &Patch<'_>, read: impl Fn(&str) -> Option<&'t str>) -> Result<Vec<Step>, PatchError> {
    if patch.sections.is_empty() {
        return Err(PatchError::Empty);
    }
    let mut planner = Planner { read, entries: Vec::new(), by_path: HashMap::new() };
    let mut misfits = Vec::new();
    for section in &patch.sections {
        if let Err((path, why)) = planner.section(section) {
            misfits.push(Misfit { line: section.line, path: path.to_owned(), why });
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
    Err(PatchError::Misfits(misfits))
}

struct Planner<'p, 't, F> {
    read: F,
    entries: Vec<Entry<'p, 't>>,
    by_path: HashMap<String, usize>,
}

impl<'p, 't, F: Fn(&str) -> Option<&'t str>> Planner<'p, 't, F> {
    fn section(&mut self, section: &Section<'p>) -> Result<(), (&'p str, Why)> {
        let path = section.path;
        let wrong = |why| (path, why);
        let (line, key) = (section.line, key(path));
        let known = self.by_path.get(&key).and_then(|index| self.entries.get_mut(*index));
        if let Some(entry) = known {
            return again(entry, &section.action).map_err(wrong).and_then(|to| self.moved(line, &key, to));
        }
        let text = (self.read)(path);
        let (fate, to) = match (&section.action, text) {
            (Action::Add(_), Some(_)) => return Err(wrong(Why::Exists)),
            (Action::Add(lines), None) => (Fate::Created(written(lines)), None),
            (Action::Delete | Action::Update { .. }, None) => {
                self.enter(line, path, key, Fate::Failed);
                return Err(wrong(Why::Missing));
            }
            (Action::Delete, Some(text)) => (Fate::Deleted(text), None),
            (Action::Update { to, hunks }, Some(text)) => match update(text, hunks) {
                Ok(updated) => {
                    let tier = updated.tier();
                    (Fate::Edited { old: text, now: Now::Changed(updated.change), tier, to: None }, *to)
                }
                Err(errors) => {
                    self.enter(line, path, key, Fate::Failed);
                    return Err(wrong(Why::Hunks(errors)));
                }
            },
        };
        self.enter(line, path, key.clone(), fate);
        self.moved(line, &key, to)
    }

    fn enter(&mut self, line: usize, path: &'p str, key: String, fate: Fate<'t>) {
        self.by_path.insert(key, self.entries.len());
        self.entries.push(Entry { line, path, fate });
    }

    /// The file of this key moves, unless it is there already.
    fn moved(&mut self, line: usize, from: &str, to: Option<&'p str>) -> Result<(), (&'p str, Why)> {
        let Some(to) = to.filter(|to| key(to) != from) else { return Ok(()) };
        let taken = self.by_path.get(&key(to)).and_then(|index| self.entries.get(*index));
        if let Some(entry) = taken {
            return Err((to, Why::Twice { first: entry.line }));
        }
        if (self.read)(to).is_some() {
            return Err((to, Why::Occupied));
        }
        self.enter(line, to, key(to), Fate::Taken);
        let entry = self.by_path.get(from).and_then(|index| self.entries.get_mut(*index));
        if let Some(Entry { fate: Fate::Edited { to: place, .. }, .. }) = entry {
            *place = Some(to.to_owned());
        }
        Ok(())
    }
}

/// What a second section says about a path, and where the file moves by that.
fn again<'p, 't>(entry: &mut Entry<'p, 't>, action: &Action<'p>) -> Result<Option<&'p str>, Why> {
    let first = entry.line;
    match (&mut entry.fate, action) {
        (Fate::Edited { old, now, tier, to: None }, Action::Update { to, hunks }) => {
            let text = match now {
                Now::Changed(change) => applied(change, old),
                Now::Text(text) => std::mem::take(text),
            };
            match update(&text, hunks) {
                Ok(updated) => {
                    *now = Now::Text(applied(&updated.change, &text));
                    *tier = updated.tier().max(*tier);
                    Ok(*to)
                }
                Err(errors) => {
                    entry.fate = Fate::Failed;
                    Err(Why::Hunks(errors))
                }
            }
        }
        (Fate::Deleted(old), Action::Add(lines)) => {
            let old: &'t str = old;
            let new = Ending::of(old).write(&written(lines)).into_owned();
            entry.fate = Fate::Edited { old, now: Now::Text(new), tier: Tier::Exact, to: None };
            Ok(None)
        }
        (Fate::Failed, _) => Ok(None),
        _ => Err(Why::Twice { first }),
    }
}

/// The change was made for this very text.
fn applied(change: &Change, text: &str) -> String {
    change.apply(text).unwrap_or_else(|_| text.to_owned())
}

fn step(entry: Entry<'_, '_>) -> Result<Option<Step>, Misfit> {
    let path = entry.path.to_owned();
    Ok(Some(match entry.fate {
        Fate::Created(text) => Step::Create { path, text },
        Fate::Deleted(_) => Step::Delete { path },
        Fate::Taken | Fate::Failed => return Ok(None),
        Fate::Edited { old, now, tier, to } => {
            let change = match now {
                Now::Changed(change) => change,
                Now::Text(new) => Change::between(old, &new),
            };
            match to {
                Some(to) => Step::Move { path, to, change, tier },
                None if change.is_empty() => {
                    return Err(Misfit { line: entry.line, path, why: Why::Unchanged });
                }
                None => Step::Edit { path, change, tier },
            }
        }
    }))
}

fn written(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// A path without what says nothing: `./a//b` is `a/b`.
fn key(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}
