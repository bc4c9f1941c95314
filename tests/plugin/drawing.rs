//! The conversation's buffer, updated incrementally: it always equals what a full redraw would give.

use serde_json::json;

use super::mock_daemon_neovim::MockDaemonNeovim;
use crate::neovim::neovim_session::for_each_neovim;

/// Random events of every kind, by a seed, some of them lost.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_drawn_piece_by_piece_is_what_is_drawn_at_once() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        bare.lua(include_str!("transcript.lua"));
        for seed in [1, 2, 3] {
            let long = bare.lua_with("return D.rounds(...)", json!([seed, 200])).as_u64().unwrap();
            assert!(long > 100, "short conversations: {long}");
        }
    });
}

/// A tool that the plugin does not know.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_line_of_an_unknown_tool_does_not_depend_on_the_order_of_its_arguments() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let line = "local call = { kind = 'call', name = 'lookup', arguments = ... }
            return require('copydesk.chat.summary').of({ state = { kind = 'running' }, content = call })";
        for arguments in [
            r#"{"b":"two","a":"one","c":"three","d":4}"#,
            r#"{"d":4,"c":"three","a":"one","b":"two"}"#,
            r#"{"a":"one"}"#,
        ] {
            assert_eq!(bare.lua_with(line, json!([arguments])), "lookup one", "{arguments}");
        }
        assert_eq!(bare.lua_with(line, json!(["{}"])).as_str().unwrap().trim(), "lookup");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_call_without_a_result_names_its_file_within_the_folder() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let line = "local name, arguments = ...
            arguments = arguments:gsub('FOLDER', vim.fn.getcwd())
            local call = { kind = 'call', name = name, arguments = arguments }
            return require('copydesk.chat.summary').of({ state = { kind = 'running' }, content = call })";
        for (name, arguments, expected) in [
            ("read", r#"{"filePath":"FOLDER/src/a.rs"}"#, "read src/a.rs"),
            ("read", r#"{"filePath":"FOLDER"}"#, "read FOLDER"),
            ("read", r#"{"filePath":"FOLDERS/a.rs"}"#, "read FOLDERS/a.rs"),
            ("apply_patch", r#"{"patchText":"*** Update File: FOLDER/a.rs\n"}"#, "apply_patch a.rs"),
        ] {
            let folder = bare.lua_with("return vim.fn.getcwd()", json!([]));
            let expected = expected.replace("FOLDER", folder.as_str().unwrap());
            assert_eq!(bare.lua_with(line, json!([name, arguments])), expected, "{arguments}");
        }
    });
}

/// Whether a command ran in the sandbox, why not, and what the sandbox probably stopped.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_person_sees_what_the_sandbox_did() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let line = "local metadata = ...
            local output = { title = 'make', metadata = metadata, isError = false }
            local call = { kind = 'call', name = 'bash', arguments = '{}', output = output }
            return require('copydesk.chat.summary').of({ state = { kind = 'completed' }, content = call })";
        for (metadata, expected) in [
            (json!({ "exit": 0 }), "bash make"),
            (json!({ "exit": 0, "sandboxed": true }), "bash make · sandboxed"),
            (json!({ "exit": 0, "sandboxed": false }), "bash make · not sandboxed"),
            (
                json!({ "exit": 0, "sandboxed": false, "sandboxNote": "it needs\nthe network" }),
                "bash make · not sandboxed: it needs the network",
            ),
            (
                json!({ "exit": 1, "sandboxed": true, "sandboxNote": "probably stopped by the sandbox: it has no network" }),
                "bash make · exit code 1, probably stopped by the sandbox: it has no network",
            ),
        ] {
            assert_eq!(bare.lua_with(line, json!([metadata])), expected, "{metadata}");
        }
        let ask = "local metadata = ...
            local ask = { ask = 'a1', key = 'bash', title = 'make', patterns = {}, always = {}, metadata = metadata }
            local block = require('copydesk.chat.asking').all({ { id = 'a1', kind = 'permission', session = 's', ask = ask } })
            return table.concat(block.lines, '\\n')";
        let rights = "writable: the workspace; no network";
        for (is_sandboxed, expected) in [(true, true), (false, false)] {
            let metadata = json!({ "command": "make", "sandboxed": is_sandboxed, "sandboxNote": rights });
            let shown = bare.lua_with(ask, json!([metadata]));
            let shown = shown.as_str().unwrap();
            assert_eq!(shown.contains(&format!("In the sandbox: {rights}")), expected, "{shown}");
        }
    });
}
