//! What the person's own language servers say of an edit, from Neovim to what the model reads, and how the person sees it.

mod drawing;

use std::path::Path;

use serde_json::{Value, json};

use super::window::Window;
use crate::model_server::Turn;
use crate::neovim::window::{desk, edit, on_each, result};
use crate::sessions::harness::Scripted;

/// A Neovim with `a.py`, and a server that takes every line with `bad` in it for wrong.
fn linted(program: &Path, scripted: &Scripted, how: &str) -> Window {
    let mut window = served(program, scripted, &format!("T.lint('{how}')"));
    window.lua("T.edit('a.py', 'lint')");
    window
}

fn served(program: &Path, scripted: &Scripted, serve: &str) -> Window {
    scripted.desk.write("a.py", "one\nbad old\ntwo\n");
    let mut window = Window::open(program, &scripted.desk);
    window.lua(include_str!("server.lua"));
    window.lua(include_str!("lint.lua"));
    window.lua(serve);
    window.connect();
    window
}

/// A whole turn. Nobody looks at it.
#[track_caller]
fn work(window: &mut Window) {
    window.command("Copydesk! ask Work");
    let end = window.ended();
    assert_eq!(end["end"]["kind"], "done", "{end}");
}

/// What the model is told of problems by its only call.
#[track_caller]
fn told(scripted: &Scripted) -> String {
    let (told, failed) = result(scripted, 1, "c1");
    assert!(!failed, "{told}");
    told.split_once("\n\n").map_or(String::new(), |(_, problems)| problems.to_owned())
}

/// The person typed a line above, and has not saved; the model edits; what it is told.
#[track_caller]
fn check(how: &str, old: &str, new: &str, expected: &str) {
    on_each(|program| {
        let scripted = desk(edit("a.py", old, new));
        let mut window = linted(program, &scripted, how);
        window.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' })");
        work(&mut window);
        assert_eq!(told(&scripted), expected);
        assert_eq!(scripted.desk.read("a.py"), "one\nbad old\ntwo\n");
    });
}

const NEW: &str = "Neovim's language servers, proven for this text: 1 new error
a.py:4:3 error B1 (lint) bad new
  4: \u{20}\u{20}bad new
1 older error remains.
";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_new_problem_of_an_unsaved_buffer_is_proven_by_asking() {
    check("pull", "bad old\ntwo", "bad old\n  bad new\ntwo", NEW);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_new_problem_of_an_unsaved_buffer_is_proven_by_its_version() {
    check("publish", "bad old\ntwo", "bad old\n  bad new\ntwo", NEW);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_without_versions_is_likely() {
    let likely = NEW.replace("proven for this text", "likely, not proven, for this text");
    check("unnamed", "bad old\ntwo", "bad old\n  bad new\ntwo", &likely);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_problem_that_is_gone_is_fixed() {
    let expected =
        "Neovim's language servers, proven for this text: no new errors\n1 older error was fixed.\n";
    check("pull", "bad old", "good", expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_problem_that_moved_is_not_new() {
    let expected = "Neovim's language servers, proven for this text: no new errors\n1 older error remains.\n";
    check("pull", "one\n", "one\nand\na\nhalf\n", expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_said_where_no_server_can_say_anything() {
    on_each(|program| {
        let scripted = desk(edit("a.txt", "two", "bad"));
        scripted.desk.write("a.txt", "one\ntwo\n");
        let mut window = linted(program, &scripted, "pull");
        window.command("edit a.txt");
        work(&mut window);
        assert_eq!(told(&scripted), "");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_nobody_has_open_is_asked_about_too() {
    on_each(|program| {
        let scripted = desk(edit("b.py", "two", "bad new"));
        scripted.desk.write("b.py", "bad old\ntwo\n");
        let mut window = linted(program, &scripted, "pull");
        work(&mut window);
        let expected = "Neovim's language servers, proven for this text: 1 new error
b.py:2:1 error B1 (lint) bad new
  2: bad new
1 older error remains.
";
        assert_eq!(told(&scripted), expected);
        assert_eq!(scripted.desk.read("b.py"), "bad old\nbad new\n");
    });
}

/// What could be said would be of another text.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_claimed_of_a_text_in_which_the_person_types() {
    on_each(|program| {
        let scripted = desk(edit("a.py", "two", "bad new"));
        let mut window = linted(program, &scripted, "pull");
        // What it is asked before the edit it answers, and the rest when the person has typed.
        window.lua(
            "local server = T.servers.lint
             local answer = server.answers['textDocument/diagnostic']
             server.answers['textDocument/diagnostic'] = function(params, self)
               local text = self.texts[params.textDocument.uri]
               if text:find('bad new', 1, true) and not T.has_typed then
                 T.has_typed = true
                 vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' })
               end
               return answer(params, self)
             end",
        );
        work(&mut window);
        let expected = "Neovim's language servers: not known for this text: the person is typing in it\n";
        assert_eq!(told(&scripted), expected);
        assert_eq!(window.lines("a.py"), "typed\none\nbad old\nbad new");
    });
}

/// Nobody waits for a server that says itself that it is not ready; what it finds is told when it is.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_starts_is_heard_later() {
    on_each(|program| {
        let scripted = desk(edit("a.py", "two", "bad new"));
        let mut window = served(program, &scripted, "T.lint('pull', { held = { 'initialize' } })");
        window.lua("T.edit('a.py')");
        work(&mut window);
        let expected = "Neovim's language servers: not known for this text: \
            the editor's language server is still starting\n";
        assert_eq!(told(&scripted), expected);
        window.lua("T.servers.lint:release('initialize')");
        let late = later(&mut window, &scripted, 2);
        assert!(late.contains("Neovim's language servers, proven for this text: 2 errors (what"), "{late}");
        assert!(late.contains("a.py:3:1 error B1 (lint) bad new\n  3: bad new\n"), "{late}");
    });
}

/// Below the call that caused it, and from there to its place.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn problems_are_seen_below_their_call_and_lead_to_their_place() {
    on_each(|program| {
        let many = "bad 1\n  bad 2\nbad 3\nbad 4\nbad 5\nbad 6\nbad 7";
        let mut turns = edit("a.py", "two", many).to_vec();
        turns.insert(
            1,
            Turn::new().call(
                "c2",
                "edit",
                json!({
                    "filePath": "a.py", "oldString": "bad old", "newString": "good",
                }),
            ),
        );
        let scripted = desk(turns);
        let mut window = linted(program, &scripted, "pull");
        window.lua("vim.o.columns, vim.o.lines = 120, 36");
        window.command("Copydesk ask Work");
        window.ended();
        window.sees("problems-chat");
        window.command("2wincmd w");
        window.keys("gg");
        window.lua("vim.fn.search('error B1 bad 2')");
        window.keys("<CR>");
        let place = "return { vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.col('.') }";
        assert_eq!(window.lua(place), json!(["a.py", 4, 3]));
    });
}

/// In review after, behind the very lines.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_hunk_has_the_problems_that_it_caused() {
    on_each(|program| {
        let scripted = desk(edit("a.py", "two", "bad new"));
        let mut window = linted(program, &scripted, "pull");
        work(&mut window);
        let problems = "(function()
              for _, review in ipairs(require('copydesk.review.state').all()) do
                for _, hunk in pairs(review.hunks) do if hunk.problems then return hunk.problems end end
              end
            end)()";
        let found: Value = window.until(problems);
        let expected = json!([{ "line": 0, "severity": "error", "code": "B1",
            "source": "Neovim's language servers", "message": "bad new" }]);
        assert_eq!(found, expected);
        // What the person makes of the line may be anything.
        window.lua("vim.fn.setline(3, 'mended')");
        window.until(&format!("not {problems}"));
    });
}

/// Prompts until the model is told of problems that nobody could tell before, and gives what it is told.
#[track_caller]
fn later(window: &mut Window, scripted: &Scripted, first: usize) -> String {
    for number in first..first + 100 {
        scripted.server.play(Turn::new().text("Still here."));
        work(window);
        let told = scripted.told(number);
        if told.contains("language servers") {
            return told;
        }
    }
    panic!("nothing came")
}
