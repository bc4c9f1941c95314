use std::{
    collections::HashMap,
    collections::HashSet,
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
    process::Command,
    sync::{Mutex, atomic::AtomicUsize},
    time::{Duration, SystemTime},
};

use copydesk_text::{Document, LineBreaks};
use tempfile::TempDir;

use super::*;
use crate::text_index::TextIndexes;

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()
}

async fn names(root: &TempDir, pattern: &str) -> Vec<String> {
    let found =
        glob(root.path(), pattern, 100, SearchView::default(), CancellationToken::new()).await.unwrap();
    let mut names: Vec<_> = found.paths.iter().map(|path| below(root.path(), path)).collect();
    names.sort();
    names
}

fn request(root: &TempDir, regex: &str) -> GrepRequest {
    GrepRequest {
        root: root.path().into(),
        regex: regex.into(),
        case: CaseSensitivity::Sensitive,
        include: Vec::new(),
        hidden: false,
        limit: 100,
        excluded_paths: HashSet::new(),
        view: SearchView::default(),
    }
}

async fn lines(request: GrepRequest) -> Vec<String> {
    let root = request.root.clone();
    let found = grep(request, CancellationToken::new()).await.unwrap();
    let shown = |found: &GrepMatch| format!("{}:{}: {}", below(&root, &found.path), found.line, found.text);
    found.matches.iter().map(shown).collect()
}

#[tokio::test]
async fn ignored_and_hidden_files_are_found_only_where_they_are_named() {
    let root = tree(&[
        (".git/config", ""),
        (".git/hooks/x.rs", ""),
        (".gitignore", "target/\n*.log\n/node_modules\n"),
        (".ignore", "generated.rs\n"),
        ("sub/.gitignore", "!keep.log\n"),
        ("a.rs", ""),
        ("generated.rs", ""),
        ("x.log", ""),
        ("sub/keep.log", ""),
        ("sub/b.rs", ""),
        ("target/c.rs", ""),
        ("node_modules/react/index.js", ""),
        (".github/ci.yml", ""),
        (".github/.cache/z.yml", ""),
        (".env", ""),
        ("sub/.env.local", ""),
        ("index.js", ""),
    ]);
    assert_eq!(names(&root, "*.rs").await, ["a.rs", "sub/b.rs"]);
    assert_eq!(names(&root, "**/*.log").await, ["sub/keep.log"]);
    assert_eq!(names(&root, "**/*.js").await, ["index.js"]);
    assert_eq!(names(&root, "node_modules/react/*.js").await, ["node_modules/react/index.js"]);
    assert_eq!(names(&root, "**/*.yml").await, [""; 0]);
    assert_eq!(names(&root, ".github/**/*.yml").await, [".github/ci.yml"]);
    assert_eq!(names(&root, ".env*").await, [".env", "sub/.env.local"]);
    assert_eq!(names(&root, ".git/**").await, [""; 0]);
    assert_eq!(names(&root, "**/.git/**").await, [""; 0]);
    assert_eq!(names(&root, "{src,sub}/*.rs").await, ["sub/b.rs"]);
    assert_eq!(names(&root, "none/such/*.rs").await, [""; 0]);
}

#[tokio::test]
async fn outside_of_a_repository_only_the_folders_own_gitignore_counts() {
    let root =
        tree(&[(".gitignore", "*\n"), ("work/.gitignore", "x.rs\n"), ("work/a.rs", ""), ("work/x.rs", "")]);
    let found = glob(&root.path().join("work"), "*.rs", 9, SearchView::default(), CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(found.paths, [root.path().join("work/a.rs")]);
}

/// Reading `/dev/zero` to its end takes all memory, and a pipe waits for a writer.
#[tokio::test]
async fn below_ignore_files_that_cannot_be_read_nothing_is_ignored() {
    for at in ["sub/.gitignore", "sub/.ignore", ".gitignore", ".git/info/exclude"] {
        let root = tree(&[
            (".git/HEAD", ""),
            ("sub/deep/.gitignore", "*.rs\n"),
            ("sub/deep/a.rs", "word"),
            ("b.rs", "word"),
            ("other/.gitignore", "*.rs\n"),
            ("other/c.rs", "word"),
        ]);
        fs::create_dir_all(root.path().join(".git/info")).unwrap();
        let made = Command::new("mkfifo").arg(root.path().join(at)).status().unwrap();
        assert!(made.success());
        let is_root = !at.starts_with("sub");
        let expected: &[&str] =
            if is_root { &["b.rs", "other/c.rs", "sub/deep/a.rs"] } else { &["b.rs", "sub/deep/a.rs"] };
        assert_eq!(names(&root, "**/*.rs").await, expected, "{at}");
        let mut found = lines(request(&root, "word")).await;
        found.sort();
        assert_eq!(found, expected.iter().map(|name| format!("{name}:1: word")).collect::<Vec<_>>(), "{at}");
        fs::remove_file(root.path().join(at)).unwrap();
        symlink("/dev/zero", root.path().join(at)).unwrap();
        assert_eq!(names(&root, "**/*.rs").await, expected, "{at}");
    }
}

#[tokio::test]
async fn links_are_not_followed_even_when_named() {
    let root = tree(&[("in/a.rs", "word")]);
    let outside = tree(&[("b.rs", "word")]);
    symlink(outside.path(), root.path().join("out")).unwrap();
    symlink(outside.path().join("b.rs"), root.path().join("b.rs")).unwrap();
    assert_eq!(names(&root, "*.rs").await, ["in/a.rs"]);
    assert_eq!(names(&root, "out/*.rs").await, [""; 0]);
    assert_eq!(lines(request(&root, "word")).await, ["in/a.rs:1: word"]);
}

#[tokio::test]
async fn the_latest_comes_first_unless_there_are_more() {
    let root = tree(&[("a", ""), ("b/x", ""), ("c", ""), ("b.x", "")]);
    for (age, path) in ["c", "a", "b/x", "b.x"].iter().enumerate() {
        let time = SystemTime::now() - Duration::from_secs(60 * age as u64);
        File::options().write(true).open(root.path().join(path)).unwrap().set_modified(time).unwrap();
    }
    let found = async |limit| {
        let found =
            glob(root.path(), "**", limit, SearchView::default(), CancellationToken::new()).await.unwrap();
        let paths: Vec<_> = found.paths.iter().map(|path| below(root.path(), path)).collect();
        (paths.join(" "), found.has_more)
    };
    assert_eq!(found(4).await, ("c a b/x b.x".into(), false));
    assert_eq!(found(3).await, ("a b/x b.x".into(), true));
    assert_eq!(found(0).await, (String::new(), true));
}

#[tokio::test]
async fn lines_come_with_their_place() {
    let root = tree(&[
        ("a.txt", "one\ntwo needle\r\nthree\nneedle needle"),
        ("b/c.rs", "// Needle\n"),
        ("binary", "needle\nneedle\n\0"),
        (".hidden", "needle"),
        (".git/x", "needle"),
    ]);
    fs::write(root.path().join("utf16"), b"\xFF\xFEn\0e\0e\0d\0l\0e\0\n\0").unwrap();
    fs::write(root.path().join("latin1"), b"needle \xE4").unwrap();
    let expected =
        ["a.txt:2: two needle", "a.txt:4: needle needle", "latin1:1: needle \u{FFFD}", "utf16:1: needle"];
    assert_eq!(lines(request(&root, "needle")).await, expected);
    assert_eq!(lines(request(&root, "needle$")).await.len(), 3, "before a carriage return too");
    let hidden =
        GrepRequest { hidden: true, include: vec![".hidden".into(), "x".into()], ..request(&root, "needle") };
    assert_eq!(lines(hidden).await, [".hidden:1: needle"]);
    let include = vec!["*.rs".to_owned()];
    let any_case = GrepRequest {
        case: CaseSensitivity::Insensitive,
        include: include.clone(),
        ..request(&root, "needle")
    };
    assert_eq!(lines(any_case).await, ["b/c.rs:1: // Needle"]);
    for (regex, count) in [("needle", 1), ("Needle", 1), ("NEEDLE", 0)] {
        let smart =
            GrepRequest { case: CaseSensitivity::Smart, include: include.clone(), ..request(&root, regex) };
        assert_eq!(lines(smart).await.len(), count, "{regex}");
    }
}

#[tokio::test]
async fn one_file_is_searched_alone_and_in_any_case() {
    let root = tree(&[(".gitignore", "a.log"), ("a.log", "x\n"), ("b.log", "x\n")]);
    let file = root.path().join("a.log");
    let found = grep(GrepRequest { root: file.clone(), ..request(&root, "x") }, CancellationToken::new())
        .await
        .unwrap();
    let expected = GrepMatch { path: file, line: 1, text: "x".into() };
    assert_eq!(
        found,
        GrepMatches { matches: vec![expected], has_more: false, is_timed_out: false, unreadable: 0 }
    );
}

#[tokio::test]
async fn an_overlay_is_searched_instead_of_the_disk() {
    let root = tree(&[("a", "disk"), ("b", "disk")]);
    let (a, unsaved) = (root.path().join("a"), root.path().join("new/unsaved.rs"));
    let text = Document::new("buffer", LineBreaks::Any);
    let view =
        SearchView::new(HashMap::from([(a, text.clone()), (unsaved.clone(), text)]), TextIndexes::default());
    let over = |regex| GrepRequest { view: view.clone(), ..request(&root, regex) };
    assert_eq!(lines(over("disk|buffer")).await, ["a:1: buffer", "b:1: disk", "new/unsaved.rs:1: buffer"]);
    let only = GrepRequest { include: vec!["*.rs".to_owned()], ..over("buffer") };
    assert_eq!(lines(only).await, ["new/unsaved.rs:1: buffer"]);
    let alone = grep(GrepRequest { root: unsaved.clone(), ..over("buffer") }, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(alone.matches.len(), 1);
    let named = async |pattern| {
        let found = glob(root.path(), pattern, 9, view.clone(), CancellationToken::new()).await.unwrap();
        found.paths
    };
    assert_eq!(named("**/*.rs").await, std::slice::from_ref(&unsaved));
    assert_eq!(named("new/*.rs").await, [unsaved], "its folder is not there yet either");
    assert_eq!(named("*.txt").await, [] as [PathBuf; 0]);
}

#[tokio::test]
async fn the_first_matches_are_always_the_same() {
    let mut files = Vec::new();
    let names: Vec<_> = (0..400).map(|number| format!("{}/{}/f{number}", number % 7, number % 11)).collect();
    files.extend(names.iter().map(|name| (name.as_str(), "word\nword\n")));
    let root = tree(&files);
    let all = lines(GrepRequest { limit: 1000, ..request(&root, "word") }).await;
    assert_eq!(all.len(), 800);
    for _ in 0..20 {
        let request = GrepRequest { limit: 33, ..request(&root, "word") };
        let found = grep(request.clone(), CancellationToken::new()).await.unwrap();
        assert!(found.has_more);
        assert_eq!(lines(request).await, all[..33]);
    }
    let exact =
        grep(GrepRequest { limit: 800, ..request(&root, "word") }, CancellationToken::new()).await.unwrap();
    assert_eq!((exact.matches.len(), exact.has_more), (800, false));
}

#[tokio::test]
async fn what_cannot_be_searched_is_told() {
    let root = tree(&[("a", "x")]);
    let told = async |request| grep(request, CancellationToken::new()).await.unwrap_err().to_string();
    expect_test::expect![[r#"
        the regular expression is not valid: regex parse error:
            a(b
             ^
        error: unclosed group"#]]
    .assert_eq(&told(request(&root, "a(b")).await);
    expect_test::expect![[
        r#"the regular expression is not valid: the literal "\n" is not allowed in a regex"#
    ]]
    .assert_eq(&told(request(&root, r"a\nb")).await);
    assert!(told(request(&root, "a)|(b")).await.contains("unopened group"));
    let none = GrepRequest { root: root.path().join("none"), ..request(&root, "x") };
    assert!(told(none).await.ends_with("none` does not exist"));
    let device = GrepRequest { root: "/dev/zero".into(), ..request(&root, "x") };
    assert!(told(device).await.contains("only regular files"));
    let file = glob(&root.path().join("a"), "*", 1, SearchView::default(), CancellationToken::new()).await;
    assert_eq!(file, Err(SearchError::NotAFolder(root.path().join("a"))));
    let outside = glob(root.path(), "../*", 1, SearchView::default(), CancellationToken::new()).await;
    assert_eq!(outside, Err(SearchError::PatternEscapes("../*".into())));
}

#[test]
fn a_cancelled_search_is_not_waited_for_and_stops() {
    let names: Vec<_> = (0..1000).map(|number| format!("{number}")).collect();
    let root = tree(&names.iter().map(|name| (name.as_str(), "x")).collect::<Vec<_>>());
    let (cancel, gate, looked) =
        (CancellationToken::new(), Arc::new(Mutex::new(())), Arc::new(AtomicUsize::new(0)));
    let view: SearchView = {
        let (cancel, gate, looked) = (cancel.clone(), Arc::clone(&gate), Arc::clone(&looked));
        let lookup = move |_: &Path| {
            looked.fetch_add(1, Ordering::Relaxed);
            cancel.cancel();
            drop(gate.lock().unwrap());
            None
        };
        SearchView { lookup: Arc::new(lookup), ..SearchView::default() }
    };
    let closed = gate.lock().unwrap();
    let request = GrepRequest { view: view.clone(), ..request(&root, "x") };
    // The first read blocks every thread, yet this ends.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ended = runtime.block_on(grep(request, cancel));
    assert_eq!(ended, Err(SearchError::Cancelled));
    drop(closed);
    while Arc::strong_count(&view.lookup) > 1 {
        std::thread::yield_now();
    }
    let looked = looked.load(Ordering::Relaxed);
    assert!(looked < 1000, "{looked} files were looked at");
}

#[tokio::test]
async fn a_search_whose_time_is_over_gives_what_it_has_and_says_so() {
    let root = tree(&[("a", "x"), ("b", "x")]);
    let until = || SearchDeadline { cancel: CancellationToken::new(), timeout: Duration::ZERO };
    let lines = grep(request(&root, "x"), until()).await.unwrap();
    assert_eq!((lines.matches, lines.has_more, lines.is_timed_out), (Vec::new(), false, true));
    let files = glob(root.path(), "*", 9, SearchView::default(), until()).await.unwrap();
    assert_eq!(files, GlobMatches { paths: Vec::new(), has_more: false, is_timed_out: true });
}
