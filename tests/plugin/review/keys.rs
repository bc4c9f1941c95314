//! The keys that decide: mapped while there is something to decide, and never in the way.

use serde_json::{Value, json};

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

/// The action of a key in the buffer: the description or the right-hand side of its map.
fn map(reviewer: &mut ReviewingUser, lhs: &str) -> Value {
    let code =
        format!("local map = vim.fn.maparg('{lhs}', 'n', false, true) return map.desc or map.rhs or ''");
    reviewer.lua(&code)
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn keys_are_mapped_while_there_are_hunks() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        assert_eq!(map(&mut reviewer, "gha"), "Copydesk: accept");
        reviewer.command("enew");
        assert_eq!(map(&mut reviewer, "gha"), "");
        reviewer.command("edit a.txt");
        reviewer.keys("2Gghr");
        reviewer.wait_for_hunks(1);
        assert_eq!(reviewer.next_decisions()[0]["verdict"], "reject");
        reviewer.keys("ghA");
        reviewer.wait_for_hunks(0);
        assert_eq!(map(&mut reviewer, "gha"), "");
        reviewer.receive_edit("b.txt", OLD, NEW);
        reviewer.lua("T.answers = { 'Reject them' }");
        reviewer.keys("ghR");
        reviewer.wait_for_hunks(0);
        reviewer.receive_edit("c.txt", OLD, NEW);
        reviewer.lua("T.answers = { 'why?' }");
        reviewer.keys("2Gghc");
        assert_eq!(reviewer.wait_for_request("review/comment")[0]["text"], "why?");
        reviewer.keys("ghe");
        assert!(reviewer.user.next_notification().contains("1 comment waits"));
        assert!(reviewer.user.next_notification().starts_with("these lines are in the buffer already"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_persons_own_maps_stay_and_come_back() {
    for_each_neovim(|program| {
        let keys = json!({ "keys": { "reject": { "n": "X" }, "comment": false, "next": { "n": false } } });
        let mut reviewer = ReviewingUser::start_with(program, keys);
        reviewer.command("nnoremap gha :echo 'mine'<CR>");
        reviewer.command("edit a.txt");
        reviewer.command("nnoremap <buffer> X :echo 'also mine'<CR>");
        reviewer.receive_edit("a.txt", OLD, NEW);
        assert_eq!(map(&mut reviewer, "gha"), ":echo 'mine'<CR>");
        assert_eq!(map(&mut reviewer, "X"), "Copydesk: reject");
        assert_eq!(map(&mut reviewer, "ghc"), "");
        assert_eq!(map(&mut reviewer, "]h"), "");
        // The hint names mapped keys.
        reviewer.keys("2G");
        reviewer.assert_screen("review-own-keys");
        reviewer.command("Copydesk accept-all");
        reviewer.wait_for_hunks(0);
        assert_eq!(map(&mut reviewer, "X"), ":echo 'also mine'<CR>");
        assert_eq!(map(&mut reviewer, "gha"), ":echo 'mine'<CR>");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn plugs_decide_and_go_in_every_mode() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start_with(program, json!({ "keys": false }));
        reviewer.lua(
            "for _, name in ipairs({ 'accept', 'next', 'prev' }) do
               vim.keymap.set({ 'n', 'x' }, 'g' .. name:sub(1, 1), ('<Plug>(copydesk-%s)'):format(name))
             end",
        );
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.keys("gggn");
        assert_eq!(reviewer.cursor_position().1, 2);
        reviewer.keys("gg2gn");
        assert_eq!(reviewer.cursor_position().1, 7);
        reviewer.keys("gp");
        assert_eq!(reviewer.cursor_position().1, 2);
        reviewer.keys("Vga");
        assert_eq!(reviewer.next_decisions()[0]["lines"], json!({ "old": [0], "new": [0] }));
        reviewer.keys("ga");
        reviewer.wait_for_hunks(1);
    });
}
