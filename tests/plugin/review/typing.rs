//! Hunks while the user types: nothing drifts, nothing is left behind, and only changes are redrawn.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn hunks_move_with_the_text() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.keys("ggOnew<CR>lines<Esc>Gobelow<Esc>");
        reviewer.assert_screen("review-typed-around");
        reviewer.keys("4GA, typed<Esc>");
        reviewer.lua(
            "R.changes('7', '7.1', function(hunk)
               hunk.new, hunk.words, hunk.edited = { 'B, typed', 'C' }, {}, true
             end)",
        );
        reviewer.assert_screen("review-typed-inside");
    });
}

/// Neovim's message about it stays on the screen or not, depending on when it draws.
fn undo(reviewer: &mut ReviewingUser) {
    reviewer.keys("ugg");
    reviewer.lua("vim.cmd.echo('\"\"')");
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn undo_and_redo_across_a_hunk_leave_nothing_behind() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.assert_screen("review-two-hunks");
        let marks = reviewer.marks();
        reviewer.keys("2G2dd");
        undo(&mut reviewer);
        reviewer.assert_screen("review-two-hunks");
        assert_eq!(reviewer.marks(), marks);
        reviewer.keys("<C-r>");
        reviewer.lua("R.gone('7', { '7.1' })");
        undo(&mut reviewer);
        reviewer.assert_screen("review-undone");
        reviewer.lua("R.gone('7', { '7.2' })");
        assert_eq!(reviewer.marks(), 0);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn only_what_changed_is_drawn() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let old: String = (0..3000).map(|line| format!("line {line}\n")).collect();
        let new = old.replace("0\n", "0!\n");
        reviewer.receive_edit("a.txt", &old, &new);
        let touched = "return require('copydesk.review.draw').touched(vim.api.nvim_get_current_buf())";
        assert_eq!(reviewer.lua(touched), 300);
        reviewer.lua("R.changes('7', '7.150', function(hunk) hunk.edited = true end)");
        assert_eq!(reviewer.lua(touched), 301);
        reviewer.lua("R.gone('7', { '7.1' })");
        assert_eq!(reviewer.lua(touched), 302);
        // Listed again, all are unchanged.
        reviewer.lua("R.asked('') require('copydesk.review').list('s1')");
        reviewer.wait_for_request("review/list");
        reviewer.lua("T.await(function(done) vim.schedule(done) end)");
        assert_eq!(reviewer.lua(touched), 302);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lines_that_are_not_where_they_were_told_are_looked_for() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        // The daemon does not know the lines above yet when it sends the event.
        reviewer.keys("ggOone<CR>two<Esc>");
        reviewer.lua("R.changes('7', '7.1', function(hunk) hunk.old = { 'b', 'c', 'c2' } end)");
        reviewer.assert_screen("review-found");
        assert_eq!(reviewer.lua("return #R.asked('review/list')"), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lines_that_are_nowhere_are_asked_for_and_not_for_ever() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.command("edit a.txt");
        reviewer.receive_review("b.txt", OLD, NEW, json!({ "closed": true }));
        reviewer.wait_for_request("review/list");
        // Whatever the daemon sends, the text has none of it.
        reviewer.lua("vim.fn.writefile({ 'something', 'else' }, 'b.txt')");
        // Collects the deferred lookups.
        reviewer.lua(
            "R.put_off = 0
             local defer = vim.defer_fn
             vim.defer_fn = function(work, time)
               R.put_off = R.put_off + 1
               return defer(function() R.put_off = R.put_off - 1 work() end, time)
             end",
        );
        reviewer.command("edit b.txt");
        let lists = "#vim.tbl_filter(function(sent) return sent.method == 'review/list' end, R.sent)";
        reviewer.user.window.wait_until(&format!("{lists} == 1"));
        assert_eq!(reviewer.lua("return R.sent[1].params.uri == vim.uri_from_bufnr(0)"), true);
        reviewer.user.window.wait_until(&format!("{lists} == 3"));
        // It has ended: the last response is there, and nothing is deferred any more.
        reviewer.lua("T.await(function(done) vim.schedule(done) end)");
        assert_eq!(reviewer.lua("return R.put_off"), 0);
        assert_eq!(reviewer.lua(&format!("return {lists}")), 3);
        assert_eq!(reviewer.marks(), 0);
    });
}
