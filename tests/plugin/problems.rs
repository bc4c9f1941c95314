//! Diagnostics of the user's own language servers for an edit, from Neovim to the model's input and to the screen.

mod drawing;

use std::path::Path;

use serde_json::{Value, json};

use super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{
    allow_edits_environment, edit, environment_with_config, for_each_neovim, result,
};
use crate::sessions::harness::ScriptedEnvironment;
use crate::terminal::problems::server;

/// A Neovim with `a.py`, and a server that reports every line with `bad` in it.
fn start_with_linter(program: &Path, scripted: &ScriptedEnvironment, how: &str) -> PluginNeovim {
    let mut window = start_with_server(program, scripted, &format!("T.lint('{how}')"));
    window.lua("T.edit('a.py', 'lint')");
    window
}

fn start_with_server(program: &Path, scripted: &ScriptedEnvironment, serve: &str) -> PluginNeovim {
    scripted.env.write("a.py", "one\nbad_old\ntwo\n");
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.lua(include_str!("server.lua"));
    window.lua(include_str!("lint.lua"));
    window.lua(serve);
    window.connect();
    window
}

/// Runs a whole turn in the background.
#[track_caller]
fn run_turn(window: &mut PluginNeovim) {
    window.command("Copydesk! ask Work");
    let end = window.wait_for_turn_end();
    assert_eq!(end["end"]["kind"], "done", "{end}");
}

/// The problems in the result of the model's only call.
#[track_caller]
fn model_input_problems(scripted: &ScriptedEnvironment) -> String {
    let (told, failed) = result(scripted, 1, "c1");
    assert!(!failed, "{told}");
    told.split_once("\n\n").map_or(String::new(), |(_, problems)| problems.to_owned())
}

/// The user typed a line above, without saving; the model edits; checks what the model is told.
#[track_caller]
fn check(how: &str, old: &str, new: &str, expected: &str) {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.py", old, new));
        let mut window = start_with_linter(program, &scripted, how);
        window.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' })");
        run_turn(&mut window);
        assert_eq!(model_input_problems(&scripted), expected);
        assert_eq!(scripted.env.read("a.py"), "one\nbad_old\ntwo\n");
    });
}

const NEW: &str = "Neovim's language servers, proven for this text: 1 new error
a.py:4:5 error B1 (lint) bad_new
  4: x = bad_new
1 older error remains.
";

/// Known in any case.
const SYNTAX: &str = "tree-sitter, syntax only: no new errors\n";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_new_problem_of_an_unsaved_buffer_is_proven_by_asking() {
    check("pull", "bad_old\ntwo", "bad_old\nx = bad_new\ntwo", NEW);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_new_problem_of_an_unsaved_buffer_is_proven_by_its_version() {
    check("publish", "bad_old\ntwo", "bad_old\nx = bad_new\ntwo", NEW);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_without_versions_is_likely() {
    let likely = NEW.replace("proven for this text", "likely, not proven, for this text");
    check("unnamed", "bad_old\ntwo", "bad_old\nx = bad_new\ntwo", &likely);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_problem_that_is_gone_is_fixed() {
    let expected =
        "Neovim's language servers, proven for this text: no new errors\n1 older error was fixed.\n";
    check("pull", "bad_old", "good", expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_problem_that_moved_is_not_new() {
    let expected = "Neovim's language servers, proven for this text: no new errors\n1 older error remains.\n";
    check("pull", "one\n", "one\nmore\na\nhalf\n", expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_said_where_no_server_can_say_anything() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two", "bad"));
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut window = start_with_linter(program, &scripted, "pull");
        window.command("edit a.txt");
        run_turn(&mut window);
        assert_eq!(model_input_problems(&scripted), "");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_nobody_has_open_is_asked_about_too() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("b.py", "two", "bad_new"));
        scripted.env.write("b.py", "bad_old\ntwo\n");
        let mut window = start_with_linter(program, &scripted, "pull");
        run_turn(&mut window);
        let expected = "Neovim's language servers, proven for this text: 1 new error
b.py:2:1 error B1 (lint) bad_new
  2: bad_new
1 older error remains.
";
        assert_eq!(model_input_problems(&scripted), expected);
        assert_eq!(scripted.env.read("b.py"), "bad_old\nbad_new\n");
    });
}

/// Open files are checked, because not every server reports the effect of an edit elsewhere.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_open_file_that_the_edit_broke_is_told_of() {
    for_each_neovim(|program| {
        let broken = edit("a.py", "one", "uno");
        let mended = [
            ScriptedTurn::new().call(
                "c2",
                "edit",
                json!({ "filePath": "a.py", "oldString": "uno", "newString": "one" }),
            ),
            ScriptedTurn::new().text("Done."),
        ];
        let scripted = allow_edits_environment([broken[0].clone(), mended[0].clone(), mended[1].clone()]);
        scripted.env.write("b.py", "one()\n");
        let mut window = start_with_linter(program, &scripted, "pull");
        window.lua(
            "T.servers.lint.answers['textDocument/diagnostic'] = function(params, self)
               local is_broken = vim.endswith(params.textDocument.uri, 'b.py')
                 and not self.texts[T.uri('a.py')]:find('one', 1, true)
               local items = is_broken and { T.problem(0, 0, 3, 'there is no one') } or {}
               return { result = { kind = 'full', items = items } }
             end
             T.edit('b.py', 'lint')",
        );
        run_turn(&mut window);
        let expected = "Neovim's language servers, proven for this text: 1 new error
b.py:1:1 error there is no one
  1: one()
";
        assert_eq!(model_input_problems(&scripted), expected);
        let (mended, _) = result(&scripted, 2, "c2");
        assert!(mended.ends_with("no new errors\n1 older error was fixed.\n"), "{mended}");
    });
}

/// Any diagnostics would be about another text.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_claimed_of_a_text_in_which_the_user_types() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.py", "two", "bad_new"));
        let mut window = start_with_linter(program, &scripted, "pull");
        // It responds to requests before the edit at once, and to the others after the user has typed.
        window.lua(
            "local server = T.servers.lint
             local answer = server.answers['textDocument/diagnostic']
             server.answers['textDocument/diagnostic'] = function(params, self)
               local text = self.texts[params.textDocument.uri]
               if text:find('bad_new', 1, true) and not T.has_typed then
                 T.has_typed = true
                 vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' })
               end
               return answer(params, self)
             end",
        );
        run_turn(&mut window);
        let expected = "Neovim's language servers: not known for this text: the user is typing in it\n";
        assert_eq!(model_input_problems(&scripted), [expected, SYNTAX].concat());
        assert_eq!(window.lines("a.py"), "typed\none\nbad_old\nbad_new");
    });
}

/// The daemon does not wait for a server that reports that it is not ready; its result comes later.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_starts_is_heard_later() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.py", "two", "bad_new"));
        let mut window = start_with_server(program, &scripted, "T.lint('pull', { held = { 'initialize' } })");
        window.lua("T.edit('a.py')");
        run_turn(&mut window);
        let expected = "Neovim's language servers: not known for this text: \
            the editor's language server is still starting\n";
        assert_eq!(model_input_problems(&scripted), [expected, SYNTAX].concat());
        window.lua("T.servers.lint:release('initialize')");
        let late = prompt_until_problems(&mut window, &scripted, 2);
        assert!(late.contains("Neovim's language servers, proven for this text: 2 errors (what"), "{late}");
        assert!(late.contains("a.py:3:1 error B1 (lint) bad_new\n  3: bad_new\n"), "{late}");
    });
}

/// Below the call that caused it, with a jump to its place.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn problems_are_seen_below_their_call_and_lead_to_their_place() {
    for_each_neovim(|program| {
        let many = "bad_1\nx = bad_2\nbad_3\nbad_4\nbad_5\nbad_6\nbad_7";
        let mut turns = edit("a.py", "two", many).to_vec();
        turns.insert(
            1,
            ScriptedTurn::new().call(
                "c2",
                "edit",
                json!({
                    "filePath": "a.py", "oldString": "bad_old", "newString": "good",
                }),
            ),
        );
        let scripted = allow_edits_environment(turns);
        let mut window = start_with_linter(program, &scripted, "pull");
        // Newer Neovims do not show them in the text by default, but count them in the statusline.
        window.lua(
            "vim.o.columns, vim.o.lines, vim.o.statusline = 120, 36, '%f %m'
             vim.diagnostic.config({ virtual_text = false })",
        );
        window.command("Copydesk ask Work");
        window.wait_for_turn_end();
        window.assert_screen("problems-chat");
        window.command("2wincmd w");
        window.keys("gg");
        window.lua("vim.fn.search('error B1 bad_2')");
        window.keys("<CR>");
        let place = "return { vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.col('.') }";
        assert_eq!(window.lua(place), json!(["a.py", 4, 5]));
    });
}

/// In a review after the edit, at the very lines.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_hunk_has_the_problems_that_it_caused() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.py", "two", "bad_new"));
        let mut window = start_with_linter(program, &scripted, "pull");
        run_turn(&mut window);
        let problems = "(function()
              for _, review in ipairs(require('copydesk.review.state').all()) do
                for _, hunk in pairs(review.hunks) do if hunk.problems then return hunk.problems end end
              end
            end)()";
        let found: Value = window.wait_until(problems);
        let expected = json!([{ "line": 0, "severity": "error", "code": "B1",
            "source": "Neovim's language servers", "message": "bad_new" }]);
        assert_eq!(found, expected);
        // The user may change the line to anything.
        window.lua("vim.fn.setline(3, 'mended')");
        window.wait_until(&format!("not {problems}"));
    });
}

/// The daemon has servers of its own for languages that Neovim has none for: their progress is shown, they are
/// listed, and can be restarted.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn servers_of_the_daemon_are_shown_while_they_read_the_project() {
    for_each_neovim(|program| {
        let folder = tempfile::tempdir().unwrap();
        let command = server(folder.path(), &json!({ "pull": true, "indexesMs": 500 }));
        let lsp = json!({ "scripted": { "command": command, "extensions": [".txt"] } });
        let config = json!({ "permission": { "edit": "allow" }, "lsp": lsp });
        let scripted = environment_with_config(edit("a.txt", "two", "2"), config);
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua(
            "vim.api.nvim_create_autocmd('LspProgress', { callback = function(event)
               local params = event.data.params
               T.tell('progress', { token = tostring(params.token), kind = params.value.kind, title = params.value.title })
             end })",
        );
        window.command("edit a.txt");
        run_turn(&mut window);
        // The progress of the turn is shown in the same way.
        let is_its = |told: &Value| told["token"].as_str().unwrap().starts_with("copydesk/scripted/");
        let begun = window.nvim.wait_for_message("progress", |told| told["kind"] == "begin" && is_its(told));
        assert!(begun["title"].as_str().unwrap().starts_with("scripted "), "{begun}");
        window.nvim.wait_for_message("progress", |told| told["kind"] == "end" && is_its(told));
        window.command("Copydesk status");
        window.wait_until("vim.fn.search('^Servers  *scripted in .*: ready, 1 document', 'nw') > 0");
        window.command("Copydesk restart scripted");
        window.nvim.wait_for_message("said", |said| said["text"] == "Copydesk: restarted scripted");
        window.command("Copydesk restart nobody");
        let none = "Copydesk: the daemon has no language server `nobody`";
        window.nvim.wait_for_message("said", |said| said["text"] == none);
    });
}

/// Prompts until the model gets problems that were unknown before; returns what it gets.
#[track_caller]
fn prompt_until_problems(window: &mut PluginNeovim, scripted: &ScriptedEnvironment, first: usize) -> String {
    for number in first..first + 100 {
        scripted.server.queue_turn(ScriptedTurn::new().text("Still here."));
        run_turn(window);
        let told = scripted.last_model_input(number);
        if told.contains("language servers") {
            return told;
        }
    }
    panic!("nothing came")
}
