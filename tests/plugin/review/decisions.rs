//! Deciding hunks, lines, files and everything; with a reason, and when the daemon refuses.

use serde_json::json;

use super::{NEW, OLD, ReviewingUser};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_hunk_under_the_cursor_is_decided_and_the_cursor_stays() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        let expected = reviewer.lua("return R.reviews[1].hunks[1].expected");
        reviewer.keys("3G");
        reviewer.command("Copydesk accept");
        reviewer.wait_for_hunks(1);
        assert_eq!(
            reviewer.next_decisions(),
            json!([{ "hunk": "7.1", "expected": expected, "verdict": "accept" }])
        );
        assert_eq!(reviewer.cursor_position(), ("a.txt".into(), 3));
        reviewer.command("Copydesk accept");
        assert_eq!(
            reviewer.user.next_notification(),
            "there is nothing to decide here; `:Copydesk next` goes to the next hunk"
        );
        reviewer.keys("G");
        reviewer.command("Copydesk reject not here, please");
        reviewer.wait_for_hunks(0);
        let decided = reviewer.next_decisions();
        assert_eq!(
            (&decided[0]["verdict"], &decided[0]["comment"]),
            (&json!("reject"), &json!("not here, please"))
        );
        assert_eq!(reviewer.marks(), 0);
        reviewer.command("Copydesk reject");
        assert_eq!(reviewer.user.next_notification(), "nothing is waiting for an answer");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lines_of_a_hunk_are_decided_alone_with_what_is_at_their_place() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        // Two old lines, four new ones.
        reviewer.receive_edit("a.txt", "a\nb\nc\nd\n", "a\n1\n2\n3\n4\nd\n");
        let lines = |reviewer: &mut ReviewingUser, range: &str| {
            reviewer.command(&format!("{range}Copydesk accept"));
            reviewer.next_decisions()[0]["lines"].take()
        };
        assert_eq!(lines(&mut reviewer, "2"), json!({ "old": [0], "new": [0] }));
        assert_eq!(lines(&mut reviewer, "3,4"), json!({ "old": [1], "new": [1, 2] }));
        assert_eq!(lines(&mut reviewer, "4,6"), json!({ "old": [], "new": [2, 3] }));
        reviewer.keys("3GV");
        reviewer.keys("ghr");
        assert_eq!(reviewer.next_decisions()[0]["lines"], json!({ "old": [1], "new": [1] }));
        // All of them are the hunk.
        assert!(lines(&mut reviewer, "%").is_null());
        reviewer.wait_for_hunks(0);
        // Four old lines, two proposed new ones: the rest goes with the last.
        reviewer.receive_proposal("b.txt", "1\n2\n3\n4\n", "x\ny\n");
        assert_eq!(lines(&mut reviewer, "1"), json!({ "old": [0], "new": [0] }));
        assert_eq!(lines(&mut reviewer, "2,3"), json!({ "old": [1, 2], "new": [1] }));
        reviewer.receive_edit("c.txt", "1\n2\n3\n4\n5\n", "x\ny\n");
        assert_eq!(lines(&mut reviewer, "2"), json!({ "old": [1, 2, 3, 4], "new": [1] }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_and_everything_are_decided_at_once_and_rejecting_much_is_asked_about() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.receive_edit("b.txt", OLD, NEW);
        reviewer.receive_edit("c.txt", "a\n", "b\n");
        reviewer.command("edit a.txt");
        reviewer.user.run_command("Copydesk reject-file", json!([false]));
        assert_eq!(reviewer.user.next_choices(), ["Leave them", "Reject them"]);
        reviewer.user.run_command("Copydesk reject-file", json!(["Reject them"]));
        reviewer.wait_for_hunks(3);
        assert_eq!(
            reviewer.next_decisions(),
            json!([{ "hunk": "7", "expected": "all of 2", "verdict": "reject" }])
        );
        reviewer.command("edit c.txt");
        reviewer.user.run_command("Copydesk reject-file", json!([]));
        reviewer.wait_for_hunks(2);
        reviewer.command("Copydesk reject-file");
        assert_eq!(
            reviewer.user.next_notification(),
            "nothing in this file is undecided; `:Copydesk next` goes to the next file with hunks"
        );
        reviewer.receive_edit("d.txt", OLD, NEW);
        reviewer.user.run_command("Copydesk accept-file", json!([]));
        reviewer.wait_for_hunks(2);
        reviewer.receive_edit("e.txt", OLD, NEW);
        reviewer.lua("R.asked('')");
        reviewer.user.run_command("Copydesk reject-all", json!(["Reject them"]));
        let asked = reviewer
            .user
            .window
            .nvim
            .wait_for_message("select", |told| told["prompt"] == "Reject 4 hunks in 2 files?");
        assert_eq!(asked["kind"], "copydesk.confirm");
        reviewer.wait_for_hunks(0);
        assert_eq!(reviewer.next_decisions().as_array().unwrap().len(), 2);
        reviewer.receive_edit("f.txt", OLD, NEW);
        reviewer.command("Copydesk accept-all");
        reviewer.wait_for_hunks(0);
        reviewer.command("Copydesk accept-all");
        assert_eq!(reviewer.user.next_notification(), "nothing is undecided");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_the_daemon_refuses_is_told_once_and_looked_at_anew() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.lua(
            "R.outcome['7.1'] = { outcome = 'refused', message = 'hunk 7.1 has changed since it was shown; it is now:\\n-b' }
             R.outcome['7.2'] = { outcome = 'refused', message = 'gone' }",
        );
        reviewer.command("%Copydesk accept");
        assert_eq!(
            reviewer.user.next_notification(),
            "hunk 7.1 has changed since it was shown; it is now: (and 1 more were refused)"
        );
        reviewer.wait_for_request("review/list");
        // Without a daemon.
        reviewer.lua(
            "local request = require('copydesk.client').request
             require('copydesk.client').request = function(method, params, done)
               if method:find('decide') then return done('the connection to the daemon was lost') end
               request(method, params, done)
             end",
        );
        reviewer.keys("2G");
        reviewer.command("Copydesk accept");
        assert_eq!(
            reviewer.user.next_notification(),
            "nothing was decided: the connection to the daemon was lost"
        );
        reviewer.wait_for_hunks(2);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_created_file_that_was_typed_in_is_deleted_only_by_whom_means_it() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let file = json!({ "hunk": "7.0", "expected": "f", "kind": "created", "by": ["p1"] });
        reviewer.receive_review("made.txt", "", "a\n", json!({ "file": file }));
        reviewer.lua(
            "R.outcome['7'] = { outcome = 'confirm', message = 'You have typed in made.txt: delete it?' }",
        );
        reviewer.user.run_command("Copydesk reject-file", json!(["Reject them", false]));
        reviewer
            .user
            .window
            .nvim
            .wait_for_message("select", |told| told["prompt"] == "You have typed in made.txt: delete it?");
        assert_eq!(reviewer.wait_for_request("review/decide").as_array().unwrap().len(), 1);
        reviewer.user.run_command("Copydesk reject-file", json!(["Reject them", "Delete it"]));
        reviewer.wait_for_hunks(0);
        let decided = reviewer.wait_for_request("review/decide");
        assert_eq!(decided[1]["decisions"][0]["confirmed"], true, "{decided}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_without_lines_is_decided_where_it_is() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        let file =
            json!({ "hunk": "7.0", "expected": "f", "kind": "renamed", "from": "old.txt", "by": ["p1"] });
        reviewer.receive_review("new.txt", "same\n", "same\n", json!({ "file": file }));
        reviewer.assert_screen("review-renamed");
        reviewer.command("Copydesk accept");
        reviewer.wait_for_hunks(0);
        assert_eq!(
            reviewer.next_decisions(),
            json!([{ "hunk": "7.0", "expected": "f", "verdict": "accept" }])
        );
        assert_eq!(reviewer.marks(), 0);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_proposed_can_be_changed_and_is_accepted_so() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_proposal("a.txt", "a\nb\nc\n", "a\nB\nc\n");
        reviewer.keys("2G");
        reviewer.command("Copydesk edit");
        assert_eq!(reviewer.user.window.lines("copydesk://edit"), "B");
        reviewer.keys("Abc<CR>more<Esc>");
        reviewer.keys("q");
        assert_eq!(
            reviewer.user.next_notification(),
            "the text has changes: `:w` accepts it, `:q!` discards it"
        );
        reviewer.lua("R.outcome['7.1'] = { outcome = 'refused', message = 'not now' }");
        reviewer.command("write");
        assert_eq!(reviewer.user.next_notification(), "not now");
        reviewer.next_decisions();
        assert_eq!(reviewer.user.window.lines("copydesk://edit"), "Bbc\nmore");
        reviewer.lua("R.outcome = {}");
        reviewer.command("write");
        reviewer.wait_for_hunks(0);
        let decided = reviewer.next_decisions();
        assert_eq!((&decided[0]["verdict"], &decided[0]["text"]), (&json!("accept"), &json!("Bbc\nmore\n")));
        reviewer.user.window.wait_until("vim.fn.bufnr('copydesk://edit') == -1");
        assert_eq!(reviewer.cursor_position(), ("a.txt".into(), 2));
        reviewer.receive_edit("b.txt", OLD, NEW);
        reviewer.keys("2G");
        reviewer.command("Copydesk edit");
        assert_eq!(
            reviewer.user.next_notification(),
            "these lines are in the buffer already: edit them there, then accept the hunk"
        );
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn comments_are_about_the_hunk_or_the_lines() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.keys("3G");
        let comment = |reviewer: &mut ReviewingUser, command: &str, answers: serde_json::Value| {
            reviewer.user.run_command(command, answers);
            let mut asked = reviewer.wait_for_request("review/comment")[0].take();
            let uri = asked.as_object_mut().unwrap().remove("uri").unwrap();
            assert!(uri.as_str().unwrap().ends_with("/a.txt"), "{uri}");
            (asked, reviewer.user.next_notification())
        };
        assert_eq!(
            comment(&mut reviewer, "Copydesk comment why two?", json!([])),
            (
                json!({ "line": 1, "lines": 2, "text": "why two?" }),
                "1 comment waits for the agent's next step".into()
            )
        );
        assert_eq!(
            comment(&mut reviewer, "4,6Copydesk comment", json!(["and these?"])),
            (
                json!({ "line": 3, "lines": 3, "text": "and these?" }),
                "2 comments wait for the agent's next step".into()
            )
        );
        reviewer.keys("5G");
        assert_eq!(
            comment(&mut reviewer, "Copydesk comment", json!(["here"])).0,
            json!({ "line": 4, "lines": 1, "text": "here" })
        );
        reviewer.wait_for_hunks(2);
    });
}

/// An ask, as the daemon sends it.
const ASK: &str = "local id = ...
    coroutine.wrap(function()
      local ask = { session = 's1', ask = id, part = 'p2', key = 'bash', title = 'Run make', patterns = {}, always = {} }
      T.tell('answer', require('copydesk.ask').permission(ask))
    end)()";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_no_that_could_mean_two_things_is_asked_about() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.receive_edit("a.txt", OLD, NEW);
        reviewer.user.window.nvim.lua(ASK, json!(["k1"]));
        reviewer.keys("2G");
        reviewer.user.run_command("Copydesk reject", json!(["hunk"]));
        assert_eq!(reviewer.user.next_choices(), ["The hunk under the cursor", "The ask: Run make"]);
        reviewer.wait_for_hunks(1);
        reviewer.keys("G");
        reviewer.user.run_command("Copydesk reject no", json!(["The ask"]));
        let answer = reviewer.user.window.nvim.wait_for_message("answer", |_| true);
        assert_eq!(answer, json!({ "reply": "reject", "reason": "no" }));
        reviewer.wait_for_hunks(1);
        // For a hunk that the ask is about, the hunk is meant.
        reviewer.user.window.nvim.lua(ASK, json!(["k2"]));
        reviewer.receive_review("b.txt", OLD, NEW, json!({ "when": "before", "ask": "k2" }));
        reviewer.keys("2G");
        reviewer.command("Copydesk reject");
        reviewer.wait_for_hunks(2);
        // Elsewhere the ask is meant.
        reviewer.keys("5G");
        reviewer.command("Copydesk reject");
        assert_eq!(
            reviewer.user.window.nvim.wait_for_message("answer", |_| true),
            json!({ "reply": "reject" })
        );
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_says_that_its_hunks_can_be_decided_one_by_one() {
    for_each_neovim(|program| {
        let mut reviewer = ReviewingUser::start(program);
        reviewer.user.window.nvim.lua(ASK, json!(["k1"]));
        reviewer.receive_review("b.txt", OLD, NEW, json!({ "when": "before", "ask": "k1" }));
        reviewer.user.window.wait_until("require('copydesk.chat.float').window()");
        let float = "table.concat(vim.api.nvim_buf_get_lines(require('copydesk.chat.float').buffer(), 0, -1, true), '\\n')";
        let words = "2 hunks, to decide one by one: `:Copydesk next`";
        reviewer.user.window.wait_until(&format!("{float}:find('{words}', 1, true)"));
        reviewer.keys("2G");
        reviewer.command("Copydesk accept");
        reviewer.user.window.wait_until(&format!("{float}:find('1 hunk: `:Copydesk next`', 1, true)"));
    });
}
