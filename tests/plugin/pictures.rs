//! The README's pictures of the conversation and of a review, drawn from Neovim's real screen.
//!
//! `COPYDESK_TEST_NVIM=… cargo test -p copydesk plugin::pictures -- --ignored` redraws them.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::plugin_neovim::PLUGIN_FOLDER;
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, environment_with_rules};
use crate::neovim::nvim::installed_neovims;
use crate::sessions::harness::ScriptedEnvironment;
use crate::terminal::problems::server;
use crate::terminal::screen::TestTerminal;
use crate::terminal::svg;

const CART: &str = "/// What a cart costs, tax included.
pub fn total(cart: &Cart) -> Money {
    let price = cart.items.iter().map(|item| item.price).sum();
    let tax = price * cart.rate;
    price + tax + tax
}

#[test]
fn tax_is_added_once() {
    let cart = Cart::of(&[100], 0.2);
    assert_eq!(total(&cart), 120);
}
";

const INIT: &str =
    "set termguicolors number nomodeline noswapfile laststatus=2 noruler shortmess+=I fillchars=eob:\\ ";

#[test]
#[ignore = "writes into the repository"]
fn the_conversation() {
    let edit = json!({ "filePath": "cart.rs", "oldString": "price + tax + tax", "newString": "price + tax" });
    let turns = [
        ScriptedTurn::new()
            .reasoning("The test says 120, so one tax too many is added.")
            .text("I look at the cart and at who uses it.")
            .call("c1", "read", json!({ "filePath": "cart.rs" }))
            .call("c2", "grep", json!({ "pattern": "total" })),
        ScriptedTurn::new().text("The tax is **added twice**, in line 5:").call("c3", "edit", edit),
    ];
    let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
    let mut terminal = open(&scripted, 32, 118);
    terminal.keys(":Copydesk ask The total of a cart is too high. Why?\r");
    terminal.wait_for_text("say why");
    keep(terminal, "chat.svg");
}

#[test]
#[ignore = "writes into the repository"]
fn a_review() {
    let edit = |id: &str, old: &str, new: &str| {
        ScriptedTurn::new().call(
            id,
            "edit",
            json!({ "filePath": "cart.rs", "oldString": old, "newString": new }),
        )
    };
    let case = "    assert_eq!(total(&cart), 120);\n";
    let turns = [
        edit("c1", "    price + tax + tax\n", "    price + tax\n"),
        edit("c2", "let price =", "let price: Money ="),
        edit("c3", case, &format!("{case}    assert_eq!(total(&Cart::default()), 0);\n")),
        ScriptedTurn::new().text("The tax was added twice."),
    ];
    let scripted = environment_with_rules(turns, json!({ "edit": "allow" }));
    let mut terminal = open(&scripted, 20, 90);
    terminal.keys(":Copydesk! ask The total of a cart is too high.\r");
    terminal.wait_for_text("Cart::default()");
    terminal.keys("2]h");
    terminal.wait_for_text("2/3  gha accept");
    keep(terminal, "review.svg");
}

/// Problems are known before anything changes.
#[test]
#[ignore = "writes into the repository"]
fn problems_in_an_ask() {
    let old = "    let tax = price * cart.rate;\n    price + tax + tax\n";
    let new = "    price + tax_of(cart)\n";
    let rule = json!({ "find": "tax_of(", "message": "cannot find function `tax_of` in this scope", "severity": 1, "code": "E0425" });
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let wait = format!("until grep -q didOpen {}; do :; done 2> /dev/null", log.display());
    let script = json!({ "rules": [rule], "pull": true, "serverStatus": true, "indexesMs": 1, "log": log });
    let command = server(folder.path(), &script);
    let turns = [
        ScriptedTurn::new().text("I look at the cart.").call("c1", "read", json!({ "filePath": "cart.rs" })),
        ScriptedTurn::new().call("c2", "bash", json!({ "command": wait, "description": "Run the tests" })),
        ScriptedTurn::new().text("The tax is **added twice**. It belongs in a function of its own:").call(
            "c3",
            "edit",
            json!({ "filePath": "cart.rs", "oldString": old, "newString": new }),
        ),
    ];
    let lsp = json!({ "rust-analyzer": { "command": command } });
    let rules = json!({ "*": "allow", "edit": "ask" });
    let scripted = environment_with_config(turns, json!({ "permission": rules, "lsp": lsp }));
    let mut terminal = open(&scripted, 28, 118);
    terminal.keys(":Copydesk ask The total of a cart is too high. Why?\r");
    terminal.wait_for_text("say why");
    keep(terminal, "problems.svg");
}

/// Neovim with the cart, as the user sees it.
fn open(scripted: &ScriptedEnvironment, rows: u16, columns: u16) -> TestTerminal {
    let program = installed_neovims().pop().unwrap();
    scripted.env.write("cart.rs", CART);
    let mut shell = Command::new("sh");
    scripted.env.prepare(&mut shell);
    shell.env("TERM", "xterm-256color").env("COLORTERM", "truecolor");
    let paths = format!("set runtimepath^={PLUGIN_FOLDER}");
    let setup = format!("lua require('copydesk').setup({{ cmd = '{BINARY}' }})");
    let program = program.to_str().unwrap();
    let nvim = [program, "--clean", "--cmd", INIT, "--cmd", &paths, "-c", &setup, "cart.rs"];
    let mut terminal = TestTerminal::run(shell, &nvim, rows, columns);
    terminal.wait_for_text("tax_is_added_once");
    terminal
}

/// Draws the screen into a file of the plugin.
fn keep(mut terminal: TestTerminal, name: &str) {
    let folder = Path::new(PLUGIN_FOLDER).join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), svg::draw(terminal.screen())).unwrap();
    terminal.keys(":qall!\r");
    terminal.wait_for_exit();
}
