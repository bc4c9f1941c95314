//! A web page on a terminal: the ask, what "always" means, and a malicious page title.

use serde_json::json;

use super::approval::scripted_with_config;
use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;
use crate::sessions::web::ScriptedWebServer;

#[test]
fn a_fetch_is_asked_for_by_its_address_and_always_means_its_host() {
    let site =
        ScriptedWebServer::page("text/html", b"<title>A &#27;[2J&#27;]0;evil&#7;\n title</title><p>text");
    let fetch =
        |call: &str, path: &str| ScriptedTurn::new().call(call, "webfetch", json!({ "url": site.url(path) }));
    let turns = [fetch("c1", "/one"), fetch("c2", "/two"), ScriptedTurn::new().text("Done.")];
    let scripted = scripted_with_config(turns, json!({ "webfetch": { "allow_private": true } }));
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("\u{203a}");
    let rows = terminal.rows();
    assert_eq!(rows[0], format!("? Fetch {}", site.url("/one")));
    assert!(rows[1].starts_with("  why: ") && rows[3].contains(&site.url("/*")), "{rows:?}");
    terminal.line("a");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let text = terminal.text();
    assert_eq!(text.matches("✓ webfetch A [2J]0;evil title (127.0.0.1)").count(), 2, "{text}");
    assert_eq!(text.matches("? Fetch").count(), 1, "{text}");
}
