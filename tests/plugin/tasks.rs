//! Agents that work for agents, in Neovim: a line in the conversation that tells what they do, their hunks where the code is,
//! their asks with the others, and their sessions a key away.

use serde_json::json;

use super::window::Window;
use crate::model_server::Turn;
use crate::neovim::lives::wait;
use crate::neovim::window::{on_each, with_config, with_rules};
use crate::sessions::tasks::{arguments, plays, requests, results};

fn read() -> Turn {
    Turn::new().call("r1", "read", json!({ "filePath": "cart.rs" }))
}

fn edit() -> serde_json::Value {
    json!({ "filePath": "cart.rs", "oldString": "tax + tax", "newString": "tax" })
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_agent_at_work_is_seen_and_its_hunks_are_decided_where_the_code_is() {
    on_each(|program| {
        let scripted = with_rules([], json!({ "edit": "allow" }));
        let both = Turn::new().text("Two of us look.").call("c1", "task", arguments("general", "Fix")).call(
            "c2",
            "task",
            arguments("explore", "Look"),
        );
        plays(&scripted.server, "Go", [both, Turn::new().text("All done.")]);
        let rest = Turn::new().hold("fix").text("The tax is added once.");
        plays(&scripted.server, "Fix", [read(), Turn::new().call("e1", "edit", edit()), rest]);
        plays(&scripted.server, "Look", [Turn::new().hold("look").text("Nothing else.")]);
        scripted.desk.write("cart.rs", "fn total() {\n    price + tax + tax\n}\n");
        let mut window = Window::open(program, &scripted.desk);
        window.lua("vim.o.columns = 150");
        window.command("edit cart.rs");
        window.command("Copydesk chat");
        window.keys("iGo<Esc><CR>");
        wait(scripted.server.reached("fix"));
        wait(scripted.server.reached("look"));
        window.until("require('copydesk.review').count() == 1");
        let chat =
            "table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('copydesk://chat'), 0, -1, true), '\\n')";
        window.until(&format!("{chat}:find('2 calls · thinking', 1, true)"));
        window.until(&format!("{chat}:find('0 calls · thinking', 1, true)"));
        window.sees("task-working");
        // Into the session of the first, and back.
        let session = window.lua("return require('copydesk.session').current().id");
        window.keys("<C-w>k");
        window.lua("vim.fn.search('task About Fix')");
        window.keys("<CR>");
        let shown = "require('copydesk.chat.transcript').shown()";
        window.until(&format!("{shown} ~= '{}'", session.as_str().unwrap()));
        window.until("require('copydesk.chat.transcript').is_drawn()");
        window.sees("task-inside");
        window.keys("-");
        window.until(&format!("{shown} == '{}'", session.as_str().unwrap()));
        // Its hunk is the session's that is seen.
        window.command("1wincmd w");
        window.keys("2G");
        window.command("Copydesk reject");
        window.until("require('copydesk.review').count() == 0");
        assert_eq!(window.lines("cart.rs"), "fn total() {\n    price + tax + tax\n}");
        scripted.server.open("fix");
        scripted.server.open("look");
        window.nvim.wait("CopydeskTurnEnded", |told| told["session"] == session);
        window.until("require('copydesk.chat.transcript').is_drawn()");
        let chat = window.lines("copydesk://chat");
        let (fix, look) =
            ("✓ task general: About Fix · 2 calls · <$0.01", "✓ task explore: About Look · 0 calls · <$0.01");
        assert!(chat.contains(fix) && chat.contains(look) && chat.ends_with("All done."), "{chat}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_of_an_agent_says_who_asks() {
    on_each(|program| {
        let config = json!({ "agent": { "general": { "permission": { "question": "allow" } } } });
        let scripted = with_config([], config);
        let one = json!({ "question": "Which one?", "header": "", "options": [{ "label": "this" }] });
        let asks = Turn::new().call("q1", "question", json!({ "questions": [one] }));
        plays(&scripted.server, "Go", [Turn::new().call("c1", "task", arguments("general", "Look"))]);
        plays(&scripted.server, "Look", [asks]);
        let mut window = Window::open(program, &scripted.desk);
        window.command("Copydesk ask Go");
        let told = window.nvim.wait("CopydeskAsk", |told| told["kind"] == "question");
        assert_eq!(told["title"], "general: Which one?");
        window.until("require('copydesk.chat.transcript').is_drawn()");
        let chat = window.lines("copydesk://chat");
        assert!(chat.contains("? general: Which one?\n  1. this"), "{chat}");
        window.command("2wincmd w");
        window.keys("Gr");
        assert_eq!(window.ended()["end"]["kind"], "rejected");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_an_agent_asks_is_answered_in_the_conversation() {
    on_each(|program| {
        let scripted = with_rules([], json!({ "edit": "ask" }));
        plays(
            &scripted.server,
            "Go",
            [Turn::new().call("c1", "task", arguments("general", "Fix")), Turn::new().text("Done.")],
        );
        plays(
            &scripted.server,
            "Fix",
            [read(), Turn::new().call("e1", "edit", edit()), Turn::new().text("Fixed.")],
        );
        scripted.desk.write("cart.rs", "fn total() {\n    price + tax + tax\n}\n");
        let mut window = Window::open(program, &scripted.desk);
        window.command("edit cart.rs");
        window.command("Copydesk ask Go");
        window.nvim.wait("CopydeskAsk", |_| true);
        window.until("require('copydesk.review').count() == 1");
        window.sees("task-ask");
        window.command("2wincmd w");
        window.keys("o");
        window.ended();
        assert_eq!(window.lines("cart.rs"), "fn total() {\n    price + tax\n}");
        let told = results(&requests(&scripted.server, "Go")[1]).remove(0);
        assert!(told.ends_with("state: completed\n\nFixed."), "{told}");
        // One undo for the whole of it.
        window.command("Copydesk undo");
        window.until(
            "vim.api.nvim_buf_get_lines(vim.fn.bufnr('cart.rs'), 1, 2, true)[1] == '    price + tax + tax'",
        );
    });
}
