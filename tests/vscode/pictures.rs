//! The README's pictures of a review and of the chat in VS Code, and those of the walkthrough.
//!
//! `tests/run vscode::pictures` leaves them out; run them by their name, with `COPYDESK_TEST_VSCODE` as `tests/run` sets it.

use serde_json::json;

use super::chat::start_with_theme;
use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::neovim::neovim_session::allow_edits_environment;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/vscode/pictures");

const CART: &str = "/// What a cart costs, tax included.
pub fn total(cart: &Cart) -> Money {
    let price = cart.items.iter().map(|item| item.price).sum();
    let tax = price * cart.rate;
    price + tax + tax
}

#[test]
fn tax_is_added_once() {
    let cart = Cart::of(&[100], 0.2);
    assert_eq!(total(&cart), 140);
}
";

#[test]
#[ignore = "writes into the repository"]
fn a_review() {
    for (name, theme) in [("review-light", "Default Light Modern"), ("review-dark", "Default Dark Modern")] {
        let settings = json!({
            "workbench.colorTheme": theme, "editor.minimap.enabled": false, "workbench.layoutControl.enabled": false,
            "window.autoDetectColorScheme": false, "editor.fontSize": 15, "breadcrumbs.enabled": false,
        });
        let setup = VscodeSetup { settings, ..VscodeSetup::default() };
        let mut user = VscodeUser::start_with(allow_edits_environment([]), &setup);
        user.scripted.env.write("src/cart.rs", CART);
        user.window.open("src/cart.rs");
        let new = CART
            .replace("    price + tax + tax\n", "    price + tax\n")
            .replace("total(&cart), 140", "total(&cart), 120")
            .replace(".sum();", ".sum::<Money>();");
        let (told, failed) = user.edit("src/cart.rs", CART, &new);
        assert!(!failed, "{told}");
        user.wait_for_hunks(3);
        user.wait_for_lenses("src/cart.rs", &[2, 4, 10]);
        user.window.command("copydesk.review.focus", json!([]));
        let row = ".customview-tree .monaco-list-row";
        user.window.wait_for(&mut user.server, row, "cart.rs");
        user.window.command("workbench.action.closePanel", json!([]));
        user.window.command("notifications.clearAll", json!([]));
        user.focus_page();
        user.window
            .js("vscode.window.activeTextEditor.selection = new vscode.Selection(4, 4, 4, 4)", json!([]));
        user.window.wait_for(&mut user.server, ".codelens-decoration a", "Accept");
        let path = format!("{FOLDER}/{name}.png");
        user.window.user(&mut user.server, "screenshot", json!({ "path": path }));
    }
}

#[test]
#[ignore = "writes into the repository"]
fn the_chat() {
    for (name, theme) in [
        ("light", "Default Light Modern"),
        ("dark", "Default Dark Modern"),
        ("high-contrast", "Default High Contrast"),
    ] {
        let mut user = start_with_theme(theme);
        // Each makes the view 60 pixels wider.
        user.window.command("workbench.action.increaseViewWidth", json!([]));
        user.window.command("workbench.action.increaseViewWidth", json!([]));
        user.evaluate_in_chat("document.querySelector('.scroller').scrollTo(0, 0)");
        user.evaluate_in_chat(DRAWN);
        let path = format!("{FOLDER}/chat-{name}.png");
        let order = json!({ "path": path, "selector": ".part.auxiliarybar" });
        user.window.user(&mut user.server, "screenshot", order);
        user.window.press(&mut user.server, "Alt+Digit1");
        user.finish_prompt();
    }
}

/// Resolves when the page has drawn twice: after a new size, and after the rows that this brought.
const DRAWN: &str =
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))";
