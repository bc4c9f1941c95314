//! The list of undecided hunks, its quickfix form, and when to review.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_list_shows_each_hunk_and_decides_it() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.receive_review("b.txt", OLD, "a\nb\nX\nd\ne\n", json!({ "closed": true }));
        reviewer.receive_review("c.txt", "x\ny\n", "x\nY\n", json!({ "closed": true, "when": "before" }));
        reviewer.keys("4G");
        reviewer.command("Copydesk review");
        reviewer.assert_screen("review-list");
        reviewer.keys("4j");
        reviewer.assert_screen("review-list-preview");
        reviewer.keys("r");
        reviewer.wait_for_hunks(4);
        assert_eq!(reviewer.next_decisions()[0]["hunk"], "8.1");
        reviewer.lua("T.answers = { 'hm' }");
        reviewer.keys("c");
        let mut asked = reviewer.wait_for_request("review/comment");
        assert_eq!((&asked[0]["line"], &asked[0]["text"]), (&json!(4), &json!("hm")));
        asked.take();
        // The whole file, and several rows.
        reviewer.keys("G");
        reviewer.keys("ka");
        reviewer.wait_for_hunks(3);
        assert_eq!(reviewer.next_decisions()[0]["hunk"], "9");
        reviewer.keys("2GVj");
        reviewer.keys("a");
        reviewer.wait_for_hunks(1);
        assert_eq!(reviewer.next_decisions().as_array().unwrap().len(), 2);
        reviewer.assert_screen("review-list-live");
        reviewer.keys("q");
        assert_eq!(reviewer.cursor_position(), ("a.txt".into(), 4));
        assert_eq!(reviewer.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        reviewer.command("Copydesk review");
        reviewer.keys("j<CR>");
        assert_eq!(reviewer.cursor_position(), ("b.txt".into(), 5));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_quickfix_list_has_every_hunk() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.command("Copydesk review quickfix");
        assert_eq!(reviewer.user.next_notification(), "nothing is undecided");
        reviewer.command("Copydesk review");
        assert_eq!(reviewer.user.next_notification(), "nothing is undecided");
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.keys("ggOabove<Esc>");
        reviewer.receive_review("b.txt", OLD, "a\nb\nX\nd\ne\n", json!({ "closed": true }));
        reviewer.command("Copydesk review quickfix");
        let list = "return vim.tbl_map(function(item)
              return { vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t'), item.lnum, item.text }
            end, vim.fn.getqflist())";
        assert_eq!(
            reviewer.lua(list),
            json!([
                ["a.txt", 3, "+2 -2    B"],
                ["a.txt", 8, "+1       g"],
                ["b.txt", 3, "+1 -1    X"],
                ["b.txt", 6, "-1       f"],
            ])
        );
        assert_eq!(reviewer.lua("return vim.bo.buftype"), "quickfix");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn when_to_review_is_chosen_with_a_word() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        for (word, sent) in [
            ("before", json!({ "review": "before" })),
            ("after", json!({ "review": "after" })),
            ("rules", json!({})),
        ] {
            reviewer.command(&format!("Copydesk review {word}"));
            assert_eq!(reviewer.wait_for_request("session/setReview"), json!([sent]));
            reviewer.user.next_notification();
        }
        reviewer.command("Copydesk review never");
        assert_eq!(
            reviewer.user.next_notification(),
            "`review` takes `quickfix`, `before`, `after` or `rules`, not `never`"
        );
        let offered = reviewer.lua("return vim.fn.getcompletion('Copydesk review ', 'cmdline')");
        assert_eq!(offered, json!(["quickfix", "before", "after", "rules"]));
    });
}
