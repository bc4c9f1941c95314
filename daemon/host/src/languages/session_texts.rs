//! The texts of a session's files, for sources of diagnostics.
//!
//! Language servers name paths, and the model sees the texts there. So nothing outside of the workspace is read for them but the source of
//! installed libraries, and nothing that the model could not read without asking the user.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_permission::PermissionAction;
use copydesk_servers::{CheckedDocument, DocumentProvider};
use copydesk_session::CurrentRules;
use copydesk_text::FileText;
use copydesk_workspace::buffers::{
    Buffers, ClientId, DiskChange, MAX_SMALL_FILE_BYTES, is_deleted, read_small_file,
};
use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};
use copydesk_workspace::library_files::is_library_file;
use copydesk_workspace::search::SearchView;

pub(super) struct SessionTexts {
    pub files: WorkspaceFiles,
    pub rules: CurrentRules,
}

impl SessionTexts {
    /// The rules must allow each of its names, as for the tools.
    fn may_read(&self, place: &ResolvedPath) -> bool {
        let real = self.files.resolve(&place.real_path().to_string_lossy()).display_path;
        let rules = self.rules.get();
        [&place.display_path, &real]
            .into_iter()
            .all(|name| rules.evaluate("read", name) == PermissionAction::Allow)
    }
}

impl DocumentProvider for SessionTexts {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        let place = self.files.resolve(&path.to_string_lossy());
        if !place.is_in_workspace || !self.may_read(&place) {
            return None;
        }
        read_document(self.files.buffers(), self.files.home_client(), place.real_path().to_owned())
    }

    fn library_text(&self, path: &Path) -> Option<Arc<String>> {
        let place = self.files.resolve(&path.to_string_lossy());
        let real = place.real_path();
        let folder = real.parent()?.join("*");
        let rule = self.rules.get().evaluate("external_directory", &folder.to_string_lossy());
        if !is_library_file(real) || rule == PermissionAction::Deny || !self.may_read(&place) {
            return None;
        }
        Some(FileText::decode(read_small_file(real)?).ok()?.shared_text())
    }

    fn reload(&self, path: &Path) -> bool {
        let buffers = self.files.buffers();
        if buffers.find(path, self.files.home_client()).is_none() {
            // An editor's servers do not watch the disk. The daemon does not know whether the file is new, and reports it as
            // created: a server reads a created file.
            let what = if is_deleted(path) { DiskChange::Deleted } else { DiskChange::Created };
            buffers.notify_disk_change(path, what, None);
            return false;
        }
        // A deleted file cannot be read again.
        let has_changed = !is_deleted(path) && self.differs_from_disk(path);
        if has_changed {
            buffers.notify_disk_change(path, DiskChange::Written, None);
        }
        has_changed
    }

    fn differs_from_disk(&self, path: &Path) -> bool {
        self.files.buffers().differs_from_disk(self.files.home_client(), path)
    }

    fn edit_epoch(&self) -> u64 {
        self.files.buffers().revision()
    }

    fn search_view(&self) -> SearchView {
        self.files.search_view()
    }
}

/// The text of a file by its real path: the editor's buffer if it is open, else the disk.
pub(super) fn read_document(
    buffers: &Buffers,
    home: Option<ClientId>,
    path: PathBuf,
) -> Option<CheckedDocument> {
    if let Some(open) = buffers.find(&path, home) {
        let document = open.ok()?.document;
        let is_small = document.len() as u64 <= MAX_SMALL_FILE_BYTES;
        // The buffer may be saved. Calling it unsaved costs a little; calling it saved could be wrong.
        return is_small.then(|| CheckedDocument { path, text: document.text().into(), is_saved: false });
    }
    let text = FileText::decode(read_small_file(&path)?).ok()?.shared_text();
    Some(CheckedDocument { path, text, is_saved: true })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Mutex;

    use copydesk_permission::{PermissionRule, PermissionRules, RuleLayers, default_rules};
    use copydesk_text::{LineBreaks, PositionEncoding};
    use copydesk_workspace::buffers::{BufferClient, BufferEdit, EditorFuture, EditorHandle};

    use super::*;

    #[test]
    fn a_file_that_the_rules_deny_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let work = root.join("w");
        fs::create_dir(&work).unwrap();
        for file in ["w/a.rs", "w/.env", "w/secret.rs", "outside.rs"] {
            fs::write(root.join(file), "key").unwrap();
        }
        symlink("secret.rs", work.join("link.rs")).unwrap();
        let mut own = PermissionRules::default();
        own.push(PermissionRule::new("read", "*secret*", PermissionAction::Deny));
        let files = WorkspaceFiles::new(&work, &root.join("home"));
        let rules = CurrentRules::new(RuleLayers::new([default_rules(), own]));
        let texts = SessionTexts { files, rules: rules.clone() };
        let readable = |name: &str| texts.document(&root.join(name)).is_some();
        assert!(readable("w/a.rs"));
        for name in ["w/.env", "w/secret.rs", "w/link.rs", "outside.rs"] {
            assert!(!readable(name), "{name}");
        }
        // The session switches to another agent.
        let mut other = PermissionRules::default();
        other.push(PermissionRule::new("read", "a.rs", PermissionAction::Deny));
        rules.set(&RuleLayers::new([default_rules(), other]));
        assert!(!readable("w/a.rs") && readable("w/secret.rs"));
    }

    #[test]
    fn the_source_of_a_library_is_shown_unless_a_rule_denies_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let package = root.join("site-packages/package");
        fs::create_dir_all(&package).unwrap();
        fs::create_dir(root.join("w")).unwrap();
        fs::write(package.join("a.py"), "public").unwrap();
        fs::write(root.join("own.py"), "private").unwrap();
        symlink(root.join("own.py"), package.join("link.py")).unwrap();
        let shown = |also: Option<PermissionRule>| {
            let mut own = PermissionRules::default();
            also.into_iter().for_each(|rule| own.push(rule));
            let files = WorkspaceFiles::new(&root.join("w"), &root.join("home"));
            let rules = CurrentRules::new(RuleLayers::new([default_rules(), own]));
            let texts = SessionTexts { files, rules };
            let text = |path: PathBuf| texts.library_text(&path).map(|text| text.to_string());
            assert_eq!(text(root.join("own.py")), None);
            assert_eq!(text(package.join("link.py")), None, "it leads out of the package");
            assert_eq!(text(package.join("none.py")), None);
            text(package.join("a.py"))
        };
        assert_eq!(shown(None).as_deref(), Some("public"));
        let denied = [("external_directory", "*"), ("read", "*package*")];
        for (key, pattern) in denied {
            assert_eq!(shown(Some(PermissionRule::new(key, pattern, PermissionAction::Deny))), None, "{key}");
        }
    }

    /// Records the notifications about the disk.
    #[derive(Default)]
    struct RecordingEditor(Mutex<Vec<(PathBuf, DiskChange)>>);

    impl EditorHandle for RecordingEditor {
        fn apply_edits(
            &self,
            _label: &str,
            _edits: Vec<BufferEdit>,
            _until: tokio::time::Instant,
        ) -> EditorFuture<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn save(&self, _uri: &str) -> EditorFuture<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn notify_disk_change(&self, path: &Path, what: DiskChange) {
            self.0.lock().unwrap().push((path.to_owned(), what));
        }
    }

    #[test]
    fn reload_notifies_editors_of_closed_files_too_but_waits_only_for_open_ones() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = WorkspaceFiles::new(&root, &root.join("home"));
        let editor = Arc::new(RecordingEditor::default());
        let client = files.buffers().attach(BufferClient {
            name: "nvim".to_owned(),
            encoding: PositionEncoding::Utf16,
            editor: Arc::clone(&editor) as Arc<dyn EditorHandle>,
            refuses_silently: false,
        });
        let rules = CurrentRules::new(RuleLayers::new([default_rules()]));
        let texts = SessionTexts { files: files.clone(), rules };
        let [open, closed, gone] = ["a.rs", "b.rs", "c.rs"].map(|name| root.join(name));
        let uri = format!("file://{}", open.display());
        files.buffers().open(client, &uri, Some(&open), 1, "one", LineBreaks::Any);
        fs::write(&open, "one").unwrap();
        fs::write(&closed, "one").unwrap();
        assert!(![&open, &closed, &gone].into_iter().any(|path| texts.reload(path)));
        let changes = std::mem::take(&mut *editor.0.lock().unwrap());
        assert_eq!(changes, [(closed, DiskChange::Created), (gone, DiskChange::Deleted)]);
        fs::write(&open, "two").unwrap();
        assert!(texts.reload(&open));
        assert_eq!(*editor.0.lock().unwrap(), [(open.clone(), DiskChange::Written)]);
        // A deleted file cannot be read again, and the buffer differs from the disk.
        fs::remove_file(&open).unwrap();
        assert!(!texts.reload(&open) && texts.differs_from_disk(&open));
        assert_eq!(editor.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn devices_fifos_and_large_files_are_not_read_for_a_comparison() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = WorkspaceFiles::new(&root, &root.join("home"));
        let client = files.buffers().attach(BufferClient {
            name: "nvim".to_owned(),
            encoding: PositionEncoding::Utf16,
            editor: Arc::new(RecordingEditor::default()),
            refuses_silently: false,
        });
        let rules = CurrentRules::new(RuleLayers::new([default_rules()]));
        let texts = SessionTexts { files: files.clone(), rules };
        let path = root.join("a.rs");
        files.buffers().open(
            client,
            &format!("file://{}", path.display()),
            Some(&path),
            1,
            "one",
            LineBreaks::Any,
        );
        fs::write(&path, "two").unwrap();
        assert!(texts.differs_from_disk(&path) && texts.reload(&path));
        fs::File::create(&path).unwrap().set_len(MAX_SMALL_FILE_BYTES + 1).unwrap();
        assert!(!texts.differs_from_disk(&path));
        fs::remove_file(&path).unwrap();
        assert!(texts.differs_from_disk(&path));
        symlink("/dev/zero", &path).unwrap();
        assert!(!texts.differs_from_disk(&path));
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(!texts.differs_from_disk(&path));
    }
}
