//! One call is one undo step, separate from what is typed before and after it.

use serde_json::{Value, json};

use super::{apply, open, text};
use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

fn steps(bare: &mut MockDaemonNeovim, command: &str, count: usize) -> Vec<String> {
    let step = |_| {
        bare.lua_with("vim.cmd(...)", json!([format!("silent {command}")]));
        text(bare)
    };
    (0..count).map(step).collect()
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_call_is_a_step_of_its_own_while_somebody_types() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        // Above the line being typed in, in it, and below it.
        for (name, edits, made) in [
            (
                "above",
                [(0, 0, 0, 3, "1"), (0, 3, 0, 3, "\nnew")],
                ["1\nnew\ntwo abc\nthree", "1\nnew\ntwo abcdef\nthree"],
            ),
            ("in it", [(1, 0, 1, 0, "X"), (2, 0, 2, 5, "3")], ["one\nXtwo abc\n3", "one\nXtwo abcdef\n3"]),
            (
                "below",
                [(2, 0, 2, 0, "a\n"), (2, 5, 2, 5, "!")],
                ["one\ntwo abc\na\nthree!", "one\ntwo abcdef\na\nthree!"],
            ),
        ] {
            open(&mut bare, name, "one\ntwo\nthree");
            bare.keys("2GA abc");
            assert_eq!(apply(&mut bare, &edits), json!({ "applied": true }), "{name}");
            bare.keys("def<Esc>");
            assert_eq!(text(&mut bare), made[1], "{name}");
            let before = "one\ntwo\nthree";
            assert_eq!(
                steps(&mut bare, "undo", 3),
                [made[0], "one\ntwo abc\nthree", before],
                "{name}: undone"
            );
            assert_eq!(
                steps(&mut bare, "redo", 3),
                ["one\ntwo abc\nthree", made[0], made[1]],
                "{name}: redone"
            );
            assert_eq!(steps(&mut bare, "earlier 2", 1), ["one\ntwo abc\nthree"], "{name}: earlier");
            assert_eq!(steps(&mut bare, "later 1", 1), [made[0]], "{name}: later");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn calls_behind_each_other_are_steps_of_their_own_shown_or_not() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (name, hide) in [("shown", ""), ("hidden", "vim.cmd('enew')")] {
            open(&mut bare, name, "a\nb");
            bare.lua(hide);
            apply(&mut bare, &[(0, 0, 0, 1, "1"), (1, 0, 1, 1, "2")]);
            apply(&mut bare, &[(0, 0, 0, 1, "x"), (1, 0, 1, 1, "y")]);
            // A later change of another plugin is not included.
            bare.lua("vim.api.nvim_buf_set_lines(B, 0, 1, true, { 'other' })");
            assert_eq!(text(&mut bare), "other\ny");
            bare.lua("vim.cmd('buffer ' .. B)");
            assert_eq!(steps(&mut bare, "undo", 3), ["x\ny", "1\n2", "a\nb"], "{name}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn registers_and_the_last_change_and_other_lists_are_the_persons() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        open(&mut bare, "f", "one\ntwo\nthree\nfour");
        bare.keys("yyA!<Esc>3G\"ayw/two<CR>qzq");
        let registers = "local all = {}
            for name in ('\"-.:/0123456789abcdefghijklmnopqrstuvwxyz'):gmatch('.') do
              all[name] = vim.fn.getreginfo(name)
            end
            return { all, vim.fn.getpos('.'), vim.fn.bufnr('#'), vim.fn.histnr(':') }";
        let before = bare.lua(registers);
        let edits = [(0, 0, 0, 0, "zero\n"), (2, 0, 3, 0, "3\n3\n"), (3, 0, 3, 4, "4")];
        assert_eq!(apply(&mut bare, &edits), json!({ "applied": true }));
        let mut after = bare.lua(registers);
        assert_eq!(after[1][1], before[1][1].as_u64().unwrap() + 1, "the cursor is a line further down");
        after[1] = before[1].clone();
        assert_eq!(after, before);
        bare.keys(".");
        assert_eq!(text(&mut bare), "zero\none!\ntwo!\n3\n3\n4", "the user's change is repeated");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_change_is_one_for_whoever_listens() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        open(&mut bare, "f", "one\ntwo");
        bare.lua(
            "EVENTS = {}
             for _, event in ipairs({ 'TextChanged', 'TextChangedI', 'BufModifiedSet', 'OptionSet', 'BufEnter', 'WinEnter',
               'CursorMoved', 'InsertLeave', 'ModeChanged', 'BufWritePost', 'BufReadPost' }) do
               vim.api.nvim_create_autocmd(event, { callback = function() table.insert(EVENTS, event) end })
             end",
        );
        // The cursor of a newly opened buffer has moved.
        bare.lua("return 1");
        bare.lua("EVENTS = {}");
        assert_eq!(apply(&mut bare, &[(1, 0, 1, 3, "2")]), json!({ "applied": true }));
        bare.lua("return 1");
        let mut events: Vec<Value> = bare.lua("return EVENTS").as_array().unwrap().clone();
        events.sort_by_key(Value::to_string);
        assert_eq!(events, [json!("BufModifiedSet"), json!("TextChanged")]);
        assert_eq!(bare.lua("return vim.bo.modified"), true);
        bare.keys("i");
        bare.lua("EVENTS = {}");
        assert_eq!(apply(&mut bare, &[(1, 0, 1, 0, "1")]), json!({ "applied": true }));
        bare.lua("return 1");
        assert_eq!(bare.lua("return EVENTS"), json!(["TextChangedI"]));
    });
}
