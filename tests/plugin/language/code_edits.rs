//! The tool `refactor` by the servers of the user's Neovim: in its buffers, and through review like any edit.

use serde_json::{Value, json};

use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim};
use crate::plugin::plugin_neovim::PluginNeovim;
use crate::sessions::harness::ScriptedEnvironment;

/// A server of Python that renames `area`, and has a fix that is a command: the edit comes by `workspace/applyEdit`.
const SERVER: &str = r#"
    local function range(line, first, last)
      return { start = { line = line, character = first }, ["end"] = { line = line, character = last } }
    end
    -- Where a word begins in a text, as the server has it.
    local function edits(text, word, new)
      local found = {}
      for number, line in ipairs(vim.split(text, "\n")) do
        local first, last = line:find(word, 1, true)
        if first then found[#found + 1] = { range = range(number - 1, first - 1, last), newText = new } end
      end
      return found
    end
    local function text_of(self, uri)
      return self.texts[uri] or table.concat(vim.fn.readfile(vim.uri_to_fname(uri)), "\n")
    end
    T.serve("scripted", "python", {
      capabilities = {
        definitionProvider = true, renameProvider = true, codeActionProvider = true,
        executeCommandProvider = { commands = { "fix" } },
      },
      answers = {
        ["textDocument/definition"] = { result = {} },
        ["textDocument/rename"] = function(params, self)
          local changes = {}
          for _, path in ipairs({ "a.py", "b.py" }) do
            changes[T.uri(path)] = edits(text_of(self, T.uri(path)), "area", params.newName)
          end
          return { result = { changes = changes } }
        end,
        ["textDocument/codeAction"] = {
          result = { { title = "Fix it", kind = "quickfix", command = { title = "Fix it", command = "fix" } } },
        },
        ["workspace/executeCommand"] = function(_, self)
          local uri = T.uri("a.py")
          local edit = { changes = { [uri] = edits(text_of(self, uri), "x = 1", "x = 2") } }
          T.answered = self.dispatchers.server_request("workspace/applyEdit", { edit = edit })
          return { result = vim.NIL }
        end,
      },
    })"#;

fn start(
    program: &std::path::Path,
    calls: &[Value],
    permission: &str,
) -> (ScriptedEnvironment, PluginNeovim) {
    let turn = |(number, call): (usize, &Value)| {
        ScriptedTurn::new().call(format!("c{number}"), "refactor", call.clone())
    };
    let turns: Vec<_> =
        calls.iter().enumerate().map(turn).chain([ScriptedTurn::new().text("Done.")]).collect();
    let config = json!({ "lsp": true, "permission": { "edit": permission } });
    let scripted = environment_with_config(turns, config);
    scripted.env.write("a.py", "from b import area\n\nx = 1\narea()\n");
    scripted.env.write("b.py", "def area():\n    pass\n");
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.lua(include_str!("../server.lua"));
    window.lua(SERVER);
    window.connect();
    window.lua("T.edit('a.py', 'scripted')");
    (scripted, window)
}

fn lines(window: &mut PluginNeovim) -> Value {
    window.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.py'), 0, -1, true)")
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_symbol_is_renamed_in_the_unsaved_text_and_in_closed_files() {
    for_each_neovim(|program| {
        let rename =
            json!({ "operation": "rename", "filePath": "b.py", "symbol": "area", "newName": "size" });
        let (scripted, mut window) = start(program, &[rename], "allow");
        window.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# typed' })");
        window.lua("require('copydesk').ask('Rename', { show = false })");
        assert_eq!(window.wait_for_turn_end()["end"]["kind"], "done");
        let output = scripted.last_model_input(1);
        assert!(output.starts_with("Changed 2 files (+3 -3)."), "{output}");
        assert_eq!(lines(&mut window), json!(["# typed", "from b import size", "", "x = 1", "size()"]));
        assert_eq!(scripted.env.read("b.py"), "def size():\n    pass\n");
        // The user saves.
        assert_eq!(scripted.env.read("a.py"), "from b import area\n\nx = 1\narea()\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_edit_of_a_command_is_reviewed_before_it_is_made() {
    for_each_neovim(|program| {
        let fix = json!({ "operation": "codeAction", "filePath": "a.py", "line": 3, "title": "Fix it" });
        let (scripted, mut window) = start(program, &[fix], "ask");
        window.lua("require('copydesk').ask('Fix', { show = false })");
        // The command may do more than make edits, so the user is asked before it runs.
        window.wait_until("require('copydesk').status().waiting == 1");
        assert_eq!(window.lua("return T.answered"), Value::Null);
        window.command("Copydesk allow");
        window.wait_until("T.answered ~= nil and require('copydesk').status().waiting == 1");
        // The server believes that it is made.
        assert_eq!(window.lua("return T.answered"), json!({ "applied": true }));
        assert_eq!(lines(&mut window), json!(["from b import area", "", "x = 1", "area()"]));
        window.command("Copydesk allow");
        assert_eq!(window.wait_for_turn_end()["end"]["kind"], "done");
        assert_eq!(lines(&mut window), json!(["from b import area", "", "x = 2", "area()"]));
        let output = scripted.last_model_input(1);
        assert!(output.starts_with("Edited a.py (+1 -1)."), "{output}");
        // The user's own commands change the buffer as ever.
        window.lua("vim.api.nvim_buf_set_lines(0, 2, 3, true, { 'x = 1' })");
        window.lua("local self = T.servers.scripted; self.answers['workspace/executeCommand']({}, self)");
        assert_eq!(lines(&mut window), json!(["from b import area", "", "x = 2", "area()"]));
    });
}
