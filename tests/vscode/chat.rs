//! The chat view: what the model does shows while it happens; the user prompts, answers and decides in it; hiding it loses nothing.

use serde_json::json;

use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::model_server::{ScriptedErrorKind, ScriptedTurn};
use crate::neovim::neovim_session::environment_with_rules;

const TEXT: &str = "one\ntwo\nthree\nfour\n";

fn start() -> VscodeUser {
    let scripted = environment_with_rules([], json!({ "edit": "allow", "bash": "ask" }));
    scripted.env.write("a.txt", TEXT);
    let mut user = VscodeUser::start(scripted);
    user.window.open("a.txt");
    user.open_chat();
    user
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn a_turn_is_prompted_shown_and_answered_in_the_chat() {
    let mut user = start();
    an_empty_chat_teaches(&mut user);
    an_answer_shows_while_it_is_written(&mut user);
    a_call_unfolds(&mut user);
    an_ask_is_answered_by_keys(&mut user);
    a_question_is_answered_in_place(&mut user);
    a_hunk_is_accepted_in_the_chat(&mut user);
    a_failure_says_what_to_do(&mut user);
    what_was_hidden_shows_again(&mut user);
}

fn an_empty_chat_teaches(user: &mut VscodeUser) {
    user.wait_in_chat(".welcome", "answers.");
    user.wait_in_chat(".welcome kbd", "Shift+Enter");
    user.has_no_barriers("in the empty chat");
    user.window.screenshot(&mut user.server, "chat-empty");
}

fn an_answer_shows_while_it_is_written(user: &mut VscodeUser) {
    let turn = ScriptedTurn::new()
        .reasoning("Let me see.")
        .text("First **words**\n\n```rust\nfn main() {}\n```\n\n")
        .gate("half")
        .text("and the rest.");
    user.scripted.server.queue_turn(turn);
    user.prompt_in_chat("Say something");
    user.wait_for_gate("half");
    user.wait_in_chat(".answer strong", "words");
    user.wait_in_chat(".working", "Writing");
    user.window.screenshot(&mut user.server, "chat-streaming");
    user.open_gate("half");
    user.wait_in_chat(".answer p", "and the rest.");
    user.finish_prompt();
    user.wait_in_chat(".hljs-keyword", "fn");
    user.wait_until_gone_in_chat(".working");
    user.wait_in_chat(".turn-summary", "written");
}

fn a_call_unfolds(user: &mut VscodeUser) {
    user.queue_call("reads", "read", json!({ "filePath": "a.txt" }));
    user.prompt_in_chat("Read it");
    user.finish_prompt();
    user.wait_in_chat(".call.done .summary", "a.txt");
    assert_eq!(user.in_chat("count", json!({ "selector": ".detail-text" })), 0);
    user.click_in_chat(".call .fold-line", "a.txt");
    user.wait_in_chat(".call .detail-text", "three");
    user.window.screenshot(&mut user.server, "chat-unfolded");
    user.click_in_chat(".call .fold-line", "a.txt");
    user.wait_until_gone_in_chat(".detail-text");
    user.click_in_chat("textarea", "");
}

fn an_ask_is_answered_by_keys(user: &mut VscodeUser) {
    let command = json!({ "command": "echo made > made.txt", "description": "Makes a file" });
    user.queue_call("runs", "bash", command);
    user.prompt_in_chat("Make a file");
    user.wait_in_chat(".ask .subject", "echo made > made.txt");
    user.wait_in_chat(".call.waiting", "waits for you");
    user.has_no_barriers("while an ask waits");
    user.window.screenshot(&mut user.server, "chat-ask");
    // A plain Enter in the empty input answers nothing.
    user.window.press(&mut user.server, "Enter");
    assert!(!user.scripted.env.exists("made.txt"));
    user.window.press(&mut user.server, "Alt+Digit1");
    user.finish_prompt();
    assert_eq!(user.scripted.env.read("made.txt"), "made\n");
    user.wait_until_gone_in_chat(".ask");
    user.wait_in_chat("textarea:focus", "");
}

fn a_question_is_answered_in_place(user: &mut VscodeUser) {
    let option = |label: &str| json!({ "label": label, "description": format!("The {label} one") });
    let question = json!({
        "question": "Which colour?", "header": "Colour", "options": [option("Red"), option("Blue")],
    });
    user.queue_call("asks", "question", json!({ "questions": [question] }));
    user.prompt_in_chat("Ask me");
    user.wait_in_chat(".question", "Which colour?");
    user.window.screenshot(&mut user.server, "chat-question");
    // Arrow Up in the empty input leads to the ask.
    user.window.press(&mut user.server, "ArrowUp");
    user.wait_in_chat(".question input:focus", "");
    user.window.press(&mut user.server, "ArrowDown");
    user.in_chat("wait", json!({ "selector": ".option:has-text('Blue') input:checked" }));
    user.window.press(&mut user.server, "Enter");
    user.finish_prompt();
    let (told, _) = user.result("asks");
    assert!(told.contains("Blue"), "{told}");
}

fn a_hunk_is_accepted_in_the_chat(user: &mut VscodeUser) {
    let new = TEXT.replace("two", "TWO").replace("four", "FOUR");
    user.queue_call("edits", "edit", json!({ "filePath": "a.txt", "oldString": TEXT, "newString": new }));
    user.prompt_in_chat("Edit it");
    user.finish_prompt();
    user.wait_for_hunks(2);
    user.wait_in_chat(".hunk.undecided .diff-added", "+TWO");
    user.has_no_barriers("while hunks are undecided");
    user.window.screenshot(&mut user.server, "chat-hunks");
    user.in_chat("click", json!({ "selector": ".hunk button[aria-label='Accept a.txt:2']" }));
    user.wait_for_hunks(1);
    user.wait_in_chat(".hunk.accepted", "a.txt:2");
    // The other one by a key.
    user.evaluate_in_chat("document.querySelector('.hunk.undecided').focus()");
    user.window.press(&mut user.server, "r");
    user.wait_for_hunks(0);
    user.wait_in_chat(".hunk.rejected", "a.txt:4");
    user.window.wait_for_text("a.txt", &TEXT.replace("two", "TWO"));
    user.wait_in_chat(".remark", "The agent has not read this yet.");
    user.click_in_chat("textarea", "");
}

fn a_failure_says_what_to_do(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::new().error(ScriptedErrorKind::Invalid, "no such thing"));
    user.prompt_in_chat("Fail");
    assert_eq!(user.wait_for_turn_end(), "failed");
    user.wait_in_chat(".remark.error", "no such thing");
    user.wait_in_chat(".remedies .button", "Choose another model");
    user.window.screenshot(&mut user.server, "chat-failure");
}

fn what_was_hidden_shows_again(user: &mut VscodeUser) {
    user.type_in_chat("not sent yet");
    user.window.command("workbench.action.closeAuxiliaryBar", json!([]));
    // A turn that nobody sees.
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Said meanwhile."));
    user.run_turn("Meanwhile");
    user.open_chat();
    user.wait_in_chat(".answer", "Said meanwhile.");
    assert_eq!(user.evaluate_in_chat("document.querySelector('textarea').value"), "not sent yet");
    user.window.reload(&mut user.server);
    user.open_chat();
    user.wait_in_chat(".answer", "Said meanwhile.");
    assert_eq!(user.evaluate_in_chat("document.querySelector('textarea').value"), "not sent yet");
}

/// What a hostile model may write, each with a mark that the page must show as text.
const HOSTILE: [&str; 9] = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror=\"window.hacked = 2\">",
    "![picture](https://example.invalid/tracker.png)",
    "[script](javascript:window.hacked=3)",
    "[command](command:workbench.action.closeWindow)",
    "[data](data:text/html,hello)",
    "\u{202e}reversed\u{1b}[31m red \u{7}",
    "<iframe src=\"https://example.invalid\"></iframe>",
    "<https://example.invalid/autolink>",
];

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn hostile_output_is_harmless_text() {
    let mut user = start();
    let long = "x".repeat(1_000_000);
    user.scripted.server.queue_turn(ScriptedTurn::new().text(HOSTILE.join("\n\n")).chunk(7));
    user.scripted.server.queue_turn(ScriptedTurn::new().text(format!("before {long}\n\nafter")));
    user.prompt_in_chat("Attack");
    user.finish_prompt();
    user.wait_in_chat(".answer", "<script>window.hacked = 1</script>");
    user.wait_in_chat(".answer", "⟨U+202E⟩reversed␛[31m red ␇");
    let made = "[window.hacked ?? 0, document.querySelectorAll('.answer :is(img, script, iframe, form)').length, \
        [...document.querySelectorAll('.answer a')].filter((a) => a.protocol !== 'https:').length]";
    assert_eq!(user.evaluate_in_chat(made), json!([0, 0, 0]));
    user.window.screenshot(&mut user.server, "chat-hostile");
    user.prompt_in_chat("A long line");
    user.finish_prompt();
    // The line is cut, and so is the answer.
    user.wait_in_chat(".answer", "more characters)");
    user.wait_in_chat(".answer", "more characters are not shown.");
    let length = user.evaluate_in_chat("document.querySelector('#chat').textContent.length");
    assert!(length.as_u64().unwrap() < 20_000, "{length}");
    let console = user.window.user(&mut user.server, "console", json!({}));
    let console = console.to_string();
    assert!(!console.contains("example.invalid"), "something was fetched: {console}");
}

/// An answer with everything that has a colour.
const COLOURFUL: &str = "I change **two** lines, see `a.txt`:

1. the second
2. the fourth

```rust
// A comment
fn main() { let x = \"text\"; }
```

";

/// The chat of a turn that has edited and waits for an answer.
pub(super) fn start_with_theme(theme: &str) -> VscodeUser {
    let settings = json!({ "workbench.colorTheme": theme, "window.autoDetectHighContrast": false });
    let scripted = environment_with_rules([], json!({ "edit": "allow", "bash": "ask" }));
    scripted.env.write("a.txt", TEXT);
    let mut user = VscodeUser::start_with(scripted, &VscodeSetup { settings, ..VscodeSetup::default() });
    user.open_chat();
    user.wait_in_chat(".welcome", "answers.");
    let new = TEXT.replace("two", "TWO").replace("four", "FOUR");
    let edit = json!({ "filePath": "a.txt", "oldString": TEXT, "newString": new });
    let command = json!({ "command": "echo 12 tests passed", "description": "Runs the tests" });
    let edits = ScriptedTurn::new().reasoning("The lines are lower case.").text(COLOURFUL);
    user.scripted.server.queue_turn(edits.call("edits", "edit", edit));
    user.scripted.server.queue_turn(ScriptedTurn::new().call("runs", "bash", command));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    user.prompt_in_chat("Change the lines");
    user.wait_in_chat(".ask .subject", "echo 12");
    user.wait_for_hunks(2);
    user.window.command("notifications.clearAll", json!([]));
    user
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_chat_is_readable_in_every_theme() {
    for (name, theme) in [
        ("light", "Default Light Modern"),
        ("dark", "Default Dark Modern"),
        ("high-contrast", "Default High Contrast"),
        ("high-contrast-light", "Default High Contrast Light"),
    ] {
        let mut user = start_with_theme(theme);
        user.window.screenshot(&mut user.server, &format!("chat-{name}"));
        user.has_no_barriers(theme);
        user.window.press(&mut user.server, "Alt+Digit1");
        user.finish_prompt();
    }
}
