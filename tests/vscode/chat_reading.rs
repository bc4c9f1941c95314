//! How an answer reads: it grows without flicker and is followed only at the bottom; its code is taken from it; what came of an edit, and why the
//! model is asked again, stand beside it.

use serde_json::json;

use super::language::{PRICE, TSCONFIG, warm_up};
use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::environment_with_config;

fn start() -> VscodeUser {
    // A busy machine takes long; only a failing test waits as long as this.
    let config = json!({ "permission": "allow", "diagnostics": { "wait": 30_000 } });
    let scripted = environment_with_config([], config);
    scripted.env.write("tsconfig.json", TSCONFIG);
    scripted.env.write("src/price.ts", PRICE);
    scripted.env.write("a.txt", "one\ntwo\n");
    let mut user = VscodeUser::start_with(scripted, &VscodeSetup::default());
    user.window.open("a.txt");
    user.open_chat();
    user
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn an_answer_is_read_while_it_grows() {
    let mut user = start();
    an_answer_grows_without_flicker(&mut user);
    it_is_followed_only_at_the_bottom(&mut user);
    code_is_copied_and_inserted(&mut user);
    reasoning_unfolds(&mut user);
    a_retry_says_why(&mut user);
    problems_say_who_found_them(&mut user);
}

/// The elements of what is complete stay the same ones.
fn an_answer_grows_without_flicker(user: &mut VscodeUser) {
    let turn = ScriptedTurn::new()
        .text("The **first** part.\n\nThe sec")
        .gate("half")
        .text("ond part.\n\n- A list\n- of two");
    user.scripted.server.queue_turn(turn);
    user.prompt_in_chat("Say something");
    user.wait_for_gate("half");
    user.wait_in_chat(".answer p", "The sec");
    user.evaluate_in_chat(
        "document.querySelector('.answer strong').seen = document.querySelector('.answer').seen = true",
    );
    user.open_gate("half");
    user.finish_prompt();
    user.wait_in_chat(".answer li", "of two");
    let same = "[document.querySelector('.answer strong').seen, document.querySelector('.answer').seen]";
    assert_eq!(user.evaluate_in_chat(same), json!([true, true]));
}

fn it_is_followed_only_at_the_bottom(user: &mut VscodeUser) {
    let lines = |name: &str| (0..80).map(|number| format!("{name} {number}\n\n")).collect::<String>();
    let turn = ScriptedTurn::new()
        .text(lines("early"))
        .gate("scrolled")
        .text(lines("late"))
        .gate("back")
        .text("The end.");
    user.scripted.server.queue_turn(turn);
    user.prompt_in_chat("Say much");
    user.wait_for_gate("scrolled");
    // It followed the end.
    user.wait_in_chat(".answer p", "early 79");
    let from_end = "(() => { const at = document.querySelector('.scroller'); return at.scrollHeight - at.scrollTop - at.clientHeight; })()";
    let wait_for_end = format!(
        "new Promise((resolve) => {{ const look = () => ({from_end} <= 48 ? resolve(true) : requestAnimationFrame(look)); look(); }})"
    );
    user.evaluate_in_chat(&wait_for_end);
    // The user reads further up.
    user.evaluate_in_chat("document.querySelector('.scroller').scrollBy(0, -600)");
    user.in_chat("wait", json!({ "selector": "button[aria-label='Go to the end']" }));
    let top = "document.querySelector('.scroller').scrollTop";
    let before = user.evaluate_in_chat(top);
    user.open_gate("scrolled");
    user.wait_for_gate("back");
    user.in_chat("wait", json!({ "selector": ".answer p", "text": "late 79", "state": "attached" }));
    assert_eq!(user.evaluate_in_chat(top), before, "what is read moves away");
    user.in_chat("click", json!({ "selector": "button[aria-label='Go to the end']" }));
    user.evaluate_in_chat(&wait_for_end);
    user.open_gate("back");
    user.finish_prompt();
    user.wait_in_chat(".answer p", "The end.");
    user.evaluate_in_chat(&wait_for_end);
}

fn code_is_copied_and_inserted(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Take this:\n\n```txt\nzero\n```\n"));
    user.click_in_chat("textarea", "");
    user.prompt_in_chat("Give me a line");
    user.finish_prompt();
    user.in_chat("click", json!({ "selector": "button[aria-label='Copy the code']" }));
    user.window.wait_until("(await vscode.env.clipboard.readText()) === 'zero'", json!([]));
    user.window.js("vscode.window.activeTextEditor.selection = new vscode.Selection(0, 0, 0, 0)", json!([]));
    user.in_chat("click", json!({ "selector": "button[aria-label='Insert the code at the cursor']" }));
    user.window.wait_for_text("a.txt", "zeroone\ntwo\n");
    user.window.command("undo", json!([]));
    user.window.wait_for_text("a.txt", "one\ntwo\n");
}

fn reasoning_unfolds(user: &mut VscodeUser) {
    let turn = ScriptedTurn::new().reasoning("I weigh it.").text("Yes.");
    user.scripted.server.queue_turn(turn);
    user.open_chat();
    user.prompt_in_chat("Think");
    user.finish_prompt();
    user.click_in_chat(".reasoning .fold-line", "Thought for");
    user.wait_in_chat(".reasoning .fold-body", "I weigh it.");
}

fn a_retry_says_why(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::rate_limited("1"));
    user.scripted.server.queue_turn(ScriptedTurn::new().gate_before_response("again").text("Now."));
    user.click_in_chat("textarea", "");
    user.prompt_in_chat("Hurry");
    user.wait_for_gate("again");
    user.wait_in_chat(".remark.warning", "Retry 1");
    user.window.screenshot(&mut user.server, "chat-retry");
    user.open_gate("again");
    user.finish_prompt();
    user.wait_in_chat(".answer", "Now.");
}

fn problems_say_who_found_them(user: &mut VscodeUser) {
    user.window.open("src/price.ts");
    warm_up(user, "src/price.ts");
    let arguments =
        json!({ "filePath": "src/price.ts", "oldString": "count: number", "newString": "count: string" });
    user.queue_call("breaks", "edit", arguments);
    user.open_chat();
    user.prompt_in_chat("Break it");
    user.finish_prompt();
    user.wait_in_chat(".problems .error", "src/price.ts:2");
    user.wait_in_chat(".problems .source", "proven");
    user.has_no_barriers("with problems of an edit");
    user.window.screenshot(&mut user.server, "chat-problems");
    user.click_in_chat(".problems .error .link-button", "src/price.ts:2");
    let at_problem = "vscode.window.activeTextEditor?.selection.active.line === 1";
    user.window.wait_until(at_problem, json!([]));
}
