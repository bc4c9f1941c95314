use std::future::ready;
use std::path::Path;
use std::sync::{Arc, Mutex};

use copydesk_text::{Change, LineBreaks, Position, PositionEncoding};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::time_limits::EDIT_DEADLINE;

/// An editor that follows its script.
struct Scripted {
    buffers: Buffers,
    id: Mutex<Option<ClientId>>,
    /// The editor's text; the daemon learns it only from the editor's messages.
    text: Mutex<(i32, String)>,
    manner: Manner,
    /// What the user types when an edit arrives, before and after the editor looks at it; by attempt, the
    /// last first.
    typed: Mutex<Vec<(Keys, Keys)>>,
    /// Changes not reported yet.
    pieces: Mutex<Vec<BufferContentChange>>,
}

/// Letters, with the offset in the current text where the user types them.
type Keys = Vec<(usize, String)>;

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Rejects an edit for another version, and says so.
    Obeys,
    /// Accepts everything, but applies only edits for its version, the last hunk first. Reports afterwards,
    /// all in one message, hunk by hunk.
    LikeNeovim,
    SaysNo,
    /// Says yes and does nothing.
    Lies,
}

const URI: &str = "file:///w/a.rs";

impl Scripted {
    fn new(text: &str, manner: Manner, typed: Vec<(Keys, Keys)>) -> (Arc<Self>, Buffers, ClientId) {
        let buffers = Buffers::default();
        let scripted = Arc::new(Self {
            buffers: buffers.clone(),
            id: Mutex::default(),
            text: Mutex::new((1, text.to_owned())),
            manner,
            typed: Mutex::new(typed),
            pieces: Mutex::default(),
        });
        let editor: Arc<dyn EditorHandle> = Arc::clone(&scripted) as _;
        let refuses_silently = manner == Manner::LikeNeovim;
        let client = BufferClient {
            name: "scripted".into(),
            encoding: PositionEncoding::Utf16,
            editor,
            refuses_silently,
        };
        let id = buffers.attach(client);
        *scripted.id.lock().unwrap() = Some(id);
        buffers.open(id, URI, Some(Path::new("/w/a.rs")), 1, text, LineBreaks::Any);
        (scripted, buffers, id)
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().1.clone()
    }

    /// Changes the editor's own text, and reports the change if `tell`.
    fn edit(&self, change: &Change, tell: bool) {
        let mut text = self.text.lock().unwrap();
        let new = change.apply(&text.1).unwrap();
        let before = Document::new(&text.1, LineBreaks::Any);
        let place = |offset| before.position(offset, PositionEncoding::Utf16);
        self.pieces.lock().unwrap().extend(change.edits().iter().rev().map(|edit| BufferContentChange {
            range: Some((place(edit.range.start), place(edit.range.end))),
            text: edit.text.clone(),
        }));
        *text = (text.0 + 1, new);
        drop(text);
        if tell {
            self.tell();
        }
    }

    fn press(&self, keys: &Keys, tell: bool) {
        for (at, letters) in keys {
            let text = self.text();
            let at = at % (text.chars().count() + 1);
            let at = text.char_indices().nth(at).map_or(text.len(), |(at, _)| at);
            let edit = copydesk_text::Edit { range: at..at, text: letters.clone() };
            self.edit(&Change::from_unchecked_edits(&text, vec![edit]).unwrap(), tell);
        }
    }

    fn tell(&self) {
        let text = self.text.lock().unwrap().clone();
        let known = self.buffers.find(Path::new("/w/a.rs"), None).unwrap().unwrap();
        if known.version < text.0 {
            let pieces = std::mem::take(&mut *self.pieces.lock().unwrap());
            let whole = vec![BufferContentChange { range: None, text: text.1 }];
            let told = if self.manner == Manner::LikeNeovim { pieces } else { whole };
            self.buffers.change(self.id.lock().unwrap().unwrap(), URI, text.0, &told).unwrap();
        }
    }

    fn at(text: &str, position: Position) -> usize {
        Document::new(text, LineBreaks::Any).offset(position, PositionEncoding::Utf16)
    }
}

impl EditorHandle for Scripted {
    fn apply_edits(&self, _: &str, edits: Vec<BufferEdit>, _: Instant) -> EditorFuture<'_> {
        let at_once = self.manner != Manner::LikeNeovim;
        let (before, after) = self.typed.lock().unwrap().pop().unwrap_or_default();
        self.press(&before, at_once);
        let (version, text) = self.text.lock().unwrap().clone();
        let edit = edits.first().unwrap();
        let fits = edit.version == version;
        let refused = || EditorError::Declined("another version".to_owned());
        let answer = match self.manner {
            Manner::SaysNo => Err(refused()),
            Manner::Lies => Ok(()),
            Manner::Obeys if !fits => Err(refused()),
            Manner::LikeNeovim if !fits => Ok(()),
            Manner::Obeys | Manner::LikeNeovim => {
                let one = |(start, end, new): &(Position, Position, String)| copydesk_text::Edit {
                    range: Self::at(&text, *start)..Self::at(&text, *end),
                    text: new.clone(),
                };
                // One by one, the last first, as Neovim does: two adjacent edits stay two changes.
                let whole = Change::from_unchecked_edits(&text, edit.edits.iter().map(one).collect());
                match self.manner {
                    Manner::LikeNeovim => edit.edits.iter().map(one).rev().for_each(|edit| {
                        self.edit(&Change::from_unchecked_edits(&self.text(), vec![edit]).unwrap(), false);
                    }),
                    _ => self.edit(&whole.unwrap(), at_once),
                }
                Ok(())
            }
        };
        self.press(&after, at_once);
        self.tell();
        Box::pin(ready(answer))
    }

    fn save(&self, _: &str) -> EditorFuture<'_> {
        Box::pin(ready(Ok(())))
    }

    fn notify_disk_change(&self, _: &Path, _: DiskChange) {}
}

/// A client that answers no requests.
pub(crate) fn silent(buffers: &Buffers) -> ClientId {
    let (editor, _, _) = Scripted::new("", Manner::SaysNo, Vec::new());
    let name = "silent".to_owned();
    buffers.attach(BufferClient { name, encoding: PositionEncoding::Utf8, editor, refuses_silently: false })
}

fn wanted(base: &str, new: &str) -> [RequestedEdit; 1] {
    [RequestedEdit { name: "/w/a.rs".into(), base: base.to_owned(), change: Change::between(base, new) }]
}

fn soon() -> Instant {
    Instant::now() + EDIT_DEADLINE
}

/// Retries as often as the client moves on.
async fn make(buffers: &Buffers, client: ClientId, wanted: &[RequestedEdit]) -> Result<usize, EditPlanError> {
    for attempt in 1..10 {
        let mut plan = buffers.plan_edits(client, wanted)?;
        if plan.execute("a test", soon()).await? == EditPlanOutcome::Applied {
            return Ok(attempt);
        }
    }
    panic!("it never came through");
}

/// Neovim's text always ends with a line ending; an edit rebased over typing may want it otherwise.
#[tokio::test]
async fn neovim_is_not_asked_to_take_away_the_last_end() {
    for (before, after, planned) in [
        ("a\nb c\n", "a\nb", "a\nb\n"),
        ("a\r\nb c\r\n", "a\r\nb", "a\r\nb\r\n"),
        ("a\nb\n", "a\n", "a\n"),
        ("a\nb", "a", "a"),
        ("a\n", "", "\n"),
    ] {
        for (manner, made) in [(Manner::LikeNeovim, planned), (Manner::Obeys, after)] {
            let (editor, buffers, id) = Scripted::new(before, manner, Vec::new());
            assert_eq!(make(&buffers, id, &wanted(before, after)).await, Ok(1), "{before:?}");
            assert_eq!(editor.text(), made, "{before:?}");
        }
    }
}

#[tokio::test]
async fn an_edit_is_made_where_it_was_meant_and_known_from_the_text() {
    for manner in [Manner::Obeys, Manner::LikeNeovim] {
        let (editor, buffers, id) = Scripted::new("a\nb\nc\n", manner, Vec::new());
        assert_eq!(make(&buffers, id, &wanted("a\nb\nc\n", "a\nB\nc\n")).await, Ok(1));
        assert_eq!(editor.text(), "a\nB\nc\n");
    }
}

#[tokio::test]
async fn what_a_user_types_meanwhile_stays() {
    let base = "one\ntwo\nthree\n";
    for manner in [Manner::Obeys, Manner::LikeNeovim] {
        let before = vec![(0, "zero\n".to_owned())];
        let (editor, buffers, id) = Scripted::new(base, manner, vec![(before, Vec::new())]);
        assert_eq!(make(&buffers, id, &wanted(base, "one\nTWO\nthree\n")).await, Ok(2));
        assert_eq!(editor.text(), "zero\none\nTWO\nthree\n");
    }
}

#[tokio::test]
async fn typing_into_the_same_line_is_a_conflict_and_nothing_is_changed() {
    let base = "one\ntwo\n";
    let before = vec![(7, " and more".to_owned())];
    let (editor, buffers, id) = Scripted::new(base, Manner::Obeys, vec![(before, Vec::new())]);
    let result = make(&buffers, id, &wanted(base, "one\n2\n")).await;
    let Err(EditPlanError::Conflict(conflict)) = result else { panic!("{result:?}") };
    assert!(conflict.to_string().contains("two and more"), "{conflict}");
    assert_eq!(editor.text(), "one\ntwo and more\n");
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_refuses_or_lies_is_found_out() {
    let (_, buffers, id) = Scripted::new("a\n", Manner::SaysNo, Vec::new());
    let refused = make(&buffers, id, &wanted("a\n", "b\n")).await;
    assert_eq!(refused, Err(EditPlanError::Refused(EditorError::Declined("another version".to_owned()))));
    let (_, buffers, id) = Scripted::new("a\n", Manner::Lies, Vec::new());
    assert_eq!(make(&buffers, id, &wanted("a\n", "b\n")).await, Err(EditPlanError::NotEchoed));
}

#[tokio::test]
async fn an_editor_that_goes_is_waited_for_no_longer() {
    let (_, buffers, id) = Scripted::new("a\n", Manner::Lies, Vec::new());
    let mut plan = buffers.plan_edits(id, &wanted("a\n", "b\n")).unwrap();
    let gone = async { buffers.detach(id) };
    let (result, ()) = tokio::join!(plan.execute("a test", soon()), gone);
    assert_eq!(result, Err(EditPlanError::Refused(EditorError::Disconnected)));
}

#[test]
fn a_text_that_is_told_wrongly_is_lost_until_it_is_opened_anew() {
    let (_, buffers, id) = Scripted::new("a\n", Manner::Obeys, Vec::new());
    let path = Path::new("/w/a.rs");
    let whole = |text: &str| [BufferContentChange { range: None, text: text.to_owned() }];
    assert_eq!(buffers.change(id, "file:///other", 2, &whole("x")), Err(SyncError::NotOpen));
    assert_eq!(buffers.change(id, URI, 1, &whole("x")), Err(SyncError::Stale { known: 1, told: 1 }));
    assert!(buffers.find(path, None).unwrap().is_err());
    assert!(buffers.change(id, URI, 3, &whole("x")).is_err(), "it stays lost");
    assert!(buffers.documents(None).is_empty());
    buffers.open(id, URI, Some(path), 4, "new", LineBreaks::Any);
    assert_eq!(buffers.find(path, None).unwrap().unwrap().document.text(), "new");
    buffers.close(id, URI).unwrap();
    assert!(buffers.find(path, None).is_none());
}

#[test]
fn the_home_client_wins_then_whoever_typed_last() {
    let buffers = Buffers::default();
    let path = Path::new("/w/a.rs");
    let ids = ["one", "two"].map(|text| {
        let (editor, _, _) = Scripted::new("", Manner::Obeys, Vec::new());
        let client = BufferClient {
            name: text.into(),
            encoding: PositionEncoding::Utf8,
            editor,
            refuses_silently: false,
        };
        let id = buffers.attach(client);
        buffers.open(id, URI, Some(path), 1, text, LineBreaks::Any);
        id
    });
    let text = |home| buffers.find(path, home).unwrap().unwrap().document.text();
    assert_eq!((text(None), text(Some(ids[0]))), ("two".to_owned(), "one".to_owned()));
    buffers.change(ids[0], URI, 2, &[BufferContentChange { range: None, text: "ONE".into() }]).unwrap();
    assert_eq!((text(None), text(Some(ids[1]))), ("ONE".to_owned(), "two".to_owned()));
    buffers.detach(ids[1]);
    assert_eq!(text(Some(ids[1])), "ONE");
}

fn keys() -> impl Strategy<Value = Keys> {
    proptest::collection::vec((any::<usize>(), "[xyé\n]{1,3}"), 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(20261115), ..ProptestConfig::default() })]
    /// Whatever the user types before and right after the edit arrives, at each attempt: every letter
    /// survives, and the edit is in the text as a whole or not at all.
    #[test]
    fn no_keystroke_is_ever_lost(
        lines in proptest::collection::vec("[ab]{0,2}", 1..7),
        replaced in proptest::collection::vec(("[AB]{1,2}", any::<bool>()), 7),
        typed in proptest::collection::vec((keys(), keys()), 0..4),
        neovim in any::<bool>(),
    ) {
        let manner = if neovim { Manner::LikeNeovim } else { Manner::Obeys };
        let base = lines.join("\n");
        let new: Vec<_> = lines
            .iter()
            .zip(&replaced)
            .map(|(line, (other, take))| if *take { other.clone() } else { line.clone() })
            .collect();
        let new = new.join("\n");
        // Neovim's text keeps or lacks its last line ending, whatever the edit.
        prop_assume!(!neovim || base.ends_with('\n') == new.ends_with('\n'));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (editor, buffers, id) = Scripted::new(&base, manner, typed.clone());
        let result = runtime.block_on(make(&buffers, id, &wanted(&base, &new)));
        let text = editor.text();
        let known = buffers.find(Path::new("/w/a.rs"), None).unwrap().unwrap();
        prop_assert_eq!(known.document.text(), text.clone(), "the daemon has another text");

        // Attempts take from the end.
        let left = editor.typed.lock().unwrap().len();
        let pressed: String = typed[left..]
            .iter()
            .flat_map(|(before, after)| before.iter().chain(after))
            .map(|(_, letters)| letters.as_str())
            .collect();
        let count = |text: &str, of: &str| text.chars().filter(|letter| of.contains(*letter)).count();
        prop_assert_eq!(count(&text, "xyé"), count(&pressed, "xyé"), "{:?}", text);
        match result {
            Ok(_) => prop_assert_eq!(count(&text, "AB"), count(&new, "AB"), "{:?}", text),
            Err(_) => prop_assert_eq!(count(&text, "AB"), 0, "{:?}", text),
        }
        let breaks = |text: &str| text.matches('\n').count();
        prop_assert_eq!(breaks(&text), breaks(&base) + breaks(&pressed), "{:?}", text);
    }
}

#[tokio::test]
async fn a_no_is_believed_however_much_the_text_looks_like_a_yes() {
    // The user types what the agent was going to write.
    let typed = vec![(vec![(7, "!".to_owned())], vec![])];
    let (scripted, buffers, id) = Scripted::new("one\ntwo\n", Manner::Obeys, typed);
    let mut plan = buffers.plan_edits(id, &wanted("one\ntwo\n", "one\ntwo!\n")).unwrap();
    assert_eq!(plan.execute("edit", soon()).await.unwrap(), EditPlanOutcome::Stale);
    assert_eq!(plan.applied_flags(), [false], "so that no undo takes back what the user typed");
    assert_eq!(scripted.text(), "one\ntwo!\n");
}
