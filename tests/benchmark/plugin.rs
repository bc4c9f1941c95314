//! The cost of the Neovim plugin, measured in Neovim. Skipped without `COPYDESK_TEST_NVIM`.
//!
//! "On screen" means that Neovim has redrawn after the change; the terminal's own time is not included.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{BenchmarkHome, nanoseconds};
use super::stalls;
use super::table::BenchmarkTable;
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn};
use crate::shared::neovim::nvim::NeovimInstance;

const RUNS: usize = 21;
const BINARY: &str = env!("CARGO_BIN_EXE_copydesk");
const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/nvim");

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let named = std::env::var_os("COPYDESK_TEST_NVIM").unwrap_or_default();
    for program in std::env::split_paths(&named).filter(|path| path.is_file()) {
        let version = Command::new(&program).arg("--version").output().unwrap().stdout;
        let version = String::from_utf8_lossy(&version).lines().next().unwrap_or_default().to_owned();
        let mut row = |name: &str, budget: f64, samples: &dyn Fn(&Path) -> Vec<Duration>| {
            if table.includes_row(name) {
                let budget = Duration::from_secs_f64(budget / 1000.0);
                table.row(name, samples(&program), Some(budget), version.clone());
            }
        };
        row("plugin: setup", 2.0, &setups);
        row("plugin: first word of the model on screen", 30.0, &first_words);
        row("plugin: edit on screen, 500 lines", 15.0, &edits);
        row("plugin: a session of 5,000 parts opens", 300.0, &openings);
        row("plugin: decision on screen, 1,000 hunks", 20.0, &decisions);
        row("plugin: added to a keystroke while a turn streams", 0.2, &keystrokes);
        for case in &stalls::CASES {
            if !table.includes_row(case.name) {
                continue;
            }
            let alone = stalls::stall_without_plugin(&program, case);
            let all = stalls::stalls(&program, case);
            let note = format!("{version}; added to the {} ms that Neovim itself takes", alone.as_millis());
            let added = all.into_iter().map(|all| all.saturating_sub(alone)).collect();
            table.row(case.name, added, Some(Duration::from_millis(50)), note);
        }
    }
    if named.is_empty() {
        table.remark("plugin: left out: COPYDESK_TEST_NVIM names no Neovim");
    }
}

/// A Neovim with the plugin, and the offset between its clock and ours.
pub(super) struct TimedNeovim {
    nvim: NeovimInstance,
}

impl TimedNeovim {
    pub(super) fn start(program: &Path, place: &BenchmarkHome) -> Self {
        let nvim = NeovimInstance::start(program, include_str!("../plugin/init.lua"), |command| {
            place.prepare(command);
            command.env("TEST_PLUGIN", PLUGIN).env("TEST_SETUP", json!({ "cmd": BINARY }).to_string());
        });
        Self { nvim }
    }

    pub(super) fn lua(&mut self, code: &str) -> Value {
        self.nvim.lua(code, json!([]))
    }

    /// Times of Neovim's clock, converted to ours. Both are the machine's monotonic clock; only their origins differ.
    fn times(&mut self, list: &str) -> Vec<Instant> {
        let before = Instant::now();
        let there = nanoseconds(&self.lua("return tostring(vim.uv.hrtime())"));
        let here = before + before.elapsed() / 2;
        let times = self.lua(&format!("return {list}"));
        let times = times.as_array().unwrap().iter();
        times.map(|at| here - Duration::from_nanos(there - nanoseconds(at))).collect()
    }

    pub(super) fn wait_for_turn_end(&mut self) {
        let end = self.nvim.wait_for_message("CopydeskTurnEnded", |_| true);
        assert_eq!(end["end"]["kind"], "done", "{end}");
    }
}

fn setups(program: &Path) -> Vec<Duration> {
    let code = format!(
        "vim.opt.runtimepath:prepend('{PLUGIN}')
        local began = vim.uv.hrtime()
        vim.cmd.source('{PLUGIN}/plugin/copydesk.lua')
        require('copydesk').setup({{}})
        T.took = vim.uv.hrtime() - began"
    );
    let place = BenchmarkHome::new(None);
    let took = |_| {
        let mut nvim = NeovimInstance::start(program, &code, |command| place.prepare(command));
        Duration::from_nanos(nanoseconds(&nvim.lua("return tostring(T.took)", json!([]))))
    };
    (0..RUNS).map(took).collect()
}

/// Records when the change of a buffer has been drawn.
const WATCH: &str = "T.drawn = {}
    function T.watch(buffer, wanted)
        vim.api.nvim_buf_attach(buffer, false, { on_lines = function(_, _, _, first, _, last)
            local text = table.concat(vim.api.nvim_buf_get_lines(buffer, first, last, false), ' ')
            if not text:find(wanted) then return end
            vim.schedule(function()
                vim.cmd.redraw()
                table.insert(T.drawn, tostring(vim.uv.hrtime()))
            end)
        end })
    end";

fn first_words(program: &Path) -> Vec<Duration> {
    let server = ScriptedModelServer::start_with(
        (0..RUNS).map(|turn| ScriptedTurn::new().text(format!("token{turn}"))),
    );
    let place = BenchmarkHome::new(Some(&server));
    let mut user = TimedNeovim::start(program, &place);
    user.lua(WATCH);
    user.lua("vim.cmd('Copydesk chat') T.watch(vim.fn.bufnr('copydesk://chat'), 'token%d')");
    for _ in 0..RUNS {
        user.lua("vim.cmd('Copydesk ask Work')");
        user.wait_for_turn_end();
        let drawn = "require('copydesk.chat.transcript').is_drawn()";
        user.lua(&format!("T.until_(function() return {drawn} end)"));
    }
    let mut drawn = user.times("T.drawn");
    drawn.dedup_by(|later, earlier| later.duration_since(*earlier) < Duration::from_millis(20));
    let answers: Vec<_> = (0..4 * RUNS).filter_map(|index| server.answer_time(index)).collect();
    // Title requests count, too: each redraw belongs to the last answer before it.
    drawn
        .iter()
        .filter_map(|at| {
            let before = answers.iter().filter(|answered| *answered <= at).max()?;
            Some(at.duration_since(*before))
        })
        .collect()
}

fn edits(program: &Path) -> Vec<Duration> {
    let text = |turn: usize| if turn == 0 { "line 250 of many".to_owned() } else { format!("now {turn}") };
    let turns = (0..RUNS).map(|turn| {
        let arguments = json!({ "filePath": "a.txt", "oldString": format!("{}\n", text(turn)),
            "newString": format!("{}\n", text(turn + 1)) });
        ScriptedTurn::new().call(format!("c{turn}"), "edit", arguments)
    });
    let server = ScriptedModelServer::start_with(turns.chain([ScriptedTurn::new().text("Done.")]));
    let place = BenchmarkHome::new(Some(&server));
    let whole: String = (0..500).map(|number| format!("line {number} of many\n")).collect();
    fs::write(place.path("a.txt"), whole).unwrap();
    let mut user = TimedNeovim::start(program, &place);
    user.lua(WATCH);
    user.lua("vim.cmd('edit +250 a.txt') T.watch(0, 'now %d') vim.cmd('Copydesk ask Work')");
    user.wait_for_turn_end();
    let drawn = user.times("T.drawn");
    assert_eq!(drawn.len(), RUNS, "one change for each edit");
    let since = |(turn, at): (usize, &Instant)| at.duration_since(server.answer_time(turn + 1).unwrap());
    drawn.iter().enumerate().map(since).collect()
}

/// From the user's decision on one of 1,000 hunks until it is off the screen.
fn decisions(program: &Path) -> Vec<Duration> {
    let arguments =
        json!({ "filePath": "a.txt", "oldString": "5 of", "newString": "5, of", "replaceAll": true });
    let server = ScriptedModelServer::start_with([
        ScriptedTurn::new().call("c1", "edit", arguments),
        ScriptedTurn::new().text("Done."),
    ]);
    let place = BenchmarkHome::new(Some(&server));
    let whole: String = (0..10_000).map(|number| format!("line {number} of many\n")).collect();
    fs::write(place.path("a.txt"), whole).unwrap();
    let mut user = TimedNeovim::start(program, &place);
    user.lua("vim.cmd('edit a.txt') vim.cmd('Copydesk! ask Work')");
    user.wait_for_turn_end();
    user.lua("T.until_(function() return require('copydesk.review').count() == 1000 end)");
    let decide = "vim.cmd('Copydesk next | redraw')
        return T.await(function(done)
            local began = vim.uv.hrtime()
            local function drawn()
                vim.cmd.redraw()
                done(tostring(vim.uv.hrtime() - began))
            end
            vim.api.nvim_create_autocmd('User', { pattern = 'CopydeskReview', once = true, callback = drawn })
            vim.cmd('Copydesk accept')
        end)";
    (0..RUNS).map(|_| Duration::from_nanos(nanoseconds(&user.lua(decide)))).collect()
}

fn openings(program: &Path) -> Vec<Duration> {
    let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("One.")]);
    let place = BenchmarkHome::new(Some(&server));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(BINARY);
        place.prepare(&mut command);
        let done = command.args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    run(&["run", "--no-daemon", "Work"]);
    let list: Value = serde_json::from_str(&run(&["sessions", "list", "--json"])).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    let mut session: Value = serde_json::from_str(&run(&["sessions", "export", id])).unwrap();
    let parts = session["parts"].as_array().unwrap().clone();
    let many = (0..5000).map(|number| {
        let mut part = parts[number % parts.len()].clone();
        part["id"] = json!(format!("zz{number:018}"));
        part
    });
    session["parts"] = many.collect();
    let file = place.path("session.json");
    fs::write(&file, session.to_string()).unwrap();
    let imported = run(&["sessions", "import", file.to_str().unwrap()]);
    let id = imported.split([' ', ',']).nth(2).unwrap();
    (0..5)
        .map(|_| {
            let mut user = TimedNeovim::start(program, &place);
            user.lua(
                "vim.cmd('Copydesk chat') T.await(function(done) require('copydesk.client').start(done) end)",
            );
            let open = "local id = ...
                local began = vim.uv.hrtime()
                local problem = T.await(function(done) require('copydesk.session').open(id, done) end)
                assert(not problem, problem)
                T.until_(function() return require('copydesk.chat.transcript').is_drawn() end)
                vim.cmd.redraw()
                return tostring(vim.uv.hrtime() - began)";
            Duration::from_nanos(nanoseconds(&user.nvim.lua(open, json!([id]))))
        })
        .collect()
}

/// The median time to handle a keystroke, from its arrival in Neovim's queue, while a turn streams into the conversation;
/// minus the same without the plugin.
fn keystrokes(program: &Path) -> Vec<Duration> {
    const WORDS: usize = 4000;
    let stream =
        (0..WORDS).fold(ScriptedTurn::new(), |turn, word| turn.text("word ").gate(format!("g{word}")));
    let server = ScriptedModelServer::start_with([stream]);
    let place = BenchmarkHome::new(Some(&server));
    let whole: String = (0..500).map(|number| format!("line {number} of many\n")).collect();
    fs::write(place.path("a.txt"), whole).unwrap();
    let mut user = TimedNeovim::start(program, &place);
    let typing = "return T.await(function(done)
        local took, window = {}, vim.fn.win_getid(1)
        local function key()
            local arrived = vim.uv.hrtime()
            vim.schedule(function()
                vim.api.nvim_set_current_win(window)
                vim.api.nvim_feedkeys('ax' .. string.char(27), 'nx', false)
                took[#took + 1] = vim.uv.hrtime() - arrived
                if #took == 300 then
                    table.sort(took)
                    return done(tostring(took[150]))
                end
                vim.defer_fn(key, 5)
            end)
        end
        key()
    end)";
    user.lua("vim.cmd('edit a.txt')");
    let without = nanoseconds(&user.lua(typing));
    user.lua("vim.cmd('Copydesk ask Work')");
    user.nvim.wait_for_message("CopydeskTurnStarted", |_| true);
    let with = std::thread::scope(|scope| {
        // One word per millisecond, faster than models.
        scope.spawn(|| {
            for word in 0..WORDS {
                server.open_gate(&format!("g{word}"));
                let next = Instant::now() + Duration::from_millis(1);
                while Instant::now() < next {
                    std::thread::yield_now();
                }
            }
        });
        nanoseconds(&user.lua(typing))
    });
    user.wait_for_turn_end();
    vec![Duration::from_nanos(with.saturating_sub(without))]
}
