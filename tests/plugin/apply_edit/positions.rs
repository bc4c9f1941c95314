//! Everything that has a position in the text keeps it: the cursor while the user types, marks, selections, extmarks,
//! views, folds.

use serde_json::{Value, json};

use super::{EditTuple, apply, open, text};
use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

/// A text with a marked position, edits, and the text with the position afterwards.
const PLACES: &[(&str, &str, &[EditTuple], &str)] = &[
    ("a line above", "one\ntw|o", &[(0, 0, 0, 0, "zero\n")], "zero\none\ntw|o"),
    ("a line above taken away", "one\ntw|o", &[(0, 0, 1, 0, "")], "tw|o"),
    ("a line below", "one\ntw|o", &[(2, 0, 2, 0, "three\n")], "one\ntw|o\nthree"),
    ("text before it in the line", "one\ntw|o", &[(1, 0, 1, 0, "XX")], "one\nXXtw|o"),
    ("text right at it", "tw|o", &[(0, 2, 0, 2, "X")], "twX|o"),
    ("text behind it", "tw|o", &[(0, 3, 0, 3, "X")], "tw|oX"),
    ("its line torn apart before it", "one tw|o", &[(0, 3, 0, 4, "\n")], "one\ntw|o"),
    ("its line joined with the one above", "one\ntw|o", &[(0, 3, 1, 0, " ")], "one tw|o"),
    ("a line after the end that it is at", "one|\ntwo", &[(0, 3, 0, 3, "\nnew")], "one|\nnew\ntwo"),
    ("a line after the last end", "one|", &[(1, 0, 1, 0, "new\n")], "one|\nnew"),
    ("words at the end that it is at", "one|", &[(0, 3, 0, 3, " more")], "one| more"),
    ("a line before the empty one", "a\n|\nb", &[(1, 0, 1, 0, "new\n")], "a\nnew\n|\nb"),
    ("a line after the empty one", "a\n|\nb", &[(1, 0, 1, 0, "\nnew")], "a\n|\nnew\nb"),
    ("its line replaced", "one\ntw|o\nthree", &[(1, 0, 1, 3, "second")], "one\nse|cond\nthree"),
    ("its line replaced by two", "one\ntwo|\nthree", &[(1, 1, 1, 3, "2\nb")], "one\nt2|\nb\nthree"),
    ("its line taken away", "one\ntw|o\nthree", &[(1, 0, 2, 0, "")], "one\n|three"),
    ("lines around it replaced", "1\n2\nth|ree\n4", &[(1, 0, 3, 1, "b\nc\nd")], "1\nb\nc|\nd"),
    ("lines around it taken away", "1\n2\nth|ree\n4", &[(1, 0, 3, 0, "")], "1\n|4"),
    ("what it was in is shorter", "abcdef|gh", &[(0, 2, 0, 8, "X")], "abX|"),
    ("all of it replaced", "one\nt|wo", &[(0, 0, 2, 0, "a\nb\nc\n")], "a\nb|\nc"),
    (
        "several edits of its line",
        "a b c d| e",
        &[(0, 0, 0, 1, "AA"), (0, 4, 0, 5, "CCC"), (0, 8, 0, 9, "E")],
        "AA b CCC d| E",
    ),
    ("wide letters", "é🦀x|y", &[(0, 0, 0, 2, "🦀🦀")], "🦀🦀🦀x|y"),
    ("into a wide letter", "ab|cd", &[(0, 1, 0, 3, "🦀")], "a|🦀d"),
    (
        "above, in the line, and below",
        "one\ntw|o\nthree",
        &[(0, 0, 0, 3, "1\n1"), (1, 0, 1, 0, "é"), (2, 0, 2, 5, "3")],
        "1\n1\nétw|o\n3",
    ),
];

/// A text without its mark, and the position: line from 1, byte from 0.
fn drawn(text: &str) -> (String, (usize, usize)) {
    let (before, after) = text.split_once('|').unwrap();
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
    (format!("{before}{after}"), (before.matches('\n').count() + 1, column))
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_cursor_of_who_types_and_a_mark_stay_at_their_text() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (number, (name, before, edits, after)) in PLACES.iter().enumerate() {
            let ((before, place), (after, moved)) = (drawn(before), drawn(after));
            open(&mut bare, &format!("f{number}"), &before);
            bare.keys("i");
            bare.lua_with(
                "vim.api.nvim_win_set_cursor(0, ...) vim.api.nvim_buf_set_mark(B, 'a', (...)[1], (...)[2], {})",
                json!([place]),
            );
            assert_eq!(apply(&mut bare, edits), json!({ "applied": true }), "{name}");
            assert_eq!(text(&mut bare), after, "{name}");
            let now = bare.lua(
                "return { vim.fn.mode(), vim.api.nvim_win_get_cursor(0), vim.api.nvim_buf_get_mark(B, 'a') }",
            );
            assert_eq!(now, json!(["i", moved, moved]), "{name}");
            bare.keys("<Esc>");
            bare.lua("vim.cmd('silent undo')");
            assert_eq!(text(&mut bare), before, "{name}");
        }
    });
}

/// From the position to the end of the text, and the other way round.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn both_ends_of_a_selection_stay_at_their_text() {
    let end = "return { vim.fn.line('$'), math.max(0, #vim.fn.getline('$') - 1) }";
    let ends = "local function at(place) return { place[2], place[3] - 1 } end
        return { vim.api.nvim_get_mode().mode, at(vim.fn.getpos('v')), at(vim.fn.getpos('.')) }";
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let modes = [("v", "v", ""), ("V", "V", ""), ("<C-v>", "\u{16}", ""), ("v", "s", "<C-g>")];
        for (number, (name, before, edits, after)) in PLACES.iter().enumerate() {
            let ((before, place), (after, moved)) = (drawn(before), drawn(after));
            let is_end = before.split('\n').nth(place.0 - 1).is_some_and(|line| place.1 >= line.len());
            let is_new_end = after.split('\n').nth(moved.0 - 1).is_some_and(|line| moved.1 >= line.len());
            // Outside insert mode the cursor cannot be at the end of a line.
            if is_end || is_new_end || before.ends_with('\n') {
                continue;
            }
            for (keys, mode, more) in modes {
                open(&mut bare, &format!("f{number}{mode}"), &before);
                bare.lua_with("vim.api.nvim_win_set_cursor(0, ...)", json!([place]));
                bare.keys(keys);
                let last = bare.lua(end);
                bare.lua_with("vim.api.nvim_win_set_cursor(0, ...)", json!([last]));
                bare.keys(more);
                assert_eq!(apply(&mut bare, edits), json!({ "applied": true }), "{name}");
                let now = bare.lua(ends);
                assert_eq!((&now[0], &now[1]), (&json!(mode), &json!(moved)), "{name}: {now}");
                bare.keys("<Esc>");
            }
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn every_mark_stays_at_its_text() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let text: Vec<_> = (1..=20).map(|number| format!("line {number}")).collect();
        open(&mut bare, "f", &text.join("\n"));
        bare.lua(
            "vim.cmd('3mark a | 5mark b | 8mark C | 15mark d')
             vim.cmd(\"normal! 10GVj\\27 12Gyy\")
             vim.api.nvim_buf_set_mark(B, 'e', 6, 3, {})
             NAMES = vim.api.nvim_create_namespace('test')
             MARK = vim.api.nvim_buf_set_extmark(B, NAMES, 13, 2, {})
             SIGN = vim.api.nvim_buf_set_extmark(B, NAMES, 5, 6, { right_gravity = false })",
        );
        // Lines 5 to 8 are replaced, two are inserted above them, one is deleted below.
        let edits = [(2, 0, 2, 0, "x\ny\n"), (4, 0, 7, 6, "five\nsix\nseven\neight"), (16, 0, 17, 0, "")];
        assert_eq!(apply(&mut bare, &edits), json!({ "applied": true }));
        let seen = bare.lua(
            "local seen = {}
             for _, mark in ipairs({ \"'a\", \"'b\", \"'C\", \"'d\", \"'e\", \"'<\", \"'>\", \"'[\", \"']\" }) do
               seen[#seen + 1] = vim.fn.getline(mark)
             end
             seen[#seen + 1] = vim.fn.getline(vim.api.nvim_buf_get_extmark_by_id(B, NAMES, MARK, {})[1] + 1)
             seen[#seen + 1] = vim.api.nvim_buf_get_mark(B, 'e')
             vim.cmd('normal! gv')
             seen[#seen + 1] = vim.fn.mode()
             return seen",
        );
        let expected = json!([
            "line 3",
            "five",
            "eight",
            "line 15",
            "six",
            "line 10",
            "line 11",
            "line 12",
            "line 12",
            "line 14",
            [8, 3],
            "V"
        ]);
        assert_eq!(seen, expected);
    });
}

/// Windows in this tab and another: the first visible line and the cursor's line.
fn seen(bare: &mut MockDaemonNeovim) -> Value {
    bare.lua(
        "vim.cmd('redraw!')
         return vim.tbl_map(function(window)
           return vim.api.nvim_win_call(window, function()
             local place = vim.fn.line('.') - vim.fn.line('w0')
             return { vim.fn.getline('w0'), vim.fn.getline('.'), vim.fn.col('.'), place }
           end)
         end, WINDOWS)",
    )
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_window_jumps_when_text_grows_or_shrinks_above_it() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let text: Vec<_> = (1..=300).map(|number| format!("line {number}")).collect();
        open(&mut bare, "f", &text.join("\n"));
        bare.lua(
            "vim.cmd('split | split | tabnew | buffer ' .. B .. ' | vsplit | tabprevious')
             WINDOWS = vim.fn.win_findbuf(B)
             for number, window in ipairs(WINDOWS) do
               vim.api.nvim_win_call(window, function()
                 vim.fn.winrestview({ topline = number * 30 + 5, lnum = number * 30 + 7, col = 3 })
               end)
             end",
        );
        let before = seen(&mut bare);
        assert_eq!(before.as_array().map(Vec::len), Some(5));
        let jumps = "return vim.fn.getjumplist()";
        let known = bare.lua(jumps);
        for edits in [
            &[(0, 0, 0, 0, "a\nb\nc\n")][..],
            &[(0, 0, 3, 0, "")],
            &[(5, 0, 6, 0, "many\nmore\nlines\n"), (60, 2, 60, 2, "\n"), (299, 0, 299, 4, "last")],
            &[(15, 0, 16, 0, "")],
        ] {
            assert_eq!(apply(&mut bare, edits), json!({ "applied": true }));
            assert_eq!(seen(&mut bare), before, "{edits:?}");
        }
        assert_eq!(bare.lua(jumps), known, "no jump");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn who_types_at_the_bottom_of_a_window_does_not_see_it_move() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let text: Vec<_> = (1..=300).map(|number| format!("line {number}")).collect();
        open(&mut bare, "f", &text.join("\n"));
        bare.lua(
            "WINDOWS = { vim.api.nvim_get_current_win() } vim.fn.winrestview({ topline = 100, lnum = 120 })",
        );
        bare.keys("A typed");
        let before = seen(&mut bare);
        assert_eq!(
            apply(&mut bare, &[(10, 0, 10, 0, "a\nb\n"), (250, 0, 251, 0, "")]),
            json!({ "applied": true })
        );
        bare.keys("!");
        let after = seen(&mut bare);
        assert_eq!(after[0][1], "line 120 typed!");
        assert_eq!((&after[0][0], &after[0][3]), (&before[0][0], &before[0][3]));
    });
}

/// An insertion at the beginning is visible, unless the cursor's own text would scroll out.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn who_looks_at_the_beginning_goes_on_doing_so() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let text: Vec<_> = (1..=300).map(|number| format!("line {number}")).collect();
        for (name, count, first, place) in [("few", 3, "new", 12), ("many", 100, "line 1", 9)] {
            open(&mut bare, name, &text.join("\n"));
            bare.lua(
                "WINDOWS = { vim.api.nvim_get_current_win() } vim.fn.winrestview({ topline = 1, lnum = 10 })",
            );
            let new = "new\n".repeat(count);
            let made = bare.lua_with("return S.apply({ [B] = { { 0, 0, 0, 0, ... } } })", json!([new]));
            assert_eq!(made, json!({ "applied": true }));
            assert_eq!(seen(&mut bare), json!([[first, "line 10", 1, place]]), "{name}");
        }
    });
}

/// The lines of a manual fold, an edit, and the lines of the fold afterwards, all from 1.
type FoldCase = (&'static str, (u32, u32), &'static [EditTuple], (u32, u32));

const FOLDS: &[FoldCase] = &[
    ("above", (8, 10), &[(2, 0, 2, 0, "A\nB\n")], (10, 12)),
    ("below", (8, 10), &[(15, 0, 15, 0, "A\n")], (8, 10)),
    ("a line right before it", (8, 10), &[(7, 0, 7, 0, "A\n")], (9, 11)),
    ("a line at the end of its last", (8, 10), &[(9, 7, 9, 7, "\nA")], (8, 10)),
    ("a line right behind it", (8, 10), &[(10, 0, 10, 0, "A\n")], (8, 10)),
    ("a line in it", (8, 10), &[(8, 0, 8, 0, "A\n")], (8, 11)),
    ("its first line", (8, 10), &[(7, 0, 7, 4, "A")], (8, 10)),
    ("more lines for one", (5, 15), &[(7, 0, 9, 0, "A\nB\nC\n")], (5, 16)),
    ("over its beginning", (5, 15), &[(2, 0, 7, 0, "A\nB\nC\nD\nE\n")], (5, 15)),
    ("over its end", (5, 15), &[(10, 0, 18, 0, "A\nB\nC\nD\nE\nF\nG\nH\n")], (5, 15)),
    ("around it", (8, 10), &[(5, 0, 14, 0, "A\nB\nC\nD\nE\nF\nG\nH\nI\n")], (8, 10)),
    ("fewer lines in it", (5, 15), &[(7, 0, 10, 0, "A\n")], (5, 13)),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn folds_that_a_user_made_stay_around_their_lines() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let text: Vec<_> = (1..=20).map(|number| format!("line {number}")).collect();
        for (number, (name, fold, edits, after)) in FOLDS.iter().enumerate() {
            open(&mut bare, &format!("f{number}"), &text.join("\n"));
            bare.lua_with("vim.cmd(('%d,%dfold'):format(...))", json!([fold.0, fold.1]));
            assert_eq!(apply(&mut bare, edits), json!({ "applied": true }), "{name}");
            let folded = bare.lua_with(
                "local row = ... return { vim.fn.foldclosed(row), vim.fn.foldclosedend(row) }",
                json!([after.0]),
            );
            assert_eq!(folded, json!(after), "{name}");
        }
    });
}
