//! The servers themselves: a change of one file that breaks another one that is open, and what follows a save.

use std::fs;
use std::path::Path;

use super::super::*;
use super::real_servers::{installed, start};

/// Of each server: two files, what the first becomes, and what is then said of the second.
struct Pair {
    name: &'static str,
    installed: &'static str,
    language: &'static str,
    files: &'static [(&'static str, &'static str)],
    broken: &'static str,
    says: &'static str,
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "pyright",
        installed: "pyright-",
        language: "python",
        files: &[("a.py", "def f(n: int) -> int:\n    return n\n"), ("b.py", "from a import f\n\nf(1)\n")],
        broken: "def g(n: int) -> int:\n    return n\n",
        says: "\"f\" is unknown import symbol",
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
        says: "not assignable",
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
        says: "not assignable",
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
        says: "undefined: F",
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
        says: "expected u32",
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
        let said = server.check(&subject.path, long()).await;
        assert_eq!(said.diagnostics(), Some(&[][..]), "{}: {said:?}", pair.name);
    }
    let mark = server.event_mark();
    let start = Instant::now();
    server.sync_document(
        &CheckedDocument { text: Arc::new(pair.broken.to_owned()), is_saved: false, ..one.clone() },
        pair.language,
    );
    let said = server.check(&one.path, long()).await;
    let (checked, others) = (start.elapsed(), server.check_other_files(mark, long()).await);
    println!("{}: {checked:?} {:?} {said:?} {others:?}", pair.name, start.elapsed());
    let said = others.iter().find(|(path, _)| *path == other.path).map(|(_, said)| said);
    let found = said.and_then(Verdict::diagnostics).unwrap_or_else(|| panic!("{}: {others:?}", pair.name));
    assert!(found.iter().any(|one| one.message.contains(pair.says)), "{}: {found:?}", pair.name);
    if pair.name == "rust-analyzer" {
        fs::write(&one.path, pair.broken).unwrap();
        server.did_save(&one.path);
        let mark = server.event_mark();
        let said = server.check_saved(&one.path, long()).await;
        println!(
            "{}: {:?} {said:?} {:?}",
            pair.name,
            start.elapsed(),
            server.check_other_files(mark, long()).await
        );
        assert_eq!(said, Some(Verdict::Proven(Vec::new())));
    }
    server.shut_down(Duration::from_secs(4)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs servers, by COPYDESK_TEST_SERVERS_FOLDER"]
async fn what_a_change_breaks_in_another_open_file_is_told() {
    let folder = std::env::var_os("COPYDESK_TEST_SERVERS_FOLDER").expect("the folder with the servers");
    let only = std::env::var("COPYDESK_TEST_SERVER").unwrap_or_default();
    for pair in PAIRS.iter().filter(|pair| pair.name.contains(&only)) {
        run(pair, Path::new(&folder)).await;
    }
}
