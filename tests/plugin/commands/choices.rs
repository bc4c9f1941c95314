//! `model`, `agent` and `follow`.

use serde_json::{Value, json};

use super::Person;
use crate::model_server::Turn;
use crate::neovim::window::on_each;
use crate::sessions::harness::Scripted;

/// A desk with a second model, whose size is known.
fn scripted() -> Scripted {
    let Scripted { desk, server } = Scripted::new([Turn::new().text("Done.")]);
    let user = desk.read(crate::cli::desk::USER);
    let mut config: Value = serde_json::from_str(&user).unwrap();
    config["provider"]["script"]["models"]["m-2"] =
        json!({ "limit": { "context": 200_000, "output": 8_000 } });
    desk.write(crate::cli::desk::USER, config.to_string());
    Scripted { desk: desk.env("COPYDESK_IDLE_EXIT", "60"), server }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_model_is_picked_or_named_and_answers_from_then_on() {
    on_each(|program| {
        let scripted = scripted();
        let mut person = Person::at(program, &scripted.desk);
        person.gives("Copydesk model", json!(["m-2"]));
        let labels = person.chooses();
        assert_eq!(labels, ["● script/m-1 (script, 32k tokens)", "  script/m-2 (script, 200k tokens)"]);
        assert_eq!(person.hears(), "`script/m-2` answers from the next turn on");
        person.asks("Work");
        assert_eq!(scripted.sent(0)["model"], "m-2");
        person.gives("Copydesk model script/m-1", json!([]));
        assert_eq!(person.hears(), "`script/m-1` answers from the next turn on");
        person.gives("Copydesk model nobody/m-9", json!([]));
        let said = person.hears();
        assert!(
            said.starts_with("the model stays as it is: ") && said.contains("no provider `nobody`"),
            "{said}"
        );
        person.window.until("require('copydesk.session').current().session.model == 'script/m-1'");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_agent_is_picked_or_named() {
    on_each(|program| {
        let scripted = Scripted::new([]);
        let mut person = Person::at(program, &scripted.desk);
        person.gives("Copydesk agent", json!(["plan"]));
        let labels = person.chooses();
        assert!(labels[0].contains("build: ") && labels[1].contains("plan: "), "{labels:?}");
        assert_eq!(person.hears(), "`plan` answers from the next turn on");
        person.gives("Copydesk agent nobody", json!([]));
        let said = person.hears();
        assert!(said.starts_with("the agent stays as it is: ") && said.contains("nobody"), "{said}");
        person.window.until("require('copydesk.session').current().session.agent == 'plan'");
        person.gives("Copydesk agent", json!([false]));
        assert!(person.chooses().contains(&labels[1].replace("  plan", "● plan")));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn follow_is_turned_on_and_off() {
    on_each(|program| {
        let scripted = Scripted::new([]);
        let mut person = Person::at(program, &scripted.desk);
        for said in ["the place where the agent is at work is shown", "no place is shown any more"] {
            person.gives("Copydesk follow", json!([]));
            assert_eq!(person.hears(), said);
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn who_follows_sees_the_place_beside_the_conversation() {
    on_each(|program| {
        let scripted = Scripted::new([
            Turn::new().call("c1", "read", json!({ "filePath": "b.txt", "offset": 40 })),
            Turn::new().call("c2", "read", json!({ "filePath": "folder" })),
            Turn::new().text("Done."),
        ]);
        scripted.desk.write("a.txt", "one\n");
        scripted.desk.write("b.txt", "line\n".repeat(100));
        scripted.desk.write("folder/c.txt", "c\n");
        let mut person = Person::with(program, &scripted.desk, json!({ "follow": true }));
        person.gives("silent edit a.txt | Copydesk chat", json!([]));
        person.asks("Look");
        let seen = "local window = require('copydesk.chat').origin()
            local file = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)))
            return { file, vim.api.nvim_win_get_cursor(window)[1], vim.bo.filetype }";
        assert_eq!(person.window.lua(seen), json!(["b.txt", 40, "copydesk-prompt"]));
    });
}
