//! An edit of one or several files that is worked out, and not made: the tools propose it like any other.
//!
//! Contract: it is made whole or not at all. Each part names the text that it is for, so that a text that has changed since is noticed.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use copydesk_servers::{
    ExistingFilePolicy, LanguageServer, ServerFileOperation, ServerText, ServerTextEdit, ServerWorkspaceEdit,
    apply_text_edits,
};
use copydesk_text::{LineEnding, PositionEncoding};
use copydesk_workspace::search::SearchView;

use crate::answer::NavigationError;
use crate::time_limits::FILE_TIME_STEP;
use crate::workspace_names::WorkspaceNames;

/// The cap on the files of one edit.
const MAX_FILES: usize = 500;

/// What is to become of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeEditPlan {
    pub files: Vec<PlannedFileChange>,
    /// The server that it is from; none if it is by syntax.
    pub server: Option<String>,
    /// Whole sentences: what was taken for the place, what to look at afterwards.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedFileChange {
    Edit {
        path: PathBuf,
        before: Arc<String>,
        after: String,
    },
    Create {
        path: PathBuf,
        text: String,
    },
    Delete {
        path: PathBuf,
        before: Arc<String>,
    },
    /// With an edit, if the texts differ.
    Move {
        from: PathBuf,
        to: PathBuf,
        before: Arc<String>,
        after: String,
    },
}

impl PlannedFileChange {
    /// Where it is, and its texts before and after, if it has both.
    pub(crate) fn edited(&self) -> Option<(&Path, &Arc<String>, &str)> {
        match self {
            Self::Edit { path, before, after } => Some((path, before, after)),
            Self::Move { from, before, after, .. } => Some((from, before, after)),
            Self::Create { .. } | Self::Delete { .. } => None,
        }
    }
}

impl CodeEditPlan {
    /// The file of an edit of one file.
    pub fn edited_path(&self) -> Option<&Path> {
        let [only] = self.files.as_slice() else { return None };
        only.edited().map(|(path, ..)| path)
    }

    /// The edit of one file, by its syntax tree.
    pub(crate) fn of_text(path: PathBuf, before: Arc<String>, after: String, notes: Vec<String>) -> Self {
        let after = with_line_breaks_of(&before, &after);
        Self { files: vec![PlannedFileChange::Edit { path, before, after }], server: None, notes }
    }
}

/// The texts at the time of a question: an answer is about them.
#[derive(Debug)]
pub(crate) struct TextsThen {
    buffers: SearchView,
    began: SystemTime,
}

impl TextsThen {
    pub(crate) fn now(names: &WorkspaceNames) -> Self {
        Self { buffers: names.texts.search_view(), began: SystemTime::now() }
    }

    /// Whether the file has got this text since.
    fn is_changed(&self, names: &WorkspaceNames, path: &Path, text: &str) -> bool {
        match self.buffers.text(path) {
            Some(then) => then != text,
            // It may have been opened since, and typed in.
            None => names.texts.differs_from_disk(path) || self.is_written_since(path),
        }
    }

    fn is_written_since(&self, path: &Path) -> bool {
        let Ok(metadata) = path.metadata() else { return false };
        // A file that was moved to its place keeps its time of writing.
        let moved = u64::try_from(metadata.ctime()).ok().zip(u32::try_from(metadata.ctime_nsec()).ok());
        let moved = moved.map(|(seconds, nanos)| SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos));
        let began = self.began.checked_sub(FILE_TIME_STEP).unwrap_or(self.began);
        [metadata.modified().ok(), moved].into_iter().flatten().any(|at| at > began)
    }
}

/// The state of the files after the operations so far.
pub(crate) struct CodeEditPlanner<'a> {
    names: &'a WorkspaceNames,
    then: &'a TextsThen,
    /// The server whose positions and versions the edits have; none if they move files only.
    server: Option<&'a LanguageServer>,
    /// By the path that each has now.
    files: BTreeMap<PathBuf, FutureFile>,
    /// Those that are gone: their texts before.
    deleted: BTreeMap<PathBuf, Arc<String>>,
}

/// A file as it is after the operations so far.
struct FutureFile {
    /// Its path and text before the edit; none if it is new.
    origin: Option<(PathBuf, Arc<String>)>,
    text: String,
}

impl<'a> CodeEditPlanner<'a> {
    pub(crate) fn new(
        names: &'a WorkspaceNames,
        then: &'a TextsThen,
        server: Option<&'a LanguageServer>,
    ) -> Self {
        Self { names, then, server, files: BTreeMap::new(), deleted: BTreeMap::new() }
    }

    /// Works out a server's edit. Reads files.
    pub(crate) fn plan(
        mut self,
        edit: &ServerWorkspaceEdit,
    ) -> Result<Vec<PlannedFileChange>, NavigationError> {
        for operation in &edit.operations {
            self.apply(operation)?;
            if self.files.len() + self.deleted.len() > MAX_FILES {
                return Err(refused(&format!("it would change more than {MAX_FILES} files")));
            }
        }
        Ok(self.finish())
    }

    fn apply(&mut self, operation: &ServerFileOperation) -> Result<(), NavigationError> {
        match operation {
            ServerFileOperation::Edit { path, version, edits } => self.edit(path, *version, edits),
            ServerFileOperation::Create { path, existing } => self.create(path, *existing),
            ServerFileOperation::Rename { from, to, existing } => self.rename(from, to, *existing),
            ServerFileOperation::Delete { path, is_optional } => self.delete(path, *is_optional),
        }
    }

    fn edit(
        &mut self,
        server_path: &Path,
        version: Option<i32>,
        edits: &[ServerTextEdit],
    ) -> Result<(), NavigationError> {
        let path = self.resolve(server_path)?;
        let shown = self.names.shown(&path);
        let sent = self.server.and_then(|server| server.sent_version(server_path));
        if sent.zip(version).is_some_and(|(sent, version)| sent != version) {
            return Err(changed(&shown));
        }
        let encoding = self.server.map_or(PositionEncoding::Utf16, LanguageServer::position_encoding);
        if !self.files.contains_key(&path) {
            self.load(&path)?;
            self.require_servers_text(server_path, &path, &shown)?;
        }
        let file = self.load(&path)?;
        let new = apply_text_edits(&file.text, edits, encoding);
        let new = new.map_err(|why| refused(&format!("{shown}: {why}")))?;
        file.text = with_line_breaks_of(&file.text, &new);
        Ok(())
    }

    /// The edit must be for the text that it is played on: the user may have typed since the server was told.
    fn require_servers_text(
        &self,
        server_path: &Path,
        path: &Path,
        shown: &str,
    ) -> Result<(), NavigationError> {
        let Some(server) = self.server else { return Ok(()) };
        let text = self.files.get(path).map(|file| file.text.as_str()).unwrap_or_default();
        match server.server_text(server_path) {
            ServerText::Known(known) if *known == text => Ok(()),
            ServerText::OnDisk if !self.names.texts.differs_from_disk(path) || !path.exists() => Ok(()),
            _ => Err(changed(shown)),
        }
    }

    fn create(&mut self, path: &Path, existing: ExistingFilePolicy) -> Result<(), NavigationError> {
        let path = self.resolve(path)?;
        match (self.exists(&path), existing) {
            (true, ExistingFilePolicy::Ignore) => Ok(()),
            (true, ExistingFilePolicy::Refuse) => {
                Err(refused(&format!("{} exists already", self.names.shown(&path))))
            }
            (true, ExistingFilePolicy::Overwrite) => {
                self.load(&path)?.text.clear();
                Ok(())
            }
            (false, _) => {
                self.files.insert(path, FutureFile { origin: None, text: String::new() });
                Ok(())
            }
        }
    }

    /// Moves a file, or all files of a folder.
    fn rename(
        &mut self,
        from: &Path,
        to: &Path,
        existing: ExistingFilePolicy,
    ) -> Result<(), NavigationError> {
        let (from, to) = (self.resolve(from)?, self.resolve(to)?);
        if self.exists(&to) {
            return match existing {
                ExistingFilePolicy::Ignore => Ok(()),
                _ => Err(refused(&format!("{} exists already", self.names.shown(&to)))),
            };
        }
        for path in self.files_below(&from)? {
            self.load(&path)?;
            let below = path.strip_prefix(&from).unwrap_or(Path::new(""));
            let new = if below.as_os_str().is_empty() { to.clone() } else { to.join(below) };
            if let Some(file) = self.files.remove(&path) {
                self.files.insert(new, file);
            }
        }
        Ok(())
    }

    fn delete(&mut self, path: &Path, is_optional: bool) -> Result<(), NavigationError> {
        let path = self.resolve(path)?;
        let below = self.files_below(&path)?;
        // A folder that the edit has emptied goes by itself.
        if below.is_empty() && !is_optional && !path.exists() {
            return Err(refused(&format!("{} does not exist", self.names.shown(&path))));
        }
        for path in below {
            self.load(&path)?;
            if let Some((origin, before)) = self.files.remove(&path).and_then(|file| file.origin) {
                self.deleted.insert(origin, before);
            }
        }
        Ok(())
    }

    /// The file at a path, or a new one.
    fn load(&mut self, path: &Path) -> Result<&mut FutureFile, NavigationError> {
        if !self.files.contains_key(path) {
            let file = if self.exists(path) {
                let shown = self.names.shown(path);
                let unread = || refused(&format!("{shown} may not be read, or has no text"));
                let text = self.names.text(path).ok_or_else(unread)?;
                if self.then.is_changed(self.names, path, &text) {
                    return Err(changed(&shown));
                }
                let new = text.as_str().to_owned();
                FutureFile { origin: Some((path.to_owned(), text)), text: new }
            } else {
                // Servers edit a file that they did not create.
                FutureFile { origin: None, text: String::new() }
            };
            self.files.insert(path.to_owned(), file);
        }
        self.files.get_mut(path).ok_or_else(|| refused("a file of it is gone"))
    }

    /// Whether there is a file or folder, after the operations so far.
    fn exists(&self, path: &Path) -> bool {
        let is_moved = || self.files.values().any(|file| is_origin(file, path));
        let is_gone = self.deleted.contains_key(path) || is_moved() && !self.files.contains_key(path);
        self.files.contains_key(path) || path.symlink_metadata().is_ok() && !is_gone
    }

    /// The file itself, or the files in a folder.
    fn files_below(&self, path: &Path) -> Result<Vec<PathBuf>, NavigationError> {
        let planned = self.files.keys().filter(|file| file.starts_with(path));
        let mut found: Vec<PathBuf> = planned.cloned().collect();
        let mut pending = vec![path.to_owned()];
        while let Some(path) = pending.pop() {
            let kind = path.symlink_metadata().map(|metadata| metadata.file_type());
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                let entries = path.read_dir().into_iter().flatten().flatten();
                pending.extend(entries.map(|entry| entry.path()));
            } else if kind.is_ok() && self.exists(&path) && !found.contains(&path) {
                found.push(path);
            }
            if found.len() + pending.len() > MAX_FILES {
                return Err(refused(&format!("it would change more than {MAX_FILES} files")));
            }
        }
        found.sort();
        Ok(found)
    }

    /// The real path, which must be in the workspace.
    fn resolve(&self, path: &Path) -> Result<PathBuf, NavigationError> {
        let existing = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
        let real = existing.map(|(above, real)| match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        });
        let real = real.unwrap_or_else(|| path.to_owned());
        if !real.starts_with(&self.names.root) {
            let shown = path.display();
            return Err(refused(&format!("it reaches outside of the workspace, to {shown}")));
        }
        Ok(real)
    }

    fn finish(mut self) -> Vec<PlannedFileChange> {
        let mut planned = Vec::new();
        for (path, file) in self.files {
            let origin = file.origin.or_else(|| Some((path.clone(), self.deleted.remove(&path)?)));
            planned.push(match origin {
                None => PlannedFileChange::Create { path, text: file.text },
                Some((from, before)) if from == path => {
                    PlannedFileChange::Edit { path, before, after: file.text }
                }
                Some((from, before)) => PlannedFileChange::Move { from, to: path, before, after: file.text },
            });
        }
        let is_needed = |file: &PlannedFileChange| !matches!(file, PlannedFileChange::Edit { before, after, .. } if before.as_str() == after);
        planned.retain(is_needed);
        planned.extend(
            self.deleted.into_iter().map(|(path, before)| PlannedFileChange::Delete { path, before }),
        );
        planned
    }
}

/// Servers and models write the line breaks that they like.
fn with_line_breaks_of(before: &str, after: &str) -> String {
    LineEnding::detect(before).apply_to(after).into_owned()
}

fn is_origin(file: &FutureFile, path: &Path) -> bool {
    file.origin.as_ref().is_some_and(|(origin, _)| origin == path)
}

fn refused(why: &str) -> NavigationError {
    NavigationError::new(format!("The edit was not made: {why}. Nothing was changed."))
}

fn changed(shown: &str) -> NavigationError {
    NavigationError::new(format!("{shown} has changed meanwhile. Nothing was changed; make the call again."))
}
