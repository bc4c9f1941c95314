//! Several files in one change: all or none. The files are asked directly, with editors that live in this process and
//! refuse when they are told to.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use copydesk_config::Save;
use copydesk_text::{Change, Edit, Encoding, FileText, Lines};
use copydesk_workspace::buffers::{
    Answer, BufferEdit, Buffers, Client, ClientId, ContentChange, Editor, OnDisk, Refusal,
};
use copydesk_workspace::files::{By, Cause, ChangeKind, FileChange, Files, READ_LIMIT};
use copydesk_workspace::reviews::Reviews;
use serde_json::json;
use tempfile::TempDir;

use super::units::{Units, offset};

/// What happens in an editor before it answers.
type Meanwhile = Box<dyn Fn() + Send + Sync>;

/// An editor with one document.
struct Window {
    buffers: Buffers,
    id: OnceLock<ClientId>,
    uri: String,
    text: Mutex<(i32, String)>,
    refuses: bool,
    meanwhile: Option<Meanwhile>,
}

impl Window {
    fn open(
        buffers: &Buffers,
        path: &Path,
        text: &str,
        refuses: bool,
        meanwhile: Option<Meanwhile>,
    ) -> Arc<Self> {
        let window = Arc::new(Self {
            buffers: buffers.clone(),
            id: OnceLock::new(),
            uri: format!("file://{}", path.display()),
            text: Mutex::new((1, text.to_owned())),
            refuses,
            meanwhile,
        });
        let editor: Arc<dyn Editor> = Arc::clone(&window) as _;
        let client =
            Client { name: "window".into(), encoding: Encoding::Utf8, editor, refuses_silently: false };
        let id = *window.id.get_or_init(|| buffers.attach(client));
        buffers.open(id, &window.uri, Some(path), 1, text, Lines::Any);
        window
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().1.clone()
    }

    /// Makes a change of the window's own, and tells of it.
    fn put(&self, change: impl FnOnce(&mut String)) {
        let mut text = self.text.lock().unwrap();
        change(&mut text.1);
        text.0 += 1;
        let whole = ContentChange { range: None, text: text.1.clone() };
        self.buffers.change(*self.id.get().unwrap(), &self.uri, text.0, &[whole]).unwrap();
    }
}

impl Editor for Window {
    fn apply(&self, _: &str, edits: Vec<BufferEdit>) -> Answer<'_> {
        self.meanwhile.iter().for_each(|meanwhile| meanwhile());
        let [edit] = edits.as_slice() else { panic!("{edits:?}") };
        let fits = edit.version == self.text.lock().unwrap().0;
        let answer = if self.refuses || !fits { Err(Refusal::Said("no".to_owned())) } else { Ok(()) };
        if answer.is_ok() {
            self.put(|text| {
                for (start, end, new) in edit.edits.iter().rev() {
                    let at = |position: &copydesk_text::Position| {
                        let position = json!({ "line": position.line, "character": position.character });
                        offset(text, &position, Units::Utf8)
                    };
                    let range = at(start)..at(end);
                    text.replace_range(range, new);
                }
            });
        }
        Box::pin(std::future::ready(answer))
    }

    fn save(&self, _: &str) -> Answer<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn changed_on_disk(&self, _: &Path, _: OnDisk) {}
}

struct Desk {
    dir: TempDir,
    buffers: Buffers,
    files: Files,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let buffers = Buffers::default();
        let files =
            Files::over(dir.path(), dir.path(), buffers.clone(), None, Reviews::default(), Save::Never);
        let desk = Self { dir, buffers, files };
        ["a", "b", "c"].iter().for_each(|name| desk.write(name, "on disk: old\n"));
        desk
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap()
    }

    fn window(&self, name: &str, refuses: bool, meanwhile: Option<Meanwhile>) -> Arc<Window> {
        let path = self.dir.path().join(name);
        Window::open(&self.buffers, &path, "first\nold\nlast\n", refuses, meanwhile)
    }

    /// `old` becomes `new`, as the file is read now.
    async fn wants(&self, name: &str) -> FileChange {
        let place = self.files.resolve(name);
        let content = self.files.read(&place, READ_LIMIT).await.unwrap();
        let file = FileText::decode(content.bytes).unwrap();
        let at = file.text().find("old").unwrap();
        let edit = Edit { range: at..at + 3, text: "new".to_owned() };
        let change = Change::checked(file.text(), vec![edit]).unwrap();
        FileChange { place, kind: ChangeKind::Edit { file, stamp: content.stamp, change } }
    }

    async fn change(&self, changes: &[FileChange]) -> Result<usize, String> {
        let (session, call, label) = ("s".to_owned(), "c".to_owned(), "Edit".to_owned());
        let cause = Cause { session, call, label, accepted: true, by: By::Agent, group: None };
        self.files.change(changes, &cause).await.map(|made| made.len()).map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn files_here_and_there_are_changed_together() {
    let desk = Desk::new();
    let (one, other) = (desk.window("a", false, None), desk.window("b", false, None));
    let changes = [desk.wants("c").await, desk.wants("b").await, desk.wants("a").await];
    assert_eq!(desk.change(&changes).await, Ok(3));
    assert_eq!((one.text().as_str(), other.text().as_str()), ("first\nnew\nlast\n", "first\nnew\nlast\n"));
    assert_eq!(
        ["a", "b", "c"].map(|name| desk.read(name)),
        ["on disk: old\n", "on disk: old\n", "on disk: new\n"]
    );
}

#[tokio::test]
async fn where_one_refuses_the_others_go_back_and_keep_what_was_typed() {
    let desk = Desk::new();
    let one = desk.window("a", false, None);
    // While the second editor is being asked, the person goes on in the first.
    let typing = Arc::clone(&one);
    let typed = move || typing.put(|text| text.insert_str(0, "typed\n"));
    let other = desk.window("b", true, Some(Box::new(typed)));
    let changes = [desk.wants("c").await, desk.wants("b").await, desk.wants("a").await];
    let refused = desk.change(&changes).await.unwrap_err();
    assert!(refused.contains("the editor did not change `b`: no"), "{refused}");
    assert_eq!(one.text(), "typed\nfirst\nold\nlast\n");
    assert_eq!(other.text(), "first\nold\nlast\n");
    assert_eq!(desk.read("c"), "on disk: old\n");
}

#[tokio::test]
async fn a_file_that_is_another_by_now_stops_all_before_anything_is_asked() {
    let desk = Desk::new();
    let one = desk.window("a", false, Some(Box::new(|| panic!("it is not asked"))));
    let changes = [desk.wants("a").await, desk.wants("c").await];
    desk.write("c", "somebody else's: old\n");
    let refused = desk.change(&changes).await.unwrap_err();
    assert!(refused.contains("`c` has changed since it was read"), "{refused}");
    assert_eq!(one.text(), "first\nold\nlast\n");
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_named() {
    let desk = Desk::new();
    let one = desk.window("a", false, None);
    let typing = Arc::clone(&one);
    // On the very line that was changed.
    let typed = move || typing.put(|text| *text = text.replace("new", "new, and mine"));
    desk.window("b", true, Some(Box::new(typed)));
    let changes = [desk.wants("a").await, desk.wants("b").await];
    let refused = desk.change(&changes).await.unwrap_err();
    assert!(refused.contains("could not be taken back in: ") && refused.contains("/a"), "{refused}");
    assert_eq!(one.text(), "first\nnew, and mine\nlast\n");
}
