//! The conversation's buffer, kept up to date piece by piece: it is always what it would be if it were drawn at once.

use serde_json::json;

use super::mock_daemon_neovim::MockDaemonNeovim;
use crate::neovim::neovim_session::for_each_neovim;

/// Events of every kind, made up by a seed, some of them lost on the way.
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
