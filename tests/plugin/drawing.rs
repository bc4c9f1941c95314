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
