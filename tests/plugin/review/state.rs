//! The state of reviews: kept up to date by the daemon's lists and events, in any order.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_undecided_before_is_listed_when_a_session_is_loaded() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.lua("R.told = R.tell R.tell = function() end");
        reviewer.receive_edit("a.txt", OLD, NEW);
        assert_eq!(reviewer.marks(), 0);
        reviewer.lua("require('copydesk.session').reload()");
        reviewer.wait_for_hunks(2);
        assert!(reviewer.marks() > 0);
        // The daemon was restarted, and has decided nothing.
        reviewer.lua("R.tell = R.told require('copydesk.session').reload()");
        reviewer.lua("T.await(function(done) vim.schedule(done) end)");
        reviewer.wait_for_hunks(2);
        // Another client decided meanwhile.
        reviewer.lua("R.reviews = {} require('copydesk.session').reload()");
        reviewer.wait_for_hunks(0);
        assert_eq!(reviewer.marks(), 0);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_told_while_a_list_is_under_way_is_not_lost() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        // The list in the response is from before the hunk was removed.
        reviewer.lua(
            "local before = vim.deepcopy(R.reviews)
             local client = require('copydesk.client')
             local request = client.request
             client.request = function(method, params, done)
               client.request = request
               vim.schedule(function()
                 R.gone('7', { '7.1' })
                 done(nil, { reviews = before, comments = 0 })
               end)
             end
             R.sent = {}
             require('copydesk.review').list('s1')",
        );
        reviewer.wait_for_request("review/list");
        reviewer.wait_for_hunks(1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn others_hear_how_much_is_undecided() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        let told = |reviewer: &mut ReviewingUser| {
            reviewer.user.window.nvim.wait_for_message("CopydeskReview", |_| true)
        };
        assert_eq!(told(&mut reviewer), json!({ "session": "s1", "hunks": 2, "files": 1 }));
        assert_eq!(reviewer.lua("return require('copydesk').statusline()"), "✓ ±2");
        reviewer.lua("R.changes('7', '7.1', function(hunk) hunk.edited = true end)");
        reviewer.lua("R.gone('7', { '7.1' })");
        assert_eq!(told(&mut reviewer)["hunks"], 1, "a hunk that changed is none more");
        reviewer.lua("require('copydesk.session').leave(require('copydesk.session').current())");
        assert_eq!(told(&mut reviewer)["hunks"], 0);
        assert_eq!(reviewer.marks(), 0);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_with_undecided_hunks_is_looked_at_until_it_has_none() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.lua("T.await(function(done) require('copydesk.session').open('s2', done) end)");
        reviewer.wait_for_hunks(2);
        assert_eq!(reviewer.lua("return require('copydesk.session').view('s1') ~= nil"), true);
        reviewer.keys("2G");
        reviewer.command("Copydesk accept-file");
        reviewer.wait_for_hunks(0);
        reviewer.user.window.wait_until("require('copydesk.session').view('s1') == nil");
    });
}
