//! Real servers, installed by `tests/install`: the same few edits for each, and its diagnostics for each text.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::Processes;
use serde_json::Value;
use tokio::time::Instant;

use super::super::*;
use crate::known_servers;
use crate::report::Proof;
use copydesk_workspace::disk_watcher::FileChangeType;

/// A server, a small project, and one of its files in four states.
pub(super) struct Trial {
    /// As in `known_servers.json`.
    pub(super) name: &'static str,
    /// The folder of the installation.
    installed: &'static str,
    language: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The first file with one problem.
    bad: &'static str,
    /// Part of the problem's message.
    expected: &'static str,
    /// The first file without the problem; then with a comment; and with the problem one line further down.
    good: &'static str,
    commented: &'static str,
    lower: &'static str,
}

pub(super) const TRIALS: &[Trial] = &[
    Trial {
        name: "ruff",
        installed: "ruff-",
        language: "python",
        files: &[("a.py", "x = 1\n")],
        bad: "import os\nx = 1\n",
        expected: "imported but unused",
        good: "x = 1\n",
        commented: "x = 1\n# more\n",
        lower: "# more\nimport os\nx = 1\n",
    },
    Trial {
        name: "pyright",
        installed: "pyright-",
        language: "python",
        files: &[("a.py", "x: int = 1\n"), ("b.py", "def f(a: int) -> int:\n    return a\n")],
        bad: "x: int = \"ä\"\n",
        expected: "not assignable",
        good: "x: int = 1\n",
        commented: "x: int = 1\n# more\n",
        lower: "# more\nx: int = \"ä\"\n",
    },
    Trial {
        name: "clangd",
        installed: "clangd-",
        language: "c",
        files: &[("a.c", "int main(void) { return 0; }\n"), ("compile_flags.txt", "-Wall\n")],
        bad: "int main(void) { return x; }\n",
        expected: "undeclared",
        good: "int main(void) { return 0; }\n",
        commented: "int main(void) { return 0; }\n// more\n",
        lower: "// more\nint main(void) { return x; }\n",
    },
    Trial {
        name: "typescript-language-server",
        installed: "typescript-5-",
        language: "typescript",
        files: &[
            ("a.ts", "export const x: number = 1;\n"),
            ("tsconfig.json", "{\"compilerOptions\":{\"strict\":true}}\n"),
        ],
        bad: "export const x: number = \"ä\";\n",
        expected: "not assignable",
        good: "export const x: number = 1;\n",
        commented: "export const x: number = 1;\n// more\n",
        lower: "// more\nexport const x: number = \"ä\";\n",
    },
    Trial {
        name: "typescript-native",
        installed: "typescript-7-",
        language: "typescript",
        files: &[
            ("a.ts", "export const x: number = 1;\n"),
            ("tsconfig.json", "{\"compilerOptions\":{\"strict\":true}}\n"),
        ],
        bad: "export const x: number = \"ä\";\n",
        expected: "not assignable",
        good: "export const x: number = 1;\n",
        commented: "export const x: number = 1;\n// more\n",
        lower: "// more\nexport const x: number = \"ä\";\n",
    },
    Trial {
        name: "gopls",
        installed: "gopls-",
        language: "go",
        files: &[("a.go", "package a\n\nvar X int = 1\n"), ("go.mod", "module a\n\ngo 1.20\n")],
        bad: "package a\n\nvar X int = \"ä\"\n",
        expected: "cannot use",
        good: "package a\n\nvar X int = 1\n",
        commented: "package a\n\nvar X int = 1\n\n// more\n",
        lower: "package a\n\n// more\nvar X int = \"ä\"\n",
    },
    Trial {
        name: "rust-analyzer",
        installed: "rust-analyzer-",
        language: "rust",
        files: &[
            ("src/lib.rs", "pub fn f() -> u32 {\n    1\n}\n"),
            ("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2021\"\n"),
        ],
        bad: "pub fn f() -> u32 {\n    \"ä\"\n}\n",
        expected: "expected u32",
        good: "pub fn f() -> u32 {\n    1\n}\n",
        commented: "pub fn f() -> u32 {\n    1\n}\n// more\n",
        lower: "// more\npub fn f() -> u32 {\n    \"ä\"\n}\n",
    },
];

/// The folder of an installation, by the prefix of its name.
pub(super) fn installed(folder: &Path, name: &str) -> PathBuf {
    let has_prefix = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(name);
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(has_prefix).unwrap()
}

pub(super) async fn start(name: &str, installed: &Path, root: &Path) -> (Arc<LanguageServer>, Processes) {
    start_in(name, installed, root, ProgramSandbox::default()).await
}

pub(super) async fn start_in(
    name: &str,
    installed: &Path,
    root: &Path,
    sandbox: ProgramSandbox,
) -> (Arc<LanguageServer>, Processes) {
    let known = known_servers::known_server(name).unwrap();
    let path = format!("{}:{}", installed.join("bin").display(), std::env::var("PATH").unwrap());
    let home = std::env::var("HOME").unwrap();
    let environment =
        [("PATH", path), ("HOME", home), ("GOPROXY", "off".into()), ("GOTOOLCHAIN", "local".into())];
    let processes = Processes::new(environment.map(|(name, value)| (name.into(), value.into())).into());
    let launch = ServerLaunch {
        name: known.name.clone(),
        command: known.commands[0].iter().map(OsString::from).collect(),
        environment: Vec::new(),
        sandbox,
        root: root.to_owned(),
        folders: Vec::new(),
        initialization: known.initialization.clone(),
        settings: match name {
            // These settings contain `${python}`, which only server selection replaces.
            "pyright" => Value::Null,
            _ => known.settings.clone(),
        },
        quirks: known.quirks.clone(),
    };
    (LanguageServer::start(launch, &processes).await.unwrap(), processes)
}

/// `sandbox` makes the sandbox of a workspace.
pub(super) async fn run(trial: &Trial, folder: &Path, sandbox: impl Fn(&Path) -> ProgramSandbox) {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    for (path, text) in trial.files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let begun = Instant::now();
    let (server, _processes) =
        start_in(trial.name, &installed(folder, trial.installed), &root, sandbox(&root)).await;
    let group = server.process_group();
    println!("{}: initialized after {:?}", trial.name, begun.elapsed());
    let file = root.join(trial.files[0].0);
    let check = async |text: &str, expected: Option<&str>, budget: u64| {
        let subject =
            CheckedDocument { path: file.clone(), text: Arc::new(text.to_owned()), is_saved: false };
        let start = Instant::now();
        server.sync_document(&subject, trial.language);
        let mut verdict = server.check(&file, start + Duration::from_secs(budget)).await;
        while verdict.proof() == Proof::Unknown && start.elapsed() < Duration::from_secs(budget) {
            let mut states = server.subscribe_state();
            let _ = tokio::time::timeout(Duration::from_secs(1), states.changed()).await;
            verdict = server.check(&file, start + Duration::from_secs(budget)).await;
        }
        let shown: Vec<_> =
            verdict.diagnostics().unwrap_or_default().iter().map(|one| &one.message).collect();
        println!("{}: {:?} {:?} {shown:?} {verdict:?}", trial.name, start.elapsed(), verdict.proof());
        let errors = verdict.diagnostics().unwrap_or_else(|| panic!("{}: {verdict:?}", trial.name));
        match expected {
            None => assert_eq!(errors, [], "{}", trial.name),
            Some(expected) => {
                assert!(
                    errors.iter().any(|error| error.message.contains(expected)),
                    "{}: {errors:?}",
                    trial.name
                );
            }
        }
        verdict
    };
    check(trial.bad, Some(trial.expected), 60).await;
    check(trial.good, None, 5).await;
    check(trial.commented, None, 5).await;
    let verdict = check(trial.lower, Some(trial.expected), 5).await;
    let lines: Vec<_> = trial.lower.lines().collect();
    let error =
        verdict.diagnostics().unwrap().iter().find(|error| error.message.contains(trial.expected)).unwrap();
    assert!(!lines[error.span.start.line as usize].contains("more"), "{error:?}");
    for text in [trial.good, trial.bad, trial.good, trial.bad] {
        server.sync_document(
            &CheckedDocument { path: file.clone(), text: Arc::new(text.to_owned()), is_saved: false },
            trial.language,
        );
    }
    check(trial.bad, Some(trial.expected), 5).await;
    check(trial.good, None, 5).await;
    server.shut_down(Duration::from_secs(4)).await;
    println!("{}: {:?} {:?} {:?}", trial.name, server.state(), server.malformed_messages(), group);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs servers, by COPYDESK_TEST_SERVERS_FOLDER"]
async fn every_server_finds_the_problem_in_each_text() {
    let folder = std::env::var_os("COPYDESK_TEST_SERVERS_FOLDER").expect("the folder with the servers");
    let only = std::env::var("COPYDESK_TEST_SERVER").unwrap_or_default();
    for trial in TRIALS.iter().filter(|trial| trial.name.contains(&only)) {
        run(trial, Path::new(&folder), |_| ProgramSandbox::default()).await;
    }
}

/// A compiler that runs on save does not notice a file that was deleted without a save.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs servers, by COPYDESK_TEST_SERVERS_FOLDER"]
async fn the_effect_of_a_deleted_file_is_known_only_after_a_save() {
    let folder = std::env::var_os("COPYDESK_TEST_SERVERS_FOLDER").expect("the folder with the servers");
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    fs::create_dir(root.join("src")).unwrap();
    let (file, old) = (root.join("src/lib.rs"), root.join("src/old.rs"));
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"a\"\nedition = \"2021\"\n[workspace]\n").unwrap();
    fs::write(&file, "pub mod old;\n").unwrap();
    fs::write(&old, "pub fn f() {}\n").unwrap();
    let installed = installed(Path::new(&folder), "rust-analyzer-");
    let (server, _processes) = start("rust-analyzer", &installed, &root).await;
    let text = Arc::new("pub mod old;\n".to_owned());
    server.sync_document(&CheckedDocument { path: file.clone(), text, is_saved: true }, "rust");
    let until = || Instant::now() + Duration::from_secs(60);
    server.subscribe_state().wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
    let errors = async || {
        server.did_save(&file);
        loop {
            let verdict = server.check_saved(&file, until()).await.unwrap();
            println!("{verdict:?}");
            // The server may reindex.
            match verdict.diagnostics() {
                Some(all) => return all.len(),
                None => drop(
                    server
                        .subscribe_state()
                        .wait_for(|state| *state == LanguageServerState::Ready)
                        .await
                        .unwrap(),
                ),
            }
        }
    };
    assert_eq!(errors().await, 0);
    fs::remove_file(&old).unwrap();
    server.did_change_watched_files(&[(old, FileChangeType::Deleted)]);
    assert!(server.needs_save());
    let verdict = server.check_saved(&file, until()).await.unwrap();
    assert_eq!(verdict.proof(), Proof::Unknown, "{verdict:?}");
    assert_eq!(errors().await, 1);
    server.shut_down(Duration::from_secs(4)).await;
}
