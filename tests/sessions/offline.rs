//! The offline model through the built binary: the tour, and what else it can do.

use std::path::PathBuf;

use crate::cli::environment::{BINARY, CliOutput, TestEnvironment};

/// An environment with the toolchain that runs these tests.
pub(crate) fn offline_environment() -> TestEnvironment {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folder = |name: &str, usual: &str| std::env::var_os(name).unwrap_or_else(|| home.join(usual).into());
    let env = TestEnvironment::new().without_local_providers();
    let env = env.env("CARGO_HOME", folder("CARGO_HOME", ".cargo"));
    let env = env.env("RUSTUP_HOME", folder("RUSTUP_HOME", ".rustup"));
    match std::env::var_os("RUSTUP_TOOLCHAIN") {
        Some(toolchain) => env.env("RUSTUP_TOOLCHAIN", toolchain),
        None => env,
    }
}

/// Without `copydesk` on PATH, although the machine may have it beside the toolchain.
fn without_copydesk(env: TestEnvironment) -> TestEnvironment {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&search).collect();
    let bin = env.path("~/bin");
    std::fs::create_dir_all(&bin).unwrap();
    for tool in ["cargo", "rustc"] {
        let found = folders.iter().map(|folder| folder.join(tool)).find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(found, bin.join(tool)).unwrap();
    }
    let others = folders.into_iter().filter(|folder| !folder.join("copydesk").exists());
    env.env("PATH", std::env::join_paths([bin].into_iter().chain(others)).unwrap())
}

fn ask(env: &TestEnvironment, prompt: &str) -> CliOutput {
    let ran = env.run(&["run", "--auto", "--model", "offline/offline", prompt]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

#[test]
fn the_tour_ends_with_a_project_that_compiles() {
    let env = without_copydesk(offline_environment());
    let ran = env.run(&["tour", "--yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    for words in [
        "$ cargo check --quiet --message-format=json",
        "+    let mut sum = 0;",
        "It compiles now.",
        "✓ The project compiles. It prints:\n  205 copies sold\n  Most read: Morning Post",
        "copydesk auth add anthropic",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let folder = ran.stdout.split("does not compile is in ").nth(1).and_then(|rest| rest.split(".\n").next());
    assert!(!PathBuf::from(folder.unwrap()).exists(), "the folder is gone");
    assert!(ran.stdout.contains(&format!("write {BINARY} for it")), "{}", ran.stdout);
    assert!(!env.exists("~/.local") && !env.exists("~/.cache"), "nothing outside the folder is changed");
}

/// With the program on PATH, the tour says nothing about how to find it.
#[test]
fn a_tour_that_is_kept_has_what_was_said_with_it() {
    let env = offline_environment();
    let search = std::env::var("PATH").unwrap_or_default();
    std::fs::create_dir_all(env.path("~/bin")).unwrap();
    std::os::unix::fs::symlink(BINARY, env.path("~/bin/copydesk")).unwrap();
    let path = format!("{}:{search}", env.path("~/bin").display());
    let tmp = env.path("~/tmp");
    std::fs::create_dir_all(&tmp).unwrap();
    let env = env.env("PATH", path).env("TMPDIR", tmp);
    let ran = env.run(&["tour", "--yes", "--keep"]);
    assert!(ran.code == Some(0) && !ran.stdout.contains("in your PATH"), "{ran:?}");
    let show = ran.stdout.lines().find(|line| line.contains("copydesk sessions show ")).unwrap();
    let show = show.replace("=~/", "=$HOME/");
    let shown = env.shell(&show);
    assert!(shown.code == Some(0) && shown.stdout.contains("Fix the errors"), "{shown:?}");
    let list = env.run(&["sessions", "list"]);
    assert!(list.stdout.contains("No sessions yet"), "{list:?}");
}

#[test]
fn the_tour_says_what_it_needs() {
    let ran = offline_environment().run(&["tour"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("copydesk tour --yes"), "{ran:?}");
    let ran = offline_environment().env("PATH", "/nowhere").run(&["tour", "--yes"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("https://rustup.rs"), "{ran:?}");
}

#[test]
fn nothing_is_done_that_nobody_approved() {
    let env = offline_environment();
    env.write("a.txt", "old\n");
    let ran = env.run(&["run", "--model", "offline", "replace old with new"]);
    assert_eq!((env.read("a.txt").as_str(), ran.code), ("old\n", Some(1)), "{ran:?}");
    assert!(ran.stdout.contains("I have stopped: Nobody is there to approve this"), "{ran:?}");
    let ran = env.run(&["run", "--agent", "explore", "fix it"]);
    assert!(ran.stdout.contains("I would need the tool `bash`"), "{ran:?}");
}

#[test]
fn it_renames_replaces_finds_and_shows() {
    let env = offline_environment();
    env.write("src/a.rs", "fn count() {}\nfn recount() { count(); count() }\n// count\n");
    env.write("notes.txt", "count twice: count\n");
    ask(&env, "Please rename the function `count` to `tally`");
    assert_eq!(env.read("src/a.rs"), "fn tally() {}\nfn recount() { tally(); tally() }\n// tally\n");
    assert_eq!(env.read("notes.txt"), "tally twice: tally\n");
    ask(&env, "replace \"tally twice\" with 'two' in notes.txt");
    assert_eq!(env.read("notes.txt"), "two: tally\n");
    let ran = ask(&env, "where is recount?");
    assert!(ran.stdout.contains("src/a.rs\n  2: fn recount()"), "{ran:?}");
    let ran = ask(&env, "show src/a.rs lines 3-3");
    assert!(ran.stdout.contains("3: // tally") && !ran.stdout.contains("2: fn"), "{ran:?}");
    let ran = ask(&env, "list src");
    assert!(ran.stdout.contains("src/a.rs\n"), "{ran:?}");
}

/// Even if git does not ignore them: the compiler's own files must not be renamed.
#[test]
fn what_is_built_or_fetched_is_left_as_it_is() {
    let env = offline_environment().with_files(&[
        ("Cargo.toml", "[package]\nname = \"count\"\n"),
        ("src/target/mod.rs", "fn count() {}\n"),
        ("target/debug/.fingerprint/a.json", "{ \"count\": 1 }\n"),
        ("node_modules/a/index.js", "count()\n"),
    ]);
    let ran = ask(&env, "rename count to tally");
    assert_eq!(env.read("src/target/mod.rs"), "fn tally() {}\n", "{ran:?}");
    assert_eq!(env.read("target/debug/.fingerprint/a.json"), "{ \"count\": 1 }\n", "{ran:?}");
    assert_eq!(env.read("node_modules/a/index.js"), "count()\n", "{ran:?}");
    for folder in ["`target/`", "`node_modules/`", "None is left."] {
        assert!(ran.stdout.contains(folder), "{ran:?}");
    }
}

/// A member of a workspace, from its own folder: the compiler's paths are relative to the workspace.
#[test]
fn it_repairs_a_member_of_a_workspace_and_says_what_is_left() {
    let env = offline_environment().cwd("rooms/one").with_files(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"rooms/*\"]\nresolver = \"3\"\n"),
        ("rooms/one/Cargo.toml", "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        (
            "rooms/one/src/lib.rs",
            "pub fn sum(numbers: &[u32]) -> u32 {\r\n    let sum = 0;\r\n    for number in numbers {\r\n        sum += number;\r\n    }\r\n    sum\r\n}\r\n",
        ),
    ]);
    let ran = ask(&env, "make it compile");
    assert!(ran.stdout.contains("It compiles now."), "{ran:?}");
    assert!(env.read("rooms/one/src/lib.rs").contains("    let mut sum = 0;\r\n"), "{ran:?}");
    env.write("rooms/one/src/lib.rs", "pub fn odd() -> u32 { missing_function_of_nobody() }\n");
    let ran = ask(&env, "fix the errors");
    let left = "1 error is left that I cannot repair:\n- rooms/one/src/lib.rs:1: cannot find function";
    assert!(ran.stdout.contains(left), "{ran:?}");
}
