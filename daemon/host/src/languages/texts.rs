//! The texts of a session's files, for whoever asks what is wrong with them.
//!
//! Language servers name paths, and what they name is shown to a model: nothing outside of the workspace is read for them, and
//! nothing that a person would have to be asked about if the model read it itself.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use copydesk_permission::Action;
use copydesk_servers::{Subject, Texts};
use copydesk_session::CurrentRules;
use copydesk_text::FileText;
use copydesk_workspace::buffers::{Buffers, ClientId, OnDisk};
use copydesk_workspace::files::{Files, Place};
use copydesk_workspace::search::Overlay;

use super::unsaved;

/// Nobody has written more by hand.
const LARGEST: u64 = 1024 * 1024;

pub(super) struct FileTexts {
    pub files: Files,
    pub rules: CurrentRules,
}

impl FileTexts {
    /// By all of its names, as the tools ask for it.
    fn may_read(&self, place: &Place) -> bool {
        let real = self.files.resolve(&place.real().to_string_lossy()).shown;
        let rules = self.rules.get();
        [&place.shown, &real].into_iter().all(|name| rules.evaluate("read", name) == Action::Allow)
    }
}

impl Texts for FileTexts {
    fn text(&self, path: &Path) -> Option<Subject> {
        let place = self.files.resolve(&path.to_string_lossy());
        if !place.inside || !self.may_read(&place) {
            return None;
        }
        of_file(self.files.buffers(), self.files.home_client(), place.real().to_owned())
    }

    fn read_again(&self, path: &Path) -> bool {
        let buffers = self.files.buffers();
        if buffers.find(path, self.files.home_client()).is_none() {
            // An editor's servers do not look at the disk themselves. Nobody knows whether it was there before; who takes it for new reads it.
            let what = if unsaved::is_gone(path) { OnDisk::Deleted } else { OnDisk::Created };
            buffers.changed_on_disk(path, what, None);
            return false;
        }
        // Where it is gone there is nothing to read.
        let is_other = !unsaved::is_gone(path) && self.is_other(path);
        if is_other {
            buffers.changed_on_disk(path, OnDisk::Written, None);
        }
        is_other
    }

    fn is_other(&self, path: &Path) -> bool {
        unsaved::is_other(self.files.buffers(), self.files.home_client(), path)
    }

    fn moment(&self) -> u64 {
        self.files.buffers().moment()
    }

    fn overlay(&self) -> Overlay {
        Overlay::new(self.files.buffers().all(self.files.home_client()))
    }
}

/// What stands in a file, by its real path: in an editor where it is open, else on the disk.
pub(super) fn of_file(buffers: &Buffers, home: Option<ClientId>, path: PathBuf) -> Option<Subject> {
    if let Some(open) = buffers.find(&path, home) {
        let document = open.ok()?.document;
        let is_small = document.len() as u64 <= LARGEST;
        // It may be saved; that it is not known to be costs a little, and the other way round it would be a lie.
        return is_small.then(|| Subject { path, text: document.text().into(), is_saved: false });
    }
    let text = FileText::decode(read(&path)?).ok()?.shared();
    Some(Subject { path, text, is_saved: true })
}

/// Nothing that has no end, whatever lies at a path.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = path.metadata().ok().filter(|metadata| metadata.is_file() && metadata.len() <= LARGEST)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()? + 1);
    File::open(path).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::{Arc, Mutex};

    use copydesk_permission::{Layers, Rule, Rules, defaults};
    use copydesk_text::{Encoding, Lines};
    use copydesk_workspace::buffers::{Answer, BufferEdit, Client, Editor};

    use super::*;

    #[test]
    fn what_a_rule_keeps_from_the_model_is_not_read_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let work = root.join("w");
        fs::create_dir(&work).unwrap();
        for file in ["w/a.rs", "w/.env", "w/secret.rs", "outside.rs"] {
            fs::write(root.join(file), "key").unwrap();
        }
        symlink("secret.rs", work.join("link.rs")).unwrap();
        let mut own = Rules::default();
        own.push(Rule::new("read", "*secret*", Action::Deny));
        let files = Files::new(&work, &root.join("home"));
        let rules = CurrentRules::new(Layers::new([defaults(), own]));
        let texts = FileTexts { files, rules: rules.clone() };
        let readable = |name: &str| texts.text(&root.join(name)).is_some();
        assert!(readable("w/a.rs"));
        for name in ["w/.env", "w/secret.rs", "w/link.rs", "outside.rs"] {
            assert!(!readable(name), "{name}");
        }
        // The session goes on as another agent.
        let mut other = Rules::default();
        other.push(Rule::new("read", "a.rs", Action::Deny));
        rules.set(&Layers::new([defaults(), other]));
        assert!(!readable("w/a.rs") && readable("w/secret.rs"));
    }

    /// Hears what is changed on the disk.
    #[derive(Default)]
    struct Hearing(Mutex<Vec<(PathBuf, OnDisk)>>);

    impl Editor for Hearing {
        fn apply(&self, _label: &str, _edits: Vec<BufferEdit>) -> Answer<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn save(&self, _uri: &str) -> Answer<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn changed_on_disk(&self, path: &Path, what: OnDisk) {
            self.0.lock().unwrap().push((path.to_owned(), what));
        }
    }

    #[test]
    fn editors_hear_of_what_nobody_has_open_too_and_are_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = Files::new(&root, &root.join("home"));
        let editor = Arc::new(Hearing::default());
        let client = files.buffers().attach(Client {
            name: "nvim".to_owned(),
            encoding: Encoding::Utf16,
            editor: Arc::clone(&editor) as Arc<dyn Editor>,
            refuses_silently: false,
        });
        let rules = CurrentRules::new(Layers::new([defaults()]));
        let texts = FileTexts { files: files.clone(), rules };
        let [open, closed, gone] = ["a.rs", "b.rs", "c.rs"].map(|name| root.join(name));
        let uri = format!("file://{}", open.display());
        files.buffers().open(client, &uri, Some(&open), 1, "one", Lines::Any);
        fs::write(&open, "one").unwrap();
        fs::write(&closed, "one").unwrap();
        assert!(![&open, &closed, &gone].into_iter().any(|path| texts.read_again(path)));
        let heard = std::mem::take(&mut *editor.0.lock().unwrap());
        assert_eq!(heard, [(closed, OnDisk::Created), (gone, OnDisk::Deleted)]);
        fs::write(&open, "two").unwrap();
        assert!(texts.read_again(&open));
        assert_eq!(*editor.0.lock().unwrap(), [(open.clone(), OnDisk::Written)]);
        // Where the file is gone there is nothing to read, and what is open is another text.
        fs::remove_file(&open).unwrap();
        assert!(!texts.read_again(&open) && texts.is_other(&open));
        assert_eq!(editor.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn what_has_no_end_is_not_read_to_compare_it_with_what_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = Files::new(&root, &root.join("home"));
        let client = files.buffers().attach(Client {
            name: "nvim".to_owned(),
            encoding: Encoding::Utf16,
            editor: Arc::new(Hearing::default()),
            refuses_silently: false,
        });
        let rules = CurrentRules::new(Layers::new([defaults()]));
        let texts = FileTexts { files: files.clone(), rules };
        let path = root.join("a.rs");
        files.buffers().open(
            client,
            &format!("file://{}", path.display()),
            Some(&path),
            1,
            "one",
            Lines::Any,
        );
        fs::write(&path, "two").unwrap();
        assert!(texts.is_other(&path) && texts.read_again(&path));
        File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        assert!(!texts.is_other(&path));
        fs::remove_file(&path).unwrap();
        assert!(texts.is_other(&path));
        symlink("/dev/zero", &path).unwrap();
        assert!(!texts.is_other(&path));
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(!texts.is_other(&path));
    }
}
