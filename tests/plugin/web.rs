//! Calls of the web in the conversation: what is asked, the title of what was fetched, and the page when it is unfolded.

use serde_json::json;

use super::window::Window;
use crate::model_server::Turn;
use crate::neovim::window::{on_each, with_config};
use crate::sessions::web::{PAGE, Site};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_page_is_asked_for_named_and_shown() {
    on_each(|program| {
        let site = Site::page("text/html", PAGE);
        let url = site.url("/room");
        let call = Turn::new().call("c1", "webfetch", json!({ "url": url }));
        let config = json!({ "webfetch": { "allow_private": ["127.0.0.1"] } });
        let scripted = with_config([call, Turn::new().text("Done.")], config);
        let mut window = Window::open(program, &scripted.desk);
        window.command("Copydesk ask Look at the room");
        window.nvim.wait("CopydeskAsk", |_| true);
        window.until("require('copydesk.chat.transcript').is_drawn()");
        let asked = window.lines("copydesk://chat");
        assert!(
            asked.contains(&format!("Fetch {url}")) && asked.contains("always: webfetch http://127"),
            "{asked}"
        );
        window.command("Copydesk allow");
        window.ended();
        window.until("require('copydesk.chat.transcript').is_drawn()");
        let done = window.lines("copydesk://chat");
        assert!(done.contains("webfetch The Room (127.0.0.1) · 99 B"), "{done}");
        assert!(done.contains("```markdown\n(http://127") && done.contains("\n# Room\n"), "{done}");
    });
}
