//! `model`, `agent`, `preset` and `follow`.

use serde_json::{Value, json};

use super::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::for_each_neovim;
use crate::sessions::harness::ScriptedEnvironment;

/// An environment with a second model of known context size.
fn scripted() -> ScriptedEnvironment {
    let ScriptedEnvironment { env, server } = ScriptedEnvironment::new([ScriptedTurn::new().text("Done.")]);
    let user = env.read(crate::cli::environment::USER_CONFIG);
    let mut config: Value = serde_json::from_str(&user).unwrap();
    config["provider"]["script"]["models"]["m-2"] =
        json!({ "limit": { "context": 200_000, "output": 8_000 } });
    env.write(crate::cli::environment::USER_CONFIG, config.to_string());
    ScriptedEnvironment { env: env.env("COPYDESK_IDLE_EXIT", "60"), server }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_model_is_picked_or_named_and_answers_from_then_on() {
    for_each_neovim(|program| {
        let scripted = scripted();
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk model", json!(["m-2"]));
        let labels = user.next_choices();
        assert_eq!(labels, ["● script/m-1 (script, 32k tokens)", "  script/m-2 (script, 200k tokens)"]);
        assert_eq!(user.next_notification(), "`script/m-2` answers from the next turn on");
        user.run_turn("Work");
        assert_eq!(scripted.request_body(0)["model"], "m-2");
        user.run_command("Copydesk model script/m-1", json!([]));
        assert_eq!(user.next_notification(), "`script/m-1` answers from the next turn on");
        user.run_command("Copydesk model nobody/m-9", json!([]));
        let said = user.next_notification();
        assert!(
            said.starts_with("the model was not changed: ") && said.contains("no provider `nobody`"),
            "{said}"
        );
        user.window.wait_until("require('copydesk.session').current().session.model == 'script/m-1'");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_agent_is_picked_or_named() {
    for_each_neovim(|program| {
        let scripted = ScriptedEnvironment::new([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk agent", json!(["plan"]));
        let labels = user.next_choices();
        assert!(labels[0].contains("build: ") && labels[1].contains("plan: "), "{labels:?}");
        assert_eq!(user.next_notification(), "`plan` answers from the next turn on");
        user.run_command("Copydesk agent nobody", json!([]));
        let said = user.next_notification();
        assert!(said.starts_with("the agent was not changed: ") && said.contains("nobody"), "{said}");
        user.window.wait_until("require('copydesk.session').current().session.agent == 'plan'");
        user.run_command("Copydesk agent", json!([false]));
        assert!(user.next_choices().contains(&labels[1].replace("  plan", "● plan")));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_preset_is_picked_or_named_and_shown() {
    for_each_neovim(|program| {
        let scripted = ScriptedEnvironment::new([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.lua("vim.o.columns = 150");
        user.run_command("Copydesk chat", json!([]));
        user.run_command("Copydesk preset trusting", json!([]));
        assert_eq!(user.next_notification(), "trusting: edits and commands inside the workspace run unasked");
        user.window.wait_until("require('copydesk.session').current().session.preset == 'trusting'");
        user.window.wait_until("require('copydesk.chat.winbar').text():find('trusting', 1, true) ~= nil");
        user.run_command("Copydesk preset", json!([false]));
        let labels = user.next_choices();
        assert!(
            labels[2].starts_with("● trusting: ") && labels[3].starts_with("  your configuration"),
            "{labels:?}"
        );
        user.run_command("Copydesk preset wild", json!([]));
        let said = user.next_notification();
        assert_eq!(said, "`preset` takes `careful`, `normal`, `trusting` or `default`, not `wild`");
        user.run_command("Copydesk preset default", json!([]));
        assert_eq!(user.next_notification(), "your configuration decides what runs unasked");
        user.window.wait_until("require('copydesk.session').current().session.preset == nil");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn follow_is_turned_on_and_off() {
    for_each_neovim(|program| {
        let scripted = ScriptedEnvironment::new([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        for said in ["following the agent's edits", "no longer following the agent's edits"] {
            user.run_command("Copydesk follow", json!([]));
            assert_eq!(user.next_notification(), said);
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn who_follows_sees_the_place_beside_the_conversation() {
    for_each_neovim(|program| {
        let scripted = ScriptedEnvironment::new([
            ScriptedTurn::new().call("c1", "read", json!({ "filePath": "b.txt", "offset": 40 })),
            ScriptedTurn::new().call("c2", "read", json!({ "filePath": "folder" })),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", "one\n");
        scripted.env.write("b.txt", "line\n".repeat(100));
        scripted.env.write("folder/c.txt", "c\n");
        let mut user = NeovimUser::start_with(program, &scripted.env, json!({ "follow": true }));
        user.run_command("silent edit a.txt | Copydesk chat", json!([]));
        user.run_turn("Look");
        let seen = "local window = require('copydesk.chat').origin()
            local file = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)))
            return { file, vim.api.nvim_win_get_cursor(window)[1], vim.bo.filetype }";
        assert_eq!(user.window.lua(seen), json!(["b.txt", 40, "copydesk-prompt"]));
    });
}
