//! The first five minutes on a clean profile: the walkthrough, done step by step as a user does it, ends in an accepted repair and a provider
//! whose key is at the daemon and nowhere in VS Code.
//!
//! Each step leaves a picture in `vscode-screenshots` beside the builds.

use serde_json::json;

use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::cli::environment::{KEYS_FILE, TestEnvironment};
use crate::model_server::ScriptedModelServer;
use crate::sessions::harness::ScriptedEnvironment;

const KEY: &str = "gsk_Walk-Zy8Xw6Vu4Ts2Rq0P";

/// The user has a folder of the usual name.
const OWN_FILE: &str = "~/copydesk-practice/mine.txt";
pub(super) const PRACTICE_FILE: &str = "~/copydesk-practice-2/src/newsstand.ts";

const PICK: &str = ".quick-input-widget .monaco-list-row";
const TITLE: &str = ".quick-input-widget .quick-input-title";

/// A user without a model, on whose machine a server answers.
pub(super) fn start() -> VscodeUser {
    let server = ScriptedModelServer::start();
    server.models(&["qwen3:8b"]);
    let env = TestEnvironment::new()
        .with_providers(&["groq", "anthropic", "ollama", "offline"])
        .env("OLLAMA_HOST", server.url())
        .env("COPYDESK_LOG", "trace")
        .env("COPYDESK_IDLE_EXIT", "60");
    env.write(OWN_FILE, "mine\n");
    let settings = json!({ "workbench.startupEditor": "welcomePage", "copydesk.showConversation": true });
    let setup = VscodeSetup { settings, is_empty: true, asks_for_trust: true, ..VscodeSetup::default() };
    VscodeUser::start_with(ScriptedEnvironment { env, server }, &setup)
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_walkthrough_ends_in_an_accepted_repair_and_a_model() {
    let mut user = start();
    empty_views_teach(&mut user);
    a_practice_project_is_made_and_opened(&mut user);
    it_is_trusted(&mut user);
    its_error_is_seen(&mut user);
    a_repair_is_asked_for(&mut user);
    the_repair_is_accepted(&mut user);
    a_provider_is_set_up(&mut user);
    a_local_server_is_found(&mut user);
    the_key_is_at_the_daemon_alone(&mut user);
}

/// Runs a command by the palette.
pub(super) fn run_by_name(user: &mut VscodeUser, name: &str) {
    user.window.press(&mut user.server, "F1");
    user.window.wait_for(&mut user.server, ".quick-input-widget input", "");
    user.window.user(&mut user.server, "type", json!({ "text": name }));
    user.window.wait_for(&mut user.server, ".quick-input-widget .monaco-list-row.focused", name);
    user.window.press(&mut user.server, "Enter");
}

/// A step of the walkthrough, by its id in package.json.
fn step(id: &str) -> String {
    format!("button.getting-started-step[data-step-id$='firstSteps#{id}']")
}

/// Unfolds a step, and presses the button in it.
fn press_button(user: &mut VscodeUser, id: &str, button: &str) {
    user.window.click(&mut user.server, &format!("{} .step-title", step(id)), "");
    let unfolded = format!("{}[aria-expanded=true]", step(id));
    user.window.click(&mut user.server, &format!("{unfolded} .monaco-button"), button);
}

fn wait_until_done(user: &mut VscodeUser, id: &str) {
    user.window.wait_for(&mut user.server, &format!("{}[aria-checked=true]", step(id)), "");
}

fn picture(user: &mut VscodeUser, name: &str) {
    user.window.screenshot(&mut user.server, &format!("walkthrough-{name}"));
}

fn empty_views_teach(user: &mut VscodeUser) {
    user.window.command("copydesk.review.focus", json!([]));
    user.window.wait_for(
        &mut user.server,
        ".welcome-view-content",
        "waits here until you accept or reject it",
    );
    user.window.wait_for(&mut user.server, ".welcome-view-content", "what it may not do unasked");
    picture(user, "0-empty-views");
    user.window.command("workbench.view.explorer", json!([]));
}

fn a_practice_project_is_made_and_opened(user: &mut VscodeUser) {
    run_by_name(user, "Copydesk: First Steps");
    user.window.wait_for(&mut user.server, &step("project"), "Make a practice project");
    picture(user, "1-project");
    press_button(user, "project", "Make and Open It");
    user.window.wait_for_next_folder(&user.server);
    // The walkthrough is there again, beside the file.
    user.window.wait_for(&mut user.server, ".tab", "newsstand.ts");
    wait_until_done(user, "project");
    assert_eq!(user.scripted.env.read(OWN_FILE), "mine\n");
    let own = user.scripted.env.path(OWN_FILE).parent().unwrap().read_dir().unwrap().count();
    assert_eq!(own, 1, "something was written into the user's own folder");
}

fn it_is_trusted(user: &mut VscodeUser) {
    press_button(user, "trust", "Trust It");
    user.window.wait_for(&mut user.server, ".workspace-trust-editor", "Trust");
    picture(user, "1-trust");
    let trust = ".workspace-trust-editor .workspace-trust-buttons-row .monaco-button";
    user.window.click(&mut user.server, trust, "Trust");
    user.window.wait_until("vscode.workspace.isTrusted", json!([]));
    user.window.click(&mut user.server, ".monaco-modal-editor-block .codicon-close", "");
    user.window.user(
        &mut user.server,
        "wait",
        json!({ "selector": ".workspace-trust-editor", "state": "detached" }),
    );
    wait_until_done(user, "trust");
}

fn its_error_is_seen(user: &mut VscodeUser) {
    // This VS Code has no TypeScript in a window that was restricted. The next one has, and shows the walkthrough again.
    press_button(user, "error", "Show the Error");
    user.window.wait_for_next_folder(&user.server);
    user.window
        .wait_until("vscode.languages.getDiagnostics(T.uri('src/newsstand.ts')).length === 1", json!([]));
    press_button(user, "error", "Show the Error");
    wait_until_done(user, "error");
    let at_error =
        "vscode.window.visibleTextEditors.some((one) => one.document.getText(one.selection) === 'titel')";
    user.window.wait_until(at_error, json!([]));
    picture(user, "2-error");
    // Without a model the empty chat says what to do.
    user.open_chat();
    user.wait_in_chat(".welcome", "Set up a model…");
    user.wait_in_chat(".welcome", "practise on a small project");
    user.has_no_barriers("in a chat without a model");
    picture(user, "2-chat");
    user.window.command("workbench.action.closeAuxiliaryBar", json!([]));
}

fn a_repair_is_asked_for(user: &mut VscodeUser) {
    let broken = user.scripted.env.read(PRACTICE_FILE);
    press_button(user, "fix", "Fix the Error");
    wait_until_done(user, "fix");
    // The chat shows what the agent does, and leaves the focus where it was.
    user.wait_in_chat(".prompt-text", "Fix these problems");
    user.wait_in_chat(".ask, .hunk", "");
    picture(user, "3-proposal");
    // Nothing is changed yet.
    user.window.wait_for_text("src/newsstand.ts", &broken);
    user.attach_witness();
    user.wait_for_hunks(1);
}

fn the_repair_is_accepted(user: &mut VscodeUser) {
    let repaired = user.scripted.env.read(PRACTICE_FILE).replace("titel", "title");
    press_button(user, "review", "Go There");
    user.window.wait_until("vscode.window.activeTextEditor?.selection.active.line === 14", json!([]));
    picture(user, "4-hunk");
    user.window.press(&mut user.server, "Control+Alt+Enter");
    user.wait_for_hunks(0);
    user.window.wait_for_text("src/newsstand.ts", &repaired);
    user.window
        .wait_until("vscode.languages.getDiagnostics(T.uri('src/newsstand.ts')).length === 0", json!([]));
    wait_until_done(user, "review");
    picture(user, "5-repaired");
}

/// Waits for a list with this title, and picks from it by typing.
fn pick(user: &mut VscodeUser, title: &str, text: &str) {
    user.window.wait_for(&mut user.server, TITLE, title);
    user.window.wait_for(&mut user.server, PICK, text);
    user.window.user(&mut user.server, "type", json!({ "text": text }));
    user.window.wait_for(&mut user.server, &format!("{PICK}.focused"), text);
    picture(user, &format!("6-{}", text.to_lowercase().replace([':', ' '], "-")));
    user.window.press(&mut user.server, "Enter");
}

fn wait_for_model(user: &mut VscodeUser, model: &str) {
    user.poll("copydesk/session/list", &json!({}), |listed| listed["sessions"][0]["model"] == model);
}

fn a_provider_is_set_up(user: &mut VscodeUser) {
    press_button(user, "model", "Set Up a Model");
    pick(user, "Set up a model: whose?", "Groq");
    user.window.wait_for(&mut user.server, TITLE, "Key for Groq");
    user.window.user(&mut user.server, "type", json!({ "text": KEY }));
    let input = json!({ "selector": ".quick-input-widget input", "name": "type" });
    assert_eq!(user.window.user(&mut user.server, "attribute", input), "password");
    picture(user, "6-key");
    user.window.press(&mut user.server, "Enter");
    user.window.wait_for(&mut user.server, ".notification-toast", "The key for Groq is stored.");
    pick(user, "Model of this session", "GPT-OSS 120B");
    wait_for_model(user, "groq/openai/gpt-oss-120b");
    wait_until_done(user, "model");
    picture(user, "7-done");
}

pub(super) fn a_local_server_is_found(user: &mut VscodeUser) {
    run_by_name(user, "Copydesk: Set Up a Model");
    pick(user, "Set up a model: whose?", "Ollama");
    pick(user, "Model of this session", "qwen3:8b");
    wait_for_model(user, "ollama/qwen3:8b");
}

/// Everything that the page keeps in the browser, as text.
const PAGE_STORAGE: &str = "(async () => {
    const kept = [JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
    const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = reject; });
    for (const { name } of await indexedDB.databases()) {
        const database = await done(indexedDB.open(name));
        for (const store of database.objectStoreNames) {
            kept.push(JSON.stringify(await done(database.transaction(store).objectStore(store).getAll())));
        }
        database.close();
    }
    return kept.join('\\n');
})()";

fn the_key_is_at_the_daemon_alone(user: &mut VscodeUser) {
    let stored: serde_json::Value = serde_json::from_str(&user.scripted.env.read(KEYS_FILE)).unwrap();
    assert_eq!(stored, json!({ "groq": { "type": "api", "key": KEY } }));
    assert_eq!(user.scripted.env.mode(KEYS_FILE), 0o600);
    assert!(user.server.stores("copydesk-practice-2"), "the search finds nothing at all");
    assert!(!user.server.stores(KEY), "VS Code stores the key on the disk");
    let kept = user.window.user(&mut user.server, "evaluate", json!({ "code": PAGE_STORAGE }));
    let kept = kept.as_str().unwrap();
    assert!(kept.contains("copydesk"), "the page keeps nothing at all: {kept}");
    assert!(!kept.contains(KEY), "the page keeps the key");
    let session = user.session.clone();
    assert!(!user.witness().load(&session).to_string().contains(KEY), "the session has the key");
    let log = user.scripted.env.read(crate::daemon::stdio_editor::LOG);
    assert!(!log.contains(KEY), "the daemon's log has the key");
}
