//! The conversation's buffer, kept up to date piece by piece: it is always what it would be if it were drawn at once.

use serde_json::json;

use super::bare::Bare;
use crate::neovim::window::on_each;

/// Events of every kind, made up by a seed, some of them lost on the way.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_drawn_piece_by_piece_is_what_is_drawn_at_once() {
    on_each(|program| {
        let mut bare = Bare::start(program, "utf-8");
        bare.lua(include_str!("transcript.lua"));
        for seed in [1, 2, 3] {
            let long = bare.with("return D.rounds(...)", json!([seed, 200])).as_u64().unwrap();
            assert!(long > 100, "short conversations: {long}");
        }
    });
}
