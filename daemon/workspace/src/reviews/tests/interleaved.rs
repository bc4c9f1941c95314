//! Agents, users and decisions change one document in any order, open or closed.

use std::sync::Arc;

use copydesk_text::{Change, FileText};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;

use super::super::{DecisionError, HunkVerdict, ReviewSnapshot, UserDecision};
use super::editor_window::{Keys, Window, place, temporary_workspace};
use super::{SESSION, everything, hunk};
use crate::files::{Author, ChangeCause, FileChange, FileChangeKind, READ_LIMIT, WorkspaceFiles};

#[derive(Debug, Clone)]
enum Act {
    /// In one of two sessions: lines change, appear or disappear while the user types.
    Agent(bool, Vec<(usize, Line)>, [Keys; 2]),
    Type(usize, String),
    Decide(bool, usize, HunkVerdict, [Keys; 2]),
    /// The user's own text in the place of a hunk.
    Write(bool, usize, [Keys; 2]),
    /// A waiting edit, decided hunk by hunk.
    Before(bool, Vec<(usize, Line)>, Vec<HunkVerdict>, [Keys; 2]),
    /// The editor's own undo: back to the text before its last change.
    Back,
    Close,
    Open,
}

#[derive(Debug, Clone, Copy)]
enum Line {
    Other,
    New,
    Gone,
}

struct Case {
    files: WorkspaceFiles,
    window: Arc<Window>,
    is_open: bool,
    count: usize,
    _folder: TempDir,
}

impl Case {
    fn new(text: &str, is_neovim: bool) -> Self {
        let (folder, files) = temporary_workspace();
        std::fs::write(folder.path().join("a"), text).unwrap();
        let window = Window::open(&files, "a", is_neovim);
        Self { files, window, is_open: true, count: 0, _folder: folder }
    }

    async fn text(&self) -> String {
        let content = self.files.peek(&self.files.resolve("a"), READ_LIMIT).await.unwrap();
        String::from_utf8(content.bytes).unwrap()
    }

    /// An edit of lines of the current text.
    async fn edit(&mut self, lines: &[(usize, Line)]) -> FileChangeKind {
        let old = self.text().await;
        let mut new: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
        for (at, line) in lines {
            self.count += 1;
            let at = at % (new.len() + 1);
            let text = format!("A{}\n", self.count);
            match line {
                Line::New => new.insert(at, text),
                // The agent leaves the user's lines alone here, so that every letter can be counted.
                _ if new.get(at).is_none_or(|line| line.contains('p')) => {}
                Line::Other => new[at] = text,
                Line::Gone => drop(new.remove(at)),
            }
        }
        let place = self.files.resolve("a");
        let content = self.files.peek(&place, READ_LIMIT).await.unwrap();
        let file = FileText::decode(content.bytes).unwrap();
        let change = Change::between(file.text(), &new.concat());
        FileChangeKind::Edit { file, stamp: content.stamp, change }
    }

    async fn agent(&mut self, session: &str, lines: &[(usize, Line)]) {
        let (place, kind) = (self.files.resolve("a"), self.edit(lines).await);
        let cause = ChangeCause {
            session: session.into(),
            call: format!("call {}", self.count),
            label: "Edit".into(),
            is_accepted: false,
            author: Author::Agent,
            group: None,
        };
        // A conflict with concurrent typing is allowed.
        let _ = self.files.apply_changes(&[FileChange { path: place, kind }], &cause).await;
    }

    /// A waiting call changes nothing but what was accepted of it.
    async fn before(&mut self, session: &str, lines: &[(usize, Line)], verdicts: Vec<HunkVerdict>) {
        let (place, kind) = (self.files.resolve("a"), self.edit(lines).await);
        let Some(proposal) = self.files.reviews().propose(session, "call", &place, &kind) else { return };
        let is_before = |view: &ReviewSnapshot| view.id == proposal.id();
        for verdict in verdicts {
            let was = self.text().await;
            let Some(view) = self.list(session).into_iter().find(is_before) else { break };
            let Some(old) = view.hunks.first().map(|hunk| hunk.old.join("\n")) else { break };
            // Do not reject a line that the user has typed in since.
            if count(&old) > 0 || self.decide(session, hunk(&view, 0, verdict)).await.is_err() {
                break;
            }
            let keys = self.window.typed.lock().unwrap().pop();
            let is_typed = keys.is_none_or(|keys| keys.iter().any(|keys| !keys.is_empty()));
            assert!(verdict == HunkVerdict::Accept || is_typed || self.text().await == was);
            self.check("in the middle of a call").await;
        }
    }

    fn list(&self, session: &str) -> Vec<ReviewSnapshot> {
        self.files.reviews().list_reviews(session, None, 0)
    }

    async fn decide(&self, session: &str, decision: UserDecision) -> Result<(), DecisionError> {
        self.files.decide(session, &[decision]).await.remove(0)
    }

    /// Compares the reviews with the document.
    async fn check(&self, said: &str) {
        let now = self.text().await;
        if !self.is_open {
            for session in SESSIONS {
                self.files.refresh_reviews(session).await;
            }
        }
        let state = self.files.reviews().lock();
        assert!(state.edits_in_flight.is_empty(), "{said}");
        for of in state.sessions.values() {
            for tracked in of.reviews.values().filter(|tracked| tracked.follows_text()) {
                assert_eq!(tracked.review.text(), now, "{said}");
                assert_eq!(tracked.decisions_in_progress, 0, "{said}");
                assert!(tracked.review.hunks().iter().all(|hunk| !hunk.rejecting), "{said}");
            }
        }
    }
}

const SESSIONS: [&str; 2] = [SESSION, "other"];

fn count(text: &str) -> usize {
    text.matches('p').count()
}

fn keys() -> impl Strategy<Value = [Keys; 2]> {
    let some = || proptest::collection::vec((any::<usize>(), "[p]|[p]\n|\n"), 0..2);
    [some(), some()]
}

fn act() -> impl Strategy<Value = Act> {
    let line = || prop_oneof![Just(Line::Other), Just(Line::New), Just(Line::Gone)];
    let lines = proptest::collection::vec((any::<usize>(), line()), 1..4);
    let some_lines = proptest::collection::vec((any::<usize>(), line()), 1..4);
    let verdict = || prop_oneof![Just(HunkVerdict::Accept), Just(HunkVerdict::Reject)];
    prop_oneof![
        4 => (any::<bool>(), lines, keys()).prop_map(|(of, lines, keys)| Act::Agent(of, lines, keys)),
        3 => (any::<usize>(), "[p]|[p]\n|\n").prop_map(|(at, text)| Act::Type(at, text)),
        4 => (any::<bool>(), any::<usize>(), verdict(), keys())
            .prop_map(|(of, at, verdict, keys)| Act::Decide(of, at, verdict, keys)),
        2 => (any::<bool>(), any::<usize>(), keys()).prop_map(|(of, at, keys)| Act::Write(of, at, keys)),
        2 => (any::<bool>(), some_lines, proptest::collection::vec(verdict(), 0..4), keys())
            .prop_map(|(of, lines, verdicts, keys)| Act::Before(of, lines, verdicts, keys)),
        1 => Just(Act::Back),
        1 => Just(Act::Close),
        1 => Just(Act::Open),
    ]
}

async fn run(text: &str, is_neovim: bool, acts: Vec<Act>) {
    let mut case = Case::new(text, is_neovim);
    let mut before: Vec<String> = Vec::new();
    for act in acts {
        let (said, was) = (format!("{act:?}"), case.text().await);
        // Letters that may disappear.
        let mut goes = 0;
        if let Act::Agent(_, _, keys)
        | Act::Decide(_, _, _, keys)
        | Act::Write(_, _, keys)
        | Act::Before(_, _, _, keys) = &act
        {
            *case.window.typed.lock().unwrap() = vec![keys.clone()];
        }
        match act {
            Act::Agent(other, lines, _) => {
                case.agent(SESSIONS[usize::from(other)], &lines).await;
            }
            Act::Before(other, lines, verdicts, _) => {
                case.before(SESSIONS[usize::from(other)], &lines, verdicts).await;
            }
            Act::Write(other, at, _) => {
                let session = SESSIONS[usize::from(other)];
                if let Some(view) = case.list(session).first().filter(|view| !view.hunks.is_empty()) {
                    let at = at % view.hunks.len();
                    goes = count(&view.hunks[at].new.join("\n"));
                    let text = Some("w\na\nw\n".to_owned());
                    let own = UserDecision { text, ..hunk(view, at, HunkVerdict::Accept) };
                    if case.decide(session, own).await.is_ok() {
                        let is_there = |view: &ReviewSnapshot| {
                            view.hunks.iter().any(|hunk| hunk.new.contains(&"w".into()))
                        };
                        assert!(!case.list(session).iter().any(is_there), "{said}");
                    }
                }
            }
            Act::Type(at, text) if case.is_open => {
                let mut new = was.clone();
                new.insert_str(place(&was, at), &text);
                case.window.becomes(&new);
            }
            Act::Decide(other, at, verdict, _) => {
                let session = SESSIONS[usize::from(other)];
                if let Some(view) = case.list(session).first().filter(|view| !view.hunks.is_empty()) {
                    let at = at % view.hunks.len();
                    goes = if verdict == HunkVerdict::Reject {
                        count(&view.hunks[at].new.join("\n"))
                    } else {
                        0
                    };
                    let _ = case.decide(session, hunk(view, at, verdict)).await;
                }
            }
            Act::Back if case.is_open => {
                if let Some(before) = before.pop() {
                    case.window.becomes(&before);
                    goes = usize::MAX;
                }
            }
            Act::Close if case.is_open => {
                case.window.save();
                case.window.close();
                case.is_open = false;
            }
            Act::Open if !case.is_open => {
                case.window.reopen();
                case.is_open = true;
            }
            _ => {}
        }
        let now = case.text().await;
        if now != was && goes != usize::MAX {
            before.push(was.clone());
        }
        assert!(count(&now).saturating_add(goes) >= count(&was), "{said}: {was:?} became {now:?}");
        case.check(&said).await;
        case.window.typed.lock().unwrap().clear();
    }
    // Rejecting everything gives the base.
    for session in SESSIONS {
        let Some(view) = case.list(session).pop() else { continue };
        let base = {
            let state = case.files.reviews().lock();
            state.sessions[session].reviews[&view.id].review.base()
        };
        assert_eq!(case.decide(session, everything(&view, HunkVerdict::Reject)).await, Ok(()));
        let text = case.text().await;
        // Neovim's text keeps its last line ending.
        assert_eq!(text.trim_end_matches('\n'), base.trim_end_matches('\n'));
        assert_eq!(case.list(session), []);
        case.check("at the end").await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(20261116), ..ProptestConfig::default() })]
    #[test]
    fn a_review_is_always_at_the_text_and_nothing_typed_is_lost(
        lines in proptest::collection::vec("[abc]{0,1}", 1..7),
        is_neovim in any::<bool>(),
        acts in proptest::collection::vec(act(), 1..14),
    ) {
        let text = lines.join("\n") + "\n";
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(run(&text, is_neovim, acts));
    }
}
