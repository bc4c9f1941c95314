//! What each turn changed, with undo and redo.

use serde_json::json;

use super::super::commands::Person;
use crate::model_server::Turn;
use crate::neovim::window::{desk, on_each};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn turns_are_listed_undone_and_redone() {
    on_each(|program| {
        let edit = |id: &str, file: &str, old: &str, new: &str| {
            Turn::new().call(id, "edit", json!({ "filePath": file, "oldString": old, "newString": new }))
        };
        let done = || Turn::new().text("Done.");
        let turns =
            [edit("c1", "a.txt", "one", "1"), edit("c2", "b.txt", "x", "y"), done(), Turn::new().text("No.")];
        let scripted = desk(turns.into_iter().chain([edit("c3", "a.txt", "two", "2\n3"), done()]));
        scripted.desk.write("a.txt", "one\ntwo\n");
        scripted.desk.write("b.txt", "x\n");
        let mut person = Person::at(program, &scripted.desk);
        person.gives("Copydesk turns", json!([]));
        assert_eq!(person.hears(), "there is no session; `:Copydesk sessions` opens one");
        person.window.command("edit a.txt");
        person.asks("First");
        person.asks("Nothing");
        person.asks("Third");
        person.window.until("require('copydesk.review').count() == 2");
        person.gives("Copydesk turns", json!([]));
        person.window.sees("turns");
        // The call under the cursor, then what it was; then the turn.
        person.window.keys("2Gu");
        assert_eq!(person.hears(), "undone: a.txt");
        assert_eq!(person.window.lines("a.txt"), "1\ntwo");
        person.window.keys("<C-r>");
        assert_eq!(person.hears(), "redone: a.txt");
        assert_eq!(person.window.lines("a.txt"), "1\n2\n3");
        person.window.keys("5G<CR>");
        assert_eq!(person.window.lua("return vim.fn.expand('%:t')"), "b.txt");
        person.gives("Copydesk turns", json!([]));
        person.window.keys("3Gu");
        let said = person.hears();
        assert!(said.starts_with("undone: ") && said.contains("b.txt"), "{said}");
        assert_eq!(person.window.lines("b.txt"), "x");
        person.window.keys("q");
        assert_eq!(person.window.lua("return vim.fn.expand('%:t')"), "b.txt");
    });
}
