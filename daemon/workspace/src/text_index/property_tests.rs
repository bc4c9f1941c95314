//! Holds searches through the index against walks, while files change.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use copydesk_text::{Document, LineBreaks};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::search::{CaseSensitivity, GlobMatches, GrepMatches, GrepRequest, SearchView, glob, grep};

const LIMITS: IndexLimits =
    IndexLimits { min_files: 0, files: 2000, bytes: 1 << 20, repositories: 4, folders: 1000 };

/// A folder with an index.
struct IndexedFolder {
    _folder: TempDir,
    root: PathBuf,
    cache: PathBuf,
    indexes: TextIndexes,
    index: TextIndex,
}

impl IndexedFolder {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        shell(&root, script);
        let cache = root.with_file_name("cache");
        let indexes = TextIndexes::new(Some(cache.clone()), LIMITS);
        let index = indexes.open(&root).unwrap();
        Self { _folder: folder, root, cache, indexes, index }
    }

    /// Builds the index if there is none. Whether it is ready.
    fn build(&self) -> bool {
        self.index.note_walk(1);
        self.index.wait_until_built()
    }

    fn view(&self) -> SearchView {
        SearchView::new(HashMap::new(), self.indexes.clone())
    }

    fn is_used(&self, below: &str, hidden: bool) -> bool {
        self.index.fresh_files(&self.root.join(below), hidden).is_some()
    }
}

fn shell(folder: &Path, script: &str) {
    let status = Command::new("/bin/sh").args(["-ec", script]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{script}");
}

fn request(root: &Path, regex: &str, hidden: bool, view: SearchView) -> GrepRequest {
    GrepRequest {
        root: root.to_owned(),
        regex: regex.to_owned(),
        case: CaseSensitivity::Sensitive,
        include: Vec::new(),
        hidden,
        limit: 1000,
        excluded_paths: HashSet::new(),
        view,
    }
}

async fn lines(root: &Path, regex: &str, hidden: bool, view: SearchView) -> GrepMatches {
    grep(request(root, regex, hidden, view), CancellationToken::new()).await.unwrap()
}

async fn names(root: &Path, pattern: &str, view: SearchView) -> GlobMatches {
    let mut found = glob(root, pattern, 1000, view, CancellationToken::new()).await.unwrap();
    found.paths.sort();
    found
}

/// Fails if a search of the folder through the index differs from a walk.
async fn compare(folder: &IndexedFolder, below: &str, hidden: bool, after: &str) {
    // As a tool resolves it.
    let Ok(root) = folder.root.join(below).canonicalize() else { return };
    if !root.is_dir() {
        return;
    }
    for regex in ["alpha", "(?i)beta|^delta$", "a"] {
        let walked = lines(&root, regex, hidden, SearchView::default()).await;
        let indexed = lines(&root, regex, hidden, folder.view()).await;
        assert_eq!(indexed, walked, "grep {regex} in `{below}`, hidden: {hidden}, after {after}");
    }
    for pattern in ["**", "*.txt", "src/*", ".h*/*"] {
        let walked = names(&root, pattern, SearchView::default()).await;
        let indexed = names(&root, pattern, folder.view()).await;
        assert_eq!(indexed, walked, "glob {pattern} in `{below}` after {after}");
    }
}

const TREE: &str = "mkdir -p src/deep .hid other/src; echo alpha >a.txt; echo Beta >src/b.rs; echo 'alpha delta' >src/deep/c.txt; \
                    printf 'delta\\r\\n' >other/d.txt; echo gamma >.hid/e; echo alpha >other/src/f.txt; printf 'alpha\\0' >bin";

#[tokio::test]
async fn each_change_of_a_tree_is_seen() {
    let changes = [
        "echo alpha >>src/b.rs",
        "echo beta >new.txt",
        "mkdir -p x/y; echo alpha >x/y/z.txt",
        "mv src moved",
        "mv other/d.txt d.txt",
        "rm -r src/deep",
        "rm a.txt; echo gamma >a.txt",
        "mv a.txt t; mv src/b.rs a.txt; mv t src/b.rs",
        "echo '*.txt' >.gitignore",
        "echo src >.ignore",
        "echo '!.hid' >.ignore",
        "echo '/deep' >src/.gitignore",
        "git init -q .; echo '*.txt' >.gitignore",
        "git init -q .; echo '*.txt' >.git/info/exclude",
        "git init -q src; echo 'deep' >src/.git/info/exclude",
        "git init -q src; echo '*.txt' >.gitignore",
        "rm a.txt; ln -s src/b.rs a.txt",
        "rm -r src; ln -s other src",
        "mkdir p; mkfifo p/pipe; echo alpha >p/q",
        "chmod 000 a.txt src/b.rs; echo gamma >>d",
        "printf '\\377\\376a\\0l\\0p\\0h\\0a\\0' >wide.txt",
        "mv ../work ../gone; cp -r ../gone ../work",
        "for i in 1 2 3 4 5 6 7 8 9; do mkdir d$i; echo alpha >d$i/f; mv d$i e$i; rm -r e$i; mkdir e$i; echo beta >e$i/f; done",
    ];
    for in_git in [false, true] {
        for change in changes {
            let folder = IndexedFolder::new(TREE);
            if in_git {
                shell(&folder.root, "git init -q .");
            }
            assert!(folder.build());
            assert!(folder.is_used("", true) && folder.is_used("src", false));
            shell(&folder.root, change);
            for _ in ["at once", "after another build"] {
                for (below, hidden) in
                    [("", true), ("", false), ("src", false), ("src/deep", true), (".hid", false)]
                {
                    compare(&folder, below, hidden, change).await;
                }
                folder.build();
            }
        }
    }
}

/// What is before the index is built, and the steps after it.
const RARE_CHANGES: [(&str, &[&str]); 17] = [
    ("echo gamma >a.txt; ln a.txt b.txt", &["echo alpha >>b.txt"]),
    ("echo gamma >a.txt; ln a.txt ../b.txt", &["echo alpha >>../b.txt"]),
    ("echo gamma >a.txt; mkdir ig; ln a.txt ig/b; echo ig >.ignore", &["echo alpha >>ig/b"]),
    ("echo gamma >a.txt", &["ln a.txt b.txt", "echo alpha >>b.txt"]),
    (
        "echo x >.dockerignore; ln -s .dockerignore .gitignore; echo alpha >a.txt",
        &["echo '*.txt' >.dockerignore"],
    ),
    ("echo x >../shared; ln -s ../shared .ignore; echo alpha >a.txt", &["echo '*.txt' >../shared"]),
    ("echo x >../shared; ln ../shared .ignore; echo alpha >a.txt", &["echo '*.txt' >../shared"]),
    ("git init -q ../r; echo alpha >../r/b.txt", &["mv ../r n", "echo '*.txt' >n/.git/info/exclude"]),
    (
        "git init -q .; git init -q ../r; echo alpha >../r/b.txt",
        &["mv ../r n", "echo '*.txt' >n/.git/info/exclude"],
    ),
    (
        "echo '!build' >.ignore; mkdir sub; echo build >sub/.gitignore; echo alpha >sub/x",
        &["mkdir sub/build; echo alpha >sub/build/f.txt", "echo alpha >sub/build/g.txt"],
    ),
    (
        "echo newdir >../.ignore; git init -q n; echo alpha >n/x",
        &["mkdir n/newdir; echo alpha >n/newdir/f.txt"],
    ),
    (
        "git init -q .; mkdir -p a/b; echo /new >.gitignore; echo alpha >a/b/x",
        &["mkdir a/b/new; echo alpha >a/b/new/f.txt", "echo alpha >a/b/new/g.txt"],
    ),
    (
        "git init -q ../m; cd ../m; git -c user.name=a -c user.email=b commit -q --allow-empty -m x; \
         git worktree add -q ../work/wt; cd ../work; echo alpha >wt/a.txt; mkdir -p ../other/info; \
         echo '*.txt' >../other/info/exclude",
        &["echo '*.rs' >../m/.git/info/exclude", "echo ../../../../other >../m/.git/worktrees/wt/commondir"],
    ),
    ("mkdir n; echo '*.txt' >n/.gitignore; echo alpha >n/a.txt", &["mkdir n/.jj", "mkdir .jj", "rmdir .jj"]),
    (
        "mkdir -p a b/c; echo alpha >a/f.txt; echo alpha >b/c/g.txt",
        &["mv a b/d; mv b a", "mkdir b; mv a/c b/c; rm -r a; mv b a"],
    ),
    (
        "mkdir d; ln -s d l; echo alpha >d/x.txt",
        &["rm l; mkdir l; echo alpha >l/y.txt", "rm -r l; ln -s d l"],
    ),
    ("mkdir d; echo alpha >d/a.txt", &["chmod 700 d; chmod 600 d/a.txt", "echo beta >d/b.txt"]),
];

#[tokio::test]
async fn rare_changes_are_seen() {
    for (before, steps) in RARE_CHANGES {
        let folder = IndexedFolder::new(before);
        assert!(folder.build());
        for step in steps {
            shell(&folder.root, step);
            for below in ["", "n", "sub", "a/b", "d"] {
                compare(&folder, below, true, step).await;
            }
            folder.build();
        }
    }
}

#[tokio::test]
async fn names_that_are_exchanged_are_seen() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    for (one, other) in [("x.txt", "y.txt"), ("d", "e"), ("d", "x.txt")] {
        let folder = IndexedFolder::new(
            "mkdir d e; echo alpha >d/1; echo beta >e/2; echo alpha >x.txt; echo beta >y.txt",
        );
        assert!(folder.build());
        let at = |name: &str| folder.root.join(name);
        renameat_with(CWD, at(one), CWD, at(other), RenameFlags::EXCHANGE).unwrap();
        compare(&folder, "", true, one).await;
        shell(&folder.root, "for folder in d e; do [ ! -d $folder ] || echo alpha >$folder/3; done");
        compare(&folder, "", true, "a write into each").await;
    }
}

#[tokio::test]
async fn many_changed_files_are_not_read_while_a_search_waits() {
    let folder = IndexedFolder::new("mkdir d; echo alpha >d/a");
    assert!(folder.build());
    for number in 0..900 {
        fs::write(folder.root.join(format!("d/{number}")), "beta\n").unwrap();
    }
    compare(&folder, "", true, "900 new files").await;
    let state = lock(&folder.index.inner.state);
    let IndexState::Ready(index) = &*state else { panic!() };
    assert_eq!(index.files.unread_count(), 0, "the searches read them, some at a time");
}

#[tokio::test]
async fn buffers_come_before_the_disk() {
    let folder = IndexedFolder::new(TREE);
    assert!(folder.build());
    let document = |text: &str| Document::new(text, LineBreaks::Any);
    let buffers = HashMap::from([
        (folder.root.join("a.txt"), document("typed_word\n")),
        (folder.root.join("unsaved.txt"), document("typed_word\n")),
    ]);
    let view = |indexes| SearchView::new(buffers.clone(), indexes);
    for regex in ["typed_word", "alpha"] {
        let walked = lines(&folder.root, regex, false, view(TextIndexes::default())).await;
        let indexed = lines(&folder.root, regex, false, view(folder.indexes.clone())).await;
        assert_eq!(indexed, walked);
        assert_eq!(indexed.matches.len(), 2, "{regex}");
    }
}

#[tokio::test]
async fn what_was_written_before_a_search_is_found_while_others_write() {
    let folder = IndexedFolder::new("mkdir own busy; echo one >own/0");
    assert!(folder.build());
    let is_done = AtomicBool::new(false);
    let busy = folder.root.join("busy");
    let (is_done_ref, folder_ref) = (&is_done, &folder);
    let mut used = 0;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0.. {
                if is_done_ref.load(Ordering::Relaxed) {
                    break;
                }
                let folder = busy.join((number % 7).to_string());
                let _ = fs::create_dir(&folder);
                let _ = fs::write(folder.join((number % 11).to_string()), format!("token{number}"));
                if number % 5 == 0 {
                    let _ = fs::rename(&folder, busy.join(format!("m{}", number % 3)));
                } else if number % 13 == 0 {
                    let _ = fs::remove_dir_all(&folder);
                }
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        scope.spawn(move || {
            runtime.block_on(async {
                for number in 0..100 {
                    let token = format!("word{number}end");
                    let path = folder_ref.root.join(format!("own/{}", number % 20));
                    fs::write(&path, &token).unwrap();
                    used += usize::from(folder_ref.is_used("", false));
                    let found = lines(&folder_ref.root, &token, false, folder_ref.view()).await;
                    assert_eq!(found.matches.len(), 1, "{token}");
                    assert_eq!(found.matches[0].path, path);
                    let old = format!("word{}end", number - 20);
                    let gone = lines(&folder_ref.root, &old, false, folder_ref.view()).await;
                    assert_eq!(gone.matches, [], "overwritten before {token}");
                }
            });
            is_done_ref.store(true, Ordering::Relaxed);
            assert!(used > 0, "every search walked");
        });
    });
}

#[tokio::test]
async fn a_stored_index_is_used_for_what_has_not_changed() {
    let folder = IndexedFolder::new(TREE);
    // Nothing is settled yet, so nothing would be stored.
    shell(&folder.root, "touch -d 2001-01-01 a.txt");
    assert!(folder.build());
    let stored = index_file::path_for(&folder.cache, &folder.root);
    let known = |root: &Path| index_file::load(&stored, root);
    {
        let mut state = lock(&folder.index.inner.state);
        let IndexState::Ready(index) = &mut *state else { panic!() };
        index.files.files.values_mut().for_each(|file| file.is_settled = true);
        store(&stored, &index.files);
        let loaded = known(&folder.root);
        assert_eq!(loaded.len(), index.files.files.len());
        let signatures = |files: &BTreeMap<PathBuf, IndexedFile>| {
            files.iter().map(|(path, file)| (path.clone(), file.signature.clone())).collect::<Vec<_>>()
        };
        assert_eq!(signatures(&loaded), signatures(&index.files.files));
    }
    assert_eq!(known(Path::new("/elsewhere")).len(), 0);
    let mut content = fs::read(&stored).unwrap();
    content[60] ^= 1;
    fs::write(&stored, content).unwrap();
    assert_eq!(known(&folder.root).len(), 0, "it is damaged");
    fs::write(&stored, "copydesk index 1").unwrap();
    assert_eq!(known(&folder.root).len(), 0, "it is cut");
}

#[tokio::test]
async fn what_cannot_be_indexed_is_walked() {
    let many =
        IndexedFolder::new("for i in 1 2 3 4 5; do mkdir g$i; git init -q g$i; echo alpha >g$i/a; done");
    assert!(!many.build());
    compare(&many, "", false, "too many repositories").await;
    let hostile = IndexedFolder::new("mkdir h; ln -s /dev/zero h/.gitignore; echo alpha >h/a");
    assert!(!hostile.build());
    compare(&hostile, "", false, "an ignore file that is no file").await;
    let folder = IndexedFolder::new("echo alpha >a");
    folder.index.note_walk(0);
    let small = TextIndexes::new(None, IndexLimits { min_files: 2, ..LIMITS });
    let index = small.open(&folder.root).unwrap();
    index.note_walk(1);
    assert!(!index.wait_until_built(), "it is small");
    index.note_walk(2);
    assert!(index.wait_until_built());
}

/// One step of a random history.
#[derive(Debug, Clone)]
enum TreeChange {
    Write(String, &'static str),
    Delete(String),
    Rename(String, String),
    Link(String, String),
    Repository(String),
}

fn paths() -> impl Strategy<Value = String> {
    "(a|b|[.]h|src)(/(a|b|[.]h|src)){0,2}(|/[.]gitignore|/[.]ignore|[.]txt|[.]rs)"
}

fn changes() -> impl Strategy<Value = TreeChange> {
    let texts = prop::sample::select(vec![
        "alpha", "beta", "gamma\n", "delta", "*.txt\n", "!.h\n", "/a\n", "src\n", "x\0alpha",
    ]);
    prop_oneof![
        6 => (paths(), texts).prop_map(|(path, text)| TreeChange::Write(path, text)),
        2 => paths().prop_map(TreeChange::Delete),
        2 => (paths(), paths()).prop_map(|(from, to)| TreeChange::Rename(from, to)),
        1 => (paths(), paths()).prop_map(|(from, to)| TreeChange::Link(from, to)),
        1 => paths().prop_map(TreeChange::Repository),
    ]
}

fn make(root: &Path, change: &TreeChange) {
    let at = |path: &str| {
        let path = root.join(path);
        let _ = fs::create_dir_all(path.parent().unwrap());
        path
    };
    // What cannot be done is not done.
    let _ = match change {
        TreeChange::Write(path, text) => fs::write(at(path), text),
        TreeChange::Delete(path) if at(path).is_dir() => fs::remove_dir_all(at(path)),
        TreeChange::Delete(path) => fs::remove_file(at(path)),
        TreeChange::Rename(from, to) => fs::rename(at(from), at(to)),
        TreeChange::Link(from, to) => symlink(at(from), at(to)),
        TreeChange::Repository(path) => fs::create_dir_all(at(path).join(".git/info"))
            .and_then(|()| fs::write(at(path).join(".git/info/exclude"), "b\n")),
    };
}

#[test]
fn a_random_history_of_changes_is_seen() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (steps, used) = (Cell::new(0), Cell::new(0));
    let steps_of = prop::collection::vec(prop::collection::vec(changes(), 1..4), 1..8);
    let result = runner.run(&(any::<bool>(), steps_of), |(in_git, history)| {
        let folder = IndexedFolder::new("mkdir src; echo alpha >src/a.txt; echo beta >b.rs");
        if in_git {
            shell(&folder.root, "git init -q .");
        }
        for changes in &history {
            folder.build();
            changes.iter().for_each(|change| make(&folder.root, change));
            steps.set(steps.get() + 1);
            used.set(used.get() + usize::from(folder.is_used("", true)));
            for (below, hidden) in
                [("", true), ("", false), ("src", false), ("a", true), ("a/b", false), (".h", false)]
            {
                runtime.block_on(compare(&folder, below, hidden, &format!("{history:?}")));
            }
        }
        Ok(())
    });
    result.unwrap();
    let (used, steps) = (used.get(), steps.get());
    assert!(used * 3 > steps, "the index was used in {used} of {steps} steps");
}
