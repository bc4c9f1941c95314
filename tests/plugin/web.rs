//! Web calls in the conversation: the ask, the title of the page, and the page when unfolded.

use serde_json::json;

use super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim};
use crate::sessions::web::{PAGE, ScriptedWebServer};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_page_is_asked_for_named_and_shown() {
    for_each_neovim(|program| {
        let site = ScriptedWebServer::page("text/html", PAGE);
        let url = site.url("/room");
        let call = ScriptedTurn::new().call("c1", "webfetch", json!({ "url": url }));
        let config = json!({ "webfetch": { "allow_private": ["127.0.0.1"] } });
        let scripted = environment_with_config([call, ScriptedTurn::new().text("Done.")], config);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Look at the room");
        window.nvim.wait_for_message("CopydeskAsk", |_| true);
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let asked = window.lines("copydesk://chat");
        assert!(
            asked.contains(&format!("Fetch {url}")) && asked.contains("always: webfetch http://127"),
            "{asked}"
        );
        window.command("Copydesk allow");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let done = window.lines("copydesk://chat");
        assert!(done.contains("webfetch The Room (127.0.0.1) · 99 B"), "{done}");
        assert!(done.contains("```markdown\n(http://127") && done.contains("\n# Room\n"), "{done}");
    });
}
