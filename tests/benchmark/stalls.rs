//! How much longer an edit of the agent stops Neovim than the same change by one call of its API, which also draws it: the longest
//! time in which the main loop handles no event. Skipped without `COPYDESK_TEST_NVIM`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::editor::{BenchmarkHome, nanoseconds};
use super::plugin::TimedNeovim;
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn};

const RUNS: usize = 3;

/// A text, and the edit that the model makes in it.
pub(super) struct StallCase {
    pub(super) name: &'static str,
    pub(super) text: fn() -> String,
    pub(super) edit: fn() -> Value,
    /// Whether a key that is typed after the edit is measured, instead of the edit.
    pub(super) types: bool,
    /// The same change by one call of Neovim's API.
    pub(super) plain: &'static str,
}

const TYPE: &str = "vim.api.nvim_win_set_cursor(0, { 1, 100 }) vim.api.nvim_input('ix<Esc>')";
const SETTLE: &str = "T.await(function(done) vim.defer_fn(done, 1000) end)";

fn replaced(old: &str, new: &str, all: bool) -> Value {
    json!({ "filePath": "a.txt", "oldString": old, "newString": new, "replaceAll": all })
}

fn many_lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number} is one of many;\n")).collect()
}

fn one_long_line() -> String {
    format!("begin {} end\nlast\n", "0123456789".repeat(500_000))
}

pub(super) const CASES: [StallCase; 4] = [
    StallCase {
        name: "plugin: stall, all of 20,000 lines replaced",
        text: || many_lines(20_000),
        edit: || replaced("one of many", "1 of 20000", true),
        types: false,
        plain: "
            local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
            for i, line in ipairs(lines) do lines[i] = line:gsub('one of many', '1 of 20000') end
            vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)",
    },
    StallCase {
        name: "plugin: stall, one of 100,000 lines edited",
        text: || many_lines(100_000),
        edit: || replaced("line 50000 is", "line 50000 was", false),
        types: false,
        plain: "vim.api.nvim_buf_set_text(0, 49999, 11, 49999, 13, { 'was' })",
    },
    StallCase {
        name: "plugin: stall, a line of 5 MB edited",
        text: one_long_line,
        edit: || replaced("begin 0123", "began 0123", false),
        types: false,
        plain: "vim.api.nvim_buf_set_text(0, 0, 2, 0, 3, { 'a' })",
    },
    StallCase {
        name: "plugin: stall, a key typed in a line of 5 MB",
        text: one_long_line,
        edit: || replaced("last", "final", false),
        types: true,
        plain: TYPE,
    },
];

/// Notes the longest gap between two passes of the main loop. The timer alone also ticks inside a long call, when Neovim looks whether
/// the user interrupts it.
const WATCH: &str = "
    local last, is_due, timer = vim.uv.hrtime(), false, vim.uv.new_timer()
    T.longest = 0
    timer:start(1, 1, function()
        if is_due then return end
        is_due = true
        vim.schedule(function()
            local now = vim.uv.hrtime()
            T.longest, last, is_due = math.max(T.longest, now - last), now, false
        end)
    end)";

/// Reads the file, lets the agent edit it, and returns the longest stall of each run.
pub(super) fn stalls(program: &Path, case: &StallCase) -> Vec<Duration> {
    (0..RUNS).map(|_| stall(program, case)).collect()
}

fn stall(program: &Path, case: &StallCase) -> Duration {
    let turns = [ScriptedTurn::new().call("c1", "edit", (case.edit)()), ScriptedTurn::new().text("Done.")];
    let server = ScriptedModelServer::start_with(turns);
    let place = BenchmarkHome::new(Some(&server));
    fs::write(place.path("a.txt"), (case.text)()).unwrap();
    let mut user = TimedNeovim::start(program, &place);
    user.lua("vim.cmd('silent edit a.txt')");
    user.lua("T.await(function(done) require('copydesk.client').start(done) end)");
    if !case.types {
        user.lua(WATCH);
    }
    user.lua("require('copydesk').ask('Work', { show = false })");
    user.wait_for_turn_end();
    if case.types {
        user.lua(WATCH);
        user.lua(TYPE);
        user.lua("T.until_(function() return vim.fn.getline(1):sub(101, 101) == 'x' end)");
    }
    // The hunks are drawn, and changes are sent, a little later.
    user.lua(SETTLE);
    longest(&mut user)
}

/// How long the same change stops a Neovim in which the plugin does nothing: the median.
pub(super) fn stall_without_plugin(program: &Path, case: &StallCase) -> Duration {
    let mut stalls: Vec<_> = (0..RUNS).map(|_| one_stall_without_plugin(program, case)).collect();
    stalls.sort();
    stalls[RUNS / 2]
}

fn one_stall_without_plugin(program: &Path, case: &StallCase) -> Duration {
    let place = BenchmarkHome::new(None);
    fs::write(place.path("a.txt"), (case.text)()).unwrap();
    let mut user = TimedNeovim::start(program, &place);
    user.lua("vim.cmd('silent edit a.txt')");
    user.lua(WATCH);
    user.lua(case.plain);
    user.lua(SETTLE);
    longest(&mut user)
}

fn longest(user: &mut TimedNeovim) -> Duration {
    Duration::from_nanos(nanoseconds(&user.lua("return tostring(T.longest)")))
}
