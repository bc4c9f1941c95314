//! The tool `lsp` by the servers of the user's Neovim. No second server is started for what they serve.

use serde_json::{Value, json};

use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim};
use crate::plugin::plugin_neovim::PluginNeovim;
use crate::sessions::harness::ScriptedEnvironment;

/// A server of Python in which `area` is defined in `b.py`, and used in both files.
const SERVER: &str = r#"
    local function range(line, first, last)
      return { start = { line = line, character = first }, ["end"] = { line = line, character = last } }
    end
    local here, there = T.uri("a.py"), T.uri("b.py")
    T.serve("scripted", "python", {
      capabilities = { definitionProvider = true, referencesProvider = {}, hoverProvider = true },
      answers = {
        ["textDocument/definition"] = function(params, self)
          -- A server answers for a file that it has.
          return self.texts[params.textDocument.uri] and { result = { { uri = there, range = range(0, 4, 8) } } }
        end,
        ["textDocument/references"] = {
          result = { { uri = there, range = range(0, 4, 8) }, { uri = here, range = range(3, 0, 4) } },
        },
        ["textDocument/hover"] = { result = vim.NIL },
      },
    })"#;

/// A Neovim in which the agent has made these calls.
fn ask(program: &std::path::Path, before: &str, calls: &[Value]) -> (ScriptedEnvironment, PluginNeovim) {
    let turn =
        |(number, call): (usize, &Value)| ScriptedTurn::new().call(format!("c{number}"), "lsp", call.clone());
    let turns: Vec<_> =
        calls.iter().enumerate().map(turn).chain([ScriptedTurn::new().text("Done.")]).collect();
    let scripted = environment_with_config(turns, json!({ "lsp": true }));
    scripted.env.write("a.py", "from b import area\n\nx = 1\narea()\n");
    scripted.env.write("b.py", "def area():\n    pass\n");
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.lua(include_str!("../server.lua"));
    window.lua(SERVER);
    window.connect();
    window.lua(before);
    window.lua("require('copydesk').ask('Look', { show = false })");
    assert_eq!(window.wait_for_turn_end()["end"]["kind"], "done");
    (scripted, window)
}

fn check(before: &str, calls: &[Value], expected: &[&str]) {
    for_each_neovim(|program| {
        let (scripted, _window) = ask(program, before, calls);
        for (number, expected) in expected.iter().enumerate() {
            assert_eq!(scripted.last_model_input(number + 1), *expected, "{}", calls[number]);
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn places_go_into_the_quickfix_list_and_are_a_key_away_in_the_conversation() {
    for_each_neovim(|program| {
        let references = json!({ "operation": "findReferences", "filePath": "b.py", "symbol": "area" });
        let (_scripted, mut window) = ask(program, "T.edit('a.py', 'scripted')", &[references]);
        window.command("Copydesk places");
        let items = "return vim.tbl_map(function(item) return { vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr)), item.lnum, \
                     item.col, item.text } end, vim.fn.getqflist())";
        assert_eq!(window.lua(items), json!([["a.py", 4, 1, "area()"], ["b.py", 1, 5, "def area():"]]));
        window.command("cclose");
        window.command("Copydesk chat");
        window.command("stopinsert");
        // The question names `b.py`, and this place is in `a.py`.
        window.lua(
            "vim.api.nvim_set_current_win(vim.fn.bufwinid(require('copydesk.chat.transcript').buffer())) \
             vim.cmd('silent! normal! zR') vim.fn.search('4: area()') require('copydesk.chat.jump').here()",
        );
        let place =
            "return { vim.fs.basename(vim.api.nvim_buf_get_name(0)), vim.api.nvim_win_get_cursor(0)[1] }";
        assert_eq!(window.lua(place), json!(["a.py", 4]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_users_servers_answer_for_open_files_and_for_others() {
    let definition = "1 definition (by scripted):\nb.py:1 function\n    def area()";
    let references =
        "2 references in 2 files (by scripted):\n\na.py\n    4: area()\n\nb.py\n    1: def area():";
    check(
        "T.edit('a.py', 'scripted')",
        &[
            json!({ "operation": "goToDefinition", "filePath": "a.py", "line": 4, "symbol": "area" }),
            // Neovim does not have it open.
            json!({ "operation": "goToDefinition", "filePath": "b.py", "symbol": "area" }),
            json!({ "operation": "findReferences", "symbol": "area" }),
        ],
        &[definition, definition, references],
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_is_about_the_unsaved_text() {
    // The line that is asked about is not on the disk.
    let typed = "T.edit('a.py', 'scripted') vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# one', '# two' })";
    check(
        typed,
        &[json!({ "operation": "goToDefinition", "filePath": "a.py", "line": 6, "symbol": "area" })],
        &["1 definition (by scripted):\nb.py:1 function\n    def area()"],
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_does_not_know_or_cannot_do_is_said() {
    check(
        "T.edit('a.py', 'scripted')",
        &[
            json!({ "operation": "hover", "filePath": "a.py", "line": 3, "symbol": "x" }),
            json!({ "operation": "goToImplementation", "filePath": "a.py", "line": 4, "symbol": "area" }),
        ],
        &[
            "No descriptions (by scripted).",
            "scripted: it cannot do this. Syntax alone does not tell this; findReferences and goToDefinition of `area` do not need a \
             server.",
        ],
    );
}
