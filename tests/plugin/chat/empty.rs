//! A conversation that has not begun: which model will answer, and what to do without one.

use serde_json::json;

use super::super::plugin_neovim::PluginNeovim;
use crate::cli::environment::TestEnvironment;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_empty_conversation_names_the_model_of_its_agent() {
    for_each_neovim(|program| {
        let mut config = json!({ "agent": { "plan": { "model": "script/m-2" } } });
        config["provider"]["script"]["models"]["m-2"] = json!({});
        let scripted = environment_with_config([], config);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk chat");
        let known = |agent: &str, model: &str| {
            format!("require('copydesk.catalogue').default_model({agent}) == '{model}'")
        };
        window.wait_until(&known("", "script/m-1"));
        window.screen();
        let lines = window.lines("copydesk://chat");
        assert_eq!(lines, "\nscript/m-1 answers. `:Copydesk model` chooses another.");
        assert!(window.screen().contains("script/m-1"), "{}", window.screen());
        window.command("Copydesk agent plan");
        window.wait_until(&known("'plan'", "script/m-2"));
        window.screen();
        let lines = window.lines("copydesk://chat");
        assert_eq!(lines, "\nscript/m-2 answers. `:Copydesk model` chooses another.");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn without_a_model_the_conversation_says_what_to_do() {
    for_each_neovim(|program| {
        let env = TestEnvironment::new().without_local_providers().env("COPYDESK_IDLE_EXIT", "60");
        let mut window = PluginNeovim::open(program, &env);
        window.command("Copydesk chat");
        window.wait_until("require('copydesk.catalogue').default_model()");
        window.assert_screen("chat-offline");
    });
}
