//! How hunks look, everywhere in a text.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

const CART: &str =
    "fn total() {\n\tlet price = 1;\n\tprice + tax + tax\n}\n\nfn gone() {\n    one\n}\n\nfn last() {}\n";
const CART_AFTER: &str =
    "//! Cart.\nfn total() {\n\tlet price = 1;\n\tprice + tax\n}\n\nfn last() {}\nfn more() {}\n";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn new_lines_are_in_the_text_and_the_old_ones_above_them() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("cart.rs", CART, CART_AFTER);
        reviewer.keys("4G");
        reviewer.assert_screen("review-after");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn proposed_lines_are_below_the_old_ones_which_are_struck_out() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_proposal("cart.rs", CART, CART_AFTER);
        reviewer.keys("3G");
        reviewer.assert_screen("review-before");
        assert_eq!(reviewer.user.window.lines("cart.rs"), CART.trim_end());
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_went_before_the_first_line_and_after_the_last_is_seen() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", "one\ntwo\nthree\nfour\nfive\n", "three\nfour\n");
        reviewer.assert_screen("review-ends");
        // From far away, and after scrolling on, it looks the same.
        reviewer.lua("vim.fn.append('$', vim.fn['repeat']({ 'x' }, 60))");
        reviewer.keys("G");
        reviewer.lua("vim.cmd.redraw()");
        reviewer.keys("gg");
        reviewer.lua("vim.cmd.redraw()");
        let fill = "return vim.fn.winsaveview().topfill";
        reviewer.user.window.wait_until("vim.fn.winsaveview().topfill == 2");
        reviewer.keys("<C-e>");
        reviewer.lua("vim.cmd.redraw()");
        assert_eq!(reviewer.lua(fill), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_text_of_which_nothing_is_left_or_was_there_shows_what_was_or_would_be() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("gone.txt", "a\nb\n", "");
        reviewer.assert_screen("review-nothing-left");
        reviewer.receive_proposal("new.txt", "", "a\nb\n");
        reviewer.assert_screen("review-nothing-before");
        let file = json!({ "hunk": "9.0", "expected": "f", "kind": "created", "by": ["p1"] });
        reviewer.receive_review("made.txt", "", "a\nb\n", json!({ "file": file }));
        reviewer.assert_screen("review-created");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn long_lines_go_on_in_the_next_row_and_long_hunks_end_somewhere() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start_with(program, json!({ "virtual_lines": 6 }));
        let wide = "\u{6f22}\u{5b57}\t".repeat(12);
        let old = format!("{}\n{wide}\n\u{1}\u{7f}\n{}z\n", "word ".repeat(20), "x\n".repeat(10));
        reviewer.receive_edit("a.txt", &old, "z\n");
        reviewer.assert_screen("review-long");
        reviewer.command("vsplit");
        reviewer.assert_screen("review-long-narrow");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn signs_and_hints_are_there_for_whom_wants_them() {
    for_each_neovim(|program| {
        let mut reviewer =
            ReviewingUser::start_with(program, json!({ "signs": false, "hint": false, "keys": false }));
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.keys("2G");
        reviewer.assert_screen("review-bare");
        let mut reviewer = ReviewingUser::start_with(program, json!({ "signs": { "changed": "C" } }));
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.command("set number");
        reviewer.assert_screen("review-signs");
    });
}

/// Beside the conversation, on a screen of 80 columns, they seldom fit behind a line.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn keys_that_do_not_fit_behind_the_line_are_below_the_hunk() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_proposal(
            "a.txt",
            "one\na line that needs two rows of it\nthree\n",
            "one\n2\n2\nthree\n",
        );
        reviewer.command("vsplit");
        reviewer.keys("2G");
        reviewer.assert_screen("review-hint-below");
        reviewer.keys("j");
        reviewer.assert_screen("review-hint-gone");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn in_diff_mode_only_signs_are_drawn() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.command("set diffopt=internal,filler");
        reviewer.command("diffthis | vnew | call setline(1, ['a', 'b']) | diffthis | wincmd p");
        reviewer.assert_screen("review-diff");
        reviewer.command("diffoff! | only");
        reviewer.user.window.wait_until("R.picture():find('+', 1, true)");
        reviewer.assert_screen("review-diff-off");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn colours_are_those_of_the_scheme_and_of_the_user() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.command("highlight CopydeskDelete guibg=#123456");
        reviewer.receive_edit("a.txt", OLD, NEW);
        let colour = |reviewer: &mut ReviewingUser, name: &str| {
            reviewer.lua(&format!("return vim.api.nvim_get_hl(0, {{ name = '{name}' }}).bg"))
        };
        let dark = colour(&mut reviewer, "CopydeskAdd");
        assert_eq!(colour(&mut reviewer, "CopydeskDelete"), 0x12_34_56);
        reviewer.command("set background=light");
        let light = colour(&mut reviewer, "CopydeskAdd");
        assert!(light.as_u64() > dark.as_u64(), "{light} {dark}");
        assert_eq!(colour(&mut reviewer, "CopydeskDelete"), 0x12_34_56);
        reviewer.command("colorscheme habamax");
        let scheme = colour(&mut reviewer, "CopydeskAdd");
        assert!(scheme.is_u64() && scheme != light, "{scheme}");
    });
}

/// Problems that Neovim shows itself are not shown twice.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_wrong_in_new_lines_is_said_behind_them() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("cart.rs", CART, CART_AFTER);
        reviewer.lua(
            r#"R.changes("7", "7.2", function(hunk)
                 hunk.problems = {
                   { line = 0, severity = "error", code = "E0425", source = "rust-analyzer", message = "no `tax`\nhere" },
                   { line = 9, severity = "error", source = "rust-analyzer", message = "nowhere" },
                 }
               end)
               R.changes("7", "7.3", function(hunk)
                 hunk.problems = {
                   { line = 0, severity = "warning", source = "rust-analyzer", message = "seen already" },
                   { line = 0, severity = "warning", source = "rust-analyzer", message = "not used" },
                 }
               end)
               local names = vim.api.nvim_create_namespace("own")
               vim.diagnostic.config({ virtual_text = true })
               vim.diagnostic.set(names, 0, { { lnum = 7, col = 0, message = "seen already", severity = 2 } })"#,
        );
        // Newer Neovims count diagnostics there.
        reviewer.lua("vim.o.columns, vim.o.statusline = 100, '%f'");
        reviewer.keys("4G");
        reviewer.assert_screen("review-problems");
    });
}
