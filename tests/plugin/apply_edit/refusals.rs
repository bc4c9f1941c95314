//! An edit that cannot be applied is applied to no document, and the response says which one failed and why.

use serde_json::{Value, json};

use super::{apply, open, text};
use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

/// What is wrong with the second of two documents (`B`; the first is `A`), or with the edit (`P`), and the reason given.
const WRONG: &[(&str, &str)] = &[
    ("P.textDocument.version = P.textDocument.version - 1", "second: it has changed since"),
    ("P.textDocument.version = vim.NIL", "second: the edit names no version of it"),
    ("vim.api.nvim_buf_set_lines(B, 0, 0, true, { 'typed' })", "second: it has changed since"),
    ("vim.bo[B].modifiable = false", "second: it cannot be changed ('modifiable' is off)"),
    ("vim.bo[B].readonly = true", "second: it is read-only ('readonly' is on)"),
    ("vim.cmd('bunload! ' .. B)", "second: it is not loaded"),
    ("vim.cmd('bwipeout! ' .. B)", "second: it is not open"),
    ("P.textDocument.uri = 'untitled:Untitled-77'", "untitled:Untitled-77: it is not open"),
    ("P.textDocument.uri = 'no uri'", "no uri: it is not open"),
    ("require('copydesk.sync').close(B)", "second: the daemon does not have it open"),
    ("P.edits = { S.edit({ 7, 0, 7, 0, 'x' }) }", "second: there is no place 8:1 in it"),
    ("P.edits = { S.edit({ 1, 0, 1, 99, 'x' }) }", "second: there is no place 2:100 in it"),
    ("P.edits = { S.edit({ 2, 1, 2, 1, 'x' }) }", "second: there is no place 3:2 in it"),
    ("P.edits = { S.edit({ 1, 2, 1, 1, 'x' }) }", "second: an edit at 2:3 ends before it begins"),
    ("P.edits = { S.edit({ 0, 0, 1, 1, 'x' }), S.edit({ 1, 0, 1, 2, 'y' }) }", "second: the edits overlap"),
    ("P.edits = { S.edit({ 1, 3, 2, 0, '' }) }", "second: whether its last line has an end"),
    ("P.textDocument.uri = vim.uri_from_bufnr(A)", "first: it is named twice"),
    ("P.textDocument, P.kind, P.uri = nil, 'create', 'file:///x'", "texts are edited by themselves"),
    ("E.documentChanges, E.changes = nil, {}", "an edit without the versions"),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn either_all_documents_are_changed_or_none() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (wrong, why) in WRONG {
            bare.lua("vim.cmd('silent! %bwipeout!') A = S.open('first', { 'one' })");
            open(&mut bare, "second", "one\ntwo");
            let answer = bare.lua(&format!(
                "local params = S.params({{ [A] = {{ {{ 0, 0, 0, 3, '1' }} }}, [B] = {{ {{ 0, 0, 0, 3, '1' }} }} }})
                 E = params.edit
                 table.sort(E.documentChanges, function(a, b) return a.textDocument.uri < b.textDocument.uri end)
                 P = E.documentChanges[2]
                 {wrong}
                 return require('copydesk.apply').handle(params, S.client)"
            ));
            assert_eq!(answer["applied"], false, "{wrong}");
            let reason = answer["failureReason"].as_str().unwrap();
            assert!(reason.starts_with(why) && !reason.contains('\n'), "{wrong}: {reason}");
            let now = "local second = vim.api.nvim_buf_is_valid(B) and S.lines(B) or {}
                return { S.lines(A), vim.bo[A].modified, second[#second], #vim.api.nvim_list_bufs() }";
            let now = bare.lua(now);
            assert_eq!((&now[0], &now[1]), (&json!(["one"]), &json!(false)), "{wrong}");
            assert!(now[2] == "two" || now[2].is_null(), "{wrong}: {now}");
            assert!(now[3].as_u64() <= Some(3), "{wrong}: a buffer was made");
        }
    });
}

/// So the daemon knows at once which text to fit its edit to.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_typed_is_told_before_an_edit_is_refused() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        open(&mut bare, "f", "one");
        let answer = bare.lua(
            "local params = S.params({ [B] = { { 0, 0, 0, 3, '1' } } })
             vim.api.nvim_buf_set_lines(B, 0, 0, true, { 'typed' })
             local before = S.known(B)
             local answer = require('copydesk.apply').handle(params, S.client)
             return { before, answer.applied, S.known(B) }",
        );
        assert_eq!(answer, json!(["one\n", false, "typed\none\n"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn callbacks_of_others_that_fail_do_not_make_the_answer_wrong() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (number, event) in ["on_lines", "on_bytes", "on_changedtick"].into_iter().enumerate() {
            open(&mut bare, &format!("f{number}"), "one\ntwo\nthree");
            bare.lua_with(
                "local event = ...
                 vim.api.nvim_buf_attach(B, false, { [event] = function() error('not ours') end })
                 S.kept = vim.o.cmdheight
                 vim.o.cmdheight = 10",
                json!([event]),
            );
            let edits = [(0, 0, 0, 3, "1\n1"), (1, 0, 2, 0, ""), (2, 0, 2, 0, "new\n")];
            assert_eq!(apply(&mut bare, &edits), json!({ "applied": true }), "{event}");
            assert_eq!(text(&mut bare), "1\n1\nnew\nthree", "{event}");
            assert_eq!(bare.lua("return S.known(B) == S.text(B)"), true, "{event}");
            bare.lua("vim.o.cmdheight = S.kept");
        }
    });
}

/// While a callback runs, Neovim allows no change; one that forbids the second change makes us revert the first.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_fails_halfway_is_taken_back() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        bare.lua("A = S.open('first', { 'one', 'two', 'three' })");
        open(&mut bare, "second", "one\ntwo");
        let both = "S.params({ [A] = { { 0, 0, 1, 0, '1\\n1\\n' }, { 2, 0, 2, 5, '3' } }, [B] = { { 0, 0, 0, 3, '1' } } })";
        let answer = bare.lua(&format!(
            "local params = {both}
             table.sort(params.edit.documentChanges, function(a, b) return a.textDocument.uri < b.textDocument.uri end)
             vim.api.nvim_buf_set_mark(A, 'a', 1, 2, {{}})
             vim.api.nvim_buf_attach(A, false, {{ on_lines = function() vim.bo[B].modifiable = false return true end }})
             return require('copydesk.apply').handle(params, S.client)"
        ));
        assert_eq!(answer["applied"], false);
        assert!(answer["failureReason"].as_str().unwrap().starts_with("second: "), "{answer}");
        let now = "return { S.lines(A), S.lines(B), vim.bo[A].modified, vim.api.nvim_buf_get_mark(A, 'a'),
            S.known(A) == S.text(A) }";
        assert_eq!(bare.lua(now), json!([["one", "two", "three"], ["one", "two"], false, [1, 2], true]));
        let locked: Value = bare.lua(
            "vim.bo[B].modifiable = true
             local other = vim.api.nvim_create_buf(true, false)
             local answer
             vim.api.nvim_buf_attach(other, false, { on_lines = function()
               answer = S.apply({ [B] = { { 0, 0, 0, 3, '1' } } })
             end })
             vim.api.nvim_buf_set_lines(other, 0, -1, true, { 'x' })
             return answer",
        );
        assert_eq!(locked["applied"], false, "{locked}");
        assert_eq!(text(&mut bare), "one\ntwo");
    });
}
