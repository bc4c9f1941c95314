//! How a turn ended, and what it had written, in a conversation that is opened again.

use std::time::{Duration, Instant};

use super::super::plugin_neovim::PluginNeovim;
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};
use crate::sessions::harness::ScriptedEnvironment;

/// Waits until a stored session contains a text.
fn wait_until_stored(scripted: &ScriptedEnvironment, session: &str, text: &str) {
    let begun = Instant::now();
    while !scripted.env.run(&["sessions", "export", session]).stdout.contains(text) {
        assert!(begun.elapsed() < Duration::from_secs(300), "`{text}` is never stored");
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_written_survives_a_killed_daemon_and_says_that_it_is_cut_off() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            ScriptedTurn::new().text("I begin and write").gate("half").text(" more"),
            ScriptedTurn::new().text("Done."),
        ]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Begin");
        block_on(scripted.server.wait_for_gate("half"));
        let session = window.lua("return require('copydesk.session').current().id");
        wait_until_stored(&scripted, session.as_str().unwrap(), "I begin and write");
        let status = "return T.await(function(done)
            require('copydesk.client').request('copydesk/status', {}, function(_, result) done(result) end)
        end).pid";
        let pid = window.lua(status).as_u64().unwrap();
        kill(pid, "-KILL");
        block_on(scripted.server.wait_for_hangup("half"));
        window.wait_until("not require('copydesk.session').current().running");
        window.assert_screen("chat-killed");
        // It is the same in another Neovim, and the model is told what it had written.
        let mut second = PluginNeovim::open(program, &scripted.env);
        let open = format!("T.await(function(done) require('copydesk.session').open({session}, done) end)");
        second.lua(&open);
        second.command("Copydesk chat");
        second.screen();
        assert_eq!(second.lines("copydesk://chat"), window.lines("copydesk://chat"));
        second.command("Copydesk ask continue");
        second.wait_for_turn_end();
        let sent = scripted.request_body(1)["messages"].to_string();
        assert!(sent.contains("I begin and write") && !sent.contains(" more"), "{sent}");
        second.screen();
        let lines = second.lines("copydesk://chat");
        assert_eq!(lines.matches("Cut off here").count(), 1, "{lines}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn how_earlier_turns_ended_is_shown_after_a_restart() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            ScriptedTurn::new().text("I begin").gate("half"),
            ScriptedTurn::new().text("Done."),
        ]);
        let mut first = PluginNeovim::open(program, &scripted.env);
        first.command("Copydesk ask Begin");
        block_on(scripted.server.wait_for_gate("half"));
        // The gate says that the model sent the text, not that it has arrived.
        first.wait_until("vim.tbl_contains(vim.fn.getbufline('copydesk://chat', 1, '$'), 'I begin')");
        first.command("Copydesk stop");
        block_on(scripted.server.wait_for_hangup("half"));
        first.wait_for_turn_end();
        first.command("Copydesk ask Again");
        first.wait_for_turn_end();
        first.screen();
        let lines = first.lines("copydesk://chat");
        let session = first.lua("return require('copydesk.session').current().id");
        first.quit_with("qall!");
        assert_eq!(scripted.env.run(&["stop"]).code, Some(0));
        let mut second = PluginNeovim::open(program, &scripted.env);
        second.lua(&format!("T.await(function(done) require('copydesk.session').open({session}, done) end)"));
        second.command("Copydesk chat");
        second.screen();
        assert_eq!(second.lines("copydesk://chat"), lines);
        let begin = lines.find("I begin\n\nStopped.").expect(&lines);
        assert!(begin < lines.find("Again").unwrap(), "{lines}");
    });
}
