//! Subagents in Neovim: their progress in the conversation, their hunks in the code, their asks with the others, and their
//! sessions one key away.

use serde_json::json;

use super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{environment_with_config, environment_with_rules, for_each_neovim};
use crate::sessions::tasks::{arguments, requests, results, script_session};

fn read() -> ScriptedTurn {
    ScriptedTurn::new().call("r1", "read", json!({ "filePath": "cart.rs" }))
}

fn edit() -> serde_json::Value {
    json!({ "filePath": "cart.rs", "oldString": "tax + tax", "newString": "tax" })
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_agent_at_work_is_seen_and_its_hunks_are_decided_where_the_code_is() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({ "edit": "allow" }));
        let both = ScriptedTurn::new()
            .text("Two of us look.")
            .call("c1", "task", arguments("general", "Fix"))
            .call("c2", "task", arguments("explore", "Look"));
        script_session(&scripted.server, "Go", [both, ScriptedTurn::new().text("All done.")]);
        let rest = ScriptedTurn::new().gate_before_response("fix").text("The tax is added once.");
        script_session(
            &scripted.server,
            "Fix",
            [read(), ScriptedTurn::new().call("e1", "edit", edit()), rest],
        );
        script_session(
            &scripted.server,
            "Look",
            [ScriptedTurn::new().gate_before_response("look").text("Nothing else.")],
        );
        scripted.env.write("cart.rs", "fn total() {\n    price + tax + tax\n}\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.o.columns = 150");
        window.command("edit cart.rs");
        window.command("Copydesk chat");
        window.keys("iGo<Esc><CR>");
        block_on(scripted.server.wait_for_gate("fix"));
        block_on(scripted.server.wait_for_gate("look"));
        window.wait_until("require('copydesk.review').count() == 1");
        let chat =
            "table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('copydesk://chat'), 0, -1, true), '\\n')";
        window.wait_until(&format!("{chat}:find('2 calls · thinking', 1, true)"));
        window.wait_until(&format!("{chat}:find('0 calls · thinking', 1, true)"));
        window.assert_screen("task-working");
        // Into the first one's session, and back.
        let session = window.lua("return require('copydesk.session').current().id");
        window.keys("<C-w>k");
        window.lua("vim.fn.search('task About Fix')");
        window.keys("<CR>");
        let shown = "require('copydesk.chat.transcript').shown()";
        window.wait_until(&format!("{shown} ~= '{}'", session.as_str().unwrap()));
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        window.assert_screen("task-inside");
        window.keys("-");
        window.wait_until(&format!("{shown} == '{}'", session.as_str().unwrap()));
        // Its hunk belongs to the visible session.
        window.command("1wincmd w");
        window.keys("2G");
        window.command("Copydesk reject");
        window.wait_until("require('copydesk.review').count() == 0");
        assert_eq!(window.lines("cart.rs"), "fn total() {\n    price + tax + tax\n}");
        scripted.server.open_gate("fix");
        scripted.server.open_gate("look");
        window.nvim.wait_for_message("CopydeskTurnEnded", |told| told["session"] == session);
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let chat = window.lines("copydesk://chat");
        let (fix, look) =
            ("✓ task general: About Fix · 2 calls · <$0.01", "✓ task explore: About Look · 0 calls · <$0.01");
        assert!(chat.contains(fix) && chat.contains(look) && chat.ends_with("All done."), "{chat}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_of_an_agent_says_who_asks() {
    for_each_neovim(|program| {
        let config = json!({ "agent": { "general": { "permission": { "question": "allow" } } } });
        let scripted = environment_with_config([], config);
        let one = json!({ "question": "Which one?", "header": "", "options": [{ "label": "this" }] });
        let asks = ScriptedTurn::new().call("q1", "question", json!({ "questions": [one] }));
        script_session(
            &scripted.server,
            "Go",
            [ScriptedTurn::new().call("c1", "task", arguments("general", "Look"))],
        );
        script_session(&scripted.server, "Look", [asks]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Go");
        let told = window.nvim.wait_for_message("CopydeskAsk", |told| told["kind"] == "question");
        assert_eq!(told["title"], "general: Which one?");
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let chat = window.lines("copydesk://chat");
        assert!(chat.contains("? general: Which one?\n  1. this"), "{chat}");
        window.command("2wincmd w");
        window.keys("Gr");
        assert_eq!(window.wait_for_turn_end()["end"]["kind"], "rejected");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_an_agent_asks_is_answered_in_the_conversation() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({ "edit": "ask" }));
        script_session(
            &scripted.server,
            "Go",
            [
                ScriptedTurn::new().call("c1", "task", arguments("general", "Fix")),
                ScriptedTurn::new().text("Done."),
            ],
        );
        script_session(
            &scripted.server,
            "Fix",
            [read(), ScriptedTurn::new().call("e1", "edit", edit()), ScriptedTurn::new().text("Fixed.")],
        );
        scripted.env.write("cart.rs", "fn total() {\n    price + tax + tax\n}\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit cart.rs");
        window.command("Copydesk ask Go");
        window.nvim.wait_for_message("CopydeskAsk", |_| true);
        window.wait_until("require('copydesk.review').count() == 1");
        window.assert_screen("task-ask");
        window.command("2wincmd w");
        window.keys("o");
        window.wait_for_turn_end();
        assert_eq!(window.lines("cart.rs"), "fn total() {\n    price + tax\n}");
        let told = results(&requests(&scripted.server, "Go")[1]).remove(0);
        assert!(told.ends_with("state: completed\n\nFixed."), "{told}");
        // One undo for the whole of it.
        window.command("Copydesk undo");
        window.wait_until(
            "vim.api.nvim_buf_get_lines(vim.fn.bufnr('cart.rs'), 1, 2, true)[1] == '    price + tax + tax'",
        );
    });
}
