//! The tool `refactor` with real language servers, in the projects of `navigation/`. What the model reads and what becomes of the files is
//! stored (`answers/`); afterwards the project is compiled.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use expect_test::{ExpectFile, expect_file};
use serde_json::{Value, json};

use crate::model_server::ScriptedTurn;
use crate::navigation::{project_files, scripted_with_server};
use crate::truth::compiler::compiler_problems;
use crate::truth::servers::{InstalledServers, cache};

/// The files of a folder, by their paths, without what programs have made there.
fn texts(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if ["target", "Cargo.lock", ".cache", "node_modules"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// What a server thinks of the result may come later on a busy machine; the compiler has the last word here.
fn without_diagnostics(output: &str) -> &str {
    let output = output.split("<copydesk-note>").next().unwrap_or_default();
    let verdict =
        [", proven for this text", ", likely, not proven, for this text", ": not known for this text"];
    let first = verdict.iter().filter_map(|words| output.find(words)).min().unwrap_or(output.len());
    let end = if first == output.len() { first } else { output[..first].rfind('\n').unwrap_or(0) };
    output[..end].trim_end()
}

/// Makes the calls one after the other. `files` are added to the project.
fn check(server: &str, project: &str, files: &[(&str, &str)], calls: &[Value], expected: &ExpectFile) {
    let servers = InstalledServers::installed();
    if !servers.has(server) {
        return println!("{server}: left out, it is not installed");
    }
    let turn = |(number, call): (usize, &Value)| {
        ScriptedTurn::new().call(format!("c{number}"), "refactor", call.clone())
    };
    let turns: Vec<_> =
        calls.iter().enumerate().map(turn).chain([ScriptedTurn::new().text("Done.")]).collect();
    let scripted = scripted_with_server(&servers, server, turns);
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    for (path, text) in project_files(project).into_iter().chain(files) {
        scripted.env.write(&path, &text);
    }
    let root = scripted.env.path("").canonicalize().unwrap();
    let before = texts(&root);
    let ran = scripted.run(&["--no-daemon", "Refactor"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut shown = String::new();
    for (number, call) in calls.iter().enumerate() {
        let read = scripted.last_model_input(number + 1).replace(root.to_str().unwrap(), "ROOT");
        let read = read.replace(cache().to_str().unwrap(), "CACHE");
        let _ = write!(shown, "# {call}\n{}\n\n", without_diagnostics(&read));
    }
    let after = texts(&root);
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        let _ = write!(shown, "= {path} is gone\n\n");
    }
    for (path, text) in after.iter().filter(|(path, text)| before.get(*path) != Some(text)) {
        let _ = write!(shown, "= {path}\n{}\n\n", text.trim_end());
    }
    let problems = compiler_problems(&servers, server, &after);
    let _ = writeln!(shown, "The compiler finds {} problems.", problems.len());
    problems.iter().for_each(|problem| _ = writeln!(shown, "{problem}"));
    expected.assert_eq(&shown);
}

/// By it, the daemon knows that the project uses ruff.
const RUFF: &str = "[lint]\nselect = [\"F\", \"I\"]\n";

fn rename(file: &str, symbol: &str, new: &str) -> Value {
    json!({ "operation": "rename", "filePath": file, "symbol": symbol, "newName": new })
}

fn move_file(from: &str, to: &str) -> Value {
    json!({ "operation": "rename", "filePath": from, "newPath": to })
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn clangd() {
    let broken = "#include \"shapes.h\"\n\nint broken() {\n    Square square = unit()\n    return   square.area();\n}\n";
    let calls = [
        rename("shapes.h", "unit", "unit_square"),
        rename("shapes.h", "Square", "Shape"),
        rename("shapes.h", "Square", "class"),
        json!({ "operation": "codeAction", "filePath": "broken.cpp" }),
        json!({ "operation": "codeAction", "filePath": "broken.cpp", "problem": "expected ';'", "title": "insert ';'" }),
        json!({ "operation": "format", "filePath": "broken.cpp" }),
        json!({ "operation": "organizeImports", "filePath": "broken.cpp" }),
        move_file("shapes.h", "model/forms.h"),
    ];
    check(
        "clangd",
        "cpp",
        &[("broken.cpp", broken)],
        &calls,
        &expect_file!["refactoring/answers/clangd.txt"],
    );
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn gopls() {
    let broken = "package main\n\nimport \"os\"\n\nfunc broken() {\nfmt.Println(unit())\n}\n";
    let calls = [
        rename("shapes.go", "unit", "unitSquare"),
        rename("shapes.go", "Square", "Shape"),
        rename("shapes.go", "Square", "func"),
        rename("shapes.go", "Square.area", "size"),
        json!({ "operation": "codeAction", "filePath": "broken.go" }),
        json!({ "operation": "organizeImports", "filePath": "broken.go" }),
        json!({ "operation": "format", "filePath": "broken.go" }),
        json!({ "operation": "codeAction", "filePath": "shapes.go", "line": 19, "title": "Extract" }),
    ];
    check("gopls", "go", &[("broken.go", broken)], &calls, &expect_file!["refactoring/answers/gopls.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn pyright() {
    let calls = [
        rename("shapes.py", "unit", "unit_square"),
        rename("shapes.py", "Square", "Shape"),
        rename("shapes.py", "Square", "class"),
        json!({ "operation": "rename", "filePath": "report.py", "line": 5, "symbol": "square", "newName": "tile" }),
        move_file("shapes.py", "model/forms.py"),
        json!({ "operation": "format", "filePath": "report.py" }),
    ];
    check("pyright", "python", &[], &calls, &expect_file!["refactoring/answers/pyright.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn ruff() {
    let messy = "import sys, os\nimport re\ndef  messy( ):\n  return re.compile( 'a' )\n";
    let calls = [
        json!({ "operation": "codeAction", "filePath": "messy.py" }),
        json!({ "operation": "codeAction", "filePath": "messy.py", "problem": "F401", "title": "Remove unused import" }),
        json!({ "operation": "codeAction", "filePath": "messy.py", "problem": "`os`", "title": "Remove unused import" }),
        json!({ "operation": "organizeImports", "filePath": "messy.py" }),
        json!({ "operation": "format", "filePath": "messy.py" }),
    ];
    check(
        "ruff",
        "python",
        &[("messy.py", messy), ("ruff.toml", RUFF)],
        &calls,
        &expect_file!["refactoring/answers/ruff.txt"],
    );
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn rust_analyzer() {
    let more = "#[allow(dead_code)]\npub fn colours()  -> HashMap<u8, u8> {\n    let map = HashMap::new();\n    map\n}\n";
    let calls = [
        rename("src/shapes.rs", "Shape.area", "size"),
        rename("src/shapes.rs", "Square", "Shape"),
        rename("src/shapes.rs", "Square", "fn"),
        rename("src/report.rs", "square", "tile"),
        json!({ "operation": "rename", "filePath": "src/report.rs", "line": 4, "symbol": "square", "newName": "tile" }),
        json!({ "operation": "codeAction", "filePath": "src/more.rs", "line": 2, "symbol": "HashMap" }),
        json!({ "operation": "codeAction", "filePath": "src/more.rs", "line": 2, "symbol": "HashMap", "title": "Import `std::collections::HashMap`" }),
        json!({ "operation": "format", "filePath": "src/more.rs" }),
        move_file("src/shapes.rs", "src/forms.rs"),
    ];
    let main =
        "mod more;\nmod report;\nmod shapes;\n\nfn main() {\n    println!(\"{}\", report::report());\n}\n";
    let files = [("src/main.rs", main), ("src/more.rs", more)];
    check("rust-analyzer", "rust", &files, &calls, &expect_file!["refactoring/answers/rust_analyzer.txt"]);
}

/// The same calls for both servers.
fn typescript(server: &str, expected: &ExpectFile) {
    let broken = "import { report } from \"./report\";\n\nexport function broken(): number {\n  return   unitSquare().area();\n}\n";
    let calls = [
        rename("src/shapes.ts", "unit", "unitSquare"),
        rename("src/shapes.ts", "Square", "Shape"),
        rename("src/shapes.ts", "Square", "class"),
        json!({ "operation": "rename", "filePath": "src/report.ts", "line": 4, "symbol": "square", "newName": "tile" }),
        json!({ "operation": "codeAction", "filePath": "src/broken.ts" }),
        json!({ "operation": "codeAction", "filePath": "src/broken.ts", "problem": "Cannot find name", "title": "import from \"./shapes\"" }),
        json!({ "operation": "organizeImports", "filePath": "src/broken.ts" }),
        json!({ "operation": "format", "filePath": "src/broken.ts", "line": 3, "endLine": 5 }),
        move_file("src/shapes.ts", "src/model/forms.ts"),
    ];
    check(server, "typescript", &[("src/broken.ts", broken)], &calls, expected);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn typescript_7() {
    typescript("typescript-7", &expect_file!["refactoring/answers/typescript_7.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn typescript_language_server() {
    typescript(
        "typescript-language-server",
        &expect_file!["refactoring/answers/typescript_language_server.txt"],
    );
}
