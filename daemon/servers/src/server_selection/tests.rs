use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::file_system::memory::MemoryView;

/// The names of those that serve `/w/p/FILE`; with `?` where it is missing.
fn names(file: &str, files: &[(&str, &str)], settings: &ServerPreferences) -> String {
    let chosen = chosen(file, files, settings);
    let name = |chosen: &SelectedServer| match chosen.program {
        ProgramLookup::Found { .. } => chosen.name.clone(),
        ProgramLookup::Missing { .. } => format!("{}?", chosen.name),
    };
    chosen.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn chosen(file: &str, files: &[(&str, &str)], settings: &ServerPreferences) -> Vec<SelectedServer> {
    let environment = vec![("PATH".into(), "/bin".into())];
    let search = ProgramSearch::new(Arc::new(MemoryView::new(files)), environment, "/home".into(), true);
    let path = PathBuf::from("/w/p").join(file);
    servers_for(&search, settings, ServedFile { path: &path, first_line: "", root: Path::new("/w") })
}

#[track_caller]
fn check(file: &str, files: &[(&str, &str)], expected: &str) {
    assert_eq!(names(file, files, &ServerPreferences::default()), expected);
}

#[test]
fn one_knows_the_language_and_linters_are_those_of_the_project() {
    let pyright = ("/bin/pyright-langserver", "#!");
    let based = ("/bin/basedpyright-langserver", "#!");
    let (ty, ruff) = (("/bin/ty", "#!"), ("/bin/ruff", "#!"));
    check("a.py", &[pyright, based, ty, ruff], "pyright");
    check("a.py", &[based, ty], "basedpyright");
    check("a.py", &[], "pyright?");
    check("a.py", &[pyright, ty, ruff, ("/w/pyproject.toml", "[tool.ty.rules]\n[tool.ruff]")], "ty ruff");
    check("a.py", &[pyright, ("/w/pyproject.toml", "[tool.ty.rules]\n[tool.ruff]")], "pyright ruff?");
    let venv = [("/w/.venv/pyvenv.cfg", ""), ("/w/.venv/bin/basedpyright-langserver", "#!")];
    check("a.py", &[pyright, venv[0], venv[1]], "basedpyright");
    check("a.unknown", &[pyright], "");
}

#[test]
fn typescript_is_served_by_what_the_project_has() {
    let (ls, vtsls, deno) =
        (("/bin/typescript-language-server", "#!"), ("/bin/vtsls", "#!"), ("/bin/deno", "#!"));
    let five = ("/w/node_modules/typescript/package.json", r#"{ "version": "5.9.3" }"#);
    let seven = ("/w/node_modules/typescript/package.json", r#"{ "version": "7.0.2" }"#);
    let tsc = ("/w/node_modules/.bin/tsc", "#!");
    let package = ("/w/package.json", "{}");
    check("a.ts", &[ls, vtsls, package, five, tsc], "typescript-language-server");
    check("a.tsx", &[vtsls, package, five, tsc], "vtsls");
    check("a.ts", &[ls, vtsls, package, seven, tsc], "typescript-native");
    // A compiler of another version that lies in PATH does not do.
    check("a.ts", &[package, seven, ("/bin/tsc", "#!")], "typescript-native?");
    let (eslint, biome) = (("/w/eslint.config.mjs", ""), ("/w/biome.json", "{}"));
    check("a.ts", &[ls, package, five, eslint, biome], "typescript-language-server eslint? biome?");
    // Of Deno and Node the nearer one; both in one folder: Deno.
    check("a.ts", &[ls, deno, package, ("/w/p/deno.json", "{}")], "deno");
    check(
        "a.ts",
        &[ls, deno, ("/w/deno.json", "{}"), ("/w/p/package.json", "{}")],
        "typescript-language-server",
    );
    check("a.ts", &[ls, deno, package, ("/w/deno.jsonc", "{}")], "deno");
    check("a.ts", &[ls, deno, package], "typescript-language-server");
    // Even where it is missing: the other one would call good code wrong.
    check("a.ts", &[ls, package, ("/w/p/deno.json", "{}")], "deno?");
}

fn own(servers: &[(&str, ServerOverride)]) -> ServerPreferences {
    let servers = servers.iter().map(|(name, own)| ((*name).to_owned(), own.clone())).collect();
    ServerPreferences { is_enabled: true, servers }
}

#[test]
fn what_a_user_says_goes_before_what_is_known() {
    let files = [
        ("/bin/pyright-langserver", "#!"),
        ("/bin/ty", "#!"),
        ("/bin/mine", "#!"),
        ("/bin/eslint-lsp", "#!"),
    ];
    let off = ServerOverride { is_disabled: true, ..ServerOverride::default() };
    let mine = ServerOverride { command: vec!["mine".into()], ..ServerOverride::default() };
    let py = ServerOverride { extensions: vec![".py".into()], ..mine.clone() };
    let beside = ServerOverride { is_additional: true, ..py.clone() };
    let name = |servers: &[(&str, ServerOverride)]| names("a.py", &files, &own(servers));
    assert_eq!(name(&[("pyright", off.clone())]), "ty");
    assert_eq!(name(&[("ty", mine.clone())]), "ty");
    assert_eq!(name(&[("other", py.clone())]), "other");
    assert_eq!(name(&[("other", beside)]), "pyright other");
    assert_eq!(name(&[("other", ServerOverride { is_disabled: true, ..py.clone() })]), "pyright");
    assert_eq!(name(&[("other", ServerOverride { extensions: vec![".rs".into()], ..py })]), "pyright");
    assert_eq!(
        names("a.py", &files, &ServerPreferences { is_enabled: false, ..ServerPreferences::default() }),
        ""
    );
    // By another name of it; and whoever names a program for a linter need not have set the project up for it.
    assert_eq!(names("a.rs", &files, &own(&[("rust", mine)])), "rust-analyzer");
    let eslint = ServerOverride { command: vec!["eslint-lsp".into()], ..ServerOverride::default() };
    assert_eq!(names("a.ts", &files, &own(&[("eslint", eslint)])), "typescript-language-server? eslint");
    // Files that a known one does not serve by itself.
    let more = ServerOverride { extensions: vec![".bzl".into()], ..ServerOverride::default() };
    assert_eq!(names("a.bzl", &files, &own(&[("pyright", more)])), "pyright");
}

#[test]
fn a_server_is_told_what_is_known_of_the_project() {
    let files = [("/w/p/.venv/pyvenv.cfg", ""), ("/w/p/.venv/bin/python", "#!"), ("/w/p/pyproject.toml", "")];
    let said = ServerOverride {
        settings: json!({ "python": { "analysis": { "diagnosticMode": "workspace" } } }),
        initialization: json!({ "a": 1 }),
        environment: vec![("A".into(), "b".into())],
        ..ServerOverride::default()
    };
    let served = chosen("src/a.py", &files, &own(&[("pyright", said)])).remove(0);
    assert_eq!((&*served.language, served.root), ("python", PathBuf::from("/w/p")));
    assert_eq!(served.settings["python"]["pythonPath"], "/w/p/.venv/bin/python");
    assert_eq!(served.settings["python"]["analysis"]["diagnosticMode"], "workspace");
    assert_eq!(served.settings["python"]["analysis"]["autoSearchPaths"], true);
    assert_eq!(served.initialization, json!({ "a": 1 }));
    assert_eq!(served.environment, [("A".into(), Some("b".into()))]);
    // Without an environment nothing is said of one.
    let served = chosen("a.py", &[], &ServerPreferences::default()).remove(0);
    assert_eq!(served.settings["python"].get("pythonPath"), None);
    assert_eq!(
        served.program,
        ProgramLookup::Missing { hint: "pip install pyright (or npm install -g pyright)".into() }
    );
    let served = chosen("a.ts", &[("/w/p/eslint.config.js", "")], &ServerPreferences::default()).remove(1);
    assert_eq!(served.settings["workspaceFolder"], json!({ "uri": "file:///w/p", "name": "p" }));
}

#[test]
fn where_the_programs_of_a_project_are_not_run_servers_are_told_so() {
    let files = [
        ("/bin/rust-analyzer", "#!"),
        ("/bin/vtsls", "#!"),
        ("/bin/typescript-language-server", "#!"),
        ("/bin/vscode-eslint-language-server", "#!"),
        ("/w/p/eslint.config.js", ""),
    ];
    let served = |file: &str, in_project| {
        let environment = vec![("PATH".into(), "/bin".into())];
        let search =
            ProgramSearch::new(Arc::new(MemoryView::new(&files)), environment, "/home".into(), in_project);
        let path = Path::new("/w/p").join(file);
        servers_for(
            &search,
            &ServerPreferences::default(),
            ServedFile { path: &path, first_line: "", root: Path::new("/w") },
        )
    };
    for in_project in [true, false] {
        let rust = served("a.rs", in_project).remove(0);
        for said in [&rust.initialization, &rust.settings["rust-analyzer"]] {
            assert_eq!(said["checkOnSave"], in_project);
            assert_eq!(said["cargo"]["buildScripts"]["enable"], in_project);
            assert_eq!(said["procMacro"]["enable"], in_project);
        }
    }
    let names = |in_project| served("a.ts", in_project).into_iter().map(|chosen| chosen.name);
    assert!(names(true).eq(["typescript-language-server", "eslint"]));
    assert!(names(false).eq(["vtsls"]));
    assert_eq!(served("a.ts", false)[0].settings["vtsls"]["autoUseWorkspaceTsdk"], false);
}
