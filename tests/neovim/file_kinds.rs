//! Files of every kind: an edit leaves in the buffer what a user would have typed.

use serde_json::json;

use super::neovim_session::{NeovimSession, allow_edits_environment, for_each_neovim, result};
use crate::model_server::ScriptedTurn;

/// The bytes of a file, what is replaced, and the bytes after Neovim has written it.
const TEXTS: &[(&str, &str, &str, &str, &str)] = &[
    ("unix", "a\nb\nc\n", "b\n", "B\nB\n", "a\nB\nB\nc\n"),
    ("dos", "a\r\nb\r\nc\r\n", "b\n", "B\nB\n", "a\r\nB\r\nB\r\nc\r\n"),
    ("dos without a last end", "a\r\nb\r\nc", "c", "C\nd", "a\r\nb\r\nC\r\nd"),
    ("no last end", "a\nb", "b", "B", "a\nB"),
    ("no last end, a line more", "a\nb", "b", "b\nc", "a\nb\nc"),
    ("a byte order mark", "\u{feff}a\nb\n", "a", "A", "\u{feff}A\nb\n"),
    ("emoji", "👩‍👩‍👧 x\ne\u{301}🦀 é y\n", "é y", "é 🦀", "👩‍👩‍👧 x\ne\u{301}🦀 é 🦀\n"),
    ("emoji on the edited line", "🦀🦀 a 🦀 b\n", "a", "ä", "🦀🦀 ä 🦀 b\n"),
    ("a stray carriage return", "a\rb\nc\rd\n", "d", "D", "a\rb\nc\rD\n"),
    ("the first line", "a\nb\n", "a\n", "", "b\n"),
    ("the last line", "a\nb\n", "b\n", "", "a\n"),
    ("the end of the last line", "a\nb c\n", " c\n", "", "a\nb\n"),
    ("the end of the last line, dos", "a\r\nb c\r\n", " c\n", "", "a\r\nb\r\n"),
    ("everything", "a\n", "a", "x\ny", "x\ny\n"),
    ("long lines", "p\n", "p", "p q", "p q\n"),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn endings_and_marks_and_wide_letters_are_kept() {
    for_each_neovim(|program| {
        let mut turns = Vec::new();
        for (number, (_, _, old, new, _)) in TEXTS.iter().enumerate() {
            let file = format!("f{number}.txt");
            let edit = json!({ "filePath": file, "oldString": old, "newString": new });
            turns.push(ScriptedTurn::new().call("c1", "edit", edit));
            turns.push(ScriptedTurn::new().text("Done."));
        }
        let scripted = allow_edits_environment(turns);
        for (number, (_, before, ..)) in TEXTS.iter().enumerate() {
            scripted.env.write(&format!("f{number}.txt"), before);
        }
        let mut window = NeovimSession::open(program, &scripted.env, &[]);
        for (number, (name, before, .., after)) in TEXTS.iter().enumerate() {
            let file = format!("f{number}.txt");
            window.nvim.lua("T.open(...)", json!([file]));
            window.run_lua("vim.bo.fixendofline = false");
            window.run_turn();
            let (told, failed) = result(&scripted, number * 2 + 1, "c1");
            assert!(!failed, "{name}: {told}");
            assert_eq!(scripted.env.read(&file), *before, "{name}: the disk is not touched");
            window.run_lua("vim.cmd('silent write')");
            assert_eq!(scripted.env.read(&file), *after, "{name}");
            window.run_lua("vim.cmd('silent undo') vim.cmd('silent write')");
            assert_eq!(scripted.env.read(&file), *before, "{name}: one undo takes it back");
            window.run_lua("vim.cmd('bwipeout!')");
        }
    });
}

/// Neovim recognizes such a file only if its options say so.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_of_the_old_mac_keeps_its_ends() {
    for_each_neovim(|program| {
        let edit = json!({ "filePath": "a.txt", "oldString": "b", "newString": "B" });
        let scripted = allow_edits_environment([
            ScriptedTurn::new().call("c1", "edit", edit),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", "a\rb\rc\r");
        let mut window = NeovimSession::open(program, &scripted.env, &[]);
        window
            .run_lua("vim.o.fileformats = 'unix,dos,mac' T.open('a.txt') assert(vim.bo.fileformat == 'mac')");
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed, "{told}");
        window.run_lua("vim.cmd('silent write')");
        assert_eq!(scripted.env.read("a.txt"), "a\rB\rc\r");
    });
}
