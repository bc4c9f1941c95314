//! Questions, plans, skills and to-do lists, from the model to the screen.

use serde_json::{Value, json};

use super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, environment_with_config, for_each_neovim};

fn todo(content: &str, status: &str) -> Value {
    json!({ "content": content, "status": status, "priority": "medium" })
}

fn write(call: &str, statuses: [&str; 3]) -> ScriptedTurn {
    let [look, mend, test] = statuses;
    let todos = [todo("Look at the cart", look), todo("Mend the total", mend), todo("Run the tests", test)];
    ScriptedTurn::new().call(call, "todowrite", json!({ "todos": todos }))
}

/// The first list stays open; if only boxes change, one line shows the current item.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_list_is_shown_once_and_its_progress_above() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            write("c1", ["in_progress", "pending", "pending"]),
            write("c2", ["completed", "in_progress", "pending"]),
            ScriptedTurn::new().text("So far."),
            write("c3", ["completed", "completed", "completed"]),
            ScriptedTurn::new().text("All done."),
        ]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Mend the cart");
        window.wait_for_turn_end();
        window.assert_screen("todo-half");
        window.command("Copydesk ask Go on");
        window.wait_for_turn_end();
        window.assert_screen("todo-done");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_runs_in_the_background_is_above_the_conversation() {
    for_each_neovim(|program| {
        let start = json!({ "command": "read < open; exit 3", "background": true });
        let turns = [ScriptedTurn::new().call("c1", "bash", start), ScriptedTurn::new().text("It runs.")];
        let scripted = environment_with_config(turns, json!({ "permission": { "bash": "allow" } }));
        let fifo = std::process::Command::new("mkfifo").arg(scripted.env.path("open")).status().unwrap();
        assert!(fifo.success());
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.o.columns = 150");
        window.command("Copydesk ask Go");
        window.wait_for_turn_end();
        let bar = "require('copydesk.chat.winbar').text()";
        window.wait_until(&format!("{bar}:find('· 1 job running', 1, true)"));
        window.wait_until("require('copydesk').statusline():find('1 job', 1, true)");
        scripted.env.write("open", "\n");
        let told = window.nvim.wait_for_message("CopydeskJobs", |told| told["running"] == json!([]));
        let state = told["ended"][0]["state"].as_str().unwrap();
        assert!(state.starts_with("exit code 3 after"), "{told}");
        window.wait_until(&format!("not {bar}:find('job', 1, true)"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_of_the_model_is_answered_in_the_conversation() {
    for_each_neovim(|program| {
        let options = json!([
            { "label": "SQLite (recommended)", "description": "one file, no server" },
            { "label": "Postgres", "description": "a server of its own" },
        ]);
        let one =
            json!({ "question": "Which database should it use?", "header": "Database", "options": options });
        let two = json!({ "question": "Which tests shall run?", "header": "Tests", "multiple": true,
            "options": [{ "label": "unit" }, { "label": "end to end" }] });
        let scripted = allow_edits_environment([
            ScriptedTurn::new().text("Before I begin.").call(
                "c1",
                "question",
                json!({ "questions": [one, two] }),
            ),
            ScriptedTurn::new().text("Then I begin."),
        ]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua(include_str!("person.lua"));
        window.command("Copydesk ask Build it");
        window.nvim.wait_for_message("CopydeskAsk", |told| told["kind"] == "question");
        window.assert_screen("question-asked");
        window.lua(
            "T.answers = { 'Something else', 'MySQL, if you can', 'unit', 'end to end', 'That is all' }",
        );
        window.command("2wincmd w");
        window.keys("G<CR>");
        window.wait_for_turn_end();
        window.assert_screen("question-answered");
        let told = scripted.last_model_input(1);
        assert!(told.contains("→ MySQL, if you can\n\nWhich tests shall run?\n→ unit, end to end"), "{told}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_is_dismissed_or_answered_with_something_else() {
    for_each_neovim(|program| {
        let question = || {
            let one = json!({ "question": "Which one?", "header": "", "options": [{ "label": "this" }] });
            ScriptedTurn::new().call("c1", "question", json!({ "questions": [one] }))
        };
        let scripted = allow_edits_environment([question(), question(), ScriptedTurn::new().text("I see.")]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua(include_str!("person.lua"));
        let asked = |window: &mut PluginNeovim| {
            window.nvim.wait_for_message("CopydeskAsk", |told| told["kind"] == "question")
        };
        window.command("Copydesk ask Go");
        asked(&mut window);
        window.command("2wincmd w");
        window.keys("Gr");
        assert_eq!(window.wait_for_turn_end()["end"]["kind"], "rejected");
        window.command("Copydesk ask Again");
        asked(&mut window);
        window.lua("T.answers = { 'Look at the notes.' }");
        window.keys("GR");
        assert_eq!(window.wait_for_turn_end()["end"]["kind"], "done");
        assert!(
            scripted.last_model_input(2).contains("There is no answer: Look at the notes."),
            "{}",
            scripted.last_model_input(2)
        );
    });
}

/// The plan is shown with its ask, and the winbar shows the agent.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_plan_is_shown_and_approved() {
    for_each_neovim(|program| {
        let config = json!({ "default_agent": "plan", "permission": { "edit": "allow" } });
        let scripted = environment_with_config([ScriptedTurn::new().text("What about?")], config);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Plan");
        window.wait_for_turn_end();
        let system = scripted.request_body(0)["system"].to_string();
        let start = system.find(".copydesk/plans/").unwrap_or_else(|| panic!("{system}"));
        let time = system[start..].split_once("-NAME.md").unwrap().0.to_owned();
        let plan = format!("{time}-mend.md");
        let content = "# Mend the total\n\n1. Look at `cart.rs:12`.\n2. Add the tax once.\n";
        for turn in [
            ScriptedTurn::new().call("c1", "write", json!({ "filePath": plan, "content": content })),
            ScriptedTurn::new().call("c2", "plan_exit", json!({})),
            ScriptedTurn::new().call("c3", "write", json!({ "filePath": "a.txt", "content": "mended\n" })),
            ScriptedTurn::new().text("Done."),
        ] {
            scripted.server.queue_turn(turn);
        }
        window.command("Copydesk ask Mend the total");
        window.nvim.wait_for_message("CopydeskAsk", |told| told["kind"] == "permission");
        // The time of the plan, whole on its own line or cut with what follows it.
        let timeless = |screen: String| {
            let digits = time.rsplit('/').next().unwrap();
            let line = |line: &str| match line.split_once(".copydesk/plans/2") {
                Some((before, _)) => format!("{before}.copydesk/plans/…\n"),
                None => line.replace(digits, "TIME") + "\n",
            };
            screen.lines().map(line).collect::<String>()
        };
        let screen = timeless(window.screen());
        expect_test::expect_file!["screens/plan-asked.txt"].assert_eq(&screen);
        window.command("2wincmd w");
        window.keys("Go");
        window.wait_for_turn_end();
        let screen = timeless(window.screen());
        expect_test::expect_file!["screens/plan-approved.txt"].assert_eq(&screen);
        assert_eq!(scripted.env.read("a.txt"), "mended\n");
    });
}
