//! Buffers that are reloaded, renamed, hidden; windows side by side; wrapped lines.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_is_read_again_has_its_hunks_again() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.assert_screen("review-two-hunks");
        let marks = reviewer.marks();
        reviewer.keys("ggOtyped<Esc>");
        reviewer.command("edit!");
        reviewer.keys("gg");
        reviewer.assert_screen("review-two-hunks");
        assert_eq!(reviewer.marks(), marks);
        reviewer.command("enew | bunload a.txt");
        reviewer.command("buffer a.txt");
        reviewer.keys("gg");
        reviewer.assert_screen("review-two-hunks");
        reviewer.command("bwipeout");
        reviewer.command("edit a.txt");
        reviewer.keys("gg");
        reviewer.assert_screen("review-two-hunks");
        assert_eq!(reviewer.marks(), marks);
        // By another name of the same file.
        reviewer.command("silent !ln -s a.txt link.txt");
        reviewer.command("bwipeout | edit link.txt");
        assert_eq!(reviewer.marks(), marks);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn two_windows_show_one_hunk_and_a_buffer_in_none_is_drawn_when_it_is_shown() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.command("vsplit");
        reviewer.keys("2G");
        reviewer.assert_screen("review-two-windows");
        reviewer.command("only | enew");
        reviewer.lua("R.gone('7', { '7.1' })");
        reviewer.command("buffer a.txt");
        reviewer.keys("gg");
        reviewer.assert_screen("review-undone");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn wrapped_lines_are_whole_on_both_sides() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let line = "a line that is long enough to be wrapped, ".repeat(2);
        let old = format!("{line}old\nlast\n");
        reviewer.receive_edit("a.txt", &old, &old.replace("old", "new"));
        reviewer.assert_screen("review-wrapped");
        reviewer.command("set nowrap number");
        reviewer.user.window.wait_until("R.picture():find('  1 a', 1, true)");
        reviewer.assert_screen("review-unwrapped");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn very_many_hunks_are_usable_and_told_of() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let old: String = (0..12_100).map(|line| format!("line {line}\n")).collect();
        let new = old.lines().enumerate();
        let new: String =
            new.map(|(number, line)| line.to_owned() + if number % 2 == 0 { "!\n" } else { "\n" }).collect();
        // As the daemon does if there are too many hunks to send.
        reviewer.lua("R.tell_all = R.tell R.tell = function() end");
        reviewer.receive_edit("a.txt", &old, &new);
        reviewer.lua("R.tell = R.tell_all require('copydesk.review').list('s1')");
        assert_eq!(
            reviewer.user.next_notification(),
            "a.txt has 6050 undecided hunks, 1000 of them shown; `:Copydesk accept-file` and `reject-file` decide all"
        );
        let drawn = "return #require('copydesk.review.draw').all(vim.api.nvim_get_current_buf())";
        assert_eq!(reviewer.lua(drawn), 1000);
        reviewer.command("Copydesk accept-file");
        reviewer.wait_for_hunks(0);
        assert_eq!(reviewer.marks(), 0);
        assert_eq!(
            reviewer.next_decisions(),
            json!([{ "hunk": "7", "expected": "all of 6050", "verdict": "accept" }])
        );
    });
}
