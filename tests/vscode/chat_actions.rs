//! What a user does with the chat besides prompting: code that becomes a hunk, a command that is stopped, a prompt that is sent again, an
//! image, a tab.

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;
use crate::cli::environment::USER_CONFIG;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::environment_with_config;

const CODE: &str = "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n";
const QUICK_PICK: &str = ".quick-input-widget .monaco-list-row";

/// With a model that sees images.
fn start() -> VscodeUser {
    let scripted = environment_with_config([], json!({ "permission": { "edit": "allow", "bash": "allow" } }));
    let mut config: Value = serde_json::from_str(&scripted.env.read(USER_CONFIG)).unwrap();
    config["provider"]["script"]["models"]["m-1"]["attachment"] = json!(true);
    scripted.env.write(USER_CONFIG, config.to_string());
    scripted.env.write("a.rs", CODE);
    let mut user = VscodeUser::start(scripted);
    user.window.open("a.rs");
    user.open_chat();
    user
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn what_an_answer_offers_is_done() {
    let mut user = start();
    code_is_applied_as_a_hunk(&mut user);
    one_command_is_stopped_and_the_turn_continues(&mut user);
    a_subagent_is_opened_live(&mut user);
    a_background_command_shows_until_it_ends(&mut user);
    a_turn_is_undone_in_the_chat(&mut user);
    a_prompt_is_edited_and_sent_again(&mut user);
    an_image_goes_with_a_prompt(&mut user);
    a_tab_is_there_again_after_a_reload(&mut user);
}

fn code_is_applied_as_a_hunk(user: &mut VscodeUser) {
    let answer = "Like this:\n\n```rust\nfn two() {\n    1 + 1\n}\n```\n";
    user.scripted.server.queue_turn(ScriptedTurn::new().text(answer));
    user.prompt_in_chat("Rewrite two");
    user.finish_prompt();
    user.in_chat("click", json!({ "selector": "button[aria-label='Apply the code as a hunk to review']" }));
    user.wait_for_hunks(1);
    // Only the function of that name is replaced, and only when the user accepts.
    assert_eq!(user.window.document("a.rs").unwrap().text, CODE);
    user.window.screenshot(&mut user.server, "chat-applied-code");
    user.command("review.acceptAll", json!([]));
    user.window.wait_for_text("a.rs", &CODE.replace("    2\n", "    1 + 1\n"));
    user.wait_for_hunks(0);
}

fn one_command_is_stopped_and_the_turn_continues(user: &mut VscodeUser) {
    let command = json!({ "command": "echo begun; sleep 1000", "description": "Waits" });
    user.queue_call("waits", "bash", command);
    user.click_in_chat("textarea", "");
    user.prompt_in_chat("Wait");
    user.wait_in_chat(".call.running .tail", "begun");
    user.window.screenshot(&mut user.server, "chat-running-command");
    user.in_chat("click", json!({ "selector": ".call.running button[aria-label='Stop this command']" }));
    user.finish_prompt();
    user.wait_in_chat(".call.stopped", "cancelled");
    user.wait_in_chat(".answer", "Done.");
    let (told, is_error) = user.result("waits");
    assert!(is_error && told.contains("The user cancelled the command"), "{told}");
}

fn a_subagent_is_opened_live(user: &mut VscodeUser) {
    let task = json!({ "description": "Look", "prompt": "Look around", "subagent_type": "explore" });
    user.scripted.server.queue_turn(ScriptedTurn::new().call("looks", "task", task));
    let glance = ScriptedTurn::new().call("glances", "read", json!({ "filePath": "a.rs" }));
    user.scripted.server.queue_turn(glance);
    user.scripted
        .server
        .queue_turn(ScriptedTurn::new().text("I look.\n\n").gate("looking").text("I saw it."));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("It was seen."));
    user.click_in_chat("textarea", "");
    user.prompt_in_chat("Have it looked at");
    user.wait_for_gate("looking");
    // What it does shows below its task while it works, without opening it.
    user.wait_in_chat(".call.running .task-calls .call.done", "a.rs");
    assert_eq!(
        user.in_chat("count", json!({ "selector": ".facts" })),
        0,
        "a subagent needs no line of its own"
    );
    user.window.screenshot(&mut user.server, "chat-subagent-nested");
    user.click_in_chat(".call.running .task .button", "Open");
    user.wait_in_chat(".answer", "I look.");
    user.window.screenshot(&mut user.server, "chat-subagent");
    user.open_gate("looking");
    user.wait_in_chat(".answer", "I saw it.");
    let back = "button[aria-label='Back to the session that gave this task']";
    user.in_chat("click", json!({ "selector": back }));
    user.finish_prompt();
    user.wait_in_chat(".answer", "It was seen.");
    // Afterwards it shows when the task is unfolded.
    user.wait_until_gone_in_chat(".task-calls");
    user.click_in_chat(".call.done .fold-line", "Look");
    user.wait_in_chat(".task-calls .call.done", "a.rs");
    user.click_in_chat(".call.done .fold-line", "Look");
    user.wait_until_gone_in_chat(".task-calls");
}

fn a_background_command_shows_until_it_ends(user: &mut VscodeUser) {
    let fifo = user.scripted.env.shell("mkfifo open");
    assert_eq!(fifo.code, Some(0), "{fifo:?}");
    user.queue_call("starts", "bash", json!({ "command": "read < open", "background": true }));
    user.click_in_chat("textarea", "");
    user.prompt_in_chat("Start it");
    user.finish_prompt();
    user.click_in_chat(".jobs summary", "1 background command");
    user.wait_in_chat(".jobs li", "read < open");
    user.scripted.env.write("open", "\n");
    user.wait_until_gone_in_chat(".jobs");
}

fn a_turn_is_undone_in_the_chat(user: &mut VscodeUser) {
    let before = user.window.document("a.rs").unwrap().text;
    let edit = json!({ "filePath": "a.rs", "oldString": "fn one", "newString": "fn uno" });
    user.queue_call("renames", "edit", edit);
    user.click_in_chat("textarea", "");
    user.prompt_in_chat("Rename one");
    user.finish_prompt();
    user.window.wait_for_text("a.rs", &before.replace("fn one", "fn uno"));
    user.click_in_chat(".turn-summary button", "Undo");
    user.window.wait_for_text("a.rs", &before);
}

fn a_prompt_is_edited_and_sent_again(user: &mut VscodeUser) {
    user.evaluate_in_chat("document.querySelector('.scroller').scrollTo(0, 0)");
    let button = "article:has-text('Rewrite two') button[aria-label='Edit and send again…']";
    user.in_chat("click", json!({ "selector": button }));
    user.window.wait_for(&mut user.server, QUICK_PICK, "Go back to before this prompt");
    user.window.press(&mut user.server, "Enter");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "Rewrite two" }));
    // A copy of the session, without the prompt; the original stays.
    user.wait_in_chat(".welcome", "");
    let original = user.session.clone();
    let copy = user.newest_session();
    assert_ne!(copy, original);
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Sent again."));
    user.click_in_chat("textarea", "");
    user.window.press(&mut user.server, "End");
    user.type_in_chat(" and three");
    user.window.press(&mut user.server, "Enter");
    user.wait_in_chat(".prompt-text", "Rewrite two and three");
    user.wait_in_chat(".answer", "Sent again.");
}

/// A picture of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Gives the input a file, by a paste or a drop.
fn give_file(user: &mut VscodeUser, event: &str, name: &str) {
    let kind = if event == "paste" { "ClipboardEvent" } else { "DragEvent" };
    let field = if event == "paste" { "clipboardData" } else { "dataTransfer" };
    let code = format!(
        "{{
            const bytes = Uint8Array.from(atob('{PIXEL}'), (one) => one.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], '{name}', {{ type: 'image/png' }}));
            const options = {{ {field}: data, bubbles: true, cancelable: true }};
            document.querySelector('textarea').dispatchEvent(new {kind}('{event}', options));
        }}"
    );
    user.evaluate_in_chat(&code);
}

fn an_image_goes_with_a_prompt(user: &mut VscodeUser) {
    give_file(user, "paste", "pasted.png");
    user.wait_in_chat(".input .chip", "pasted.png");
    give_file(user, "drop", "dropped.png");
    user.wait_in_chat(".input .chip", "dropped.png");
    user.window.screenshot(&mut user.server, "chat-images");
    user.in_chat("click", json!({ "selector": "button[aria-label='Remove dropped.png']" }));
    user.in_chat("wait", json!({ "selector": ".input .chip", "text": "dropped.png", "state": "detached" }));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("A pixel."));
    user.click_in_chat("textarea", "");
    user.type_in_chat("What is this?");
    user.window.press(&mut user.server, "Enter");
    user.wait_in_chat(".answer", "A pixel.");
    user.wait_in_chat(".prompt .chip", "pasted.png");
    user.wait_until_gone_in_chat(".input .chip");
    let sent = user.scripted.server.requests().pop().unwrap().body.to_string();
    assert!(sent.contains(PIXEL), "the image was not sent: {sent}");
}

fn a_tab_is_there_again_after_a_reload(user: &mut VscodeUser) {
    user.window.command("workbench.action.closeAuxiliaryBar", json!([]));
    user.command("chat.openInTab", json!([]));
    user.window.wait_for(&mut user.server, ".tab", "Copydesk Chat");
    user.wait_in_chat(".answer", "A pixel.");
    user.wait_in_chat("textarea:focus", "");
    user.type_in_chat("written in the tab");
    user.window.screenshot(&mut user.server, "chat-tab");
    user.window.user(&mut user.server, "waitUntilStored", json!({ "texts": ["copydesk.chatTab"] }));
    user.window.reload(&mut user.server);
    user.wait_in_chat(".answer", "A pixel.");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "written in the tab" }));
}
