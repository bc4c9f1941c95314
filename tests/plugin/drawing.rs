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
