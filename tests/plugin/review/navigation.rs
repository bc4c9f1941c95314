//! From hunk to hunk, and from file to file.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn next_and_prev_go_through_all_files_and_around() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("b.txt", OLD, NEW);
        reviewer.receive_review("a.txt", OLD, "a\nb\nX\nd\ne\n", json!({ "closed": true }));
        reviewer.receive_review(
            "c.txt",
            "x\ny\nz\n",
            "x\nY\nz\n",
            json!({ "closed": true, "when": "before" }),
        );
        let all = [("a.txt", 3), ("a.txt", 5), ("b.txt", 2), ("b.txt", 7), ("c.txt", 2)];
        reviewer.command("edit b.txt");
        reviewer.keys("gg");
        for step in 0..7 {
            reviewer.command("Copydesk next");
            let (name, line) = all[(step + 2) % all.len()];
            assert_eq!(reviewer.cursor_position(), (name.into(), line), "{step}");
        }
        for step in 0..7 {
            reviewer.command("Copydesk prev");
            let (name, line) = all[(12 - step) % all.len()];
            assert_eq!(reviewer.cursor_position(), (name.into(), line), "back {step}");
        }
        reviewer.keys("3]h");
        assert_eq!(reviewer.cursor_position(), ("c.txt".into(), 2));
        reviewer.command("Copydesk prev 3");
        assert_eq!(reviewer.cursor_position(), ("a.txt".into(), 5));
        // From a file without hunks, and from a window without a file.
        reviewer.command("enew");
        reviewer.command("Copydesk next");
        assert_eq!(reviewer.cursor_position(), ("a.txt".into(), 3));
        reviewer.command("help | Copydesk next");
        assert_eq!(reviewer.cursor_position().0, "a.txt");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn folds_are_opened_and_what_is_seen_does_not_move() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let old: String = (1..=60).map(|line| format!("{line}\n")).collect();
        reviewer.receive_edit(
            "a.txt",
            &old,
            &old.replace("\n5\n", "\nfive\n").replace("\n40\n", "\nforty\n"),
        );
        reviewer.command("set foldmethod=manual | 3,6fold | 38,45fold | normal! gg");
        reviewer.command("Copydesk next");
        let open = "return { vim.fn.foldclosed('.'), vim.fn.line('w0') }";
        assert_eq!(reviewer.lua(open), json!([-1, 1]));
        reviewer.command("Copydesk next");
        let seen = reviewer.lua(open);
        assert_eq!(seen[0], -1);
        assert!(seen[1].as_u64() > Some(20), "{seen}");
        assert_eq!(reviewer.cursor_position().1, 40);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_undecided_is_told_and_deciding_can_go_on_by_itself() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start_with(program, json!({ "advance": true }));
        reviewer.command("Copydesk next");
        assert_eq!(reviewer.user.next_notification(), "nothing is undecided");
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.keys("2G");
        reviewer.keys("gha");
        reviewer.user.window.wait_until("vim.fn.line('.') == 7");
        reviewer.keys("gha");
        reviewer.wait_for_hunks(0);
        assert_eq!(reviewer.cursor_position(), ("a.txt".into(), 7));
        assert!(!reviewer.user.window.nvim.has_message("said"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_the_agent_deleted_is_passed_over() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let file = json!({ "hunk": "7.0", "expected": "f", "kind": "deleted", "by": ["p1"] });
        reviewer.receive_review("gone.txt", "", "", json!({ "file": file, "closed": true, "absent": true }));
        reviewer.command("Copydesk next");
        assert_eq!(
            reviewer.user.next_notification(),
            "nothing is undecided except whole files; `:Copydesk review` lists them"
        );
        reviewer.command("Copydesk review");
        reviewer.assert_screen("review-list-deleted");
        reviewer.keys("a");
        reviewer.wait_for_hunks(0);
        assert_eq!(reviewer.next_decisions()[0]["hunk"], "7");
    });
}
