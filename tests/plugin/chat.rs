//! The conversation: what it shows while a turn runs, and what the keys do.

mod asks;
mod attached;
mod empty;
mod endings;
mod layout;
mod other_sessions;

use serde_json::json;

use super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{
    allow_edits_environment, edit, environment_with_config, environment_with_rules, for_each_neovim, result,
};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_is_shown_as_it_goes_on() {
    for_each_neovim(|program| {
        let turns = [
            ScriptedTurn::new().text("I look at the cart.").call(
                "c1",
                "read",
                json!({ "filePath": "cart.rs" }),
            ),
            ScriptedTurn::new().text("The tax is **added twice**.\n\n").call(
                "c2",
                "edit",
                json!({ "filePath": "cart.rs", "oldString": "tax + tax", "newString": "tax" }),
            ),
            ScriptedTurn::new().text("Done: see `total`."),
        ];
        let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
        scripted.env.write("cart.rs", "fn total() {\n    price + tax + tax\n}\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit cart.rs");
        window.command("Copydesk chat");
        window.wait_until("require('copydesk.catalogue').default_model()");
        window.assert_screen("chat-empty");
        window.keys("iFix the total<Esc><CR>");
        window.nvim.wait_for_message("CopydeskAsk", |_| true);
        window.wait_until("require('copydesk.review').count() == 1");
        window.assert_screen("chat-ask");
        window.keys("<C-w>ko");
        window.wait_for_turn_end();
        window.assert_screen("chat-done");
        window.keys("zR");
        window.assert_screen("chat-unfolded");
        assert_eq!(window.lines("cart.rs"), "fn total() {\n    price + tax\n}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_stays_in_sight_if_everything_is_redrawn() {
    for_each_neovim(|program| {
        let long = (1..=60).fold(String::new(), |text, number| text + &format!("line {number}\n\n"));
        let turns = [ScriptedTurn::new().text(&long).call(
            "c1",
            "bash",
            json!({ "command": "true", "description": "d" }),
        )];
        let scripted = environment_with_rules(turns, json!({ "bash": "ask" }));
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Count");
        window.nvim.wait_for_message("CopydeskAsk", |_| true);
        let drawn = "require('copydesk.chat.transcript').is_drawn()";
        let lines = "vim.api.nvim_buf_get_lines(vim.fn.bufnr('copydesk://chat'), -2, -1, false)[1]";
        window.wait_until(&format!("{drawn} and {lines}:find('[R]', 1, true)"));
        window.lua("require('copydesk.chat.transcript').show(require('copydesk.session').current())");
        window.wait_until(drawn);
        let last = "local window = vim.fn.win_findbuf(vim.fn.bufnr('copydesk://chat'))[1]
            local count = vim.api.nvim_buf_line_count(vim.fn.bufnr('copydesk://chat'))
            return { vim.fn.line('.', window) - count, vim.fn.line('w$', window) - count }";
        assert_eq!(window.lua(last), json!([0, 0]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_streamed_stays_in_sight_only_for_whom_is_at_the_end() {
    for_each_neovim(|program| {
        let many: String = (1..=60).map(|number| format!("line {number}\n\n")).collect();
        let turns = [ScriptedTurn::new().text(&many).gate("half").text("more\n\n").text("the end")];
        let scripted = allow_edits_environment(turns);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Count");
        block_on(scripted.server.wait_for_gate("half"));
        let lines = "vim.api.nvim_buf_line_count(vim.fn.bufnr('copydesk://chat'))";
        window.wait_until(&format!("{lines} > 100"));
        // The user reads at the beginning in one window, while another is at the end.
        window.command("2wincmd w | split | 2wincmd w | normal! gg");
        let place = "local view = vim.api.nvim_win_call(vim.fn.win_getid(2), vim.fn.winsaveview)
            return { view.lnum, view.topline }";
        let before = window.lua(place);
        scripted.server.open_gate("half");
        window.wait_for_turn_end();
        window.screen();
        assert_eq!(window.lua(place), before);
        let end = format!("return vim.api.nvim_win_get_cursor(vim.fn.win_getid(3))[1] == {lines}");
        assert_eq!(window.lua(&end), true);
        assert!(window.lines("copydesk://chat").ends_with("line 60\n\nmore\n\nthe end"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn each_answer_to_an_ask_reaches_the_model() {
    // The keys, and the result that the model got.
    let answers = [
        ("o", "Edited a.txt"),
        ("a", "Edited a.txt"),
        ("r", "rejected"),
        ("Rnot that one<CR>", "not that one"),
    ];
    for_each_neovim(|program| {
        for (keys, told) in answers {
            let stops = keys == "r";
            let turns = edit("a.txt", "two", "2").into_iter().take(if stops { 1 } else { 2 });
            let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
            scripted.env.write("a.txt", "one\ntwo\n");
            let mut window = PluginNeovim::open(program, &scripted.env);
            window.lua("vim.ui.input = function(_, done) done('not that one') end");
            window.command("edit a.txt");
            window.command("Copydesk ask Change it");
            window.nvim.wait_for_message("CopydeskAsk", |_| true);
            window.command("2wincmd w");
            window.keys(keys.trim_end_matches("not that one<CR>"));
            let ended = window.wait_for_turn_end();
            assert_eq!(ended["end"]["kind"], if stops { "rejected" } else { "done" }, "{keys}");
            if !stops {
                let (said, failed) = result(&scripted, 1, "c1");
                assert!(said.contains(told), "{keys}: {said}");
                assert_eq!(failed, keys.starts_with('R'), "{keys}: {said}");
            }
            let edited = matches!(keys, "o" | "a");
            assert_eq!(window.lines("a.txt"), if edited { "one\n2" } else { "one\ntwo" }, "{keys}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_is_shown_in_a_corner_while_the_conversation_is_hidden() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules(edit("a.txt", "two", "2"), json!({ "edit": "ask" }));
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.command("Copydesk! ask Change it");
        window.nvim.wait_for_message("CopydeskAsk", |_| true);
        window.wait_until("require('copydesk.chat.float').window()");
        window.wait_until("require('copydesk.review').count() == 1");
        assert_eq!(window.lua("return vim.api.nvim_buf_get_name(0):match('[^/]*$')"), "a.txt");
        window.assert_screen("ask-corner");
        window.command("Copydesk allow");
        window.wait_for_turn_end();
        window.wait_until("not require('copydesk.chat.float').window()");
        assert_eq!(window.lines("a.txt"), "one\n2");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn earlier_prompts_come_back_and_what_was_being_written_too() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("One."), ScriptedTurn::new().text("Two.")]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk chat");
        for prompt in ["first", "second\nwith a line"] {
            window.keys(&format!("i{}<Esc><CR>", prompt.replace('\n', "<CR>")));
            window.wait_for_turn_end();
        }
        window.keys("ihalf<Esc>");
        let mut seen = Vec::new();
        for keys in ["<C-p>", "<C-p>", "<C-p>", "<C-n>", "<C-n>", "<C-n>"] {
            window.keys(keys);
            seen.push(window.lines("copydesk://prompt"));
        }
        let second = "second\nwith a line";
        assert_eq!(seen, [second, "first", "first", second, "half", "half"]);
    });
}

/// A user who opens the conversation and types does not run commands.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_typed_first_is_a_prompt() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Done.")]);
        let setup = json!({ "chat": { "prompt": { "insert": true } } });
        let mut window = PluginNeovim::start_with(program, &scripted.env, setup);
        window.lua("T.type(':Copydesk chat<CR>fix the errors')");
        window.wait_until("require('copydesk.chat.input').text() == 'fix the errors'");
        window.lua("T.type('<C-s>')");
        window.wait_for_turn_end();
        let prompt = scripted.request_body(0).to_string();
        assert!(prompt.contains("fix the errors"), "{prompt}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn how_a_turn_ended_is_shown_in_another_neovim() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("I begin").gate("half")]);
        let mut first = PluginNeovim::open(program, &scripted.env);
        first.command("Copydesk ask Begin");
        block_on(scripted.server.wait_for_gate("half"));
        first.command("Copydesk stop");
        block_on(scripted.server.wait_for_hangup("half"));
        first.wait_for_turn_end();
        let session = first.lua("return require('copydesk.session').current().id");
        let mut second = PluginNeovim::open(program, &scripted.env);
        let load = format!("T.await(function(done) require('copydesk.session').load({session}, done) end)");
        second.lua(&load);
        let end = format!("return require('copydesk.session').view({session}).ended.kind");
        assert_eq!(second.lua(&end), "cancelled");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_prompt_while_a_turn_runs_joins_it() {
    for_each_neovim(|program| {
        let turns = [
            ScriptedTurn::new().text("I begin").gate("half").text(".").call("c1", "list", json!({})),
            ScriptedTurn::new().text("So be it."),
        ];
        let scripted = allow_edits_environment(turns);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk chat");
        window.keys("iBegin<Esc><CR>");
        block_on(scripted.server.wait_for_gate("half"));
        window.keys("iAnd be short<Esc><CR>");
        window.wait_until("#require('copydesk.session').current().sent == 1");
        window.assert_screen("chat-steering");
        scripted.server.open_gate("half");
        window.wait_for_turn_end();
        assert!(
            scripted.request_body(1).to_string().contains("And be short"),
            "{:#}",
            scripted.request_body(1)
        );
        window.assert_screen("chat-steered");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_line_of_a_call_leads_to_its_place() {
    for_each_neovim(|program| {
        let lines: String = (1..=50).map(|number| format!("line {number}\n")).collect();
        let scripted = allow_edits_environment(edit("a.txt", "line 40", "line forty"));
        scripted.env.write("a.txt", &lines);
        scripted.env.write("b.txt", "another\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit b.txt");
        window.command("Copydesk ask Change it");
        window.wait_for_turn_end();
        window.screen();
        window.command("2wincmd w");
        window.keys("gg/Edited<CR><CR>");
        let place = window.lua("return { vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.winnr() }");
        assert_eq!(place, json!(["a.txt", 40, 1]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_earlier_prompt_is_sent_again_from_where_it_stood() {
    for_each_neovim(|program| {
        let [change, done] = edit("a.txt", "two", "2");
        let turns = [ScriptedTurn::new().text("One."), change, done, ScriptedTurn::new().text("Otherwise.")];
        let scripted = allow_edits_environment(turns);
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.ui.select = function(items, _, done) done(items[2], 2) end");
        window.command("edit a.txt");
        for prompt in ["First", "Change it"] {
            window.command(&format!("Copydesk ask {prompt}"));
            window.wait_for_turn_end();
        }
        assert_eq!(window.lines("a.txt"), "one\n2");
        let before = window.lua("return require('copydesk.session').current().id");
        window.screen();
        window.command("2wincmd w");
        window.keys("G]][[e");
        window.wait_until("require('copydesk.chat.input').text() == 'Change it'");
        assert_ne!(window.lua("return require('copydesk.session').current().id"), before);
        assert_eq!(window.lines("a.txt"), "one\ntwo", "what the agent did since is taken back");
        window.keys("A otherwise<Esc><CR>");
        window.wait_for_turn_end();
        let sent = scripted.request_body(3).to_string();
        assert!(
            sent.contains("First") && sent.contains("One.") && sent.contains("Change it otherwise"),
            "{sent}"
        );
        assert!(!sent.contains("tool_use"), "{sent}");
        window.assert_screen("chat-again");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_keys_of_each_window_are_listed() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk chat");
        window.keys("g?");
        window.assert_screen("keys-prompt");
        window.keys("q<C-w>kg?");
        window.assert_screen("keys-chat");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_is_shown_and_answered_where_it_stands() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("So.")]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Work");
        window.wait_for_turn_end();
        window.lua(
            "vim.ui.select = function(items, _, done) done(items[2], 2) end
            local options = { { label = 'By hand', description = 'slow' }, { label = 'By a tool' } }
            local question = { header = 'How', text = 'How shall it be done?', options = options,
                multiple = false, custom = false }
            local session = require('copydesk.session').current().id
            coroutine.wrap(function()
                local asked = { session = session, question = 'q1', part = 'p1', questions = { question } }
                T.tell('answered', require('copydesk.ask').question(asked))
            end)()",
        );
        window.assert_screen("chat-question");
        window.command("2wincmd w");
        window.keys("G<CR>");
        let answer = window.nvim.wait_for_message("answered", |_| true);
        assert_eq!(answer, json!({ "reply": "answered", "answers": [["By a tool"]] }));
        assert!(!window.screen().contains("How shall it be done?"));
    });
}

/// For every such tool the model's arguments are enough to show the list.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn things_to_do_are_shown_as_a_list() {
    for_each_neovim(|program| {
        let todos = json!([
            { "content": "Look at the cart", "status": "completed" },
            { "content": "Mend the total", "status": "in_progress" },
            { "content": "Run the tests", "status": "pending" },
        ]);
        let turns = [
            ScriptedTurn::new().call("c1", "todowrite", json!({ "todos": todos })),
            ScriptedTurn::new().text("So."),
        ];
        let scripted = allow_edits_environment(turns);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Work");
        window.wait_for_turn_end();
        window.screen();
        let lines = window.lines("copydesk://chat");
        assert!(
            lines.contains("- [x] Look at the cart\n- [-] Mend the total\n- [ ] Run the tests"),
            "{lines}"
        );
    });
}

/// Calls of a batch are shown below it; an invalid call says so.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn calls_within_a_call_stand_under_it() {
    for_each_neovim(|program| {
        let calls = json!([
            { "tool": "read", "parameters": { "path": "cart.rs" } },
            { "tool": "summon", "parameters": {} },
        ]);
        let turns = [
            ScriptedTurn::new().call("c1", "batch", json!({ "tool_calls": calls })),
            ScriptedTurn::new().text("So."),
        ];
        let scripted = environment_with_config(turns, json!({ "tools": { "batch": true } }));
        scripted.env.write("cart.rs", "fn total() {}\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Look");
        window.wait_for_turn_end();
        window.screen();
        let lines = window.lines("copydesk://chat");
        let shown: Vec<_> = lines.lines().filter(|line| line.contains(['✓', '✗'])).collect();
        let [batch, read, invalid] = shown[..] else { panic!("{lines}") };
        assert!(batch.starts_with("✓ batch 2 calls, 1 failed"), "{lines}");
        assert!(read.starts_with("  ✓ read cart.rs"), "{lines}");
        assert!(invalid.starts_with("  ✗ invalid There is no tool `summon`"), "{lines}");
    });
}
