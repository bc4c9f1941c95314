//! Replaces `{env:NAME}` and `{file:path}` in strings. This happens after parsing, so the inserted text is
//! never read as JSON and never scanned for more references.
//!
//! An untrusted file gets nothing from outside its workspace: the daemon withholds such a value, together
//! with the whole array around it (a command with a word missing is another command). It also withholds the
//! variable names that such a file lists for a provider's key, because those are read and sent just as
//! `{env:…}` is.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use crate::{
    error::{ConfigError, FileWarnings},
    paths::EnvLookup,
    read::read_text,
    source::{ConfigOrigin, ConfigSource},
    tree::{ConfigNode, ConfigNodeKind, ConfigPathStep, format_path},
};

/// The most that one file may bring in. Without it, a small file that names a large one many times fills the
/// memory.
pub(crate) const MAX_SUBSTITUTED_BYTES: usize = 8 * 1024 * 1024;

pub(crate) struct Substitution<'a> {
    pub(crate) env: &'a EnvLookup<'a>,
    pub(crate) home: &'a Path,
    pub(crate) cwd: &'a Path,
    /// With symlinks resolved.
    pub(crate) root: &'a Path,
    pub(crate) file: &'a ConfigSource,
    pub(crate) warnings: &'a mut FileWarnings,
    /// Bytes that may still be brought in.
    pub(crate) budget: usize,
}

/// Whether the value stays.
#[derive(Clone, Copy, PartialEq)]
enum SubstitutionVerdict {
    Keep,
    Withhold,
}

impl Substitution<'_> {
    pub(crate) fn apply(&mut self, root: &mut ConfigNode) -> Result<(), ConfigError> {
        if !self.file.is_trusted {
            self.withhold_key_names(root);
        }
        self.node(root).map(|_| ())
    }

    fn withhold_key_names(&mut self, root: &mut ConfigNode) {
        let Some(ConfigNodeKind::Object(providers)) = root.get_mut("provider").map(|node| &mut node.kind)
        else {
            return;
        };
        for provider in providers {
            let ConfigNodeKind::Object(entries) = &mut provider.node.kind else { continue };
            entries.retain(|entry| {
                let reads = entry.key == "env" && entry.node.kind != ConfigNodeKind::Null;
                if reads {
                    let path = [
                        ConfigPathStep::Key("provider"),
                        ConfigPathStep::Key(&provider.key),
                        ConfigPathStep::Key("env"),
                    ];
                    self.withhold(&format!("`{}`", format_path(path)), &entry.node.origin);
                }
                !reads
            });
        }
    }

    fn node(&mut self, node: &mut ConfigNode) -> Result<SubstitutionVerdict, ConfigError> {
        match &mut node.kind {
            ConfigNodeKind::String(text) => match self.text(text, &node.origin)? {
                SubstitutedText::Same => {}
                SubstitutedText::Withheld => return Ok(SubstitutionVerdict::Withhold),
                SubstitutedText::New(new) => {
                    *text = new;
                    node.is_substituted = true;
                }
            },
            ConfigNodeKind::Array(items) => {
                for item in items {
                    if self.node(item)? == SubstitutionVerdict::Withhold {
                        return Ok(SubstitutionVerdict::Withhold);
                    }
                }
            }
            ConfigNodeKind::Object(entries) => {
                let mut kept = Vec::with_capacity(entries.len());
                for mut entry in std::mem::take(entries) {
                    if self.node(&mut entry.node)? == SubstitutionVerdict::Keep {
                        kept.push(entry);
                    }
                }
                *entries = kept;
            }
            ConfigNodeKind::Null | ConfigNodeKind::Bool(_) | ConfigNodeKind::Number(_) => {}
        }
        Ok(SubstitutionVerdict::Keep)
    }

    fn text(&mut self, text: &str, origin: &ConfigOrigin) -> Result<SubstitutedText, ConfigError> {
        let mut new = String::new();
        let mut rest = text;
        let mut found = false;
        while let Some((before, reference, after)) = next_reference(rest) {
            new.push_str(before);
            found = true;
            let value = match reference {
                SubstitutionReference::Env(name) => self.variable(name, origin)?,
                SubstitutionReference::File(path) => self.file(path, origin)?,
            };
            let Some(value) = value else { return Ok(SubstitutedText::Withheld) };
            self.budget = self.budget.checked_sub(value.len()).ok_or_else(|| {
                ConfigError::at_origin(
                    origin,
                    format!(
                        "`{{env:…}}` and `{{file:…}}` bring in more than {MAX_SUBSTITUTED_BYTES} bytes in all"
                    ),
                )
            })?;
            new.push_str(&value);
            rest = after;
        }
        new.push_str(rest);
        Ok(if found { SubstitutedText::New(new) } else { SubstitutedText::Same })
    }

    fn variable(&mut self, name: &str, origin: &ConfigOrigin) -> Result<Option<String>, ConfigError> {
        if !self.file.is_trusted {
            self.withhold(&format!("the value with `{{env:{name}}}`"), origin);
            return Ok(None);
        }
        let Some(value) = (self.env)(name) else {
            self.warnings.add(origin, || format!("the variable `{name}` is not set; it counts as empty"));
            return Ok(Some(String::new()));
        };
        let value = value.into_string();
        value.map(Some).map_err(|_| {
            ConfigError::at_origin(
                origin,
                format!("the value of the variable `{name}` is not UTF-8; expected text"),
            )
        })
    }

    fn file(&mut self, written: &str, origin: &ConfigOrigin) -> Result<Option<String>, ConfigError> {
        let reference = format!("{{file:{written}}}");
        let path = match written.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.file.folder(self.cwd).join(written),
        };
        let Some(path) = self.allowed(&path) else {
            self.withhold(&format!("the value with `{reference}`"), origin);
            return Ok(None);
        };
        match read_text(&path) {
            Ok(text) => Ok(Some(text.trim_end_matches(['\n', '\r']).into())),
            Err(ConfigError::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => Err(
                ConfigError::at_origin(origin, format!("`{reference}`: {} does not exist", path.display())),
            ),
            Err(error) => Err(ConfigError::at_origin(origin, format!("`{reference}`: {error}"))),
        }
    }

    /// The path to read. For an untrusted file: only a path inside the workspace, with symlinks resolved.
    fn allowed<'p>(&self, path: &'p Path) -> Option<Cow<'p, Path>> {
        if self.file.is_trusted {
            return Some(Cow::Borrowed(path));
        }
        match path.canonicalize() {
            Ok(real) => real.starts_with(self.root).then_some(Cow::Owned(real)),
            // The file does not exist. Report that only inside the workspace: an untrusted file must not
            // probe the rest of the disk.
            Err(_) => real_parent(path)?.starts_with(self.root).then_some(Cow::Borrowed(path)),
        }
    }

    fn withhold(&mut self, what: &str, origin: &ConfigOrigin) {
        self.warnings.add(origin, || {
            format!(
                "{what} is withheld: this file came with the project and you have not trusted it; look at the file, \
                 then run `copydesk trust`"
            )
        });
    }
}

/// The variables that the configuration sends to providers and search engines.
pub(crate) fn variables_sent(root: &ConfigNode) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for key in ["provider", "websearch", "codesearch"] {
        root.get(key).into_iter().for_each(|node| variables(node, &mut names));
    }
    names
}

fn variables(node: &ConfigNode, names: &mut BTreeSet<String>) {
    match &node.kind {
        ConfigNodeKind::String(text) => {
            let mut rest = text.as_str();
            while let Some((_, reference, after)) = next_reference(rest) {
                if let SubstitutionReference::Env(name) = reference {
                    names.insert(name.to_owned());
                }
                rest = after;
            }
        }
        ConfigNodeKind::Array(items) => items.iter().for_each(|item| variables(item, names)),
        ConfigNodeKind::Object(entries) => entries.iter().for_each(|entry| variables(&entry.node, names)),
        ConfigNodeKind::Null | ConfigNodeKind::Bool(_) | ConfigNodeKind::Number(_) => {}
    }
}

enum SubstitutedText {
    Same,
    New(String),
    Withheld,
}

enum SubstitutionReference<'a> {
    Env(&'a str),
    File(&'a str),
}

/// The text before the first reference, the reference, and the text after it. A name contains no braces.
fn next_reference(text: &str) -> Option<(&str, SubstitutionReference<'_>, &str)> {
    for (at, _) in text.match_indices('{') {
        let (before, rest) = text.split_at(at);
        let inside = rest.get(1..).unwrap_or_default();
        let (name, kind): (_, fn(_) -> _) = if let Some(name) = inside.strip_prefix("env:") {
            (name, SubstitutionReference::Env)
        } else if let Some(path) = inside.strip_prefix("file:") {
            (path, SubstitutionReference::File)
        } else {
            continue;
        };
        let (name, after) = name.split_at(name.find(['{', '}'])?);
        if let Some(after) = after.strip_prefix('}').filter(|_| !name.is_empty()) {
            return Some((before, kind(name), after));
        }
    }
    None
}

fn real_parent(path: &Path) -> Option<PathBuf> {
    path.parent()?.canonicalize().ok()
}
