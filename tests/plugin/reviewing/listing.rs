//! The list of what is undecided, its quickfix form, and when to review.

use serde_json::json;

use super::{NEW, OLD, Reviewer};
use crate::neovim::window::on_each;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_list_shows_each_hunk_and_decides_it() {
    on_each(|program| {
        let mut reviewer = Reviewer::at(program);
        reviewer.edited("a.txt", OLD, NEW);
        reviewer.told("b.txt", OLD, "a\nb\nX\nd\ne\n", json!({ "closed": true }));
        reviewer.told("c.txt", "x\ny\n", "x\nY\n", json!({ "closed": true, "when": "before" }));
        reviewer.keys("4G");
        reviewer.command("Copydesk review");
        reviewer.sees("review-list");
        reviewer.keys("4j");
        reviewer.sees("review-list-preview");
        reviewer.keys("r");
        reviewer.left(4);
        assert_eq!(reviewer.decided()[0]["hunk"], "8.1");
        reviewer.lua("T.answers = { 'hm' }");
        reviewer.keys("c");
        let mut asked = reviewer.asked("review/comment");
        assert_eq!((&asked[0]["line"], &asked[0]["text"]), (&json!(4), &json!("hm")));
        asked.take();
        // The whole file, and several rows.
        reviewer.keys("G");
        reviewer.keys("ka");
        reviewer.left(3);
        assert_eq!(reviewer.decided()[0]["hunk"], "9");
        reviewer.keys("2GVj");
        reviewer.keys("a");
        reviewer.left(1);
        assert_eq!(reviewer.decided().as_array().unwrap().len(), 2);
        reviewer.sees("review-list-live");
        reviewer.keys("q");
        assert_eq!(reviewer.place(), ("a.txt".into(), 4));
        assert_eq!(reviewer.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        reviewer.command("Copydesk review");
        reviewer.keys("j<CR>");
        assert_eq!(reviewer.place(), ("b.txt".into(), 5));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_quickfix_list_has_every_hunk() {
    on_each(|program| {
        let mut reviewer = Reviewer::at(program);
        reviewer.command("Copydesk review quickfix");
        assert_eq!(reviewer.person.hears(), "nothing is undecided");
        reviewer.command("Copydesk review");
        assert_eq!(reviewer.person.hears(), "nothing is undecided");
        reviewer.edited("a.txt", OLD, NEW);
        reviewer.keys("ggOabove<Esc>");
        reviewer.told("b.txt", OLD, "a\nb\nX\nd\ne\n", json!({ "closed": true }));
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
    on_each(|program| {
        let mut reviewer = Reviewer::at(program);
        for (word, sent) in [
            ("before", json!({ "review": "before" })),
            ("after", json!({ "review": "after" })),
            ("rules", json!({})),
        ] {
            reviewer.command(&format!("Copydesk review {word}"));
            assert_eq!(reviewer.asked("session/setReview"), json!([sent]));
            reviewer.person.hears();
        }
        reviewer.command("Copydesk review never");
        assert_eq!(
            reviewer.person.hears(),
            "`review` takes `quickfix`, `before`, `after` or `rules`, not `never`"
        );
        let offered = reviewer.lua("return vim.fn.getcompletion('Copydesk review ', 'cmdline')");
        assert_eq!(offered, json!(["quickfix", "before", "after", "rules"]));
    });
}
