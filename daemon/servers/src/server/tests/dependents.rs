//! Real servers: a change of one file breaks another open one; and the diagnostics after a save.

use std::fs;
use std::path::Path;

use super::super::*;
use super::fake_server::NO_FILES;
use super::real_servers::{installed, start};

/// For one server: two files, a broken text of the first, and part of the diagnostic that this causes in the second.
struct Pair {
    name: &'static str,
    installed: &'static str,
    language: &'static str,
    files: &'static [(&'static str, &'static str)],
    broken: &'static str,
    expected: &'static str,
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "pyright",
        installed: "pyright-",
        language: "python",
        files: &[("a.py", "def f(n: int) -> int:\n    return n\n"), ("b.py", "from a import f\n\nf(1)\n")],
        broken: "def g(n: int) -> int:\n    return n\n",
        expected: "\"f\" is unknown import symbol",
    },
    Pair {
        name: "typescript-language-server",
        installed: "typescript-5-",
        language: "typescript",
        files: &[
            ("a.ts", "export const f = (n: number) => n;\n"),
            ("b.ts", "import { f } from \"./a\";\nexport const y: number = f(1);\n"),
            ("tsconfig.json", "{\"compilerOptions\":{\"strict\":true}}\n"),
        ],
        broken: "export const f = (n: number) => String(n);\n",
        expected: "not assignable",
    },
    Pair {
        name: "typescript-native",
        installed: "typescript-7-",
        language: "typescript",
        files: &[
            ("a.ts", "export const f = (n: number) => n;\n"),
            ("b.ts", "import { f } from \"./a\";\nexport const y: number = f(1);\n"),
            ("tsconfig.json", "{\"compilerOptions\":{\"strict\":true}}\n"),
        ],
        broken: "export const f = (n: number) => String(n);\n",
        expected: "not assignable",
    },
    Pair {
        name: "gopls",
        installed: "gopls-",
        language: "go",
        files: &[
            ("a.go", "package a\n\nfunc F() int { return 1 }\n"),
            ("b.go", "package a\n\nvar X int = F()\n"),
            ("go.mod", "module a\n\ngo 1.20\n"),
        ],
        broken: "package a\n\nfunc G() int { return 1 }\n",
        expected: "undefined: F",
    },
    Pair {
        name: "rust-analyzer",
        installed: "rust-analyzer-",
        language: "rust",
        files: &[
            ("src/a.rs", "pub fn f() -> u32 {\n    1\n}\n"),
            ("src/lib.rs", "mod a;\npub fn g() -> u32 {\n    a::f()\n}\n"),
            ("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2021\"\n"),
        ],
        broken: "pub fn f() -> bool {\n    true\n}\n",
        expected: "expected u32",
    },
];

async fn run(pair: &Pair, folder: &Path) {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    for (path, text) in pair.files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let (server, _processes) = start(pair.name, &installed(folder, pair.installed), &root).await;
    let long = || Instant::now() + Duration::from_secs(60);
    let subject = |(path, text): &(&str, &str)| CheckedDocument {
        path: root.join(path),
        text: Arc::new((*text).to_owned()),
        is_saved: true,
    };
    let (one, other) = (subject(&pair.files[0]), subject(&pair.files[1]));
    for subject in [&one, &other] {
        server.sync_document(subject, pair.language);
    }
    server.subscribe_state().wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
    for subject in [&one, &other] {
        let verdict = server.check(&subject.path, long()).await;
        assert_eq!(verdict.diagnostics(), Some(&[][..]), "{}: {verdict:?}", pair.name);
    }
    let mark = server.event_mark();
    let start = Instant::now();
    server.sync_document(
        &CheckedDocument { text: Arc::new(pair.broken.to_owned()), is_saved: false, ..one.clone() },
        pair.language,
    );
    let verdict = server.check(&one.path, long()).await;
    let (checked, others) = (start.elapsed(), server.check_other_files(mark, &NO_FILES, long()).await);
    println!("{}: {checked:?} {:?} {verdict:?} {others:?}", pair.name, start.elapsed());
    let verdict = others.iter().find(|(path, _)| *path == other.path).map(|(_, verdict)| verdict);
    let items = verdict.and_then(Verdict::diagnostics).unwrap_or_else(|| panic!("{}: {others:?}", pair.name));
    assert!(items.iter().any(|one| one.message.contains(pair.expected)), "{}: {items:?}", pair.name);
    if pair.name == "rust-analyzer" {
        fs::write(&one.path, pair.broken).unwrap();
        server.did_save(&one.path);
        let mark = server.event_mark();
        let verdict = server.check_saved(&one.path, long()).await;
        println!(
            "{}: {:?} {verdict:?} {:?}",
            pair.name,
            start.elapsed(),
            server.check_other_files(mark, &NO_FILES, long()).await
        );
        assert_eq!(verdict, Some(Verdict::Proven(Vec::new())));
    }
    server.shut_down(Duration::from_secs(4)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs servers, by COPYDESK_TEST_SERVERS_FOLDER"]
async fn a_change_that_breaks_another_open_file_is_reported_there() {
    let folder = std::env::var_os("COPYDESK_TEST_SERVERS_FOLDER").expect("the folder with the servers");
    let only = std::env::var("COPYDESK_TEST_SERVER").unwrap_or_default();
    for pair in PAIRS.iter().filter(|pair| pair.name.contains(&only)) {
        run(pair, Path::new(&folder)).await;
    }
}
