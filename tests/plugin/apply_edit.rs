//! The plugin's own `workspace/applyEdit`: what it applies, what it rejects, and what it leaves alone.

use serde_json::{Value, json};

use super::mock_daemon_neovim::MockDaemonNeovim;
use crate::neovim::neovim_session::for_each_neovim;

mod file_kinds;
mod open_files;
mod other_text;
mod positions;
mod refusals;
mod surroundings;
mod undo;
mod with_daemon;

/// An edit: row, character, row, character, text.
type EditTuple = (u32, u32, u32, u32, &'static str);

/// The lines of a text.
fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// Opens a buffer `name` with a text, and sets `B` to its number.
#[track_caller]
fn open(bare: &mut MockDaemonNeovim, name: &str, text: &str) {
    bare.lua_with("local name, lines = ... B = S.open(name, lines)", json!([name, lines(text)]));
}

/// Applies edits to `B`; returns whether they were applied.
#[track_caller]
fn apply(bare: &mut MockDaemonNeovim, edits: &[EditTuple]) -> Value {
    bare.lua_with("return S.apply({ [B] = ... })", json!([edits]))
}

/// The text of `B`.
#[track_caller]
fn text(bare: &mut MockDaemonNeovim) -> String {
    bare.lua("return table.concat(S.lines(B), '\\n')").as_str().unwrap().to_owned()
}

/// Random edits, by a seed, against a model that is too simple to be wrong.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn random_edits_are_made_as_a_naive_model_makes_them() {
    for_each_neovim(|program| {
        for (seed, encoding) in ["utf-8", "utf-16", "utf-32"].into_iter().enumerate() {
            let mut bare = MockDaemonNeovim::start(program, encoding);
            bare.lua(include_str!("random.lua"));
            bare.lua_with("R.seed(...)", json!([seed]));
            let changed = bare.lua_with("return R.rounds(...)", json!([400, encoding])).as_u64().unwrap();
            assert!(changed > 250, "tame edits: {changed}");
        }
    });
}
