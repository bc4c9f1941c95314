//! Places in code that `lsp` found, on a terminal.

use serde_json::json;

use super::approval::scripted_with_config;
use super::problems::server;
use super::screen::{CTRL_C, TestTerminal};
use crate::model_server::ScriptedTurn;

#[test]
fn each_place_is_shown_as_path_and_line() {
    let call = json!({ "operation": "findReferences", "symbol": "total" });
    let turns = [ScriptedTurn::new().call("c1", "lsp", call), ScriptedTurn::new().text("Done.")];
    let scripted = scripted_with_config(turns, json!({ "lsp": false }));
    scripted.env.write("src/sum.rs", "pub fn total() -> u32 {\n    3\n}\n");
    scripted.env.write("src/use.rs", "fn print() {\n    total();\n}\n");
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Who calls it?"]);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let text = terminal.text();
    for line in
        ["✓ lsp findReferences total", "  src/sum.rs:1  pub fn total() -> u32", "  src/use.rs:2  total();"]
    {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_call_that_waits_for_a_server_says_how_far_it_is() {
    let folder = tempfile::tempdir().unwrap();
    // It never ends to read the project, as far as this test goes.
    let command = server(folder.path(), &json!({ "formats": true, "indexesMs": 600_000 }));
    let format = json!({ "operation": "format", "filePath": "a.txt" });
    let turns = [ScriptedTurn::new().call("c1", "refactor", format)];
    let lsp = json!({ "scripted": { "command": command, "extensions": [".txt"] } });
    let scripted = scripted_with_config(turns, json!({ "permission": "allow", "lsp": lsp }));
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("scripted reads the project (43 %)");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
}
