//! VS Code's own language servers check the agent's edits and answer its questions about code.
//!
//! TypeScript is the one that is built in. Pyright runs as in its extension, by vscode-languageclient. The daemon's own servers are off, unless a
//! test says otherwise.

use serde_json::{Value, json};

use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::neovim::neovim_session::environment_with_config;
use crate::truth::servers::InstalledServers;

/// A busy machine takes long; only a failing test waits as long as this.
const WAIT_MS: u64 = 30_000;

fn start(files: &[(&str, &str)], more_config: &Value, settings: Value) -> VscodeUser {
    let mut config = json!({ "permission": "allow", "diagnostics": { "wait": WAIT_MS } });
    for (key, value) in more_config.as_object().into_iter().flatten() {
        config[key] = value.clone();
    }
    let scripted = environment_with_config([], config);
    for (path, text) in files {
        scripted.env.write(path, text);
    }
    VscodeUser::start_with(scripted, &VscodeSetup { settings, ..VscodeSetup::default() })
}

/// The diagnostics of the last call of the session.
fn diagnostics(user: &mut VscodeUser) -> Value {
    let session = user.session.clone();
    let loaded = user.witness().request_ok("copydesk/session/load", json!({ "session": session }));
    let parts = loaded["parts"].as_array().unwrap();
    let call = parts.iter().rev().find(|part| part["content"]["output"].is_object()).unwrap();
    call["content"]["output"]["metadata"]["diagnostics"].clone()
}

/// How the report of VS Code's servers is proven: the weakest of all files.
#[track_caller]
fn proof(told: &Value) -> String {
    let reports = told["reports"].as_array().unwrap();
    let is_own = |report: &&Value| report["source"].as_str().unwrap().ends_with("'s language servers");
    let own: Vec<_> = reports.iter().filter(is_own).collect();
    assert_eq!(own.len(), 1, "{told}");
    own[0]["proof"].as_str().unwrap().to_owned()
}

/// The new errors, as `path:line code`.
fn new_errors(told: &Value) -> Vec<String> {
    errors_in(told, &["new"])
}

/// Those in some lists of the metadata.
fn errors_in(told: &Value, lists: &[&str]) -> Vec<String> {
    let list = lists.iter().flat_map(|key| told[*key].as_array().into_iter().flatten());
    let mut found: Vec<_> = list
        .map(|error| {
            format!(
                "{}:{} {}",
                error["path"].as_str().unwrap(),
                error["line"],
                error["code"].as_str().unwrap()
            )
        })
        .collect();
    found.sort();
    found
}

pub(super) const PRICE: &str = "export function price(count: number): number {\n  return count * 2;\n}\n";
const ORDER: &str = "import { price } from \"./price\";\n\nexport const total: number = price(3);\n";
pub(super) const TSCONFIG: &str =
    r#"{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] }, "include": ["src"] }"#;

/// Waits until VS Code's TypeScript has read the project.
pub(super) fn warm_up(user: &mut VscodeUser, file: &str) {
    let ask = "const file = T.uri(args[0]);
        await T.until(async () => {
            const commands = await vscode.commands.getCommands(true);
            if (!commands.includes('typescript.tsserverRequest')) return false;
            const asked = vscode.commands.executeCommand('typescript.tsserverRequest', 'semanticDiagnosticsSync', { file });
            return (await asked)?.type === 'response';
        })";
    user.window.js(ask, json!([file]));
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn typescript_proves_what_an_edit_does() {
    let files = [("tsconfig.json", TSCONFIG), ("src/price.ts", PRICE), ("src/order.ts", ORDER)];
    let mut user = start(&files, &json!({}), json!({}));
    user.window.open("src/price.ts");
    warm_up(&mut user, "src/price.ts");

    // In the file itself, at once, and not saved. The importer is closed.
    let (told, failed) = user.edit("src/price.ts", "count: number): number", "count: string): number");
    assert!(!failed, "{told}");
    let seen = diagnostics(&mut user);
    // What a closed file had before its first check may be unknown on a busy machine; then its error is only possibly new.
    assert_eq!(
        errors_in(&seen, &["new", "unsure"]),
        ["src/order.ts:3 2345", "src/price.ts:2 2362"],
        "{seen}"
    );
    assert!(new_errors(&seen).contains(&"src/price.ts:2 2362".to_owned()), "{seen}");
    assert_eq!(proof(&seen), "proven");
    assert!(told.contains("src/price.ts:2:"), "{told}");
    assert_eq!(user.window.tabs(), ["price.ts"], "a file that was checked has no tab");

    // Clean again is proven too, although VS Code tells nothing if clean stays clean.
    let (told, _) = user.edit("src/price.ts", "count: string): number", "count: number): number");
    let seen = diagnostics(&mut user);
    assert_eq!((new_errors(&seen), &seen["fixed"]), (vec![], &json!(2)), "{told}");
    assert_eq!(proof(&seen), "proven");
    user.edit("src/price.ts", "count * 2", "count * 3");
    let seen = diagnostics(&mut user);
    assert_eq!((new_errors(&seen), proof(&seen)), (vec![], "proven".to_owned()));

    // A closed file is changed on the disk. VS Code has it loaded without a tab, with an older text for some time.
    user.edit("src/order.ts", "price(3)", "price(\"three\")");
    let seen = diagnostics(&mut user);
    assert_eq!(new_errors(&seen), ["src/order.ts:3 2345"], "{seen}");
    user.edit("src/order.ts", "price(\"three\")", "price(4)");
    let seen = diagnostics(&mut user);
    assert_eq!((new_errors(&seen), &seen["fixed"]), (vec![], &json!(1)), "{seen}");

    typescript_answers_questions(&mut user);
    typescript_changes_code(&mut user);
}

fn lsp(user: &mut VscodeUser, arguments: Value) -> String {
    let (told, failed) = user.run_call("lsp", arguments);
    assert!(!failed, "{told}");
    told
}

fn typescript_answers_questions(user: &mut VscodeUser) {
    let at = |operation: &str, file: &str, symbol: &str| json!({ "operation": operation, "filePath": file, "symbol": symbol });
    let told = lsp(user, at("goToDefinition", "src/order.ts", "price"));
    assert!(told.contains("src/price.ts:1"), "{told}");
    let told = lsp(user, at("findReferences", "src/price.ts", "price"));
    assert!(told.contains("src/order.ts\n") && told.contains("= price(4)"), "{told}");
    let told = lsp(user, at("hover", "src/price.ts", "price"));
    assert!(told.contains("function price(count: number): number"), "{told}");
    let told = lsp(user, at("incomingCalls", "src/price.ts", "price"));
    assert!(told.contains("src/order.ts:1 module (call in line 3)"), "{told}");
}

fn typescript_changes_code(user: &mut VscodeUser) {
    let rename =
        json!({ "operation": "rename", "filePath": "src/price.ts", "symbol": "price", "newName": "cost" });
    let (told, failed) = user.run_call("refactor", rename);
    assert!(!failed, "{told}");
    user.window.wait_for_text("src/price.ts", &PRICE.replace("price", "cost").replace("* 2", "* 3"));
    assert_eq!(
        user.scripted.env.read("src/order.ts"),
        ORDER.replace("{ price }", "{ cost }").replace("price(3)", "cost(4)")
    );

    user.scripted.env.write("src/late.ts", "export const late   =   cost(1);\n");
    user.window.open("src/late.ts");
    let import = json!({
        "operation": "codeAction", "filePath": "src/late.ts",
        "problem": "Cannot find name", "title": "Add import from \"./price\"",
    });
    let (told, failed) = user.run_call("refactor", import);
    assert!(!failed, "{told}");
    let (told, failed) =
        user.run_call("refactor", json!({ "operation": "format", "filePath": "src/late.ts" }));
    assert!(!failed, "{told}");
    let text = "import { cost } from \"./price\";\n\nexport const late = cost(1);\n";
    user.window.wait_for_text("src/late.ts", text);
}

const SHOP: &str = "def price(count: int) -> int:\n    return count * 2\n";
const CART: &str = "from shop import price\n\ntotal: int = price(3)\n";

fn pyright() -> Value {
    json!({ "copydeskTests.servers": { "python": InstalledServers::installed().command("pyright") } })
}

/// Waits until VS Code shows this many problems of a file.
fn wait_for_problems(user: &mut VscodeUser, file: &str, count: usize) {
    let wait = "vscode.languages.getDiagnostics(T.uri(args[0])).length === args[1]";
    user.window.wait_until(wait, json!([file, count]));
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn problems_that_vscode_shows_are_likely_and_never_proven() {
    let files = [
        ("pyrightconfig.json", "{}"),
        ("shop.py", SHOP),
        ("cart.py", CART),
        ("broken.py", "x: int = \"\"\n"),
    ];
    let mut user = start(&files, &json!({}), pyright());
    user.window.open("broken.py");
    wait_for_problems(&mut user, "broken.py", 1);
    user.window.open("shop.py");
    user.window.open("cart.py");

    let (told, failed) = user.edit("shop.py", "return count * 2", "return str(count)");
    assert!(!failed, "{told}");
    let seen = diagnostics(&mut user);
    assert_eq!(proof(&seen), "likely", "{seen}");
    let (told, _) = user.edit("shop.py", "return str(count)", "return count * 3");
    let seen = diagnostics(&mut user);
    assert_eq!((new_errors(&seen), &seen["fixed"]), (vec![], &json!(1)), "{told}");
    assert_ne!(proof(&seen), "proven", "{seen}");

    let told =
        lsp(&mut user, json!({ "operation": "goToDefinition", "filePath": "cart.py", "symbol": "price" }));
    assert!(told.contains("shop.py:1"), "{told}");
    let told =
        lsp(&mut user, json!({ "operation": "findReferences", "filePath": "shop.py", "symbol": "price" }));
    assert!(told.contains("cart.py\n") && told.contains("3: total"), "{told}");
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn a_silent_or_hanging_extension_gives_an_honest_answer() {
    let files = [("list.lua", "local function first(list)\n  return list[1]\nend\nprint(first({ 1 }))\n")];
    let mut user = start(&files, &json!({ "diagnostics": { "wait": 1000 } }), json!({}));
    user.window.open("list.lua");
    // An extension that shows a problem once, knows one definition, and hangs when it is asked for uses.
    let register = "const here = (document) => new vscode.Location(document.uri, new vscode.Range(0, 15, 0, 20));
        T.state.shown = vscode.languages.createDiagnosticCollection('slow');
        T.state.shown.set(T.uri('list.lua'), [new vscode.Diagnostic(new vscode.Range(1, 2, 1, 8), 'slow', 0)]);
        vscode.languages.registerDefinitionProvider('lua', { provideDefinition: here });
        vscode.languages.registerReferenceProvider('lua', {
            provideReferences: (document) => { T.emit('asked'); return new Promise(() => {}); },
        })";
    user.window.js(register, json!([]));
    wait_for_problems(&mut user, "list.lua", 1);

    // Nothing is said of the new text, so nothing is known of it.
    let (told, failed) = user.edit("list.lua", "list[1]", "list[2]");
    assert!(!failed, "{told}");
    let seen = diagnostics(&mut user);
    assert_eq!(proof(&seen), "unknown", "{seen}");

    let at = |operation: &str| json!({ "operation": operation, "filePath": "list.lua", "symbol": "first" });
    let told = lsp(&mut user, at("goToDefinition"));
    assert!(told.contains("list.lua:1"), "{told}");
    let told = lsp(&mut user, at("findReferences"));
    assert!(told.contains("an extension of VS Code did not answer within 15 s"), "{told}");
    user.window.wait_for_event("asked");
    // No provider looks like "nothing found", and is told so.
    let told = lsp(&mut user, at("hover"));
    assert!(told.contains("VS Code found nothing, or has no extension that answers this for lua"), "{told}");
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_daemons_own_servers_prove_what_vscode_cannot() {
    let files = [("pyrightconfig.json", "{}"), ("shop.py", SHOP)];
    let command = InstalledServers::installed().command("pyright");
    let mut settings = pyright();
    settings["copydesk.diagnostics.ownServers"] = json!(true);
    let mut user = start(&files, &json!({ "lsp": { "pyright": { "command": command } } }), settings);
    user.window.open("shop.py");
    let (told, failed) = user.edit("shop.py", "return count * 2", "return str(count)");
    assert!(!failed, "{told}");
    let seen = diagnostics(&mut user);
    let reports = seen["reports"].as_array().unwrap();
    let own: Vec<_> = reports.iter().filter(|report| report["source"] != "tree-sitter").collect();
    assert_eq!(own.len(), 1, "{seen}");
    assert_eq!((&own[0]["source"], &own[0]["proof"]), (&json!("pyright"), &json!("proven")), "{seen}");
}
